"""What is not HTTP gets the envelope too: bad request lines, header lines over their limit, undecodable paths.

aiohttp answers such a request before there is a handler or a middleware, in plain text that repeats the client's bytes,
and logs a traceback that anybody could provoke at will. Its protocol class offers no hook for that but the method
itself, hence the one assignment below, made once for the process.
"""

from __future__ import annotations

import logging

from aiohttp import web
from aiohttp.web_protocol import RequestHandler

from barcodesvc.api.responses import failure
from barcodesvc.errors import InvalidInput

_LOG = logging.getLogger(__name__)

_handle_error = RequestHandler.handle_error


def answer_bad_http_with_envelopes() -> None:
    """Make every server of this process answer malformed requests with a 400 envelope."""
    RequestHandler.handle_error = _answer  # type: ignore[method-assign,assignment]  # there is no other hook


def _answer(
    handler: RequestHandler,
    request: web.BaseRequest,
    status: int = 500,
    exc: BaseException | None = None,
    message: str | None = None,
) -> web.StreamResponse:
    if status != web.HTTPBadRequest.status_code:
        return _handle_error(handler, request, status, exc, message)
    _LOG.debug("bad HTTP from %s: %r", request.remote, exc)
    response = failure(
        InvalidInput("the request is not valid HTTP, or its address or one of its headers is longer than 8190 bytes")
    )
    response.force_close()
    return response
