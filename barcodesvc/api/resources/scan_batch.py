"""The handler of /api/codes/scans: many scans in one call, each answered as the single call would have answered it.

Scans run in their order, some at a time: those are looked up together, and make their changes in one transaction. So a
batch of five hundred takes a dozen trips to the database in place of a thousand, and holds nobody up for long.

Rule: each scan counts alone, and the key of a scan is the same in a batch and in a single call. Where the database
fails, the scans behind are not tried, so that none overtakes those before it when they are sent again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Annotated, Any, ClassVar, NamedTuple

from aiohttp import web
from pydantic import Field, SkipValidation
from pydantic_core import to_json

from barcodesvc.api.keys import DATABASE
from barcodesvc.api.refusals import validated
from barcodesvc.api.requests import read_model
from barcodesvc.api.resources.idempotency import send_now
from barcodesvc.api.resources.scan_counts import ScanCount, change_of, counted, resolved_scan
from barcodesvc.api.responses import JSON_HEADERS, error_envelope
from barcodesvc.errors import (
    DatabaseFailure,
    DatabaseOverload,
    GenerationFailure,
    InvalidInput,
    ProductNotFound,
    ServiceError,
)
from barcodesvc.models import Draft
from barcodesvc.scanning.resolver import Resolved
from barcodesvc.store.adjustments import answered, each_alone
from barcodesvc.store.database import Database
from barcodesvc.store.idempotency import Answer, Send, forget_keys, once, refused_once
from barcodesvc.store.inventory import read_level
from barcodesvc.store.script import Begin, Script

_LOG = logging.getLogger(__name__)

MOST_SCANS = 500
AT_ONCE = 64
"""Scans of one transaction, some 5 ms of work; what comes meanwhile waits as long."""
RESOLVED_AT_ONCE = 16
"""Scans of one look-up: to say why one names no product can take a millisecond, in which nobody else is answered."""
_SINGLE_CALL = "POST /api/codes/scan"
"""What the key of a scan stands for, whichever way it is sent."""

Outcome = Answer | ServiceError


class ScansForm(Draft):
    """Scans that are sent together; each is judged on its own, and a wrong one is answered in its place."""

    most_values: ClassVar[int] = 64 * MOST_SCANS
    scans: Annotated[list[SkipValidation[ScanCount | Any]], Field(min_length=1, max_length=MOST_SCANS)]


class _Step(NamedTuple):
    """What a scan asks of the database, as a script.

    `known` is its answer where no step beside it changes a level; `changed` is the product whose level it changes.
    """

    send: Send[ScanCount]
    make: Begin[Answer]
    known: Answer | None = None
    changed: int | None = None


async def count_scans(request: web.Request) -> web.Response:
    """POST /api/codes/scans: the envelopes of many scans, in the order in which they were sent."""
    wanted = await read_model(request, ScansForm)
    envelopes: list[bytes] = []
    failure: ServiceError | None = None
    for start in range(0, len(wanted.scans), AT_ONCE):
        some = wanted.scans[start : start + AT_ONCE]
        outcomes = [failure] * len(some) if failure else await _outcomes(request.app, some)
        failure = _failure_in(outcomes)
        envelopes += map(_envelope, outcomes)
    return web.Response(body=b'{"success":true,"data":[' + b",".join(envelopes) + b"]}", headers=JSON_HEADERS)


async def _outcomes(app: web.Application, entries: Sequence[object]) -> list[Outcome]:
    """Return what becomes of some scans, in their order."""
    steps = list[_Step | ServiceError]()
    for start in range(0, len(entries), RESOLVED_AT_ONCE):
        steps += await _steps(app, entries[start : start + RESOLVED_AT_ONCE])
    failure = _failure_in(steps)
    if failure:
        tried = steps.index(failure)
        steps[tried:] = [failure] * (len(steps) - tried)
    made = iter(await _made(app[DATABASE], [step for step in steps if isinstance(step, _Step)]))
    return [next(made) if isinstance(step, _Step) else step for step in steps]


async def _steps(app: web.Application, entries: Sequence[object]) -> list[_Step | ServiceError]:
    """Look scans up together; the loop turns after each, because to refuse a long one takes milliseconds."""
    async with asyncio.TaskGroup() as group:
        tasks = []
        for entry in entries:
            tasks.append(group.create_task(_step(app, entry)))
            await asyncio.sleep(0)
    return [task.result() for task in tasks]


async def _step(app: web.Application, entry: object) -> _Step | ServiceError:
    try:
        scan = validated(ScanCount, entry)
        send = send_now(app, scan, _SINGLE_CALL, None if scan.only_resolves else scan.idempotency_key)
        try:
            return _step_of(send, await resolved_scan(app, send))
        except (ProductNotFound, InvalidInput) as refusal:
            return _Step(send, partial(refused_once, send, refusal)) if send.key else refusal
    except ServiceError as error:
        return error
    except Exception:  # noqa: BLE001 - as in the middleware: whatever it is, this scan and the others get envelopes
        _LOG.exception("unforeseen failure in a scan of a batch")
        return GenerationFailure("the service failed; the log says why")


def _step_of(send: Send[ScanCount], resolved: Resolved) -> _Step:
    if send.asked.only_resolves:
        return _Step(send, partial(_level_now, resolved), Answer(counted(resolved, None), replayed=False))
    change = change_of(send, resolved)
    make = partial(once, send, lambda: answered(change(), partial(counted, resolved)))
    return _Step(send, make, changed=resolved.found.id)


def _level_now(resolved: Resolved) -> Script[Answer]:
    """Answer a scan that changes nothing with the level that the scans before it have left."""
    level = yield from read_level(resolved.found.id)
    found = resolved.found._replace(current_level=level.current_level, last_updated=level.last_updated)
    return Answer(counted(resolved._replace(found=found), None), replayed=False)


async def _made(database: Database, steps: Sequence[_Step]) -> Sequence[Outcome]:
    known = [step.known for step in steps if step.known]
    if len(known) == len(steps):
        return known
    try:
        return await database.change(partial(_change, steps))
    except (DatabaseFailure, DatabaseOverload) as failure:
        return [failure] * len(steps)


def _change(steps: Sequence[_Step]) -> Script[list[Outcome]]:
    changed = {step.changed for step in steps if step.changed is not None}
    outcomes = yield from each_alone([step.make for step in steps], changed)
    yield from forget_keys(steps[0].send)
    return outcomes


def _failure_in(outcomes: Iterable[_Step | Outcome]) -> ServiceError | None:
    """Return the failure of the database that ends a batch, if there is one."""
    return next((one for one in outcomes if isinstance(one, (DatabaseFailure, DatabaseOverload))), None)


def _envelope(outcome: Outcome) -> bytes:
    """Return the envelope of one scan; a kept answer is marked as the header of the single call marks it."""
    if isinstance(outcome, ServiceError):
        return to_json(error_envelope(outcome))
    return outcome.body[:-1] + b',"replayed":true}' if outcome.replayed else outcome.body
