"""Errors of the HTTP parser get the envelope too: bad request lines, header lines over their limit, undecodable paths.

Without it, a client whose search makes its address too long would get plain text that repeats its own bytes, where it
expects JSON, and anybody could fill the log with tracebacks.
"""

from __future__ import annotations

import logging

from aiohttp import web

from barcodesvc.api.guard.safe_headers import add_safe_headers
from barcodesvc.api.observe.request_ids import REQUEST_ID, begin
from barcodesvc.api.responses import failure
from barcodesvc.errors import InvalidInput

_LOG = logging.getLogger(__name__)


def bad_http_answer(request: web.BaseRequest, cause: BaseException | None) -> web.Response:
    """Return the 400 that a malformed request gets; the connection ends with it."""
    _LOG.debug("bad HTTP from %s: %r", request.remote, cause)
    response = failure(
        InvalidInput("the request is not valid HTTP, or its address or one of its headers is longer than 8190 bytes")
    )
    add_safe_headers(response.headers)
    response.headers[REQUEST_ID] = begin(request)
    response.force_close()
    return response
