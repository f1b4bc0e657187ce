"""Names of symbologies in requests: how they are read, and their JSON schema."""

from __future__ import annotations

from pydantic import WithJsonSchema

from barcodesvc.errors import InvalidInput
from barcodesvc.symbols.registry import BEST, SYMBOLOGIES, Symbology, find_symbology, normal_name

_LONGEST_NAME = 64


def named_symbology(value: object) -> Symbology:
    """Return the symbology with this name, or BEST; raises ValueError, reported with all other problems."""
    if not isinstance(value, str) or not 1 <= len(value) <= _LONGEST_NAME:
        raise ValueError(f"the name of a symbology is text of 1 to {_LONGEST_NAME} characters")
    if normal_name(value) == normal_name(BEST.name):
        return BEST
    try:
        return find_symbology(value)
    except InvalidInput as refusal:
        raise ValueError(refusal.errors[0]["message"]) from refusal


def names_of_symbologies(description: str, example: str, *others: str) -> WithJsonSchema:
    """Return the schema of the names that `named_symbology` accepts, each in one spelling, and of `others`."""
    names = ["best", *others, *(symbology.name for symbology in SYMBOLOGIES)]
    return WithJsonSchema({"type": "string", "enum": names, "description": description, "examples": [example]})
