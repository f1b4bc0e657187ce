"""The handlers of printers and of their jobs, and what clients may ask of them."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_json
from typing_extensions import TypedDict

from barcodesvc.api.client_address import client_key
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.requests import (
    NoQuery,
    QueryInteger,
    json_body,
    read_id,
    read_model,
    read_query,
    worked_on,
)
from barcodesvc.api.resources.idempotency import key_checked, keyed_now, keyed_request, reply_response
from barcodesvc.api.resources.list_parameters import QueryId
from barcodesvc.api.responses import JsonResponse, Success, json_response
from barcodesvc.errors import PrinterNotFound
from barcodesvc.fields import Timestamp, described
from barcodesvc.labels.label_requests import LabelsRequest
from barcodesvc.labels.layout_requests import MOST_LABELS
from barcodesvc.models import Draft, IdempotencyKey
from barcodesvc.print_jobs import PrinterState, PrintJob
from barcodesvc.store.idempotency import KeyedRequest, Reply, change_once, kept_reply
from barcodesvc.validation import json_in, validated

if TYPE_CHECKING:
    from barcodesvc.printers.kept_labels import AskedLabels
    from barcodesvc.printers.printers import Printers
    from barcodesvc.service import Printing
    from barcodesvc.store.database import Database
    from barcodesvc.store.print_jobs import NewJob

_LOG = logging.getLogger(__name__)

PrinterKind = Literal["zpl", "ipp", "file"]
JOBS_LISTED = 50
MOST_JOBS_LISTED = 500


class JobRequest(LabelsRequest):
    """Labels to print on a printer of the service; what `layout` does not say is as the settings of the printer say."""

    idempotency_key: IdempotencyKey | None = None


class ResendRequest(Draft):
    """Which labels of a job are printed again, in a new job."""

    from_label: Annotated[
        Annotated[int, Field(ge=1, le=MOST_LABELS)] | None,
        described("The first label of the new job; by default the first one that is not printed for sure.", 51),
    ] = None
    start_position: Annotated[
        Annotated[int, Field(ge=1, le=MOST_LABELS)] | None,
        described("The first position to print of a sheet, instead of the one in the job's `layout`.", 4),
    ] = None
    idempotency_key: IdempotencyKey | None = None


class JobsQuery(BaseModel):
    """The part of a printer's jobs that is listed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    limit: Annotated[
        QueryInteger, Field(ge=1, le=MOST_JOBS_LISTED), described("The most jobs that are listed.", 50)
    ] = JOBS_LISTED
    before: Annotated[
        QueryId | None, described("Only jobs before the one with this id: the last id of the previous page.", 9)
    ] = None


class PrinterRecord(TypedDict):
    """A printer of the settings, and its state."""

    name: Annotated[str, described("The name of the printer.", "zebra")]
    kind: Annotated[PrinterKind, described("How it is spoken to: ZPL over TCP, IPP, or ZPL to a device file.", "zpl")]
    label: Annotated[str, described("What is in it: the size of a roll's labels, or the name of a sheet.", "100x50mm")]
    loaded: Annotated[
        str | None,
        described("The sizes that the printer says are in it; null if it does not tell.", "100x50mm"),
    ]
    dpi: Annotated[int, described("Its dots per inch.", 203)]
    state: Annotated[PrinterState, described("Its state; `unknown` for one that does not tell.", "ready")]
    since: Annotated[Timestamp, described("Since when it is in this state.")]
    jobs_waiting: Annotated[int, described("Its jobs that wait, without the one that is being sent.", 0)]


class PrintersResponse(TypedDict):
    """The printers of the service."""

    success: Success
    data: Annotated[list[PrinterRecord], described("The printers, as the settings list them.")]


class PrintJobResponse(TypedDict):
    """A job of a printer."""

    success: Success
    data: Annotated[PrintJob, described("The job.")]


class PrintJobsResponse(TypedDict):
    """Jobs of a printer, newest first."""

    success: Success
    data: Annotated[list[PrintJob], described("The jobs, newest first.")]


class _KeyedText(Draft):
    """The text by which two requests with the same key are compared."""

    request: str


async def list_printers(request: web.Request) -> JsonResponse[PrintersResponse]:
    """GET /api/printers: the printers of the settings, with their states and how many jobs wait."""
    read_query(request, NoQuery)
    printing = request.app[SERVICE].printing
    records = await _records(printing) if printing else []
    return json_response(PrintersResponse(success=True, data=records))


async def _records(printing: Printing) -> list[PrinterRecord]:
    records = []
    for report in await printing.printers.report():
        address = report.printer.address
        kind = next(kind for kind in get_args(PrinterKind) if kind == address.kind)
        record = PrinterRecord(
            name=address.name,
            kind=kind,
            label=printing.layouts[address.name].media,
            loaded=report.loaded or None,
            dpi=printing.layouts[address.name].layout.dpi,
            state=report.state,
            since=report.since,
            jobs_waiting=report.jobs_waiting,
        )
        records.append(record)
    return records


async def print_labels(request: web.Request) -> web.Response:
    """POST /api/printers/:printer/jobs: labels put into the queue of a printer, once per idempotency key."""
    with key_checked(request):
        body = await json_body(request)
        asked, compared = await worked_on(request, body, _asked_in, body)
    app, (printing, name) = request.app, _named(request)
    in_body = keyed_request(request, asked.wanted)
    keyed = keyed_now(app, _KeyedText(request=compared), in_body.used_for, in_body.key)
    if before := await kept_reply(app[SERVICE].database, keyed):
        return reply_response(before, 202)
    new = await printing.documents.new_job(name, asked, keyed.now, client_key(request))
    return reply_response(await _queued(app[SERVICE].database, printing.printers, new, keyed), 202)


async def list_print_jobs(request: web.Request) -> JsonResponse[PrintJobsResponse]:
    """GET /api/printers/:printer/jobs: the jobs of a printer, newest first."""
    query, (printing, name) = read_query(request, JobsQuery), _named(request)
    jobs = await printing.printers.jobs(name, query.limit, query.before)
    return json_response(PrintJobsResponse(success=True, data=jobs))


async def get_print_job(request: web.Request) -> JsonResponse[PrintJobResponse]:
    """GET /api/printers/:printer/jobs/:jobId: a job of a printer."""
    read_query(request, NoQuery)
    (printing, name), job_id = _named(request), read_id(request, "jobId")
    return json_response(PrintJobResponse(success=True, data=await printing.printers.job(name, job_id)))


async def cancel_print_job(request: web.Request) -> JsonResponse[PrintJobResponse]:
    """POST /api/printers/:printer/jobs/:jobId/cancel: the end of a job, after the labels that the printer has."""
    read_query(request, NoQuery)
    (printing, name), job_id = _named(request), read_id(request, "jobId")
    return json_response(PrintJobResponse(success=True, data=await printing.printers.cancel(name, job_id)))


async def resend_print_job(request: web.Request) -> web.Response:
    """POST /api/printers/:printer/jobs/:jobId/resend: the rest of a job that is over, as a new job."""
    with key_checked(request):
        wanted = await read_model(request, ResendRequest)
    app, (printing, name), job_id = request.app, _named(request), read_id(request, "jobId")
    keyed = keyed_request(request, wanted)
    if before := await kept_reply(app[SERVICE].database, keyed):
        return reply_response(before, 202)
    old = await printing.printers.queued_job(name, job_id)
    new = await printing.documents.rest(name, old, wanted.from_label, wanted.start_position, keyed.now)
    return reply_response(await _queued(app[SERVICE].database, printing.printers, new, keyed), 202)


def _asked_in(body: bytes) -> tuple[AskedLabels, str]:
    """Return what a body asks for, and the JSON by which two requests with one key are compared."""
    from barcodesvc.printers.kept_labels import AskedLabels  # noqa: PLC0415 - only services with printers load it

    value = json_in(body)
    asked = AskedLabels(validated(JobRequest, value), value, len(body))
    return asked, json.dumps({**value, "idempotency_key": None}, sort_keys=True)


async def _queued(database: Database, printers: Printers, new: NewJob, keyed: KeyedRequest[Any]) -> Reply:
    """Queue a job once, tell its printer, and return the reply."""
    queued: list[PrintJob] = []

    def body(job: PrintJob) -> bytes:
        queued[:] = [job]
        return to_json(PrintJobResponse(success=True, data=job))

    reply = await change_once(database, keyed, printers.queueing(new), body)
    if not reply.replayed:
        printers.note(queued[0])
    return reply


def _named(request: web.Request) -> tuple[Printing, str]:
    """Return the printers of the service, and the name of one of them in the path; raises PrinterNotFound."""
    printing, name = request.app[SERVICE].printing, request.match_info["printer"]
    if printing is None or name not in printing.layouts:
        message = f"there is no printer {name!r}; BARCODESVC_PRINTERS names them"
        raise PrinterNotFound(message, resource="printer", name=name)
    return printing, name
