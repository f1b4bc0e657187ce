"""OpenAPI document generator: each row of the route table becomes an operation, its types become schemas.

Rule: nothing here refers to a route by name. What routes have in common (path parameters, possible errors, response
headers) follows from their rows. Schemas (JSON Schema, draft 2020-12) of requests are as strict as validation, so they
leave out null, which no field accepts. Schemas of responses are closed, so that an undescribed field is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import version
from itertools import chain
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema, to_json

from barcodesvc.api.guard.session_cookie import COOKIE
from barcodesvc.api.openapi.error_responses import envelope_of
from barcodesvc.api.openapi.pages import ASSETS
from barcodesvc.api.resources.imports import ImportProgress
from barcodesvc.api.responses import JSON
from barcodesvc.api.route import Route
from barcodesvc.errors import (
    DatabaseFailure,
    DatabaseOverload,
    ForeignPage,
    InvalidInput,
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
from barcodesvc.models import MAX_ID, IdempotencyKey, ProductCode
from barcodesvc.symbols.registry import Symbology

_REFERENCE = "#/components/schemas/{model}"


class Schemas:
    """The schemas of types, and the components that they refer to, by name."""

    def __init__(self, incoming: Iterable[Any], outgoing: Iterable[Any]) -> None:
        asked = [(kind, "validation") for kind in incoming] + [(kind, "serialization") for kind in outgoing]
        schemas, rest = TypeAdapter.json_schemas(
            [(kind, mode, TypeAdapter(kind)) for kind, mode in dict.fromkeys(asked)],  # type: ignore[misc]  # the modes are literals
            ref_template=_REFERENCE,
            schema_generator=_Generator,
        )
        self._schemas = schemas
        self.components: dict[str, Any] = rest.get("$defs", {})

    def incoming(self, kind: Any) -> dict[str, Any]:
        """Return the schema of a type in requests."""
        return self._schemas[kind, "validation"]

    def outgoing(self, kind: Any) -> dict[str, Any]:
        """Return the schema of a type in responses."""
        return self._schemas[kind, "serialization"]

    def resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the schema that a reference names, or the schema itself."""
        name = schema.get("$ref", "").rpartition("/")[2]
        component: dict[str, Any] = self.components[name] if name else schema
        return component


class _Generator(GenerateJsonSchema):
    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"]) if self.mode == "validation" else super().nullable_schema(schema)

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        described = super().default_schema(schema)
        return {name: value for name, value in described.items() if (name, value) != ("default", None)}

    def encode_default(self, dft: Any) -> Any:
        if isinstance(dft, Symbology):
            return dft.name
        return dft.model_dump(exclude_unset=True) if hasattr(dft, "model_dump") else super().encode_default(dft)

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - a title that repeats the name says nothing
        return False

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonSchemaValue:
        return self._closed(super().typed_dict_schema(schema))

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        return self._closed(super().dataclass_schema(schema))

    def _closed(self, described: JsonSchemaValue) -> JsonSchemaValue:
        return {**described, "additionalProperties": False} if self.mode == "serialization" else described


_TITLE = "barcodesvc"
_LICENCE = "AGPL-3.0-or-later"
_DESCRIPTION = (
    "A product catalogue with inventory levels and their history, barcodes, QR codes, label sheets and scans. Unknown "
    "fields and query parameters are refused by name; every failure is an envelope that names all problems at once. "
    "Every GET has a HEAD with the same headers. Bodies have no Content-Encoding. A request that may change something "
    "is refused if it comes from a page of another site."
)
_TAGS = {
    "products": "The catalogue: products, their import from workbooks, and exports.",
    "inventory": "Levels of products, their changes and history.",
    "codes": "Barcodes, QR codes and labels, and what scanners read.",
    "page": "Sessions of the browser's page.",
    "openapi": "This document.",
    "docs": "The page that shows this document.",
    "health": "Whether the service works.",
    "metrics": "Figures for Prometheus.",
}
"""Descriptions of tags: the first segments of paths below /api."""
_ID = {"type": "integer", "format": "int64", "minimum": 1, "maximum": MAX_ID}
_BESIDE = (ImportProgress, envelope_of(UnknownRoute), envelope_of(MethodNotAllowed), Reason)
"""Schemas that no operation refers to: data of events, errors for unknown paths and methods, the list of reasons."""
_FIELD_IN_PATH = {"code": "product_code"}
"""Fields of a query's model that the path contains, by the name of the path parameter."""
_RATE_HEADERS = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
_STATUS_HEADERS = {401: ("WWW-Authenticate",), 405: ("Allow",), 429: ("Retry-After",), 503: ("Retry-After",)}
_BOUNDS = {"ge": "minimum", "le": "maximum"}
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
        "Sets or deletes the page's session cookie; any other response may renew it, at most once an hour.",
        {"type": "string", "pattern": f"^{COOKIE}=([0-9a-f]{{108}})?; Max-Age="},
    ),
    "Location": ("The path of the new resource.", {"type": "string"}),
    "Idempotency-Replayed": ("`true` if this is the response to an earlier request.", {"const": "true"}),
}
_OPTIONAL_HEADERS = {*_RATE_HEADERS, "Retry-After", "Cache-Control", "Idempotency-Replayed", "X-Request-ID"}


@dataclass(frozen=True, slots=True)
class Lock:
    """What protects the API: security schemes by name, any one of which is enough, and the error without one."""

    schemes: tuple[tuple[str, Mapping[str, Any]], ...] = field(hash=False)
    refusal: type[ServiceError]


API_KEY_LOCK = Lock(
    (
        ("header", {"type": "apiKey", "in": "header", "name": "X-API-Key"}),
        ("bearer", {"type": "http", "scheme": "bearer"}),
        ("session", {"type": "apiKey", "in": "cookie", "name": COOKIE}),
    ),
    Unauthorized,
)
"""The authentication that `guard.api_key` implements."""


@lru_cache(maxsize=4)
def document_bytes(routes: tuple[Route, ...], lock: Lock | None = None) -> bytes:
    """Return the document as JSON; it is built once."""
    return to_json(api_document(routes, lock))


def api_document(routes: tuple[Route, ...], lock: Lock | None = None) -> dict[str, Any]:
    """Return the document."""
    schemas = _schemas(routes)
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        operation = _Operation(route, schemas, lock)
        paths.setdefault(route.path, {})[route.method.lower()] = operation.as_json()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": _TITLE,
            "version": version(_TITLE),
            "description": _DESCRIPTION,
            "license": {"name": _LICENCE, "identifier": _LICENCE},
        },
        "externalDocs": {"description": "The source code, with the documentation in docs/.", "url": "/source"},
        "servers": [{"url": "/"}],
        "tags": [{"name": name, "description": description} for name, description in _TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": _needed(paths, schemas),
            "headers": {name: _header(name) for name in _HEADERS},
            "securitySchemes": dict(API_KEY_LOCK.schemes),
        },
    }


def _needed(paths: dict[str, Any], schemas: Schemas) -> dict[str, Any]:
    """Return the components that are referenced, by name; models of queries appear as parameters instead."""
    referring = to_json([paths, schemas.components, [schemas.outgoing(kind) for kind in _BESIDE]]).decode()
    names = set(re.findall(r'"#/components/schemas/(\w+)"', referring))
    return {name: schema for name, schema in sorted(schemas.components.items()) if name in names}


def _schemas(routes: tuple[Route, ...]) -> Schemas:
    incoming = [kind for route in routes for kind in (route.query, *route.body.values())]
    outgoing = [kind for route in routes for kind in route.response.values() if kind not in (None, bytes)]
    errors = chain.from_iterable(_errors(route) for route in routes)
    return Schemas([*incoming, ProductCode, IdempotencyKey], [*outgoing, *map(envelope_of, errors), *_BESIDE])


def _errors(route: Route) -> Iterator[type[ServiceError]]:
    """Yield the possible errors of a route, including those of rate limits and overload under /api."""
    yield InvalidInput
    if route.method != "GET":
        yield ForeignPage
    if route.body:
        yield UnreadableBody
    if _is_limited(route):
        yield from (RateLimitExceeded, RenderOverload)
        yield API_KEY_LOCK.refusal
    yield from route.errors
    yield route.failure
    if _is_limited(route) and DatabaseFailure in (route.failure, *route.errors):
        yield from (DatabaseOverload, *([UnconfirmedChange] if route.method != "GET" else []))


def _is_limited(route: Route) -> bool:
    return route.path.startswith("/api/")


def _header(name: str) -> dict[str, Any]:
    description, schema = _HEADERS[name]
    return {"description": description, "required": name not in _OPTIONAL_HEADERS, "schema": schema}


@dataclass(frozen=True, slots=True)
class _Operation:
    """One operation of the document."""

    route: Route
    schemas: Schemas
    lock: Lock | None

    def as_json(self) -> dict[str, Any]:
        operation = {
            "operationId": self.route.handler.__name__,
            "tags": [self.route.path.removeprefix("/api").split("/")[1].partition(".")[0]],
            "summary": self._summary(),
            **({"description": self.route.description} if self.route.description else {}),
            "parameters": [*self._path_parameters(), *self._query_parameters(), *self._header_parameters()],
            **({"requestBody": self._body()} if self.route.body else {}),
            "responses": self._responses(),
        }
        if _is_limited(self.route) and self.route.needs_key:
            schemes: list[dict[str, Any]] = [{name: []} for name, _ in API_KEY_LOCK.schemes]
            operation["security"] = schemes if self.lock else [{}, *schemes]
        return operation

    def _summary(self) -> str:
        _, _, summary = (self.route.handler.__doc__ or "").partition(": ")
        first, _, _ = summary.partition("\n")
        return first[:1].upper() + first[1:].removesuffix(".")

    def _path_parameters(self) -> Iterator[dict[str, Any]]:
        for name in self._names_in_path():
            schema = {"code": self.schemas.incoming(ProductCode), "asset": {"enum": list(ASSETS)}}.get(name, _ID)
            yield {"name": name, "in": "path", "required": True, "schema": schema}

    def _names_in_path(self) -> list[str]:
        return re.findall(r"\{(\w+)\}", self.route.path)

    def _query_parameters(self) -> Iterator[dict[str, Any]]:
        model = self.schemas.resolved(self.schemas.incoming(self.route.query))
        elsewhere = {_FIELD_IN_PATH.get(name) for name in self._names_in_path()}
        for name, schema in model.get("properties", {}).items():
            if name not in elsewhere:
                yield {"name": name, "in": "query", **_described(schema)}

    def _header_parameters(self) -> Iterator[dict[str, Any]]:
        for name in self.route.headers:
            schema = {"Idempotency-Key": self.schemas.incoming(IdempotencyKey)}.get(name, {"type": "string"})
            yield {"name": name, "in": "header", "schema": schema}

    def _body(self) -> dict[str, Any]:
        content: dict[str, Any] = {
            media: {"schema": self.schemas.incoming(kind)} for media, kind in self.route.body.items()
        }
        if self.route.example:
            content[JSON]["example"] = self.route.example
        return {"required": True, "content": content}

    def _responses(self) -> dict[str, Any]:
        responses = {str(status): self._success() for status in (self.route.status, *self.route.also)}
        if "If-None-Match" in self.route.headers:
            responses["304"] = self._response("The client's copy is current.", ("ETag", "Cache-Control"))
        kinds = sorted(set(_errors(self.route)), key=lambda kind: (kind.status, kind.__name__))
        for status in dict.fromkeys(kind.status for kind in kinds):
            responses[str(status)] = self._failure(status, [kind for kind in kinds if kind.status == status])
        return responses

    def _success(self) -> dict[str, Any]:
        response = self._response(self._summary(), self.route.response_headers)
        response["content"] = {media: self._content(kind) for media, kind in self.route.response.items()}
        if self.route.links:
            response["links"] = {
                name: {"operationId": name, "parameters": {parameter: "$response.body#/data/id"}}
                for name, parameter in self.route.links.items()
            }
        return response

    def _content(self, kind: Any) -> dict[str, Any]:
        if kind is bytes:
            return {"schema": {"type": "string", "format": "binary"}}
        return {"schema": {"type": "string"} if kind is None else self.schemas.outgoing(kind)}

    def _failure(self, status: int, kinds: list[type[ServiceError]]) -> dict[str, Any]:
        description = " ".join((kind.__doc__ or "").partition("\n")[0] for kind in kinds)
        schemas = [self.schemas.outgoing(envelope_of(kind)) for kind in kinds]
        response = self._response(description, _STATUS_HEADERS.get(status, ()))
        response["content"] = {JSON: {"schema": schemas[0] if len(schemas) == 1 else {"anyOf": schemas}}}
        return response

    def _response(self, description: str, headers: tuple[str, ...]) -> dict[str, Any]:
        names = (*headers, "X-Request-ID", *(_RATE_HEADERS if _is_limited(self.route) else ()))
        references = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
        return {"description": description, "headers": references}


def _described(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a parameter's schema with its description moved next to it.

    Pydantic writes limits that follow a validator under its own names, such as `ge`.
    """
    rest = {_BOUNDS.get(name, name): value for name, value in schema.items() if name != "description"}
    return {"schema": rest} | ({"description": schema["description"]} if "description" in schema else {})
