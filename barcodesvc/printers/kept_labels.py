"""The JSON that a print job keeps of a request, from which its labels can be made later, again and in parts.

Rule: the labels of a job are the same whenever they are made, even if products, images and layouts have changed.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any

from barcodesvc.amounts import AmountFormat
from barcodesvc.labels.label_content import Entry
from barcodesvc.labels.label_data import LabelData, job_with
from barcodesvc.labels.label_requests import LabelsRequest
from barcodesvc.labels.layout_requests import Layout
from barcodesvc.labels.output import NoOutput
from barcodesvc.labels.pictures import Picture
from barcodesvc.labels.sheet_job import SheetJob
from barcodesvc.printers.printer_layouts import PrinterLayout, merged

MOST_PRODUCTS_TOLD = 5
"""Product codes that a job tells, so that people know what it prints."""


@dataclass(frozen=True, slots=True)
class AskedLabels:
    """A valid request, with the JSON value that it was made of."""

    wanted: LabelsRequest
    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LabelsToPrint:
    """All labels of a job, with their layout."""

    job: SheetJob
    layout: Layout

    def part(self, first: int, count: int, start: int) -> SheetJob:
        """Return a job of `count` labels after the first `first` ones, from position `start` of a page on."""
        return replace(
            self.job,
            labels=count,
            entries=self._entries(first, count),
            settings=replace(self.job.settings, start_position=start),
            content=replace(self.job.content, number_from=self.job.content.number_from + first),
        )

    def products(self, first: int) -> tuple[str, ...]:
        """Return the first MOST_PRODUCTS_TOLD codes of the labels after the first `first` ones, each once."""
        found: dict[str, None] = {}
        for entry in self.job.entries:
            if entry.copies > first:
                found[entry.code] = None
            if len(found) == MOST_PRODUCTS_TOLD:
                break
            first = max(first - entry.copies, 0)
        return tuple(found)

    def _entries(self, first: int, count: int) -> list[Entry]:
        found = []
        for entry in self.job.entries:
            taken = min(entry.copies - first, count)
            if taken > 0:
                found.append(entry._replace(copies=taken))
                count -= taken
            first = max(first - entry.copies, 0)
            if not count:
                break
        return found


def kept_request(asked: AskedLabels, layout: Layout, data: LabelData) -> str:
    """Return the JSON that a job keeps of a request: all that its labels are made of, but no key.

    `layout` is that of the request, with what the saved one that it names adds.
    """
    kept: dict[str, object] = {"today": data.today.isoformat(), "domain": data.domain, "products": data.products}
    kept["amounts"] = asdict(data.amounts)
    if picture := data.picture:
        pixels = b64encode(zlib.compress(picture.pixels)).decode()
        kept["picture"] = {"width": picture.width, "height": picture.height, "pixels": pixels}
    request = {**asked.value, "layout": layout.model_dump(exclude_unset=True, exclude={"name"})}
    request.pop("idempotency_key", None)
    return json.dumps({"request": request, "data": kept}, separators=(",", ":"))


def labels_of(kept: str, printer: PrinterLayout) -> LabelsToPrint:
    """Return the labels of a request that `kept_request` wrote."""
    found: dict[str, Any] = json.loads(kept)
    request, data = LabelsRequest.model_validate(found["request"]), found["data"]
    layout = merged(printer.layout, request.layout)
    label_data = LabelData(
        date.fromisoformat(data["today"]),
        data["domain"],
        data["products"],
        _picture(data.get("picture")),
        AmountFormat(**data.get("amounts", {})),
    )
    return labels_with(request.model_copy(update={"layout": layout}), label_data)


def labels_with(whole: LabelsRequest, data: LabelData) -> LabelsToPrint:
    """Return the labels of a request with the whole layout of its printer, and take its entries out."""
    job = job_with(whole, data, NoOutput())
    return LabelsToPrint(replace(job, entries=tuple(job.entries)), whole.layout)


def _picture(kept: Mapping[str, Any] | None) -> Picture | None:
    return Picture(kept["width"], kept["height"], zlib.decompress(b64decode(kept["pixels"]))) if kept else None
