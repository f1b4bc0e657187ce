"""Endpoints: a route is a method, a path and a handler, and a request is what the handler's signature says.

Rule: all problems of path, query, body and key are reported together. A handler that notes what it `Reads` is called
with the request alone, at no cost: those of cached codes, repeated scans, forms and files are.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler
from pydantic import TypeAdapter
from pydantic_core import from_json

from barcodesvc.api.bodies import read_bytes, read_model
from barcodesvc.api.idempotency import keyed_request, reply_response, require_key
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.parameters import gathered_in, read_query, read_segment, refuse_together
from barcodesvc.api.responses import JSON, JSON_HEADERS, enveloped
from barcodesvc.api.signature import Signature
from barcodesvc.errors import DatabaseFailure, InvalidInput, ServiceError
from barcodesvc.models import Draft
from barcodesvc.store.idempotency import Reply, once

_PATTERNS = {
    "id": "(?!(?:import|export|catalogue|attributes)$)[^/]+",
    "productId": "(?!(?:changes|export|reorder)$)[^/]+",
    "code": "(?s:.+)",
    "path": ".+",
}
"""Patterns of segments by name: an id does not match a sibling's name, so that a wrong method there is a 405; a code
may contain any character, including slashes and line breaks; a path of a file may contain slashes."""
_NO_BODY = Draft()


@dataclass(frozen=True)
class Route:
    """A method and a path, their handler, and what its signature cannot say.

    `errors` are those that follow neither from the path nor from the signature; `failure` is the one that an unforeseen
    exception becomes. The response has `status` or one of `also`. `links` maps operations to their parameter that takes
    the id in the response. `needs_key` is whether the route requires an API key if one is configured. `most_bytes`
    limits the JSON body, and with it the cost of finding all its problems.
    """

    method: str
    path: str
    handler: Callable[..., Any]
    errors: tuple[type[ServiceError], ...] = ()
    failure: type[ServiceError] = DatabaseFailure
    status: int = 200
    also: tuple[int, ...] = ()
    links: Mapping[str, str] = field(default_factory=dict, hash=False)
    needs_key: bool = True
    most_bytes: int = 64 * 1024

    @property
    def methods(self) -> tuple[str, ...]:
        """The method of the table, and HEAD in addition to GET: the same response without its body (RFC 9110, 9.1)."""
        return ("GET", "HEAD") if self.method == "GET" else (self.method,)

    @property
    def pattern(self) -> str:
        """The path for aiohttp's router."""
        return re.sub(r"\{(\w+)\}", lambda name: f"{{{name[1]}:{_PATTERNS.get(name[1], '[^/]+')}}}", self.path)

    @cached_property
    def signature(self) -> Signature:
        """What the handler reads and sends."""
        return Signature(self.handler, tuple(re.findall(r"\{(\w+)\}", self.path)))

    @cached_property
    def serve(self) -> Handler:
        """The handler for aiohttp's router."""
        return self.handler if self.signature.is_read_by_handler else Endpoint(self).serve

    @property
    def summary(self) -> str:
        """The first paragraph of the handler's docstring, which begins with a verb: "Delete a product"."""
        return self._paragraphs[0].removesuffix(".")

    @property
    def description(self) -> str:
        """What follows it there, as Markdown."""
        return "\n\n".join(self._paragraphs[1:])

    @cached_property
    def _paragraphs(self) -> list[str]:
        return [" ".join(part.split()) for part in (inspect.getdoc(self.handler) or "").split("\n\n")]


class Endpoint:
    """Reads what a handler takes, calls it, and writes what it returns."""

    def __init__(self, route: Route) -> None:
        self._handler = route.handler
        self._signature = route.signature
        self._status = route.status
        self._segments = {name: TypeAdapter(kind) for name, kind in route.signature.path.items()}

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Return the response to a request; raises InvalidInput with all its problems, and what the handler raises."""
        arguments = await self._arguments(request)
        if self._signature.is_script:
            change = partial(once, arguments["key"], partial(self._handler, **arguments), self._written)
            return self._reply(request, await request.app[SERVICE].database.change(change))
        result = await self._handler(**arguments)
        if isinstance(result, web.StreamResponse):
            return result
        if isinstance(result, Reply):
            return self._reply(request, result)
        return web.Response(body=self._written(result), status=self._status, headers=JSON_HEADERS)

    async def _arguments(self, request: web.Request) -> dict[str, Any]:
        """Return the arguments of the handler."""
        known: dict[str, Any] = {"request": request, "service": request.app[SERVICE]}
        refusals: list[InvalidInput] = []
        for name, kind in self._segments.items():
            with gathered_in(refusals):
                known[name] = read_segment(request, name, kind)
        with gathered_in(refusals):
            if self._signature.body:
                known["body"] = await self._body(request)
            else:
                known["query"] = read_query(request, self._signature.query)
        if self._signature.is_keyed:
            with gathered_in(refusals):
                require_key(request)
        refuse_together(refusals)
        if self._signature.is_keyed:
            known["key"] = keyed_request(request, known.get("body", _NO_BODY))
        return {name: known[name] for name in self._signature.names}

    async def _body(self, request: web.Request) -> Any:
        [(media, model)] = self._signature.body.items()
        return await (read_model(request, model) if media == JSON else read_bytes(request, media))

    def _reply(self, request: web.Request, reply: Reply) -> web.Response:
        response = reply_response(reply, self._status)
        if self._status == web.HTTPCreated.status_code:
            response.headers[hdrs.LOCATION] = f"{request.path}/{from_json(reply.body)['data']['id']}"
        return response

    def _written(self, value: Any) -> bytes:
        adapter, is_enveloped = self._data
        written = adapter.dump_json(value)
        return enveloped(written) if is_enveloped else written

    @cached_property
    def _data(self) -> tuple[TypeAdapter[Any], bool]:
        kind, is_enveloped = self._signature.data
        return TypeAdapter(kind), is_enveloped
