"""OpenAPI document generator: each row of the route table becomes an operation, its types become schemas.

Rule: nothing here refers to a route by name. What routes have in common (path parameters, possible errors, response
headers) follows from their rows. Descriptions and examples of fields come from their models, see `barcodesvc.fields`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import Annotated, Any

from pydantic_core import to_json

from barcodesvc.api.endpoint import Route
from barcodesvc.api.guard.sessions import COOKIE
from barcodesvc.api.openapi.envelopes import batch_response, batched_success, envelope_of, sent_in
from barcodesvc.api.openapi.schemas import Schemas
from barcodesvc.api.resources.import_results import ImportProgress
from barcodesvc.api.responses import JSON
from barcodesvc.api.signature import Batch, body_type
from barcodesvc.config import VERSION
from barcodesvc.errors import (
    DatabaseFailure,
    DatabaseOverload,
    ForeignPage,
    InvalidInput,
    KeyReused,
    MethodNotAllowed,
    RateLimitExceeded,
    Reason,
    RenderOverload,
    ServiceError,
    Unauthorized,
    UnconfirmedChange,
    UnknownRoute,
    UnreadableBody,
)
from barcodesvc.fields import described
from barcodesvc.models import IdempotencyKey

_TITLE = "barcodesvc"
_LICENCE = "AGPL-3.0-or-later"
_DESCRIPTION = (
    "[This document as a page](/api/docs). [Source code, licence and documentation](/source).\n\n"
    "A product catalogue with inventory levels and their history, barcodes, QR codes, label sheets and scans. Unknown "
    "fields and query parameters are refused by name; every failure is an envelope that names all problems at once. "
    "Every GET has a HEAD with the same headers. Bodies have no Content-Encoding. A request that may change something "
    "is refused if it comes from a page of another site."
)
_TAGS = {
    "products": "The catalogue: products, their import from workbooks, and exports.",
    "inventory": "Levels of products, their changes and history.",
    "codes": "Barcodes, QR codes and labels, and what scanners read.",
    "scans": "Scans that named no product.",
    "printers": "Printers of the service, and their jobs.",
    "page": "Sessions of the web app.",
    "openapi": "This document.",
    "docs": "The page that shows this document.",
    "health": "Whether the service works.",
    "metrics": "Figures for Prometheus.",
}
"""Descriptions of tags: the first segments of paths below /api."""
_IN_HEADERS = {
    "Idempotency-Key": IdempotencyKey,
    "If-None-Match": Annotated[
        str,
        described(
            "The `ETag` of the client's copy: if it is current, the response is a 304 without a body.",
            '"0123456789abcdef0123456789abcdef"',
        ),
    ],
    "X-Request-ID": Annotated[
        str,
        described(
            "An id for the logs: 1 to 128 letters, digits and `._~:/+=@-`; another one is replaced.", "till-2:81"
        ),
    ],
}
"""Parameters in headers by name."""
_MORE_SCHEMAS = (ImportProgress, Reason)
"""Schemas that no operation refers to: data of events, the list of reasons."""
_WITHOUT_ROUTE = (UnknownRoute, MethodNotAllowed)
"""Errors for unknown paths and methods, which belong to no operation."""
_TEXTS = {bytes: {"type": "string", "format": "binary"}, None: {"type": "string"}}
"""Schemas of bodies that are not JSON."""
_FIELD_IN_PATH = {"code": "product_code"}
"""Fields of a query's model that the path contains, by the name of the path parameter."""
_RATE_HEADERS = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
_STATUS_HEADERS = {401: ("WWW-Authenticate",), 405: ("Allow",), 429: ("Retry-After",), 503: ("Retry-After",)}
_COUNT = {"type": "integer", "minimum": 0}
_HEADERS = {
    "RateLimit-Limit": ("Requests per window; absent if no limit is configured.", _COUNT),
    "RateLimit-Remaining": ("Requests left in this window.", _COUNT),
    "RateLimit-Reset": ("Seconds until this window ends.", _COUNT),
    "Retry-After": ("Seconds after which to retry.", _COUNT),
    "Allow": ("The methods that this resource has.", {"type": "string"}),
    "WWW-Authenticate": ("How to send a key (RFC 6750).", {"type": "string"}),
    "ETag": ("A strong entity tag of the response body.", {"type": "string", "pattern": '^"[0-9a-f]{32}"$'}),
    "Cache-Control": ("How long the response may be cached without revalidation.", {"type": "string"}),
    "Content-Disposition": (
        "The name under which a browser saves the file.",
        {"type": "string", "pattern": '^attachment; filename="[^"]+"$'},
    ),
    "X-Request-ID": (
        "The id of this request in the logs: the one that the client sent, or a new one.",
        {"type": "string", "maxLength": 128},
    ),
    "Set-Cookie": (
        "Sets or deletes the web app's session cookie; any other response may renew it, at most once an hour.",
        {"type": "string", "pattern": f"^{COOKIE}=([0-9a-f]{{108}})?; Max-Age="},
    ),
    "Location": ("The path of the new resource.", {"type": "string"}),
    "Idempotency-Replayed": ("`true` if this is the response to an earlier request.", {"const": "true"}),
}
_OPTIONAL_HEADERS = {*_RATE_HEADERS, "Retry-After", "Cache-Control", "Idempotency-Replayed", "X-Request-ID"}


_SCHEMES = {
    "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "bearer": {"type": "http", "scheme": "bearer"},
    "session": {"type": "apiKey", "in": "cookie", "name": COOKIE},
}
"""The ways of authentication that `guard.api_key` and `guard.sessions` implement."""
KEY_REQUIRED = tuple(_SCHEMES)
KEY_OPTIONAL = ("", *_SCHEMES)
"""Those that a route accepts if a key is configured, and without a key; "" stands for a request without any."""


@lru_cache(maxsize=4)
def document_bytes(routes: tuple[Route, ...], accepted: tuple[str, ...] = KEY_OPTIONAL) -> bytes:
    """Return the document as JSON; it is built once."""
    return to_json(api_document(routes, accepted))


def api_document(routes: tuple[Route, ...], accepted: tuple[str, ...] = KEY_OPTIONAL) -> dict[str, Any]:
    """Return the document."""
    schemas = _schemas(routes)
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        operation = _Operation(route, routes, schemas, accepted)
        paths.setdefault(route.path, {})[route.method.lower()] = operation.as_json()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": _TITLE,
            "version": VERSION,
            "description": _DESCRIPTION,
            "license": {"name": _LICENCE, "identifier": _LICENCE},
        },
        "externalDocs": {"description": "The source code, with the documentation in docs/.", "url": "/source"},
        "servers": [{"url": "/"}],
        "tags": [{"name": name, "description": description} for name, description in _TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": schemas.explained(_needed(paths, schemas)),
            "headers": {name: _header(name) for name in _HEADERS},
            "securitySchemes": _SCHEMES,
        },
    }


def _needed(paths: dict[str, Any], schemas: Schemas) -> set[str]:
    """Return the names of components that are referenced; models of queries appear as parameters instead."""
    others = [schemas.outgoing(kind) for kind in (*_MORE_SCHEMAS, *map(envelope_of, _WITHOUT_ROUTE))]
    return set(re.findall(r'"#/components/schemas/(\w+)"', to_json([paths, schemas.components, others]).decode()))


def _schemas(routes: tuple[Route, ...]) -> Schemas:
    signatures = [route.signature for route in routes]
    incoming = [
        kind for one in signatures for kind in (one.query, *one.path.values(), *one.body.values()) if kind is not bytes
    ]
    outgoing = [_sent(kind, routes) for one in signatures for kind in one.content.values() if kind not in (None, bytes)]
    return Schemas([*incoming, *_IN_HEADERS.values()], [*outgoing, *map(envelope_of, _kinds(routes)), *_MORE_SCHEMAS])


@cache
def _sent(kind: Any, routes: tuple[Route, ...]) -> Any:
    """Return the type of a body; there is one for each kind, since the schema would name two."""
    if not isinstance(kind, Batch):
        return body_type(kind)
    single = {route.handler: route for route in routes if route.handler in kind.singles.values()}
    successes = [batched_success(name, single[handler].signature) for name, handler in kind.singles.items()]
    errors = chain.from_iterable(map(sent_in, chain.from_iterable(map(_errors_of_handler, single.values()))))
    return batch_response(kind.name, successes, [InvalidInput, *dict.fromkeys(errors)])


def _errors(route: Route) -> Iterator[type[ServiceError]]:
    """Yield the possible errors of a route, including those of rate limits and overload under /api."""
    yield InvalidInput
    if route.method != "GET":
        yield ForeignPage
    if route.signature.body:
        yield UnreadableBody
    if _is_limited(route):
        yield from (RateLimitExceeded, RenderOverload, Unauthorized)
    yield from _errors_of_handler(route)


def _errors_of_handler(route: Route) -> Iterator[type[ServiceError]]:
    """Yield those that a valid request may get once it is handled, on its own or in a batch."""
    yield from route.errors
    if route.signature.is_keyed:
        yield KeyReused
    yield route.failure
    if _is_limited(route) and DatabaseFailure in (route.failure, *route.errors):
        yield from (DatabaseOverload, *([UnconfirmedChange] if route.method != "GET" else []))


def _is_limited(route: Route) -> bool:
    return route.path.startswith("/api/")


def _kinds(routes: tuple[Route, ...]) -> list[type[ServiceError]]:
    """Return the errors that have envelopes in the document, by name."""
    kinds = {*chain.from_iterable(map(_errors, routes)), *_WITHOUT_ROUTE}
    return sorted(kinds, key=lambda kind: kind.__name__)


def _header(name: str) -> dict[str, Any]:
    description, schema = _HEADERS[name]
    return {"description": description, "required": name not in _OPTIONAL_HEADERS, "schema": schema}


@dataclass(frozen=True, slots=True)
class _Operation:
    """One operation of the document."""

    route: Route
    routes: tuple[Route, ...]
    schemas: Schemas
    accepted: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        operation = {
            "operationId": self.route.handler.__name__,
            "tags": [self.route.path.removeprefix("/api").split("/")[1].partition(".")[0]],
            "summary": self.route.summary,
            **({"description": self.route.description} if self.route.description else {}),
            "parameters": [*self._path_parameters(), *self._query_parameters(), *self._header_parameters()],
            **({"requestBody": self._body()} if self.route.signature.body else {}),
            "responses": self._responses(),
        }
        if _is_limited(self.route) and self.route.needs_key:
            operation["security"] = [{name: []} if name else {} for name in self.accepted]
        return operation

    def _path_parameters(self) -> Iterator[dict[str, Any]]:
        """Yield those in the path, which have an `example`: forms such as Swagger UI's begin with it."""
        for name, kind in self.route.signature.path.items():
            schema = self.schemas.incoming(kind)
            described = self.schemas.parameter(schema)
            yield {"name": name, "in": "path", "required": True, **described, "example": self.schemas.example(schema)}

    def _query_parameters(self) -> Iterator[dict[str, Any]]:
        model = self.schemas.resolved(self.schemas.incoming(self.route.signature.query))
        elsewhere = {_FIELD_IN_PATH.get(name) for name in self.route.signature.path}
        for name, schema in model.get("properties", {}).items():
            if name not in elsewhere:
                yield {"name": name, "in": "query", **self.schemas.parameter(schema)}

    def _header_parameters(self) -> Iterator[dict[str, Any]]:
        for name in (*self.route.signature.headers, "X-Request-ID"):
            yield {"name": name, "in": "header", **self.schemas.parameter(self.schemas.incoming(_IN_HEADERS[name]))}

    def _body(self) -> dict[str, Any]:
        content: dict[str, Any] = {
            media: {"schema": _TEXTS[kind] if kind is bytes else self.schemas.incoming(kind)}
            for media, kind in self.route.signature.body.items()
        }
        if self.route.signature.example:
            content[JSON]["example"] = self.route.signature.example
        return {"required": True, "content": content}

    def _responses(self) -> dict[str, Any]:
        responses = {str(status): self._success() for status in (self.route.status, *self.route.also)}
        if "If-None-Match" in self.route.signature.headers:
            responses["304"] = self._response("The client's copy is current.", ("ETag", "Cache-Control"))
        kinds = sorted(set(_errors(self.route)), key=lambda kind: (kind.status, kind.__name__))
        for status in dict.fromkeys(kind.status for kind in kinds):
            responses[str(status)] = self._failure(status, [kind for kind in kinds if kind.status == status])
        return responses

    def _success(self) -> dict[str, Any]:
        content = {
            media: {"schema": _TEXTS[kind] if kind in _TEXTS else self.schemas.outgoing(_sent(kind, self.routes))}
            for media, kind in self.route.signature.content.items()
        }
        data = self.schemas.resolved(content[JSON]["schema"]) if JSON in content else {}
        description = data.get("description", f"The content, as {' or '.join(content)}.")
        response = {**self._response(description, self.route.signature.response_headers), "content": content}
        if self.route.links:
            response["links"] = {
                name: {"operationId": name, "parameters": {parameter: "$response.body#/data/id"}}
                for name, parameter in self.route.links.items()
            }
        return response

    def _failure(self, status: int, kinds: list[type[ServiceError]]) -> dict[str, Any]:
        description = " ".join((kind.__doc__ or "").partition("\n")[0] for kind in kinds)
        schemas = [self.schemas.outgoing(envelope_of(kind)) for kind in kinds]
        response = self._response(description, _STATUS_HEADERS.get(status, ()))
        schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
        response["content"] = {JSON: {"schema": schema}}
        return response

    def _response(self, description: str, headers: tuple[str, ...]) -> dict[str, Any]:
        names = (*headers, "X-Request-ID", *(_RATE_HEADERS if _is_limited(self.route) else ()))
        references = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
        return {"description": description, "headers": references}
