"""The handlers of /api/inventory/changes: changes of levels, whichever product they are of."""

from __future__ import annotations

from typing import Annotated

from aiohttp import web
from pydantic import StringConstraints
from pydantic_core import to_json
from typing_extensions import TypedDict

from barcodesvc.api.keys import DATABASE
from barcodesvc.api.requests import read_id_and_model, read_query
from barcodesvc.api.resources.idempotency import answered, key_checked, send_of
from barcodesvc.api.resources.inventory import HistoryQuery
from barcodesvc.api.resources.paging import QueryId
from barcodesvc.api.responses import JsonAnswer, Success, json_answer
from barcodesvc.models import ChangeUndo, LevelChange, ListedChange
from barcodesvc.store import change_list
from barcodesvc.store.adjustments import Entry, change_once, undo


class ChangesQuery(HistoryQuery):
    """Which changes of all products; both ends are inclusive, a bare `to_date` covers its whole day (UTC)."""

    product_id: QueryId | None = None
    updated_by: Annotated[str, StringConstraints(max_length=100)] | None = None


class ChangesAnswer(TypedDict):
    """Changes of levels, newest first."""

    success: Success
    data: list[ListedChange]


class ChangeAnswer(TypedDict):
    """A change of a level, as the history has it."""

    success: Success
    data: LevelChange


async def list_changes(request: web.Request) -> JsonAnswer[ChangesAnswer]:
    """GET /api/inventory/changes: the changes of all levels, newest first."""
    query = read_query(request, ChangesQuery)
    wanted = change_list.Wanted(
        limit=query.limit,
        before=query.before,
        product_id=query.product_id,
        updated_by=query.updated_by,
        from_time=query.from_date,
        to_time=query.to_date,
    )
    return json_answer(ChangesAnswer(success=True, data=await change_list.list_changes(request.app[DATABASE], wanted)))


async def undo_change(request: web.Request) -> web.Response:
    """POST /api/inventory/changes/:changeId/undo: a change that takes another one back, once for each."""
    with key_checked(request):
        change_id, asked = await read_id_and_model(request, "changeId", ChangeUndo)
    send = send_of(request, asked)
    entry = Entry(asked.change_reason, asked.updated_by, send.now)
    return answered(
        await change_once(
            request.app[DATABASE],
            send,
            lambda: undo(change_id, entry),
            lambda change: to_json(ChangeAnswer(success=True, data=change)),
        )
    )
