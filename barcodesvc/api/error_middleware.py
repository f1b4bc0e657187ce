"""Error middleware: it runs around every handler, turns each failure into an envelope, and adds ids and headers.

Without it an unknown path and a bug would get aiohttp's plain text, and an overloaded service would respond late.
It wraps the application as a connection calls it, instead of being a middleware of aiohttp: those cost each request
more, and run after the route is found and `100 Continue` is sent.

A request passes admission first, then the guards of the application in their order, and then the router. A refused
request has no route, its body is not read, and its client is not asked to send it.

Rule: every failure below becomes one envelope; no other failure reaches a client. A browser gets a page instead if
there is nothing at the address.
"""

import asyncio
from http import HTTPStatus

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler
from pydantic_core import to_json

from barcodesvc.api import nowhere
from barcodesvc.api.client_address import note_client
from barcodesvc.api.guard.admission import ADMISSION, OVERLOAD, route_group
from barcodesvc.api.guard.headers import EXPOSED_HEADERS, add_safe_headers, require_few_segments
from barcodesvc.api.keys import GUARDS, RESPONSE_HEADERS, SERVED, SERVICE
from barcodesvc.api.observe.metrics import METRICS
from barcodesvc.api.observe.request_ids import REQUEST_ID, begin, handler_of
from barcodesvc.api.responses import (
    JSON_HEADERS,
    WholeHead,
    WholeResponse,
    ends_with_response,
    error_envelope,
    failure,
    unforeseen,
)
from barcodesvc.errors import InvalidHttp, MethodNotAllowed, RenderOverload, ServiceError, UnknownRoute

_OVERLOAD = RenderOverload(OVERLOAD)
_REFUSAL_HEAD = WholeHead.of(HTTPStatus.SERVICE_UNAVAILABLE, {**JSON_HEADERS, **_OVERLOAD.headers})
_REFUSAL = to_json(error_envelope(_OVERLOAD))


class ErrorMiddleware:
    """Handles the requests of all connections; `served` is the handler of the application."""

    def __init__(self, served: Handler, app: web.Application) -> None:
        self._served = served
        self._app = app
        self._admission = app[ADMISSION]
        self._metrics = app[METRICS]
        self._steady = app[SERVICE].clock.steady
        self._counts = app[SERVICE].settings.metrics
        self._guards = app[GUARDS]
        self._trusted_proxies = app[SERVICE].settings.trusted_proxies
        self._origins = frozenset(app[SERVICE].settings.cors_origins)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Return the response to a request, even if its handler fails."""
        admission, group = self._admission, route_group(request)
        if admission.refuses(group):
            return self._refused(request)
        begun = self._steady()
        if self._trusted_proxies:
            note_client(request, self._trusted_proxies)
        headers: dict[str, str] = {REQUEST_ID: begin(request, begun)}
        request[RESPONSE_HEADERS] = headers
        admission.enter(group)
        try:
            require_few_segments(request)
            for guard in self._guards:
                waiting = guard(request)
                if waiting is not None:
                    await waiting
            response = await self._served(request)
        except (asyncio.CancelledError, GeneratorExit):
            raise
        except BaseException as error:  # noqa: BLE001 - the last resort, also for the PanicException of a library
            response = self._failed(request, error)
        finally:
            admission.leave(group)
        if self._counts:
            self._metrics.request_ended(handler_of(request), request.method, response.status, self._steady() - begun)
        return self._complete(request, response, headers)

    def _refused(self, request: web.Request) -> web.StreamResponse:
        """Refuse a request beyond the limit, as cheaply as possible."""
        response = WholeResponse(_REFUSAL, _REFUSAL_HEAD)
        is_last = ends_with_response(request)
        return self._complete(request, response.usual() if is_last else response, {REQUEST_ID: begin(request)})

    def _origin_headers(self, request: web.Request) -> dict[str, str]:
        """Return the CORS headers of a response that aiohttp-cors does not see: without a route, or in one piece."""
        if not self._origins:
            return {}
        origin = request.headers.get(hdrs.ORIGIN)
        if origin is None or not {origin.lower(), "*"} & self._origins:
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
            route = self._app[SERVED].get(request.match_info.handler) if _has_route(request) else None
            where = f"{request.method} {request.path}"
            error = unforeseen(raised, route.failure if route else ServiceError, where)
        self._metrics.failed(error)
        _let_go(raised)
        is_nowhere = isinstance(raised, web.HTTPNotFound)
        return nowhere.page() if is_nowhere and nowhere.wants_page(request) else failure(error)

    def _complete(
        self, request: web.Request, response: web.StreamResponse, headers: dict[str, str]
    ) -> web.StreamResponse:
        is_ending = self._admission.is_ending
        if isinstance(response, WholeResponse):
            if not is_ending and response.is_plain_for(request, headers):
                headers.update(self._origin_headers(request))
                return response.in_one_piece(headers)
            response = response.usual()
        if not response.prepared:
            add_safe_headers(response.headers)
            response.headers.update(headers)
            if not _has_route(request):
                response.headers.update(self._origin_headers(request))
        if is_ending or ends_with_response(request):
            response.force_close()
        return response


def _has_route(request: web.Request) -> bool:
    """Return whether the request was routed to a handler of the application."""
    return handler_of(request) is not None and request.match_info.http_exception is None


def _let_go(error: BaseException | None) -> None:
    """Break the reference cycle of an error and the frames that it was raised through, which hold the request.

    Only a full garbage collection would free them, and those are rare.
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
            f"{request.method} is not allowed here; allowed: {allowed}",
            headers={"Allow": allowed},
            allowed=sorted(error.allowed_methods),
        )
    return InvalidHttp((error.text or error.reason).removeprefix(f"{error.status}: "))
