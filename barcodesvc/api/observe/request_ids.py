"""Request ids (correlation ids): the X-Request-ID of a request, in the answer's header and in every line of the log.

An id that a client or proxy sends is taken over if it is harmless wherever it is repeated, else one is made. aiohttp
answers each request in a task of its own, so what is set here ends with the request; tasks and threads that are
started for it take it along.

Rule: an id names a request and proves nothing, as anybody may send any.
"""

from __future__ import annotations

import itertools
import logging
import re
import secrets
from contextvars import ContextVar
from dataclasses import dataclass

from aiohttp import web
from aiohttp.typedefs import Handler
from multidict import istr

from barcodesvc.api.observe.log_lines import NO_REQUEST

REQUEST_ID = istr("X-Request-ID")
"""The header's name."""
_HARMLESS = re.compile(r"[A-Za-z0-9._~:/+=@-]{1,128}")
_process = secrets.token_hex(8)
_numbers = itertools.count(1)


@dataclass(slots=True)
class RequestContext:
    """A request that is being answered: its id, and when it began (seconds on the steady clock)."""

    request_id: str
    begun: float | None = None


REQUEST_CONTEXT: ContextVar[RequestContext] = ContextVar("request_context")
"""The request that the running task belongs to; not set outside of requests."""


def begin(request: web.BaseRequest, begun: float | None = None) -> str:
    """Make the request the one that is being answered in this task, and return its id."""
    sent = request.headers.get(REQUEST_ID)
    request_id = sent if sent and _HARMLESS.fullmatch(sent) else new_id()
    REQUEST_CONTEXT.set(RequestContext(request_id, begun))
    return request_id


def handler_of(request: web.BaseRequest) -> Handler | None:
    """Return what was to answer the request; None for one that was not routed."""
    if not isinstance(request, web.Request):
        return None
    try:
        return request.match_info.handler
    except (AssertionError, AttributeError):  # aiohttp asserts that it was routed; under -O it finds None
        return None


def new_id() -> str:
    """Return an id that no other request has: 64 random bits of this process, and the number of the request in it."""
    return f"{_process}{next(_numbers):08x}"


class RequestIdFilter(logging.Filter):
    """Gives every record that passes the attribute `request_id`; holds none back."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Set the id of the request that the logging task or thread belongs to."""
        context = REQUEST_CONTEXT.get(None)
        record.request_id = context.request_id if context else NO_REQUEST
        return True
