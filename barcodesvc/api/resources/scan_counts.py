"""The handler that scans and counts in one call.

A scan that finds nothing may be one that was counted before its product was deleted; so the key is asked then, too.
"""

from __future__ import annotations

from aiohttp import web
from pydantic_core import to_json

from barcodesvc.api.keys import DATABASE, RESOLVER
from barcodesvc.api.requests import read_model
from barcodesvc.api.resources.decoded_scans import Counted, CountedAnswer, scanned_level, scanned_product
from barcodesvc.api.resources.idempotency import answered, key_checked, send_of
from barcodesvc.api.resources.scans import CodeData
from barcodesvc.errors import ProductNotFound
from barcodesvc.models import LevelAdjustment, LevelChange
from barcodesvc.scanning.resolver import Resolved
from barcodesvc.store.adjustments import adjust_level, answered_before


class ScanCount(LevelAdjustment):
    """What a scanner sent, and how many more or fewer there are of it; `code_type` is a hint."""

    code_data: CodeData
    code_type: str = ""


async def count_scan(request: web.Request) -> web.Response:
    """POST /api/codes/scan: the product that a scanned text names, with its level changed."""
    with key_checked(request):
        count = await read_model(request, ScanCount)
    send, database = send_of(request, count), request.app[DATABASE]
    try:
        resolved = await request.app[RESOLVER].resolve(count.code_data, count.code_type)
    except ProductNotFound:
        before = await answered_before(database, send)
        if before is None:
            raise
        return answered(before)
    return answered(await adjust_level(database, resolved.found.id, send, lambda change: _counted(resolved, change)))


def _counted(resolved: Resolved, change: LevelChange) -> bytes:
    found = resolved.found._replace(current_level=change.new_level, last_updated=change.updated_at)
    scan = resolved._replace(found=found)
    counted = Counted(product=scanned_product(scan), inventory=scanned_level(scan), match=scan.match, change=change)
    if scan.gs1:
        counted["gs1"] = scan.gs1
    return to_json(CountedAnswer(success=True, data=counted))
