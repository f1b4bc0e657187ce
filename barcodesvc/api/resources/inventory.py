"""The handlers of /api/inventory but for the export."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, NotRequired

from aiohttp import web
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, WithJsonSchema, field_validator
from pydantic_core import to_json
from typing_extensions import TypedDict

from barcodesvc.api.keys import CLOCK, DATABASE, FILE_THREADS
from barcodesvc.api.requests import QueryBoolean, QueryInteger, read_id_and_model, read_id_and_query, read_query
from barcodesvc.api.resources.idempotency import answered, key_checked, send_of
from barcodesvc.api.resources.paging import PAGE_SIZE, PageLimit, PageNumber, Pagination, QueryId, offset_of, pagination
from barcodesvc.api.responses import JSON_HEADERS, JsonAnswer, Success, json_answer, stream
from barcodesvc.catalogue.exporting import TextTable, text_export
from barcodesvc.clock import as_timestamp
from barcodesvc.models import Level, LevelAdjustment, LevelChange, LevelUpdate, Timestamp
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store import adjustments, inventory
from barcodesvc.store.database import Database
from barcodesvc.store.script import Row

HISTORY_SIZE = 50
LARGEST_HISTORY_SIZE = 1000

_MILLISECOND = timedelta(milliseconds=1)
_LATEST = datetime.max.replace(tzinfo=UTC) - _MILLISECOND
_LAST_MOMENT = time(23, 59, 59, 999000, UTC)


def _from_time(value: object) -> str:
    moment = _moment(str(value))
    return as_timestamp(min(moment, _LATEST) + (_MILLISECOND if moment.microsecond % 1000 else timedelta()))


def _to_time(value: object) -> str:
    text = str(value)
    try:
        return as_timestamp(datetime.combine(date.fromisoformat(text), _LAST_MOMENT))
    except ValueError:
        return as_timestamp(_moment(text))


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise ValueError(
            "not a date (2026-01-31) or timestamp (2026-01-31T12:00:00Z; a + in a query is written %2B)"
        ) from None


_DAY_OR_MOMENT = WithJsonSchema({"anyOf": [{"type": "string", "format": kind} for kind in ("date", "date-time")]})


class LevelsQuery(BaseModel):
    """Which inventory records; with `page` or `limit` a page of them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    product_id: QueryId | None = None
    low_stock: QueryBoolean = False
    page: PageNumber | None = None
    limit: PageLimit | None = None


class HistoryQuery(BaseModel):
    """Which part of a history; both ends are inclusive, a bare `to_date` covers its whole day (UTC).

    `before` is the id of a change: a page of older ones than that.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    limit: Annotated[QueryInteger, Field(ge=1, le=LARGEST_HISTORY_SIZE)] = HISTORY_SIZE
    before: QueryId | None = None
    from_date: Annotated[str, BeforeValidator(_from_time), _DAY_OR_MOMENT] | None = None
    to_date: Annotated[str, BeforeValidator(_to_time), _DAY_OR_MOMENT] | None = None

    @field_validator("to_date")
    @classmethod
    def _in_order(cls, to_date: str, info: ValidationInfo) -> str:
        from_date = info.data.get("from_date")
        if from_date and from_date > to_date:
            raise ValueError("lies before from_date")
        return to_date


class LevelsAnswer(TypedDict):
    """Inventory records; `pagination` of a page."""

    success: Success
    data: Sequence[Level]
    pagination: NotRequired[Pagination]


class ChangedLevel(TypedDict):
    """A level before and after a change."""

    product_id: int
    old_level: int
    new_level: int
    change_reason: str
    updated_by: str
    updated_at: Timestamp


class ChangedLevelAnswer(TypedDict):
    """A level that was set or adjusted."""

    success: Success
    data: ChangedLevel


class HistoryAnswer(TypedDict):
    """Changes of a level, newest first."""

    success: Success
    data: list[LevelChange]


async def list_levels(request: web.Request) -> JsonAnswer[LevelsAnswer] | web.StreamResponse:
    """GET /api/inventory: every record, or those asked for; streamed, unless a page is asked for."""
    query = read_query(request, LevelsQuery)
    database = request.app[DATABASE]
    if query.page is not None or query.limit is not None:
        return json_answer(await _levels_page(database, query))
    if query.product_id is not None:
        return json_answer(LevelsAnswer(success=True, data=await _levels_of_product(database, query)))
    listed = inventory.LOW_LEVELS if query.low_stock else inventory.LEVELS
    return await stream(request, JSON_HEADERS, _whole_list(database, request.app[FILE_THREADS], listed))


async def _levels_page(database: Database, query: LevelsQuery) -> LevelsAnswer:
    page, limit = query.page or 1, query.limit or PAGE_SIZE
    offset = offset_of(page, limit)
    if query.product_id is not None:
        found = await _levels_of_product(database, query)
        listed = inventory.LevelPage(tuple(found[offset:]), len(found))
    elif query.low_stock:
        listed = await inventory.low_levels_page(database, limit=limit, offset=offset)
    else:
        listed = await inventory.levels_page(database, limit=limit, offset=offset)
    return LevelsAnswer(success=True, data=listed.levels, pagination=pagination(page, limit, listed.total))


async def _levels_of_product(database: Database, query: LevelsQuery) -> list[Level]:
    level = await inventory.get_level(database, query.product_id) if query.product_id else None
    return [level] if level and (not query.low_stock or level.current_level <= level.minimum_level) else []


async def set_level(request: web.Request) -> JsonAnswer[ChangedLevelAnswer]:
    """PUT /api/inventory/:productId: a new level, with its history entry."""
    product_id, update = await read_id_and_model(request, "productId", LevelUpdate)
    change = await inventory.set_level(request.app[DATABASE], product_id, update, request.app[CLOCK].timestamp())
    return json_answer(_changed(change))


async def adjust_level(request: web.Request) -> web.Response:
    """POST /api/inventory/:productId/adjust: more or fewer of a product, once per idempotency key."""
    with key_checked(request):
        product_id, adjustment = await read_id_and_model(request, "productId", LevelAdjustment)
    send = send_of(request, adjustment)
    return answered(
        await adjustments.adjust_level(
            request.app[DATABASE], product_id, send, lambda change: to_json(_changed(change))
        )
    )


async def history(request: web.Request) -> JsonAnswer[HistoryAnswer]:
    """GET /api/inventory/:productId/history: the changes of one level, newest first."""
    product_id, query = read_id_and_query(request, "productId", HistoryQuery)
    changes = await inventory.history(
        request.app[DATABASE],
        product_id,
        limit=query.limit,
        from_time=query.from_date,
        to_time=query.to_date,
        before=query.before,
    )
    return json_answer(HistoryAnswer(success=True, data=changes))


def _changed(change: LevelChange) -> ChangedLevelAnswer:
    changed = ChangedLevel(
        product_id=change.product_id,
        old_level=change.old_level,
        new_level=change.new_level,
        change_reason=change.change_reason,
        updated_by=change.updated_by,
        updated_at=change.updated_at,
    )
    return ChangedLevelAnswer(success=True, data=changed)


async def _whole_list(database: Database, threads: WorkerThreads, listed: inventory.LevelList) -> AsyncGenerator[bytes]:
    begin, end = b'{"success":true,"data":[', b"]}"
    few = await listed.few(database)
    if few is not None:
        yield begin + _as_json(few) + end
        return
    table = TextTable(listed.many, _as_json, begin, between=b",", end=end)
    async with aclosing(text_export(database, threads, table)) as chunks:
        async for chunk in chunks:
            yield chunk


def _as_json(rows: list[Row]) -> bytes:
    return to_json([Level(*row) for row in rows])[1:-1]
