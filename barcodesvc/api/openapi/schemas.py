"""From types to JSON Schema (Draft 2020-12), as the document needs it.

Rule: what goes in is described as strictly as it is checked, so that null, which no field takes, is left out; what
goes out is closed, so that a field that is not described is an error.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from barcodesvc.symbols.registry import Symbology

_REFERENCE = "#/components/schemas/{model}"


class Schemas:
    """The schemas of types, and those that they refer to, by name."""

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
        """Return the schema of what a request may hold."""
        return self._schemas[kind, "validation"]

    def outgoing(self, kind: Any) -> dict[str, Any]:
        """Return the schema of what an answer holds."""
        return self._schemas[kind, "serialization"]

    def resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the schema that a reference stands for, or the schema itself."""
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
