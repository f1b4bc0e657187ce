"""The handler that scans and counts in one call: by a difference, to what was counted, or not at all.

A scan that would be refused now may be one that was counted before: its product has gone since, or it has become too
old. So the key is asked then, too.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Annotated

from aiohttp import web
from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import to_json

from barcodesvc.api.keys import DATABASE, RESOLVER
from barcodesvc.api.requests import read_model
from barcodesvc.api.resources.decoded_scans import Counted, CountedAnswer, scanned_level, scanned_product
from barcodesvc.api.resources.idempotency import answered, key_checked, send_of
from barcodesvc.api.resources.scans import CodeData
from barcodesvc.api.responses import JSON_HEADERS
from barcodesvc.clock import as_timestamp
from barcodesvc.errors import FieldProblem, InvalidInput, ProductNotFound
from barcodesvc.models import MAX_LEVEL, LevelAdjustment, LevelChange, LevelCount, ScanTime
from barcodesvc.scanning.resolver import Resolved
from barcodesvc.store.adjustments import Entry, add, change_once, count
from barcodesvc.store.idempotency import Send, answered_before
from barcodesvc.store.script import Script

MOST_AHEAD = timedelta(minutes=5)
"""By how much the clock of a scanner may be ahead."""


class ScanCount(LevelAdjustment):
    """What a scanner sent, and how many more or fewer there are of it, or how many there are; `code_type` is a hint.

    Without either, or with a `delta` of 0, the scan changes nothing. `scanned_at` is the time by the scanner's clock.
    """

    delta: Annotated[int, Field(ge=-MAX_LEVEL, le=MAX_LEVEL)] = 0
    code_data: CodeData
    code_type: str = ""
    new_level: LevelCount | None = None
    scanned_at: ScanTime | None = None

    @field_validator("new_level")
    @classmethod
    def _no_difference(cls, new_level: int, info: ValidationInfo) -> int:
        if info.data.get("delta"):
            raise ValueError("give either delta or new_level, not both")
        return new_level

    @property
    def only_resolves(self) -> bool:
        """Whether the scan changes nothing."""
        return self.delta == 0 and self.new_level is None


async def count_scan(request: web.Request) -> web.Response:
    """POST /api/codes/scan: the product that a scanned text names, with its level changed."""
    with key_checked(request):
        scan = await read_model(request, ScanCount)
    send, database = send_of(request, scan), request.app[DATABASE]
    try:
        resolved = await resolved_scan(request.app, send)
    except (ProductNotFound, InvalidInput):
        before = None if scan.only_resolves else await answered_before(database, send)
        if before is None:
            raise
        return answered(before)
    if scan.only_resolves:
        return web.Response(body=counted(resolved, None), headers=JSON_HEADERS)
    return answered(await change_once(database, send, change_of(send, resolved), lambda made: counted(resolved, made)))


async def resolved_scan(app: web.Application, send: Send[ScanCount]) -> Resolved:
    """Return the product of a scan; raises ProductNotFound, and InvalidInput for a time that can be none of a scan."""
    _require_recent(send)
    return await app[RESOLVER].resolve(send.asked.code_data, send.asked.code_type)


def change_of(send: Send[ScanCount], resolved: Resolved) -> Callable[[], Script[LevelChange]]:
    """Return what makes the change that a scan asks for."""
    scan, product_id = send.asked, resolved.found.id
    entry = Entry(scan.change_reason, scan.updated_by, send.now, scan.scanned_at)
    new_level = scan.new_level
    if new_level is None:
        return lambda: add(product_id, scan.delta, entry)
    return lambda: count(product_id, new_level, entry)


def counted(resolved: Resolved, change: LevelChange | None) -> bytes:
    """Return the body of the answer to a scan, with the level behind its change."""
    found = resolved.found
    if change is not None:
        found = found._replace(current_level=change.new_level, last_updated=change.updated_at)
    scan = resolved._replace(found=found)
    data = Counted(product=scanned_product(scan), inventory=scanned_level(scan), match=scan.match, change=change)
    if scan.gs1:
        data["gs1"] = scan.gs1
    return to_json(CountedAnswer(success=True, data=data))


def _require_recent(send: Send[ScanCount]) -> None:
    scanned_at = send.asked.scanned_at
    if scanned_at is None:
        return
    latest = as_timestamp(datetime.fromisoformat(send.now) + MOST_AHEAD)
    if scanned_at > latest:
        message = f"lies more than 5 minutes ahead of the service's clock, which shows {send.now}; set the scanner's"
    elif scanned_at < send.expired:
        message = f"lies more than {send.lifetime.days} days back, when no key would stand any more; count again"
    else:
        return
    raise InvalidInput.of(FieldProblem("scanned_at", message, scanned_at))
