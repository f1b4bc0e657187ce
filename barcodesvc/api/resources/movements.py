"""Handlers of movements, which change levels (set, adjust, undo), and of their lists."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from aiohttp import web
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
)
from pydantic_core import to_json
from typing_extensions import TypedDict

from barcodesvc import fields
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.requests import QueryInteger, read_id_and_model, read_id_and_query, read_query
from barcodesvc.api.resources.idempotency import key_checked, keyed_request, reply_response
from barcodesvc.api.resources.list_parameters import FromTime, QueryId, ToTime
from barcodesvc.api.responses import JsonResponse, Success, json_response
from barcodesvc.fields import described
from barcodesvc.models import MAX_ID, ChangeUndo, LevelAdjustment, LevelChange, LevelUpdate, ListedChange
from barcodesvc.store import movements
from barcodesvc.store.idempotency import change_once
from barcodesvc.store.movements import Entry, MovementFilter

HISTORY_SIZE = 50
LARGEST_HISTORY_SIZE = 1000


class HistoryQuery(BaseModel):
    """The selected part of a history; both ends are inclusive, and a bare `to_date` covers its whole day.

    `before` and `after` are ids of changes: they select a page of older or newer ones.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    limit: Annotated[
        QueryInteger, Field(ge=1, le=LARGEST_HISTORY_SIZE), described("The most changes that are listed.", 50)
    ] = HISTORY_SIZE
    before: Annotated[
        QueryId | None, described("Only changes before the one with this id: the last id of the previous page.", 9)
    ] = None
    after: Annotated[
        Annotated[QueryInteger, Field(ge=0, le=MAX_ID)] | None,
        described("Only changes after the one with this id, oldest first; 0 begins with the first change.", 9),
    ] = None
    from_date: Annotated[
        FromTime | None,
        described("Only changes from this day or moment on; a moment without an offset is in UTC.", "2026-01-01"),
    ] = None
    to_date: Annotated[
        ToTime | None,
        described("Only changes up to this moment, or to the end of this day.", "2026-01-31"),
    ] = None

    @field_validator("after")
    @classmethod
    def _one_way(cls, after: int, info: ValidationInfo) -> int:
        if info.data.get("before") is not None:
            raise ValueError("before lists older changes, after newer ones; send one of them")
        return after

    @field_validator("to_date")
    @classmethod
    def _in_order(cls, to_date: str, info: ValidationInfo) -> str:
        from_date = info.data.get("from_date")
        if from_date and from_date > to_date:
            raise ValueError("is before from_date")
        return to_date


class ChangesQuery(HistoryQuery):
    """The filters of changes of all products; both ends are inclusive, and a bare `to_date` covers its whole day."""

    product_id: Annotated[QueryId | None, described("Only changes of this product.", 1)] = None
    updated_by: (
        Annotated[str, StringConstraints(max_length=100), described("Only changes by exactly this name.", "till 2")]
        | None
    ) = None


class ChangesResponse(TypedDict):
    """Changes of levels, newest first; with `after` oldest first."""

    success: Success
    data: Annotated[list[ListedChange], described("The changes, newest first; with `after` oldest first.")]


class ChangeResponse(TypedDict):
    """A change of a level, as in the history."""

    success: Success
    data: Annotated[LevelChange, described("The new change.")]


class ChangedLevel(TypedDict):
    """A level before and after a change."""

    product_id: fields.ProductId
    old_level: fields.OldLevel
    new_level: fields.NewLevel
    change_reason: fields.ReasonText
    updated_by: fields.AuthorText
    updated_at: fields.ChangedAt


class ChangedLevelResponse(TypedDict):
    """A level that was set or adjusted."""

    success: Success
    data: Annotated[ChangedLevel, described("The level before and after the change.")]


class HistoryResponse(TypedDict):
    """Changes of a level, newest first; with `after` oldest first."""

    success: Success
    data: Annotated[list[LevelChange], described("The changes, newest first; with `after` oldest first.")]


async def set_level(request: web.Request) -> web.Response:
    """PUT /api/inventory/:productId: a new level, with its history entry, once per idempotency key."""
    with key_checked(request):
        product_id, update = await read_id_and_model(request, "productId", LevelUpdate)
    keyed = keyed_request(request, update)
    entry = Entry(update.change_reason, update.updated_by, keyed.now)
    change = partial(movements.set_level, product_id, update.new_level, entry, update.expected_level)
    return reply_response(await change_once(request.app[SERVICE].database, keyed, change, _changed))


async def adjust_level(request: web.Request) -> web.Response:
    """POST /api/inventory/:productId/adjust: the level changed by a difference, once per idempotency key."""
    with key_checked(request):
        product_id, adjustment = await read_id_and_model(request, "productId", LevelAdjustment)
    keyed = keyed_request(request, adjustment)
    entry = Entry(adjustment.change_reason, adjustment.updated_by, keyed.now)
    change = partial(movements.adjust, product_id, adjustment.delta, entry)
    return reply_response(await change_once(request.app[SERVICE].database, keyed, change, _changed))


async def undo_change(request: web.Request) -> web.Response:
    """POST /api/inventory/changes/:changeId/undo: a change that reverses another one, once each."""
    with key_checked(request):
        change_id, asked = await read_id_and_model(request, "changeId", ChangeUndo)
    keyed = keyed_request(request, asked)
    entry = Entry(asked.change_reason, asked.updated_by, keyed.now)
    change = partial(movements.undo, change_id, entry, asked.updated_at)
    return reply_response(await change_once(request.app[SERVICE].database, keyed, change, _undone))


async def list_changes(request: web.Request) -> JsonResponse[ChangesResponse]:
    """GET /api/inventory/changes: the changes of all levels, newest first, or oldest first after one of them."""
    query = read_query(request, ChangesQuery)
    wanted = _filter(query, product_id=query.product_id, updated_by=query.updated_by)
    changes = await movements.list_movements(request.app[SERVICE].database, wanted)
    return json_response(ChangesResponse(success=True, data=changes))


async def history(request: web.Request) -> JsonResponse[HistoryResponse]:
    """GET /api/inventory/:productId/history: the changes of one level, newest first, or oldest first after one."""
    product_id, query = read_id_and_query(request, "productId", HistoryQuery)
    changes = await movements.history(request.app[SERVICE].database, product_id, _filter(query))
    return json_response(HistoryResponse(success=True, data=changes))


def _filter(query: HistoryQuery, product_id: int | None = None, updated_by: str | None = None) -> MovementFilter:
    return MovementFilter(
        limit=query.limit,
        before=query.before,
        after=query.after,
        product_id=product_id,
        updated_by=updated_by,
        from_time=query.from_date,
        to_time=query.to_date,
    )


def _changed(change: LevelChange) -> bytes:
    changed = ChangedLevel(
        product_id=change.product_id,
        old_level=change.old_level,
        new_level=change.new_level,
        change_reason=change.change_reason,
        updated_by=change.updated_by,
        updated_at=change.updated_at,
    )
    return to_json(ChangedLevelResponse(success=True, data=changed))


def _undone(change: LevelChange) -> bytes:
    return to_json(ChangeResponse(success=True, data=change))
