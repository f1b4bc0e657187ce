"""Request ids (correlation ids): the X-Request-ID of a request, in the response header and in every log line.

An id sent by a client or proxy is kept if it is harmless wherever it is repeated; otherwise a new one is made. aiohttp
handles each request in a separate task, so the context variable ends with the request; tasks and threads that are
started for the request inherit it.

Rule: an id identifies a request and proves nothing, because any client can send any id.
"""

import itertools
import logging
import re
import secrets
from contextvars import ContextVar
from dataclasses import dataclass

from aiohttp import web
from aiohttp.typedefs import Handler
from multidict import istr

from barcodesvc.runtime.log_lines import NO_REQUEST

REQUEST_ID = istr("X-Request-ID")
"""The name of the header."""
_HARMLESS = re.compile(r"[A-Za-z0-9._~:/+=@-]{1,128}")
_process = secrets.token_hex(8)
_numbers = itertools.count(1)


@dataclass(slots=True)
class RequestContext:
    """A request in progress: its id, and when it began (seconds on the steady clock)."""

    request_id: str
    begun: float | None = None


REQUEST_CONTEXT: ContextVar[RequestContext] = ContextVar("request_context")
"""The request that the current task belongs to; not set outside of requests."""


def begin(request: web.BaseRequest, begun: float | None = None) -> str:
    """Make this the current task's request, and return its id."""
    sent = request.headers.get(REQUEST_ID)
    request_id = sent if sent and _HARMLESS.fullmatch(sent) else new_id()
    REQUEST_CONTEXT.set(RequestContext(request_id, begun))
    return request_id


def handler_of(request: web.BaseRequest) -> Handler | None:
    """Return the handler of the request; None if it was not routed."""
    if not isinstance(request, web.Request):
        return None
    try:
        return request.match_info.handler
    except (AssertionError, AttributeError):  # aiohttp asserts routing; under -O it reads from None
        return None


def new_id() -> str:
    """Return a unique id: 64 random bits of this process, followed by the number of the request."""
    return f"{_process}{next(_numbers):08x}"


class RequestIdFilter(logging.Filter):
    """Adds the attribute `request_id` to every log record; drops none."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Set the id of the request that the logging task or thread belongs to, or NO_REQUEST."""
        context = REQUEST_CONTEXT.get(None)
        record.request_id = context.request_id if context else NO_REQUEST
        return True
