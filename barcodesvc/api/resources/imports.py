"""Handler of the catalogue's import: POST /api/products/import, with its result and the events of its progress.

Once its file has arrived, an import is not tied to its client: it completes even if the client disconnects, and then
releases its capacity and its file. A dry run is useless without its client, so its reading stops.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from hashlib import file_digest
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Literal

from aiohttp import web
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    StringConstraints,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)
from pydantic_core import from_json, to_json

from barcodesvc.api.client_address import is_connected
from barcodesvc.api.event_stream import EVENT_STREAM, HEADERS, Progress, events, wants_events
from barcodesvc.api.forms import FORM, File, Form, MostBytes, UploadedForm, uploaded_form
from barcodesvc.api.idempotency import key_checked, keyed_as, reply_response, sent_key
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.observe.metrics import METRICS, Metrics
from barcodesvc.api.parameters import QueryBoolean, read_query
from barcodesvc.api.resources.exports import XLSX
from barcodesvc.api.resources.import_results import FinishedImport, ImportResult, import_progress, import_result
from barcodesvc.api.responses import JSON, stream, success
from barcodesvc.api.signature import Reads, Sends
from barcodesvc.catalogue import importing
from barcodesvc.catalogue.columns import FIELD_PATTERN, NEEDED
from barcodesvc.catalogue.importing import CatalogueFile, Importer, Report
from barcodesvc.catalogue.table import Selection
from barcodesvc.errors import FileTooLarge, ServiceError
from barcodesvc.fields import described
from barcodesvc.models import Author, KeyInBody, Query, Reason
from barcodesvc.runtime.processes import IsWanted
from barcodesvc.runtime.threads import run_to_end
from barcodesvc.service import Service
from barcodesvc.spreadsheets.encodings import LONGEST_NAME, known_encoding
from barcodesvc.spreadsheets.read import FileFormat
from barcodesvc.store.codes import SYSTEM
from barcodesvc.store.idempotency import KEY, KeyedRequest, Reply, kept_reply, once
from barcodesvc.store.products import FIRST_REASON
from barcodesvc.store.script import Begin, Script
from barcodesvc.store.staging import MODES, Entry
from barcodesvc.validation import BEGINS_WITH_MARK

_LONGEST_TITLE = 255
_LONGEST_ENTRY = 200
_LONGEST_KEY = 255
_UTF_8_BYTES = 4
_ENTRY = ("change_reason", "updated_by")
"""The texts that are recorded with each level."""
_CatalogueField = Annotated[
    str,
    WithJsonSchema({"type": "string", "pattern": FIELD_PATTERN}),
]


class ImportQuery(Query):
    """Whether to write at all, what happens to existing products, and whether the file is CSV.

    Without `format`, the content shows whether the file is .xlsx, .xls, .ods or a web page.
    """

    dry_run: Annotated[
        QueryBoolean, described("Whether to report what would happen, and change nothing.", example=True)
    ] = False
    mode: Annotated[
        Literal["skip", "update", "count", "receive"],
        described(
            "What happens to existing products. `skip` leaves them alone; `update` changes what a row fills in, but no "
            "level; `count` sets their levels, and `receive` adds to them.",
            "skip",
        ),
    ] = "skip"
    make_codes: Annotated[
        QueryBoolean,
        described("Whether new products without a code get new ones, which the service makes.", example=True),
    ] = False
    format: Annotated[
        FileFormat | None, described("`csv` for a CSV file; the others are recognised by their content.", "csv")
    ] = None

    refused: Annotated[
        Literal["xlsx"] | None,
        described(
            "Of a dry run: return a workbook of the rows that cannot be imported, the first 1,000 of them, instead of "
            "the result.",
            "xlsx",
        ),
    ] = None

    @field_validator("refused")
    @classmethod
    def _of_a_dry_run(cls, refused: str | None, info: ValidationInfo) -> str | None:
        if refused and not info.data.get("dry_run"):
            raise ValueError("only with dry_run=true, because it imports nothing")
        return refused


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


def _require_characters(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("contains half of a surrogate pair, which is not a character") from None


class ImportForm(BaseModel, extra="forbid"):
    """A workbook (.xlsx, .xls or .ods, judged by its content, or CSV), its columns, and which of its sheets to read.

    `map` is a JSON object from header to field. `change_reason` and `updated_by` are recorded with each level.
    """

    file: Annotated[File, described("The workbook: .xlsx, .xls or .ods, or CSV with `format=csv`.", "PK\u0003\u0004")]
    map: Annotated[
        dict[str, _CatalogueField] | None,
        BeforeValidator(_read_map),
        MostBytes(64 * 1024),
        described("The field of each header, where the service does not know it.", {"Article no.": "product_code"}),
    ] = None
    sheet: Annotated[
        Annotated[str, StringConstraints(max_length=_LONGEST_TITLE)] | None,
        MostBytes(_LONGEST_TITLE * _UTF_8_BYTES),
        described("The name of the sheet to read; the first one with products by default.", "Stock"),
    ] = None
    encoding: Annotated[
        Annotated[str, StringConstraints(max_length=LONGEST_NAME), AfterValidator(known_encoding)] | None,
        MostBytes(LONGEST_NAME * _UTF_8_BYTES),
        described("The encoding of a CSV file, by any usual name; found or guessed by default.", "windows-1251"),
    ] = None
    change_reason: Annotated[
        Reason,
        MostBytes(_LONGEST_ENTRY * _UTF_8_BYTES),
        described(
            "Why levels change, such as the name of the file; by default `count` or `receipt` in these modes.",
            "stock.xlsx",
        ),
    ] = FIRST_REASON
    updated_by: Annotated[Author, MostBytes(_LONGEST_ENTRY * _UTF_8_BYTES)] = SYSTEM
    idempotency_key: Annotated[KeyInBody | None, MostBytes(_LONGEST_KEY)] = None


async def import_products(
    request: Annotated[web.Request, Reads(query=ImportQuery, body={FORM: ImportForm}, is_keyed=True)],
) -> Annotated[web.StreamResponse, Sends({JSON: FinishedImport, EVENT_STREAM: None, XLSX: bytes}, ("Cache-Control",))]:
    """Import products from a file, in one transaction.

    With `Accept: text/event-stream` the response is server-sent events: `progress` (`ImportProgress`), then one
    `result` (`ImportResult`) or one `error` (the envelope of an error). A dry run needs no key.
    """
    with key_checked(request):
        query = read_query(request, ImportQuery)
    service, progress = request.app[SERVICE], Progress()
    report = partial(_report, progress, query)
    async with AsyncExitStack() as stack:
        form = await stack.enter_async_context(uploaded_form(request, _form(service.settings.max_upload_bytes)))
        keyed = await _keyed(request, query, form)
        file, is_wanted = _catalogue_file(service, query, form), partial(is_connected, request)
        if query.refused:
            content = await service.importer.refused_rows(file, is_wanted)
            return web.Response(body=content, content_type=XLSX)
        tried_out = partial(_tried_out, service.importer, query, file, report, is_wanted)
        work = tried_out if query.dry_run else partial(_imported, service, keyed, query, file, report)
        running = asyncio.create_task(_run(work, stack.pop_all()))
        service.imports.add(running)
        running.add_done_callback(service.imports.discard)
        running.add_done_callback(partial(_count, request.app[METRICS], query))
    if wants_events(request):
        return await stream(request, HEADERS, events(running, progress, service.clock.steady, _result_in))
    return reply_response(await asyncio.shield(running))


async def _keyed(request: web.Request, query: ImportQuery, form: UploadedForm) -> KeyedRequest[bytes]:
    """Return the request with its key; what tells it from another one is its file, its texts and its query."""
    texts = dict(form.texts)
    key = sent_key(request, texts.pop(KEY, None))
    others = (texts, query.model_dump())
    compared = partial(_compared, form.file, *others)
    return keyed_as(request, await run_to_end(request.app[SERVICE].file_threads, compared) if key else b"", key)


def _compared(file: Path, *others: Any) -> bytes:
    with file.open("rb") as content:
        return to_json([file_digest(content, "sha256").hexdigest(), *others])


async def _tried_out(
    importer: Importer, query: ImportQuery, file: CatalogueFile, report: Report, is_wanted: IsWanted
) -> Reply:
    return Reply(success(import_result(await importer.try_out(file, report, is_wanted), query.mode)), replayed=False)


async def _imported(
    service: Service, keyed: KeyedRequest[bytes], query: ImportQuery, file: CatalogueFile, report: Report
) -> Reply:
    """Import a file once for its key."""

    def body(result: importing.ImportResult) -> bytes:
        return success(import_result(result, query.mode))

    def whole(merge: Begin[importing.ImportResult]) -> Script[Reply]:
        return once(keyed, merge, body)

    if before := await kept_reply(service.database, keyed):
        return before
    return await service.importer.run(file, whole, report)


def _form(most: int) -> Form:
    return Form(
        model=ImportForm,
        noun="workbook",
        most_bytes=most,
        too_large=FileTooLarge(f"the file is larger than {most} bytes", limit=most),
        sent="the upload",
        body="the multipart body",
    )


def _count(metrics: Metrics, query: ImportQuery, running: asyncio.Task[Reply]) -> None:
    """Count the outcome of an import; reading its exception keeps asyncio from logging one that is not awaited."""
    error = None if running.cancelled() else running.exception()
    if running.cancelled() or error is not None:
        is_refusal = isinstance(error, ServiceError) and error.status < HTTPStatus.INTERNAL_SERVER_ERROR
        metrics.import_ended("refused" if is_refusal else "failed")
    elif query.dry_run:
        metrics.import_ended("dry_run")
    elif not running.result().replayed:
        result = _result_in(running.result())
        rows = {"imported": result["imported"], "updated": result.get("updated", 0), "skipped": result["skipped"]}
        metrics.import_ended("done", {**rows, "errors": result["errors_count"]})


def _result_in(reply: Reply) -> ImportResult:
    result: ImportResult = from_json(reply.body)["data"]
    return result


def _report(progress: Progress, query: ImportQuery, result: importing.ImportResult) -> None:
    progress.report(import_progress(result, query.mode))


async def _run(work: Callable[[], Awaitable[Reply]], resources: AsyncExitStack) -> Reply:
    """Run the import; `resources` are released at its end."""
    async with resources:
        return await work()


def _catalogue_file(service: Service, query: ImportQuery, form: UploadedForm) -> CatalogueFile:
    mode, texts = MODES[query.mode], form.texts
    entry = Entry(service.clock.timestamp(), **{name: texts[name] for name in _ENTRY if name in texts})
    needed = ("product_code",) if mode.reason else NEEDED
    made = service.settings.made_codes if query.make_codes else None
    selection = Selection(
        sheet=texts.get("sheet"),
        columns=texts.get("map"),
        file_format=query.format,
        encoding=texts.get("encoding"),
        needed=("description",) if made else needed,
        make_codes=made is not None,
    )
    return CatalogueFile(form.file, mode, entry, selection, made)
