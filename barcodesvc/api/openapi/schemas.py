"""Schemas of the OpenAPI document: JSON Schema, draft 2020-12, of the types of requests and responses.

Those of requests are as strict as validation, so they leave out null, which no field accepts; only a value in an object
of values by name may be null. Those of responses are closed, so that an undescribed field is an error.
"""

from collections.abc import Container, Iterable, Iterator
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from barcodesvc.labels.payloads import CodePayload
from barcodesvc.symbols.registry import Symbology

_BOUNDS = {"ge": "minimum", "le": "maximum"}
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
        for schema in list(_objects_in(self.components)):
            self._refer(schema)
            if all("$ref" in one for one in schema.get("anyOf", [{}])):
                self._discriminate(schema)

    def incoming(self, kind: Any) -> dict[str, Any]:
        """Return the schema of a type in requests."""
        return self._schemas[kind, "validation"]

    def outgoing(self, kind: Any) -> dict[str, Any]:
        """Return the schema of a type in responses."""
        return self._schemas[kind, "serialization"]

    def _refer(self, schema: dict[str, Any]) -> None:
        """Let a list refer to the model of its entries, which pydantic copies if they are validated one by one."""
        name = schema["items"].get("title") if isinstance(schema.get("items"), dict) else None
        if name in self.components and schema["items"] == self.components[name]:
            schema["items"] = {"$ref": _REFERENCE.format(model=name)}

    def _discriminate(self, union: dict[str, Any]) -> None:
        """Add a discriminator to a union whose members have a field with another constant text in each of them."""
        members = {one["$ref"]: self.resolved(one).get("properties", {}) for one in union["anyOf"]}
        for name in next(iter(members.values())):
            values = {fields.get(name, {}).get("const"): reference for reference, fields in members.items()}
            if len(values) == len(members) and all(isinstance(value, str) for value in values):
                union["discriminator"] = {"propertyName": name, "mapping": values}
                return

    def resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the schema that a reference names, or the schema itself."""
        name = schema.get("$ref", "").rpartition("/")[2]
        component: dict[str, Any] = self.components[name] if name else schema
        return component

    def parameter(self, kind_schema: dict[str, Any]) -> dict[str, Any]:
        """Return the schema of a parameter with its description moved next to it, and an example in it.

        Pydantic writes limits that follow a validator under its own names, such as `ge`.
        """
        schema = {_BOUNDS.get(name, name): value for name, value in kind_schema.items()}
        description = schema.pop("description", self.resolved(kind_schema).get("description", ""))
        return {"description": description, "schema": {**schema, "examples": [self.example(kind_schema)]}}

    def explained(self, names: Container[str]) -> dict[str, Any]:
        """Return the components of these names; their properties get a composed example, and a referred description."""
        chosen = {name: schema for name, schema in sorted(self.components.items()) if name in names}
        for schema in chosen.values():
            for field in schema.get("properties", {}).values():
                field.setdefault("examples", [self.example(field)])
                field.setdefault("description", self.resolved(field).get("description", ""))
        return chosen

    def example(self, schema: dict[str, Any]) -> Any:
        """Return the first example of a schema, or one composed of those of its required fields.

        Raises KeyError for a schema that has none and cannot be composed.
        """
        if "examples" in schema:
            return schema["examples"][0]
        if "$ref" in schema:
            return self.example(self.resolved(schema))
        if "const" in schema or "enum" in schema:
            return schema.get("const", schema.get("enum", [None])[0])
        if "anyOf" in schema:
            return self.example(schema["anyOf"][0])
        if schema["type"] == "array":
            return [self.example(schema["items"])]
        if schema["type"] == "object":
            fields, required = schema["properties"], schema.get("required", ())
            return {name: self.example(field) for name, field in fields.items() if name in required}
        raise KeyError("examples")


def _objects_in(part: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in a part of the document."""
    if isinstance(part, dict):
        yield part
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _objects_in(inner)


class _Generator(GenerateJsonSchema):
    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"]) if self.mode == "validation" else super().nullable_schema(schema)

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        described, values = super().dict_schema(schema), schema["values_schema"]
        for pattern in described.pop("patternProperties", ()):  # which would say nothing of other names
            described["propertyNames"] = {"pattern": pattern}
        inner = self.generate_inner(values)
        is_nullable = values["type"] == "nullable"
        described["additionalProperties"] = {"anyOf": [inner, {"type": "null"}]} if is_nullable else inner
        return described

    def field_is_required(self, field: Any, total: bool) -> bool:  # noqa: FBT001 - pydantic's signature
        is_always_sent = self.mode == "serialization" and field["type"] == "dataclass-field"
        return is_always_sent or super().field_is_required(field, total)

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        described = super().default_schema(schema)
        return {name: value for name, value in described.items() if (name, value) != ("default", None)}

    def encode_default(self, dft: Any) -> Any:
        if isinstance(dft, Symbology):
            return dft.name
        if isinstance(dft, CodePayload):
            return "code"
        return dft.model_dump(exclude_unset=True) if hasattr(dft, "model_dump") else super().encode_default(dft)

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - a title that repeats the name says nothing
        return False

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonSchemaValue:
        return self._closed(super().typed_dict_schema(schema))

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        return self._closed(super().dataclass_schema(schema))

    def _closed(self, described: JsonSchemaValue) -> JsonSchemaValue:
        return {**described, "additionalProperties": False} if self.mode == "serialization" else described
