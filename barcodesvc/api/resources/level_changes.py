"""The handlers of /api/inventory/changes: changes of levels, whichever product they are of."""

from __future__ import annotations

from aiohttp import web
from pydantic_core import to_json
from typing_extensions import TypedDict

from barcodesvc.api.keys import DATABASE
from barcodesvc.api.requests import read_id_and_model
from barcodesvc.api.resources.idempotency import answered, key_checked, send_of
from barcodesvc.api.responses import Success
from barcodesvc.models import ChangeUndo, LevelChange
from barcodesvc.store.adjustments import Entry, change_once, undo


class ChangeAnswer(TypedDict):
    """A change of a level, as the history has it."""

    success: Success
    data: LevelChange


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
