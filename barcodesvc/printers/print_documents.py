"""The documents of print jobs: some labels at a time, made from what a job keeps, so that they can be made again.

Rule: a document ends where a page does, so that the next one continues the job; the labels of a job are the same
whenever they are made.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from cachetools import LRUCache

from barcodesvc.errors import FieldProblem, InvalidInput
from barcodesvc.labels.label_data import LabelSource
from barcodesvc.labels.label_requests import LabelsRequest, require_few_dots
from barcodesvc.labels.layout_requests import Layout
from barcodesvc.labels.output import Output, PdfOutput, PwgOutput
from barcodesvc.labels.sheet_queue import SheetQueue
from barcodesvc.labels.sheets import Sheet
from barcodesvc.printers.connection import BLACK, GREY, PDF, ZPL, Document
from barcodesvc.printers.kept_labels import LabelsToPrint, kept_request, labels_of
from barcodesvc.printers.printer import Printer
from barcodesvc.printers.printer_layouts import PrinterLayout, changes, merged, require_media
from barcodesvc.store.print_jobs import NewJob, QueuedJob, rest_of

MOST_LABELS_OF_DOCUMENT = 50
"""Labels that can be in doubt at once; a page with more is one document."""
_JOBS_REMEMBERED = 8


class PrintDocuments:
    """Makes documents, with the threads of a SheetQueue; `printers` are those of the settings by name."""

    def __init__(self, printers: Mapping[str, PrinterLayout], sheets: SheetQueue, source: LabelSource) -> None:
        self._printers = printers
        self._sheets = sheets
        self._source = source
        self._labels: LRUCache[int, LabelsToPrint] = LRUCache(_JOBS_REMEMBERED)

    async def new_job(self, name: str, wanted: LabelsRequest, body: bytes, now: str) -> NewJob:
        """Return the job that prints what a request asks for.

        Raises InvalidInput, which names all labels that cannot be printed, NameNotFound, ProductNotFound and
        RenderOverload.
        """
        if wanted.layout.page_size is not None:
            message = "the settings of the printer say what is in it; leave this out"
            raise InvalidInput.of(FieldProblem("layout.page_size", message))
        printer, whole = self._printers[name], await self._source.whole_request(wanted)
        changed = changes(printer, wanted.layout, whole.layout)
        layout = merged(printer.layout, changed)
        require_media(printer, layout)
        data = await self._source.label_data(whole.model_copy(update={"layout": layout}))
        kept = await asyncio.to_thread(kept_request, body, changed, data)
        labels = await asyncio.to_thread(labels_of, kept, printer)
        await self._sheets.run(labels.job)
        return NewJob(name, labels.job.labels, kept, now, products=labels.products(0))

    async def rest(
        self, name: str, old: QueuedJob, from_label: int | None, start_position: int | None, now: str
    ) -> NewJob:
        """Return the job that prints the rest of one; raises PrintJobStateDiffers and InvalidInput."""
        new, labels = rest_of(old, from_label, now), await self._labels_of(name, old)
        if start_position is not None:
            _require_position(labels.job.sheet, start_position)
        return replace(new, products=labels.products(new.from_label - 1), start_position=start_position or 0)

    async def __call__(self, printer: Printer, job: QueuedJob, done: int, media_types: tuple[str, ...]) -> Document:
        """Return the document after the first `done` labels; see `MakeDocument`."""
        labels = await self._labels_of(printer.address.name, job)
        start = 1 if done else _start_of(job, labels.layout)
        count = min(job.job.labels - done, _labels_of_document(labels.job.sheet.labels_per_page, start))
        media_type = next(iter(media_types), "")
        part = labels.part(job.job.from_label - 1 + done, count, start)
        output = _output(media_type, labels)
        return Document(count, media_type, await self._sheets.run(replace(part, output=output)))

    async def _labels_of(self, name: str, job: QueuedJob) -> LabelsToPrint:
        labels = self._labels.get(job.job.id)
        if labels is None:
            labels = await asyncio.to_thread(labels_of, job.request, self._printers[name])
            self._labels[job.job.id] = labels
        return labels


def _start_of(job: QueuedJob, layout: Layout) -> int:
    """Return the position of a job's first label; the one of a layout is for the first label of the request."""
    return job.start_position or (layout.start_position if job.job.from_label == 1 else 1)


def _require_position(sheet: Sheet, position: int) -> None:
    if sheet.is_roll:
        message = "the printer has a roll, which has no positions; leave this out"
        raise InvalidInput.of(FieldProblem("start_position", message, position))
    if position > sheet.labels_per_page:
        raise InvalidInput.of(FieldProblem("start_position", f"the sheet has {sheet.labels_per_page} labels", position))


def _output(media_type: str, labels: LabelsToPrint) -> Output:
    """Return the output of this media type; raises InvalidInput for another one, and for too many dots."""
    layout = labels.layout
    outputs: Mapping[str, Output] = {
        ZPL: layout.zpl(),
        PDF: PdfOutput(),
        BLACK: PwgOutput("black_1"),
        GREY: PwgOutput("sgray_8"),
    }
    if media_type not in outputs:
        raise InvalidInput(f"the printer reads neither PDF nor PWG raster of {layout.dpi} dpi")
    if media_type != PDF:
        require_few_dots(labels.job.sheet, layout.dpi)
    return outputs[media_type]


def _labels_of_document(labels_per_page: int, start: int) -> int:
    pages = max(1, MOST_LABELS_OF_DOCUMENT // labels_per_page)
    return pages * labels_per_page - (start - 1)
