"""Error middleware: around every handler it makes envelopes of whatever goes wrong, and adds ids and headers.

Without it an unknown path and a bug would be answered in aiohttp's plain text, and overload by answers that come late.
It wraps the application itself, as a connection calls it, in place of a middleware of aiohttp: those cost each request
twice as much, and come behind the route and its `100 Continue`. So `connections.ServiceRunner` serves the application.

A request passes admission first, then the guards of the application in their order, and is routed after that: one that
is refused has no route, nothing of its body is read, and its client is not asked to send it.

Rule: whatever goes wrong below comes out as one envelope, and nothing else does.
"""

from __future__ import annotations

import asyncio
import logging

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler
from pydantic_core import to_json

from barcodesvc.api.client_address import note_client
from barcodesvc.api.guard.admission import ADMISSION, OVERLOAD, kind_of
from barcodesvc.api.guard.safe_headers import EXPOSED_HEADERS, SAFE_HEADERS, add_safe_headers
from barcodesvc.api.keys import ANSWER_HEADERS, CLOCK, FAILURES, GUARDS, SETTINGS
from barcodesvc.api.observe.metrics import METRICS
from barcodesvc.api.observe.request_ids import REQUEST_ID, begin, handler_of
from barcodesvc.api.responses import JSON_HEADERS, ends_with_answer, error_envelope, failure
from barcodesvc.api.whole_answers import WholeAnswer
from barcodesvc.errors import InvalidInput, MethodNotAllowed, RenderOverload, ServiceError, UnknownRoute

_LOG = logging.getLogger(__name__)

_OVERLOAD = RenderOverload(OVERLOAD)
_REFUSAL_HEADERS = {**JSON_HEADERS, **SAFE_HEADERS, **_OVERLOAD.headers}
_REFUSAL = to_json(error_envelope(_OVERLOAD))


class Answering:
    """Answers the requests of all connections; `served` is the application's own handler."""

    def __init__(self, served: Handler, app: web.Application) -> None:
        self._served = served
        self._app = app
        self._admission = app[ADMISSION]
        self._metrics = app[METRICS]
        self._steady = app[CLOCK].steady
        self._counts = app[SETTINGS].metrics
        self._guards = app[GUARDS]
        self._trusted_proxies = app[SETTINGS].trusted_proxies

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Return the answer to a request, whatever goes wrong."""
        admission, kind = self._admission, kind_of(request)
        if admission.refuses(kind):
            return self._refused(request)
        begun = self._steady()
        if self._trusted_proxies:
            note_client(request, self._trusted_proxies)
        headers: dict[str, str] = {REQUEST_ID: begin(request, begun)}
        request[ANSWER_HEADERS] = headers
        admission.enter(kind)
        try:
            for guard in self._guards:
                waiting = guard(request)
                if waiting is not None:
                    await waiting
            response = await self._served(request)
        except (asyncio.CancelledError, GeneratorExit):
            raise
        except BaseException as error:  # noqa: BLE001 - the last resort: whatever it is, a library's PanicException too
            response = self._failed(request, error)
        finally:
            admission.leave(kind)
        if self._counts:
            self._metrics.answered(handler_of(request), request.method, response.status, self._steady() - begun)
        return self._complete(request, response, headers)

    def _refused(self, request: web.Request) -> web.Response:
        """Return the refusal of a request beyond what may be in flight, as cheap as it can be."""
        headers = {**_REFUSAL_HEADERS, REQUEST_ID: begin(request), **self._origin_headers(request)}
        response = web.Response(body=_REFUSAL, status=_OVERLOAD.status, headers=headers)
        if self._admission.is_ending or ends_with_answer(request):
            response.force_close()
        return response

    def _origin_headers(self, request: web.Request) -> dict[str, str]:
        """Return what lets a page of an allowed origin read a refusal that aiohttp-cors never gets to see: unrouted."""
        origins, origin = self._app[SETTINGS].cors_origins, request.headers.get(hdrs.ORIGIN)
        if not origins:
            return {}
        if origin is None or not {origin.lower(), "*"} & set(origins):
            return {hdrs.VARY: hdrs.ORIGIN}
        return {
            hdrs.VARY: hdrs.ORIGIN,
            hdrs.ACCESS_CONTROL_ALLOW_ORIGIN: origin,
            hdrs.ACCESS_CONTROL_EXPOSE_HEADERS: ",".join(EXPOSED_HEADERS),
        }

    def _failed(self, request: web.Request, raised: BaseException) -> web.StreamResponse:
        if isinstance(raised, ServiceError):
            error = raised
        elif isinstance(raised, web.HTTPException):
            error = _translated(request, raised)
        else:
            _LOG.error("unforeseen failure in %s %s", request.method, request.path, exc_info=raised)
            handler = handler_of(request)
            kind = self._app[FAILURES].get(handler, ServiceError) if handler else ServiceError
            error = kind("the service failed; the log says why")
        self._metrics.failed(error)
        _let_go(raised)
        return failure(error)

    def _complete(
        self, request: web.Request, response: web.StreamResponse, headers: dict[str, str]
    ) -> web.StreamResponse:
        is_ending = self._admission.is_ending
        has_more = len(headers) > 1 or is_ending or self._app.on_response_prepare
        if isinstance(response, WholeAnswer):
            if not has_more and response.is_plain_for(request):
                return response.in_one_piece(headers[REQUEST_ID])
            response = response.usual()
        if not response.prepared:
            add_safe_headers(response.headers)
            response.headers.update(headers)
            if handler_of(request) is None:
                response.headers.update(self._origin_headers(request))
        if is_ending or ends_with_answer(request):
            response.force_close()
        return response


def _let_go(error: BaseException | None) -> None:
    """Forget where a refusal was raised: those calls hold it as it holds them, and the request with it.

    Nothing but a full garbage collection would free them, and one comes once in millions of requests.
    """
    while error is not None and error.__traceback__ is not None:
        error.__traceback__ = None
        error = error.__cause__ or error.__context__


def _translated(request: web.Request, error: web.HTTPException) -> ServiceError:
    if isinstance(error, web.HTTPNotFound):
        return UnknownRoute(f"there is nothing at {request.path}; /api/docs shows every route")
    if isinstance(error, web.HTTPMethodNotAllowed):
        allowed = ", ".join(sorted(error.allowed_methods))
        return MethodNotAllowed(
            f"{request.method} is not possible here; possible: {allowed}",
            headers={"Allow": allowed},
            allowed=sorted(error.allowed_methods),
        )
    return InvalidInput((error.text or error.reason).removeprefix(f"{error.status}: "))
