"""The handlers of printers and of their jobs, and what clients may ask of them."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal, get_args

from aiohttp import web
from pydantic import Field
from typing_extensions import TypedDict

from barcodesvc.api.bodies import json_body, require_no_query, worked_on
from barcodesvc.api.client_address import client_key
from barcodesvc.api.idempotency import key_checked, keyed_as, reply_response, sent_key
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.parameters import JobInPath, QueryBoolean, QueryInteger
from barcodesvc.api.resources.list_parameters import QueryId
from barcodesvc.api.responses import JSON, success
from barcodesvc.api.signature import Enveloped, Example, Reads, Sends
from barcodesvc.errors import PrinterNotFound
from barcodesvc.fields import Timestamp, described
from barcodesvc.labels.label_requests import LabelsRequest
from barcodesvc.labels.layout_requests import MOST_LABELS
from barcodesvc.models import Draft, Keyed, Query
from barcodesvc.print_jobs import PrinterState, PrintJob
from barcodesvc.service import Printing, Service
from barcodesvc.store.database import Database
from barcodesvc.store.idempotency import KEY, KeyedRequest, Reply, kept_reply, once
from barcodesvc.store.print_jobs import (
    cancel,
    get_job,
    get_queued_job,
    list_jobs,
    list_unsettled_jobs,
    queue,
    settle,
)
from barcodesvc.store.script import Begin, Script
from barcodesvc.validation import json_in, validated

PrinterKind = Literal["zpl", "ipp", "file"]
JOBS_LISTED = 50
MOST_JOBS_LISTED = 500


class JobRequest(LabelsRequest, Keyed):
    """Labels to print on a printer of the service; the printer's settings give what `layout` leaves out."""


class ResendRequest(Keyed):
    """Which labels of a job are printed again, in a new job."""

    from_label: Annotated[
        Annotated[int, Field(ge=1, le=MOST_LABELS)] | None,
        described("The first label of the new job; by default the first one that is not certainly printed.", 51),
    ] = None
    start_position: Annotated[
        Annotated[int, Field(ge=1, le=MOST_LABELS)] | None,
        described("The first position to print on a sheet, instead of the one in the job's `layout`.", 4),
    ] = None


class JobsQuery(Query):
    """The part of a printer's jobs that is listed."""

    limit: Annotated[
        QueryInteger, Field(ge=1, le=MOST_JOBS_LISTED), described("The maximum number of jobs to list.", 50)
    ] = JOBS_LISTED
    before: Annotated[
        QueryId | None, described("Only jobs before the one with this id: the last id of the previous page.", 9)
    ] = None
    unsettled: Annotated[
        QueryBoolean,
        described("Whether only jobs are listed that have failed or are in doubt, and are not settled.", example=True),
    ] = False


class PrinterRecord(TypedDict):
    """A printer of the settings, and its state."""

    name: Annotated[str, described("The name of the printer.", "zebra")]
    kind: Annotated[PrinterKind, described("How it is addressed: ZPL over TCP, IPP, or ZPL to a device file.", "zpl")]
    label: Annotated[str, described("What is in it: the size of a roll's labels, or the name of a sheet.", "100x50mm")]
    loaded: Annotated[
        str | None,
        described("The sizes that the printer says are in it; null if it does not say.", "100x50mm"),
    ]
    dpi: Annotated[int, described("Its dots per inch.", 203)]
    state: Annotated[PrinterState, described("Its state; `unknown` if it does not report one.", "ready")]
    since: Annotated[Timestamp, described("Since when it has been in this state.")]
    jobs_waiting: Annotated[int, described("Its waiting jobs, without the one that is being sent.", 0)]


AllPrinters = Annotated[
    list[PrinterRecord],
    Enveloped("PrintersResponse", "The printers of the service.", "The printers, as the settings list them."),
]
OneJob = Annotated[PrintJob, Enveloped("PrintJobResponse", "A job of a printer.", "The job.")]
SomeJobs = Annotated[
    list[PrintJob], Enveloped("PrintJobsResponse", "Jobs of a printer, newest first.", "The jobs, newest first.")
]
PrinterInPath = Annotated[
    str, Field(json_schema_extra={"pattern": "^[a-z0-9-]{1,32}$"}), described("The name of the printer.", "zebra")
]
_SENT = Sends({JSON: OneJob})


async def list_printers(service: Service) -> AllPrinters:
    """List the printers of the service."""
    return await _records(service.printing) if service.printing else []


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


async def print_labels(
    request: Annotated[
        web.Request,
        Reads(
            path={"printer": PrinterInPath},
            body={JSON: Annotated[JobRequest, Example({"products": ["BOLT-M8x40", {"code": "A-1", "copies": 2}]})]},
            is_keyed=True,
        ),
    ],
) -> Annotated[web.Response, _SENT]:
    """Print labels.

    Dimensions must be consistent, and labels must be large enough for their codes.
    """
    service, name = request.app[SERVICE], request.match_info["printer"]
    with key_checked(request):
        require_no_query(request)
        printing = _printing(service, name)
        body = await json_body(request)
        wanted, value = await worked_on(request, body, _asked_in, body)
    key = sent_key(request, wanted.idempotency_key)
    keyed = keyed_as(request, await worked_on(request, body, _compared, value) if key else b"", key)
    if before := await kept_reply(service.database, keyed):
        return reply_response(before, 202)
    new = await printing.documents.new_job(name, wanted, value, keyed.now, client_key(request))
    return reply_response(await _changed(service.database, printing, partial(queue, new, printing.limits), keyed), 202)


async def list_print_jobs(service: Service, printer: PrinterInPath, query: JobsQuery) -> SomeJobs:
    """List the jobs of a printer."""
    _printing(service, printer)
    listed = list_unsettled_jobs if query.unsettled else list_jobs
    return await listed(service.database, printer, query.limit, query.before)


async def get_print_job(service: Service, printer: PrinterInPath, jobId: JobInPath) -> OneJob:
    """Get a job of a printer."""
    _printing(service, printer)
    return await get_job(service.database, printer, jobId)


async def cancel_print_job(
    service: Service, printer: PrinterInPath, jobId: JobInPath, key: KeyedRequest[Draft]
) -> Annotated[Reply, _SENT]:
    """Cancel a job.

    The labels that the printer has are still printed.
    """
    printing = _printing(service, printer)
    return await _changed(service.database, printing, partial(cancel, printer, jobId, key.now), key)


def settle_print_job(
    service: Service, printer: PrinterInPath, jobId: JobInPath, key: KeyedRequest[Draft]
) -> Script[OneJob]:
    """Settle a job that somebody has dealt with.

    After that no device shows it as needing attention. The job must be over. One that is already settled keeps its
    time, so the request can be repeated safely. Printing the rest of a job settles it, too.
    """
    _printing(service, printer)
    return settle(printer, jobId, key.now)


async def resend_print_job(
    service: Service,
    printer: PrinterInPath,
    jobId: JobInPath,
    body: Annotated[ResendRequest, Example({"from_label": 51})],
    key: KeyedRequest[ResendRequest],
) -> Annotated[Reply, _SENT]:
    """Print the rest of a job that is over, as a new job."""
    printing = _printing(service, printer)
    if before := await kept_reply(service.database, key):
        return before
    old = await get_queued_job(service.database, printer, jobId)
    new = await printing.documents.rest(printer, old, body.from_label, body.start_position, key.now)
    return await _changed(service.database, printing, partial(queue, new, printing.limits), key)


def _asked_in(body: bytes) -> tuple[JobRequest, Mapping[str, Any]]:
    value = json_in(body)
    return validated(JobRequest, value), value


def _compared(value: Mapping[str, Any]) -> bytes:
    """Return the JSON by which two requests with one key are compared."""
    return json.dumps({**value, KEY: None}, sort_keys=True).encode()


async def _changed(database: Database, printing: Printing, change: Begin[PrintJob], keyed: KeyedRequest[Any]) -> Reply:
    """Change a job once, tell its printer, and return the reply."""
    changed: list[PrintJob] = []

    def body(job: PrintJob) -> bytes:
        changed[:] = [job]
        return success(job)

    reply = await database.change(partial(once, keyed, change, body))
    if not reply.replayed:
        printing.printers.note(changed[0])
    return reply


def _printing(service: Service, printer: str) -> Printing:
    """Return the printers of the service; raises PrinterNotFound if it is not among them."""
    if service.printing is None or printer not in service.printing.layouts:
        message = f"there is no printer {printer!r}; BARCODESVC_PRINTERS names them"
        raise PrinterNotFound(message, name=printer)
    return service.printing
