"""The handlers of /api/page/session: the browser's page logs in with an API key, and out again.

Rule: whoever has no key yet is let in here, so what may be sent is small, and no key that was sent is repeated, not
even one in a field that there is not.
"""

from __future__ import annotations

from typing import Annotated

from aiohttp import web
from pydantic import Field
from typing_extensions import TypedDict

from barcodesvc.api.guard.page_session import PAGE_SESSIONS
from barcodesvc.api.keys import DATABASE
from barcodesvc.api.requests import NoQuery, read_model, read_query
from barcodesvc.api.responses import JsonAnswer, Success, json_answer
from barcodesvc.errors import InvalidInput
from barcodesvc.models import Draft

_MOST_BYTES = 4096
"""The longest body: a key of 256 characters, each as an escape, and its field."""


class Login(Draft):
    """The key that opens a session; any, where the service asks for none."""

    api_key: Annotated[str, Field(min_length=1, max_length=256)]


class SessionAnswer(TypedDict):
    """A confirmation for people; the session itself is the cookie."""

    success: Success
    message: str


async def open_page_session(request: web.Request) -> JsonAnswer[SessionAnswer]:
    """POST /api/page/session: a session cookie for the page, in which the API key has been typed."""
    login = await _login(request)
    request.app[PAGE_SESSIONS].log_in(request, login.api_key)
    return json_answer(SessionAnswer(success=True, message="the page has a session"))


async def end_page_session(request: web.Request) -> JsonAnswer[SessionAnswer]:
    """DELETE /api/page/session: the end of the page's session, whose cookie opens nothing any more, nor any copy."""
    read_query(request, NoQuery)
    await request.app[PAGE_SESSIONS].log_out(request, request.app[DATABASE])
    return json_answer(SessionAnswer(success=True, message="the page has no session any more"))


async def _login(request: web.Request) -> Login:
    try:
        return await read_model(request.clone(client_max_size=_MOST_BYTES), Login)
    except InvalidInput as refusal:
        for problem in refusal.details["errors"]:
            problem.pop("value", None)
        raise
