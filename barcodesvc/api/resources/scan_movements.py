"""Handlers that scan and count in one call: by a difference, to a counted level, or not at all.

A scan that is about to be refused may have been counted before: its product has been deleted since, or the scan has
become too old. So the key is looked up in these cases, too.

In a batch, scans run in their order, in groups that are looked up together and make their changes in one transaction.
So a batch of five hundred takes a dozen trips to the database instead of a thousand, and never blocks others for long.

Rule: each scan of a batch counts separately, and its key is the same in a batch and in a single call. If the database
fails, later scans are not tried, so that none overtakes earlier ones when they are retried.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Annotated, Literal, NamedTuple, cast

from aiohttp import web
from pydantic import Field, SkipValidation, ValidationInfo, field_validator

from barcodesvc.api.batches import batched, batched_error, outcomes_of
from barcodesvc.api.bodies import read_model
from barcodesvc.api.idempotency import key_refused, keyed_now
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.resources.scan_responses import Counted, CountedChange, CountedScan
from barcodesvc.api.resources.scans import CodeData, CodeType
from barcodesvc.api.responses import JSON, JSON_HEADERS, enveloped, success
from barcodesvc.api.signature import Batch, Example, Reads, Sends
from barcodesvc.clock import as_timestamp
from barcodesvc.config import MOST_DAYS
from barcodesvc.errors import (
    DatabaseFailure,
    DatabaseOverload,
    InvalidInput,
    ProductNotFound,
    field_problem,
)
from barcodesvc.fields import described
from barcodesvc.models import MAX_LEVEL, Draft, LevelAdjustment, LevelCount, NewChange, ScanTime
from barcodesvc.scanning.resolver import Resolved
from barcodesvc.scanning.unresolved import UnresolvedScan
from barcodesvc.service import Service
from barcodesvc.store.database import Database
from barcodesvc.store.idempotency import AGE, KeyedRequest, Reply, kept_reply, once, refused_once
from barcodesvc.store.movements import Entry, adjust, count, each_alone
from barcodesvc.store.products import read_level
from barcodesvc.store.script import Begin, Script
from barcodesvc.validation import validated

MOST_AHEAD = timedelta(minutes=5)
"""How far a scanner's clock may be ahead."""


class ScanCount(LevelAdjustment):
    """A scanned text, and a difference or a counted level; `code_type` is a hint.

    Without either, or with a `delta` of 0, the scan changes nothing. `scanned_at` is the time by the scanner's clock,
    and `scanned_ago_ms`, instead of it, needs no correct clock.
    """

    delta: Annotated[
        int,
        Field(ge=-MAX_LEVEL, le=MAX_LEVEL),
        described("How many packs of the scanned code to add to the level; 0 only looks the product up.", -2),
    ] = 0
    code_data: CodeData
    code_type: CodeType = ""
    delta_from: Annotated[
        Literal["embedded"] | None,
        described(
            "Count the weight or the count inside the code, with the sign of `delta`, instead of `delta`.", "embedded"
        ),
    ] = None
    new_level: Annotated[LevelCount | None, described("The level that was counted, instead of `delta`.", 8)] = None
    scanned_at: ScanTime | None = None
    scanned_ago_ms: Annotated[
        Annotated[int, Field(ge=0, le=MOST_DAYS * 86_400_000)] | None,
        described("How many milliseconds ago the scanner read the code, instead of `scanned_at`.", 1500),
    ] = None

    @field_validator("delta_from")
    @classmethod
    def _with_sign(cls, delta_from: str, info: ValidationInfo) -> str:
        if info.data.get("delta") == 0:
            raise ValueError("needs a delta, whose sign says whether stock comes or leaves, such as 1 or -1")
        return delta_from

    @field_validator("new_level")
    @classmethod
    def _no_difference(cls, new_level: int, info: ValidationInfo) -> int:
        if info.data.get("delta") or info.data.get("delta_from"):
            raise ValueError("give either delta or new_level, not both")
        return new_level

    @field_validator("scanned_ago_ms")
    @classmethod
    def _no_time(cls, scanned_ago_ms: int, info: ValidationInfo) -> int:
        if info.data.get("scanned_at"):
            raise ValueError("give either scanned_at or scanned_ago_ms, not both")
        return scanned_ago_ms

    @property
    def only_resolves(self) -> bool:
        """Whether the scan changes nothing."""
        return self.delta == 0 and self.new_level is None


async def count_scan(
    service: Service,
    body: Annotated[ScanCount, Example({"code_data": "]E04006381333931", "delta": -1})],
    key: KeyedRequest[ScanCount],
) -> Annotated[Reply, Sends({JSON: CountedScan})]:
    """Find the product that a scanned text names, and change its level.

    `delta` adds to the level, `new_level` sets it to a count; without either, or with a `delta` of 0, nothing changes
    and `change` is null. A count is refused if the level has changed since `scanned_at`, which may be at most 5 minutes
    in the future, and in the past as long as keys are kept. `scanned_ago_ms` is the age of the scan instead, which the
    service subtracts from its own clock. It may differ when a request is sent again under its key.
    """
    try:
        resolved = await resolved_scan(service, key)
    except (UnresolvedScan, ProductNotFound, InvalidInput):
        before = None if body.only_resolves else await kept_reply(service.database, key)
        if before is None:
            raise
        return before
    if body.only_resolves:
        return Reply(counted(resolved, body, None), replayed=False)
    return await service.database.change(partial(once, key, change_of(key, resolved), partial(counted, resolved, body)))


async def resolved_scan(service: Service, keyed: KeyedRequest[ScanCount]) -> Resolved:
    """Return the product of a scan; raises ProductNotFound, and InvalidInput for a time that no scan can have."""
    _require_recent(keyed)
    return await service.resolver.resolve(keyed.asked.code_data, keyed.asked.code_type)


def change_of(keyed: KeyedRequest[ScanCount], resolved: Resolved) -> Callable[[], Script[NewChange]]:
    """Return the script of the change that a scan requests."""
    scan, product_id = keyed.asked, resolved.product.id
    entry = Entry(scan.change_reason, scan.updated_by, keyed.now, _scanned_at(keyed))
    new_level = scan.new_level
    if new_level is None:
        if scan.delta_from:
            return lambda: adjust(product_id, _embedded_pieces(scan, resolved), entry)
        return lambda: adjust(product_id, scan.delta, entry, resolved.code.pack_quantity)
    return lambda: count(product_id, new_level, entry)


def _embedded_pieces(scan: ScanCount, resolved: Resolved) -> int:
    """Return the pieces in a code, with the sign of `delta`; raises InvalidInput for a code without such a value."""
    embedded = resolved.embedded
    if embedded is None or embedded.kind == "price" or not embedded.units:
        message = "the code has no weight and no count inside; leave this out, and send what to add as delta"
        raise InvalidInput.of(field_problem("delta_from", message, scan.delta_from))
    return embedded.units if scan.delta > 0 else -embedded.units


def counted(resolved: Resolved, scan: ScanCount, change: NewChange | None) -> bytes:
    """Return the response body for a scan, with the level after its change."""
    level, change_of_packs = resolved.level, None
    if change is not None:
        level = replace(level, current_level=change.new_level, last_updated=change.updated_at)
        packs = scan.delta if scan.new_level is None and scan.delta_from is None else None
        change_of_packs = CountedChange(**asdict(change), delta=change.new_level - change.old_level, packs=packs)
    data = Counted(
        product=resolved.product, code=resolved.code, inventory=level, match=resolved.match, change=change_of_packs
    )
    if resolved.gs1:
        data["gs1"] = resolved.gs1
    if resolved.embedded:
        data["embedded"] = resolved.embedded
    data.update(cast("Counted", resolved.pack))
    return success(data)


def _scanned_at(keyed: KeyedRequest[ScanCount]) -> str | None:
    """Return the time of a scan, if the request says it in either way."""
    ago = keyed.asked.scanned_ago_ms
    if ago is None:
        return keyed.asked.scanned_at
    return as_timestamp(datetime.fromisoformat(keyed.now) - timedelta(milliseconds=ago))


def _require_recent(keyed: KeyedRequest[ScanCount]) -> None:
    scanned_at = _scanned_at(keyed)
    if scanned_at is None:
        return
    latest = as_timestamp(datetime.fromisoformat(keyed.now) + MOST_AHEAD)
    if scanned_at > latest:
        message = f"is more than 5 minutes ahead of the service's clock, which shows {keyed.now}; set the scanner's"
    elif scanned_at < keyed.expired:
        message = f"is more than {keyed.lifetime.days} days ago, when its key would have expired; count again"
    else:
        return
    ago = keyed.asked.scanned_ago_ms
    field, value = ("scanned_at", scanned_at) if ago is None else (AGE, ago)
    raise InvalidInput.of(field_problem(field, message, value))


MOST_SCANS = 500
AT_ONCE = 64
"""Scans of one transaction, which takes about 5 ms; other changes wait as long."""
RESOLVED_AT_ONCE = 16
"""Scans of one look-up: explaining why one names no product can take a millisecond, which blocks all other requests."""
_SINGLE_CALL = "POST /api/codes/scan"
"""The request that a scan's key is for, whichever way it is sent."""

Outcome = Reply | Exception


class ScansForm(Draft):
    """Scans that are sent together; each is handled separately, and an invalid one gets an error in its place."""

    scans: Annotated[
        list[SkipValidation[ScanCount]],
        Field(min_length=1, max_length=MOST_SCANS),
        described("The scans, in the order in which they are to be counted."),
    ]


class _Step(NamedTuple):
    """The database work of a scan, as a script.

    `known` is its response if no step next to it changes a level; `changed` is the product whose level it changes.
    """

    make: Begin[Reply]
    known: Reply | None = None
    changed: int | None = None


async def count_scans(
    request: Annotated[
        web.Request,
        Reads(
            body={
                JSON: Annotated[
                    ScansForm,
                    Example(
                        {"scans": [{"code_data": "A-1", "delta": -1, "idempotency_key": "1"}, {"code_data": "A-1"}]}
                    ),
                ]
            }
        ),
    ],
) -> Annotated[web.Response, Sends({JSON: Batch("ScansResponse", {"BatchedScan": count_scan})})]:
    """Find the products of many scans, and change their levels.

    Scans are counted in order, each on its own, under its own key, which is the same as that of a single call. An
    `Idempotency-Key` for the whole request is refused.
    """
    with key_refused(request, "each scan has an `idempotency_key`"):
        wanted = await read_model(request, ScansForm)
    envelopes: list[bytes] = []
    failure: Exception | None = None
    for start in range(0, len(wanted.scans), AT_ONCE):
        some = wanted.scans[start : start + AT_ONCE]
        outcomes = [failure] * len(some) if failure else await _outcomes(request.app[SERVICE], some)
        failure = _failure_in(outcomes)
        envelopes += map(partial(_envelope, request), outcomes)
    return web.Response(body=enveloped(b"[%b]" % b",".join(envelopes)), headers=JSON_HEADERS)


async def _outcomes(service: Service, entries: Sequence[object]) -> list[Outcome]:
    """Return the outcomes of a group of scans, in order."""
    steps = list[_Step | Exception]()
    for start in range(0, len(entries), RESOLVED_AT_ONCE):
        steps += await outcomes_of(partial(_step, service), entries[start : start + RESOLVED_AT_ONCE])
    failure = _failure_in(steps)
    if failure:
        tried = steps.index(failure)
        steps[tried:] = [failure] * (len(steps) - tried)
    made = iter(await _made(service.database, [step for step in steps if isinstance(step, _Step)]))
    return [next(made) if isinstance(step, _Step) else step for step in steps]


async def _step(service: Service, entry: object) -> _Step:
    """Look a scan up; raises ServiceError."""
    scan = validated(ScanCount, entry)
    keyed = keyed_now(service, scan, _SINGLE_CALL, None if scan.only_resolves else scan.idempotency_key)
    try:
        resolved = await resolved_scan(service, keyed)
    except (UnresolvedScan, ProductNotFound, InvalidInput) as refusal:
        if keyed.key is None:
            raise
        return _Step(partial(refused_once, keyed, refusal))
    if scan.only_resolves:
        return _Step(partial(_level_now, resolved, scan), Reply(counted(resolved, scan, None), replayed=False))
    make = partial(once, keyed, change_of(keyed, resolved), partial(counted, resolved, scan))
    return _Step(make, changed=resolved.product.id)


def _level_now(resolved: Resolved, scan: ScanCount) -> Script[Reply]:
    """Reply to a scan that changes nothing with the level that the scans before it have left."""
    now = yield from read_level(resolved.product.id)
    level = replace(resolved.level, current_level=now.current_level, last_updated=now.last_updated)
    return Reply(counted(resolved._replace(level=level), scan, None), replayed=False)


async def _made(database: Database, steps: Sequence[_Step]) -> Sequence[Outcome]:
    known = [step.known for step in steps if step.known]
    if len(known) == len(steps):
        return known
    changed = {step.changed for step in steps if step.changed is not None}
    try:
        return await database.change(partial(each_alone, [step.make for step in steps], changed))
    except (DatabaseFailure, DatabaseOverload) as failure:
        return [failure] * len(steps)


def _failure_in(outcomes: Iterable[_Step | Outcome]) -> Exception | None:
    """Return the database failure that ends a batch, if there is one."""
    return next((one for one in outcomes if isinstance(one, (DatabaseFailure, DatabaseOverload))), None)


def _envelope(request: web.Request, outcome: Outcome) -> bytes:
    """Return the envelope of one scan; a replay is marked like the single call's header marks it."""
    if isinstance(outcome, Exception):
        return batched_error(request, outcome)
    return batched(outcome.body, b',"replayed":true' if outcome.replayed else b"")
