"""The documents of print jobs: some labels at a time, made from what a job keeps, so that they can be made again.

Rule: a document ends where a page does, so that the next one continues the job; the labels of a job are the same
whenever they are made.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from cachetools import LRUCache

from barcodesvc.errors import InvalidInput, RenderOverload, field_problem
from barcodesvc.labels.label_data import LabelSource
from barcodesvc.labels.label_requests import require_few_dots
from barcodesvc.labels.layout_requests import Layout
from barcodesvc.labels.output import Output, as_nothing, as_pdf, as_pwg, as_zpl
from barcodesvc.labels.sheet_job import SheetJob
from barcodesvc.labels.sheet_queue import SHORT_JOB, SheetQueue
from barcodesvc.labels.sheets import Sheet
from barcodesvc.printers.connection import BLACK, GREY, PDF, ZPL, Document
from barcodesvc.printers.kept_labels import AskedLabels, job_of, kept_request, part_of, products_of
from barcodesvc.printers.printer import Printer
from barcodesvc.printers.printer_layouts import PrinterLayout, changes, merged, require_media
from barcodesvc.store.limits import held
from barcodesvc.store.print_jobs import NewJob, QueuedJob, rest_of

MOST_LABELS_OF_DOCUMENT = 50
"""Labels that can be in doubt at once; a page with more is one document."""
_JOBS_REMEMBERED = 8
CHECK_WAIT = 10.0
"""Seconds that a short job waits until it is looked at whether its labels can be printed."""
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

    async def new_job(self, name: str, asked: AskedLabels, now: str, client: str) -> NewJob:
        """Return the job that prints what a request asks for.

        Raises InvalidInput, which names all labels that cannot be printed, NameNotFound, ProductNotFound and
        RenderOverload.
        """
        wanted = asked.wanted
        if wanted.layout.page_size is not None:
            message = "the settings of the printer say what is in it; leave this out"
            raise InvalidInput.of(field_problem("layout.page_size", message))
        printer, whole = self._printers[name], await self._source.with_saved_layout(wanted)
        changed = changes(printer, wanted.layout, whole.layout)
        layout = merged(printer.layout, changed)
        require_media(printer, layout)
        whole = whole.model_copy(update={"layout": layout})
        data = await self._source.label_data(whole)
        kept = await self._in_thread(kept_request, asked, changed, data)
        job = SheetJob(whole, data, as_nothing)
        await self._check(job, client)
        return NewJob(name, whole.count(), kept, now, products=products_of(job, 0))

    async def rest(
        self, name: str, old: QueuedJob, from_label: int | None, start_position: int | None, now: str
    ) -> NewJob:
        """Return the job that prints the rest of one; raises PrintJobStateDiffers and InvalidInput."""
        new, job = rest_of(old, from_label, now), await self._job_of(name, old)
        if start_position is not None:
            _require_position(job.request.layout.sheet_layout(), start_position)
        return new._replace(products=products_of(job, new.from_label - 1), start_position=start_position or 0)

    async def __call__(self, printer: Printer, job: QueuedJob, done: int, media_types: tuple[str, ...]) -> Document:
        """Return the document after the first `done` labels; see `MakeDocument`."""
        whole = await self._job_of(printer.address.name, job)
        layout = whole.request.layout
        start = 1 if done else _start_of(job, layout)
        count = min(job.job.labels - done, _labels_of_document(layout.sheet_layout().labels_per_page, start))
        media_type = next(iter(media_types), "")
        part = part_of(whole, job.job.from_label - 1 + done, count, start)
        content = await self._sheets.run(replace(part, output=_output(media_type, layout)))
        return Document(count, media_type, content)

    async def _check(self, job: SheetJob, client: str) -> None:
        """Raise what is wrong with labels; short jobs wait for each other, so that they take one place of the queue."""
        if job.request.count() > SHORT_JOB:
            await self._sheets.run(job, client=client)
            return
        async with held(self._checking, CHECK_WAIT, _too_many_jobs):
            await self._sheets.run(job)

    async def _job_of(self, name: str, job: QueuedJob) -> SheetJob:
        found = self._jobs.get(job.job.id)
        if found is None:
            found = self._jobs[job.job.id] = await self._in_thread(job_of, job.request, self._printers[name])
        return found


def _too_many_jobs() -> RenderOverload:
    return RenderOverload("too many print jobs arrive at once; try again in a moment", retry_after=5)


def _start_of(job: QueuedJob, layout: Layout) -> int:
    """Return the position of a job's first label; the one of a layout is for the first label of the request."""
    return job.start_position or (layout.start_position if job.job.from_label == 1 else 1)


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
        raise InvalidInput(f"the printer reads neither PDF nor PWG raster of {layout.dpi} dpi")
    if media_type != PDF:
        require_few_dots(layout)
    return outputs[media_type]


def _labels_of_document(labels_per_page: int, start: int) -> int:
    pages = max(1, MOST_LABELS_OF_DOCUMENT // labels_per_page)
    return pages * labels_per_page - (start - 1)
