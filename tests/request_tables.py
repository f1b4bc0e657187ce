"""The tables of docs/requests.md, as the OpenAPI document has them: what a request may contain, and what it means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.api.described import DOCUMENT

_MOST_LISTED = 6
"""Values of an enum up to which a table lists them."""


def operations() -> Iterator[dict[str, Any]]:
    """Yield every operation of the document."""
    for methods in DOCUMENT["paths"].values():
        yield from methods.values()


def referred(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema with what the one that it refers to says."""
    name = schema.get("$ref", "").rpartition("/")[2]
    return {**DOCUMENT["components"]["schemas"].get(name, {}), **schema}


def parameter_rows() -> list[list[str]]:
    """Return a row for each parameter that means something else than those before it."""
    rows = {
        (parameter["name"], parameter["in"], *_cells(referred(parameter["schema"])), parameter["description"]): None
        for operation in operations()
        for parameter in operation["parameters"]
    }
    return [[f"`{name}`", *cells] for name, *cells in sorted(rows)]


def field_rows() -> list[list[str]]:
    """Return a row for each field of a body that means something else than those before it."""
    rows = {
        (name, *_cells(referred(schema)), schema["description"]): None
        for body in _bodies()
        for name, schema in body["properties"].items()
    }
    return [[f"`{name}`", *cells] for name, *cells in sorted(rows)]


def sent_names(operation: dict[str, Any]) -> set[str]:
    """Return the names of what a request may contain, without those in its path and in headers of every request."""
    names = {one["name"] for one in operation["parameters"] if one["in"] == "query" or one["name"] == "Idempotency-Key"}
    for content in operation.get("requestBody", {}).get("content", {}).values():
        for schema in content["schema"].get("anyOf", [content["schema"]]):
            names |= referred(schema).get("properties", {}).keys()
    return names


def _bodies() -> Iterator[dict[str, Any]]:
    """Yield the schemas of bodies, and those within them."""
    found: dict[str, dict[str, Any]] = {}
    contents = [content for one in operations() for content in one.get("requestBody", {}).get("content", {}).values()]
    waiting: list[Any] = [content["schema"] for content in contents]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict) and "$ref" in part and part["$ref"] not in found:
            found[part["$ref"]] = referred({"$ref": part["$ref"]})
            waiting.append(found[part["$ref"]].get("properties", {}))
        waiting += part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    yield from (schema for schema in found.values() if "properties" in schema)


def _cells(schema: dict[str, Any]) -> tuple[str, str]:
    """Return the values that a schema accepts, and its default."""
    default = schema.get("default")
    if default in (None, "", [], {}):
        return _values(schema), ""
    return _values(schema), f"`{str(default).lower() if isinstance(default, bool) else default}`"


def _values(schema: dict[str, Any]) -> str:
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return (
            ", ".join(f"`{value}`" for value in values)
            if len(values) <= _MOST_LISTED
            else f"one of {len(values)} names"
        )
    if "anyOf" in schema:
        return " or ".join(_values(one) for one in schema["anyOf"])
    kind = {"string": schema.get("format", "text")}.get(schema.get("type", "object"), schema.get("type", "object"))
    if "maximum" in schema:
        least = _number(schema["minimum"]) if "minimum" in schema else f"more than {schema['exclusiveMinimum']}"
        return f"{kind}, {least} to {_number(schema['maximum'])}"
    longest = schema.get("maxLength", schema.get("maxItems"))
    unit = "entries" if kind == "array" else "characters"
    return kind if longest is None else f"{kind}, {schema.get('minLength', schema.get('minItems', 0))}-{longest} {unit}"


def _number(value: float) -> str:
    return {2**53 - 1: "2^53-1", 1 - 2**53: "-(2^53-1)"}.get(int(value), f"{value:.12g}")
