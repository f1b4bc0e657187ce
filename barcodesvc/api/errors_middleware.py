"""The outermost middleware: whatever goes wrong below comes out as one envelope, and nothing else does.

It also opens the request's ANSWER_HEADERS, among them its id, and puts them on the answer; a stream, out by then, took
them itself.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from barcodesvc.api.keys import ANSWER_HEADERS
from barcodesvc.api.request_ids import REQUEST_ID, begin
from barcodesvc.api.responses import failure
from barcodesvc.api.tally import Tally
from barcodesvc.clock import Clock
from barcodesvc.errors import InvalidInput, MethodNotAllowed, ServiceError, UnknownRoute

_LOG = logging.getLogger(__name__)


def errors_middleware(
    failures: Mapping[Handler, type[ServiceError]], tally: Tally | None = None, clock: Clock | None = None
) -> Middleware:
    """Build the middleware; `failures` names for each handler the error that an unforeseen exception becomes.

    `tally` is told of errors; requests begin on `clock`.
    """
    tally, steady = tally or Tally(), (clock or Clock()).steady

    @web.middleware
    async def answer_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
        request_id = begin(request, steady(), request.match_info.handler)
        headers = request[ANSWER_HEADERS] = {REQUEST_ID: request_id}
        try:
            response = await handler(request)
        except ServiceError as error:
            response = _told(error)
            _let_go(error)
        except web.HTTPException as error:
            response = _told(_translated(request, error))
            _let_go(error)
        except (asyncio.CancelledError, GeneratorExit):
            raise
        except BaseException:  # noqa: BLE001 - the last resort: whatever it is, a library's PanicException too
            _LOG.exception("unforeseen failure in %s %s", request.method, request.path)
            kind = failures.get(request.match_info.handler, ServiceError)
            response = _told(kind("the service failed; the log says why"))
        if not response.prepared:
            response.headers.update(headers)
        return response

    def _told(error: ServiceError) -> web.Response:
        tally.errors[type(error).__name__, error.status] += 1
        return failure(error)

    return answer_errors


def _let_go(error: BaseException | None) -> None:
    """Forget where a refusal was raised: those calls hold it as it holds them, and the request with it.

    Nothing but a full garbage collection would free them, and one comes once in millions of requests.
    """
    while error is not None and error.__traceback__ is not None:
        error.__traceback__ = None
        error = error.__cause__ or error.__context__


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
