"""The documents of print jobs: some labels at a time, made from the JSON that a job keeps of its request.

Rules: a document ends where a page does, so that the next one continues the job. The labels of a job are the same
whenever they are made, even if products, images and layouts have changed.
"""

import asyncio
import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, replace
from datetime import date
from functools import partial
from typing import Any

from cachetools import LRUCache

from barcodesvc.amounts import AmountFormat
from barcodesvc.errors import InvalidInput, RenderOverload, field_problem
from barcodesvc.labels.label_content import LabelData
from barcodesvc.labels.label_data import LabelSource
from barcodesvc.labels.label_requests import LabelsRequest, PrintItem, require_few_dots
from barcodesvc.labels.layout_requests import Layout
from barcodesvc.labels.output import Output, as_nothing, as_pdf, as_pwg, as_zpl
from barcodesvc.labels.pictures import Picture
from barcodesvc.labels.sheet_job import SheetJob
from barcodesvc.labels.sheet_queue import SHORT_JOB, SheetQueue
from barcodesvc.labels.sheets import Sheet
from barcodesvc.printers.connection import BLACK, GREY, PDF, ZPL, Document, Printer
from barcodesvc.printers.layouts import PrinterLayout, changes, merged, require_media
from barcodesvc.store.limits import held
from barcodesvc.store.print_jobs import NewJob, QueuedJob, rest_of

MOST_LABELS_OF_DOCUMENT = 50
"""Labels that can be in doubt at once; a page with more is one document."""
_MOST_PRODUCTS_TOLD = 5
"""Product codes that a job lists, so that people know what it prints."""
_JOBS_REMEMBERED = 8
CHECK_WAIT = 10.0
"""Seconds that a short job waits for the check whether its labels can be printed."""
InThread = Callable[..., Awaitable[Any]]
"""Does work on a body in the thread for bodies: a function and its arguments."""


class PrintDocuments:
    """Makes documents, with the threads of a SheetQueue; `printers` are those of the settings by name."""

    def __init__(
        self, printers: Mapping[str, PrinterLayout], sheets: SheetQueue, source: LabelSource, in_thread: InThread
    ) -> None:
        self._printers = printers
        self._sheets = sheets
        self._source = source
        self._in_thread = in_thread
        self._checking = asyncio.Lock()
        self._jobs: LRUCache[int, SheetJob] = LRUCache(_JOBS_REMEMBERED)

    async def new_job(
        self, name: str, wanted: LabelsRequest, value: Mapping[str, Any], now: str, client: str
    ) -> NewJob:
        """Return the job that prints what a request asks for; `value` is the JSON that the request was made of.

        Raises InvalidInput, which names all labels that cannot be printed, NameNotFound, ProductNotFound and
        RenderOverload.
        """
        if wanted.layout.page_size is not None:
            message = "the settings of the printer say what is in it; leave this out"
            raise InvalidInput.of(field_problem("layout.page_size", message))
        printer, saved = self._printers[name], await self._source.saved_layout(wanted.layout.name)
        changed = changes(printer, saved, wanted.layout)
        layout = merged(printer.layout, changed)
        require_media(printer, layout)
        whole = wanted.model_copy(update={"layout": layout})
        data = await self._source.label_data(whole)
        kept = await self._in_thread(_kept, value, changed, data)
        job = SheetJob(whole, data, as_nothing)
        await self._check(job, client)
        return NewJob(name, whole.count(), kept, now, products=_products_of(job, 0))

    async def rest(
        self, name: str, old: QueuedJob, from_label: int | None, start_position: int | None, now: str
    ) -> NewJob:
        """Return the job that prints the rest of one; raises PrintJobStateDiffers and InvalidInput."""
        new, job = rest_of(old, from_label, now), await self._job_of(name, old)
        if start_position is not None:
            _require_position(job.request.layout.sheet_layout(), start_position)
        return new._replace(products=_products_of(job, new.from_label - 1), start_position=start_position or 0)

    async def __call__(self, printer: Printer, job: QueuedJob, done: int, media_types: tuple[str, ...]) -> Document:
        """Return the document after the first `done` labels; see `MakeDocument`."""
        whole = await self._job_of(printer.address.name, job)
        layout = whole.request.layout
        start = 1
        if not done:  # the position of a layout is for the first label of the request
            start = job.start_position or (layout.start_position if job.job.from_label == 1 else 1)
        labels_per_page = layout.sheet_layout().labels_per_page
        pages = max(1, MOST_LABELS_OF_DOCUMENT // labels_per_page)
        count = min(job.job.labels - done, pages * labels_per_page - (start - 1))
        media_type = next(iter(media_types), "")
        part = _part_of(whole, job.job.from_label - 1 + done, count, start)
        content = await self._sheets.run(replace(part, output=_output(media_type, layout)))
        return Document(count, media_type, content)

    async def _check(self, job: SheetJob, client: str) -> None:
        """Raise what is wrong with labels; short jobs wait for each other, so that they take one place of the queue."""
        if job.request.count() > SHORT_JOB:
            await self._sheets.run(job, client=client)
            return
        message = "too many print jobs are arriving at once; try again in a moment"
        async with held(self._checking, CHECK_WAIT, lambda: RenderOverload(message, retry_after=5)):
            await self._sheets.run(job)

    async def _job_of(self, name: str, job: QueuedJob) -> SheetJob:
        found = self._jobs.get(job.job.id)
        if found is None:
            found = self._jobs[job.job.id] = await self._in_thread(_job_of, job.request, self._printers[name])
        return found


def _require_position(sheet: Sheet, position: int) -> None:
    if sheet.is_roll:
        message = "the printer has a roll, which has no positions; leave this out"
        raise InvalidInput.of(field_problem("start_position", message, position))
    if position > sheet.labels_per_page:
        raise InvalidInput.of(
            field_problem("start_position", f"the sheet has {sheet.labels_per_page} labels", position)
        )


def _output(media_type: str, layout: Layout) -> Output:
    """Return the output of this media type; raises InvalidInput for another one, and for too many dots."""
    outputs: Mapping[str, Output] = {
        ZPL: partial(as_zpl, layout=layout),
        PDF: as_pdf,
        BLACK: partial(as_pwg, kind="black_1"),
        GREY: partial(as_pwg, kind="sgray_8"),
    }
    if media_type not in outputs:
        raise InvalidInput(f"the printer reads neither PDF nor PWG raster at {layout.dpi} dpi")
    if media_type != PDF:
        require_few_dots(layout)
    return outputs[media_type]


def _part_of(job: SheetJob, first: int, count: int, start: int) -> SheetJob:
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


def _products_of(job: SheetJob, first: int) -> tuple[str, ...]:
    """Return the first _MOST_PRODUCTS_TOLD codes of the labels after the first `first` ones, each once."""
    found: dict[str, None] = {}
    for code, copies, _ in job.request.entries():
        if copies > first:
            found[code] = None
        if len(found) == _MOST_PRODUCTS_TOLD:
            break
        first = max(first - copies, 0)
    return tuple(found)


def _kept(value: Mapping[str, Any], layout: Layout, data: LabelData) -> str:
    """Return the JSON that a job keeps of a request: all that its labels are made of, but no key.

    `value` is the JSON of the request, `layout` its layout with what the saved one that it names adds.
    """
    kept: dict[str, object] = {"today": data.today.isoformat(), "domain": data.domain, "products": data.products}
    kept["amounts"] = asdict(data.amounts)
    if picture := data.picture:
        pixels = b64encode(zlib.compress(picture.rows)).decode()
        kept["picture"] = {"width": picture.width, "height": picture.height, "pixels": pixels}
    request = {**value, "layout": layout.model_dump(exclude_unset=True, exclude={"name"})}
    request.pop("idempotency_key", None)
    return json.dumps({"request": request, "data": kept}, separators=(",", ":"))


def _job_of(kept: str, printer: PrinterLayout) -> SheetJob:
    """Return the job of a request that `_kept` wrote."""
    found: dict[str, Any] = json.loads(kept)
    request, data = LabelsRequest.model_validate(found["request"]), found["data"]
    layout, picture = merged(printer.layout, request.layout), None
    if drawn := data.get("picture"):
        picture = Picture(drawn["width"], drawn["height"], zlib.decompress(b64decode(drawn["pixels"])))
    today, amounts = date.fromisoformat(data["today"]), AmountFormat(**data.get("amounts", {}))
    label_data = LabelData(today, data["domain"], data["products"], picture, amounts)
    return SheetJob(request.model_copy(update={"layout": layout}), label_data)
