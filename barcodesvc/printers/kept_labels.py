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
from barcodesvc.labels.label_content import LabelData
from barcodesvc.labels.label_requests import LabelsRequest, PrintItem
from barcodesvc.labels.layout_requests import Layout
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


def part_of(job: SheetJob, first: int, count: int, start: int) -> SheetJob:
    """Return a job of `count` labels after the first `first` ones, from position `start` of a page on."""
    layout, skipped, items = job.request.layout, first, []
    for code, copies, values in job.request.entries():
        taken = min(copies - skipped, count)
        if taken > 0:
            items.append(PrintItem.model_construct(code=code, copies=taken, values=values))
            count -= taken
        skipped = max(skipped - copies, 0)
        if not count:
            break
    moved = layout.model_copy(update={"start_position": start, "number_from": layout.number_from + first})
    return replace(job, request=job.request.model_copy(update={"products": items, "layout": moved}))


def products_of(job: SheetJob, first: int) -> tuple[str, ...]:
    """Return the first MOST_PRODUCTS_TOLD codes of the labels after the first `first` ones, each once."""
    found: dict[str, None] = {}
    for code, copies, _ in job.request.entries():
        if copies > first:
            found[code] = None
        if len(found) == MOST_PRODUCTS_TOLD:
            break
        first = max(first - copies, 0)
    return tuple(found)


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


def job_of(kept: str, printer: PrinterLayout) -> SheetJob:
    """Return the job of a request that `kept_request` wrote."""
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
    return SheetJob(request.model_copy(update={"layout": layout}), label_data)


def _picture(kept: Mapping[str, Any] | None) -> Picture | None:
    return Picture(kept["width"], kept["height"], zlib.decompress(b64decode(kept["pixels"]))) if kept else None
