"""The outermost middleware: whatever goes wrong below comes out as one envelope, and nothing else does.

It also opens the request's ANSWER_HEADERS and puts them on the answer; a stream, out by then, took them itself.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from barcodesvc.api.keys import ANSWER_HEADERS
from barcodesvc.api.responses import failure
from barcodesvc.errors import InvalidInput, MethodNotAllowed, ServiceError, UnknownRoute

_LOG = logging.getLogger(__name__)


def errors_middleware(failures: Mapping[Handler, type[ServiceError]]) -> Middleware:
    """Build the middleware; `failures` names for each handler the error that an unforeseen exception becomes."""

    @web.middleware
    async def answer_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
        headers = request[ANSWER_HEADERS] = {}
        try:
            response = await handler(request)
        except ServiceError as error:
            response = failure(error)
        except web.HTTPException as error:
            response = failure(_translated(request, error))
        except (asyncio.CancelledError, GeneratorExit):
            raise
        except BaseException:  # noqa: BLE001 - the last resort: whatever it is, a library's PanicException too
            _LOG.exception("unforeseen failure in %s %s", request.method, request.path)
            kind = failures.get(request.match_info.handler, ServiceError)
            response = failure(kind("the service failed; the log says why"))
        if headers and not response.prepared:
            response.headers.update(headers)
        return response

    return answer_errors


def _translated(request: web.Request, error: web.HTTPException) -> ServiceError:
    if isinstance(error, web.HTTPNotFound):
        return UnknownRoute(f"there is nothing at {request.path}; the README lists every route")
    if isinstance(error, web.HTTPMethodNotAllowed):
        allowed = ", ".join(sorted(error.allowed_methods))
        return MethodNotAllowed(
            f"{request.method} is not possible here; possible: {allowed}",
            headers={"Allow": allowed},
            allowed=sorted(error.allowed_methods),
        )
    return InvalidInput((error.text or error.reason).removeprefix(f"{error.status}: "))
