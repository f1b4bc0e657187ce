"""Examples of the OpenAPI document, composed of those that fields have in their models.

Rule: no example is written twice. The example of an object has those of its required fields, unless its field has one.
A test validates all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from barcodesvc.api.openapi.envelopes import message_of, sent_in
from barcodesvc.errors import ServiceError

FIRST, LAST = 0, -1
"""Which of several examples of a field is taken: the last one shows what a response has in a case of failure."""

_BEGINNINGS = {
    "application/pdf": "%PDF-1.7\n",
    "application/vnd.zebra-zpl": "^XA^JZN^LH0,0^PON^PMN^LRN^PW800^LL400",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "PK\u0003\u0004",
    "application/openmetrics-text": '# TYPE barcodesvc_requests counter\nbarcodesvc_requests_total{status="200"} 1.0\n',
    "image/png": "\u0089PNG\r\n\u001a\n",
    "image/svg+xml": '<svg xmlns="http://www.w3.org/2000/svg" width="226" height="120">',
    "text/css": ".swagger-ui{",
    "text/csv": '"product_code","description"\r\n"4006381333931","Highlighter, yellow"\r\n',
    "text/event-stream": 'event: progress\ndata: {"rows_read":1000,"imported":998,"skipped":1,"errors":1}\n\n',
    "text/html": "<!DOCTYPE html>\n",
    "text/javascript": "SwaggerUIBundle({\n",
    "text/plain": '# TYPE barcodesvc_requests counter\nbarcodesvc_requests_total{status="200"} 1.0\n',
}
"""How responses begin that are not JSON, by their media types."""
_BOUNDS = {"ge": "minimum", "le": "maximum"}
_NEXT_TO_SCHEMA = ("description", "examples")


class Examples:
    """The examples of schemas; references are to `components`."""

    def __init__(self, components: Mapping[str, Any]) -> None:
        self._components = components

    def of(self, schema: Mapping[str, Any], which: int = FIRST) -> Any:
        """Return the example of a schema; raises KeyError for one that has none and cannot be composed."""
        if "examples" in schema:
            return schema["examples"][which]
        if "$ref" in schema:
            return self.of(self._referred(schema), which)
        if "const" in schema or "enum" in schema:
            return schema.get("const", schema.get("enum", [None])[0])
        if "anyOf" in schema:
            return self.of(schema["anyOf"][0], which)
        if schema["type"] == "array":
            return [self.of(schema["items"], which)]
        if schema["type"] == "object":
            fields, required = schema["properties"], schema.get("required", ())
            return {name: self.of(field, which) for name, field in fields.items() if name in required}
        raise KeyError("examples")

    def _referred(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._components.get(schema.get("$ref", "").rpartition("/")[2], {})
        return found

    def response(self, media: str, schema: Mapping[str, Any], which: int = FIRST) -> Any:
        """Return the example of a response."""
        return _BEGINNINGS[media] if media in _BEGINNINGS else self.of(schema, which)

    def complete(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the schema, whose properties have got what they lack: a composed example, the referred description."""
        for field in schema.get("properties", {}).values():
            field.setdefault("examples", [self.of(field)])
            field.setdefault("description", self._referred(field).get("description", ""))
        return schema

    def parameter(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return the schema of a parameter with its description and example moved next to it.

        Pydantic writes limits that follow a validator under its own names, such as `ge`.
        """
        rest = {_BOUNDS.get(name, name): value for name, value in schema.items() if name not in _NEXT_TO_SCHEMA}
        description = schema.get("description", self._referred(schema).get("description", ""))
        return {"description": description, "schema": rest, "example": self.of(schema)}

    def of_errors(self, kinds: Iterable[tuple[type[ServiceError], Mapping[str, Any]]]) -> dict[str, Any]:
        """Return the examples of errors by their names, with those that are sent in the same envelopes."""
        return {
            narrower.__name__: {"summary": narrower.reason, "value": self._error(narrower, schema)}
            for kind, schema in kinds
            for narrower in sent_in(kind)
        }

    def _error(self, kind: type[ServiceError], schema: Mapping[str, Any]) -> dict[str, Any]:
        shared = self.of(schema)
        details = shared["details"] if kind.example is None else kind.example
        return {**shared, "message": message_of(kind), "details": {**details, "reason": kind.reason}}
