"""The handler of the catalogue's import: POST /api/products/import.

Once its file has arrived, an import belongs to nobody: it goes on to its end when its client goes away, and gives its
capacity and its file back then. A dry run is of use to its client alone: without it, its reading ends.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any, Literal

from aiohttp import web
from pydantic import BaseModel, ConfigDict, StringConstraints, WithJsonSchema

from barcodesvc.api.client_presence import is_connected
from barcodesvc.api.event_stream import HEADERS, Progress, events, wants_events
from barcodesvc.api.forms import File
from barcodesvc.api.json_bodies import BEGINS_WITH_MARK
from barcodesvc.api.keys import CLOCK, DATABASE, FILE_THREADS, IMPORTS, WORKER_PROCESSES
from barcodesvc.api.observe.metrics import METRICS, Metrics
from barcodesvc.api.requests import QueryBoolean, read_query
from barcodesvc.api.resources.import_answers import ImportAnswer, ImportResult, import_progress, import_result
from barcodesvc.api.responses import JsonAnswer, json_answer, stream
from barcodesvc.api.uploads import TextPart, UploadedForm, uploaded_form
from barcodesvc.catalogue import importing
from barcodesvc.catalogue.columns import FIELDS
from barcodesvc.catalogue.importing import (
    ReadOptions,
    import_catalogue,
    skip_existing,
    try_import,
    update_existing,
)
from barcodesvc.catalogue.table import Selection
from barcodesvc.errors import ServiceError

ImportCounts = Progress[importing.ImportResult]

_EXISTING = {"skip": skip_existing, "update": update_existing}
_MOST_MAP_BYTES = 64 * 1024
_LONGEST_TITLE = 255
_UTF_8_BYTES = 4
_CatalogueField = Annotated[str, WithJsonSchema({"type": "string", "enum": list(FIELDS)})]


class ImportQuery(BaseModel):
    """Whether to write at all, and what becomes of products that are already there."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    dry_run: QueryBoolean = False
    mode: Literal["skip", "update"] = "skip"

    @property
    def may_update(self) -> bool:
        """Whether products that are already there are changed, so that their number is in the answer."""
        return self.mode == "update"


class ImportForm(BaseModel, extra="forbid"):
    """A workbook (.xlsx or .xls, judged by its content), which columns it has, and which of its sheets is read.

    `map` is a JSON object from header to field.
    """

    file: File
    map: dict[str, _CatalogueField] | None = None
    sheet: Annotated[str, StringConstraints(max_length=_LONGEST_TITLE)] | None = None


async def import_products(request: web.Request) -> JsonAnswer[ImportAnswer] | web.StreamResponse:
    """POST /api/products/import: a workbook into the catalogue, in one transaction."""
    query = read_query(request, ImportQuery)
    progress = ImportCounts()
    async with AsyncExitStack() as stack:
        form = await stack.enter_async_context(uploaded_form(request, "file", TEXTS))
        reading = _reading(request, query, form, progress)
        running = _begin(request.app, query, _run(request.app, query, form, reading, stack.pop_all()))
    if wants_events(request):
        as_progress = partial(import_progress, may_update=query.may_update)
        return await stream(request, HEADERS, events(running, progress, as_progress, request.app[CLOCK].steady))
    return json_answer(ImportAnswer(success=True, data=await asyncio.shield(running)))


async def finish_imports(app: web.Application) -> AsyncIterator[None]:
    """Wait at the end for the imports under way; those that are still read have been ended by then."""
    yield
    under_way = app[IMPORTS]
    while under_way:
        await asyncio.wait(under_way)


def _begin(
    app: web.Application, query: ImportQuery, work: Coroutine[Any, Any, ImportResult]
) -> asyncio.Task[ImportResult]:
    running = asyncio.create_task(work)
    app[IMPORTS].add(running)
    running.add_done_callback(app[IMPORTS].discard)
    running.add_done_callback(partial(_count, app[METRICS], query))
    return running


def _count(metrics: Metrics, query: ImportQuery, running: asyncio.Task[ImportResult]) -> None:
    """Count what became of an import; to look at it keeps asyncio from logging a refusal that nobody waits for."""
    error = None if running.cancelled() else running.exception()
    if running.cancelled() or error is not None:
        is_refusal = isinstance(error, ServiceError) and error.status < HTTPStatus.INTERNAL_SERVER_ERROR
        metrics.import_ended("refused" if is_refusal else "failed")
    elif query.dry_run:
        metrics.import_ended("dry_run")
    else:
        result = running.result()
        rows = {"imported": result["imported"], "updated": result.get("updated", 0), "skipped": result["skipped"]}
        metrics.import_ended("done", {**rows, "errors": result["errors_count"]})


async def _run(
    app: web.Application,
    query: ImportQuery,
    form: UploadedForm,
    reading: ReadOptions,
    resources: AsyncExitStack,
) -> ImportResult:
    """Run the import and return its answer; `resources` are given back at its end."""
    database, threads, existing = app[DATABASE], app[FILE_THREADS], _EXISTING[query.mode]
    async with resources:
        if query.dry_run:
            result = await try_import(database, threads, form.file, existing, reading)
        else:
            now = app[CLOCK].timestamp()
            result = await import_catalogue(database, threads, form.file, existing, now, reading)
    return import_result(result, dry_run=query.dry_run, may_update=query.may_update)


def _reading(request: web.Request, query: ImportQuery, form: UploadedForm, progress: ImportCounts) -> ReadOptions:
    selection = Selection(sheet=form.texts.get("sheet"), columns=form.texts.get("map"))
    reading = ReadOptions(selection, request.app[WORKER_PROCESSES], progress.report)
    return replace(reading, is_wanted=partial(is_connected, request)) if query.dry_run else reading


def _read_map(text: str) -> dict[str, str]:
    if text.startswith("\N{BYTE ORDER MARK}"):
        raise ValueError(f"not JSON: {BEGINS_WITH_MARK}")
    try:
        columns = json.loads(text, object_pairs_hook=_without_repeats, parse_int=float)
    except RecursionError:
        raise ValueError("nested too deeply; send a JSON object of headers and fields") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error}") from None
    if not isinstance(columns, dict) or not all(isinstance(field, str) for field in columns.values()):
        raise ValueError('not a JSON object of headers and fields, such as {"Artikelnr.": "product_code"}')
    _require_characters("".join((*columns, *columns.values())))
    return columns


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    columns = dict(pairs)
    if len(columns) < len(pairs):
        repeated = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise ValueError(f"the header {repeated[:40]!r} is given more than once")
    return columns


def _read_title(text: str) -> str:
    if len(text) > _LONGEST_TITLE:
        raise ValueError(f"longer than {_LONGEST_TITLE} characters")
    return text


def _require_characters(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("holds half of a surrogate pair, which is no character") from None


TEXTS = {
    "map": TextPart(_MOST_MAP_BYTES, _read_map),
    "sheet": TextPart(_LONGEST_TITLE * _UTF_8_BYTES, _read_title),
}
