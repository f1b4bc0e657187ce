"""Validation: JSON becomes a model, and pydantic's errors become one InvalidInput that names every problem at once.

Without it, a client would get pydantic's own messages, with links to its documentation and the entire input. Rule: a
wrong value is repeated only if it is short, and at most 50 problems are reported.
"""

import codecs
import math
from collections.abc import Container, Iterable, Mapping
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, from_json

from barcodesvc.errors import MOST_PROBLEMS, InvalidInput, InvalidJson, Problem, field_problem
from barcodesvc.models import MAX_LEVEL
from barcodesvc.texts import RefusedValueError

Model = TypeVar("Model", bound=BaseModel)

BEGINS_WITH_MARK = "it begins with a byte order mark; send UTF-8 without one (RFC 8259, clause 8.1)"
_BYTE_ORDER_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
"""The one of little-endian UTF-32 begins with that of UTF-16."""
_NAME_IN_OBJECT = "[key]"
"""How pydantic says that a problem is about the name, not about its value."""
_RULES = {
    "missing": "required",
    "string_too_short": "required",
    "string_too_long": "length",
    "too_long": "too many",
    "int_type": "whole number",
    "greater_than_equal": "range",
    "less_than_equal": "range",
}
"""The names of the rules of pydantic that people may break with what they type; others are mistakes of programs."""
_LONGEST_REPEATED = 100
"""The maximum number of characters of a wrong value that the response repeats."""


def model_in(model: type[Model], body: bytes) -> Model:
    """Return the model in a JSON body; raises InvalidInput if the body is not JSON or does not fit the model."""
    return validated(model, json_in(body))


def json_in(body: bytes) -> Any:
    """Return the value of a JSON text; raises InvalidInput if it is not JSON."""
    if body.startswith(_BYTE_ORDER_MARKS):
        raise refused_body(InvalidJson, f"Invalid JSON: {BEGINS_WITH_MARK}")
    try:
        return from_json(body, cache_strings=False)  # a cache slows objects with very many names
    except ValueError as error:
        raise refused_body(InvalidJson, f"Invalid JSON: {error}") from None


def validated(model: type[Model], value: object) -> Model:
    """Return the model of a JSON value; raises InvalidInput if the value does not fit the model."""
    if not isinstance(value, dict):
        raise InvalidInput.of(field_problem("body", "Input should be an object", repeatable(value)))
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise refusal_of(error, model, "body") from error


def refusal_of(
    error: ValidationError, model: type[BaseModel], whole: str, elsewhere: Container[str] = ()
) -> InvalidInput:
    """Return the error with all problems of one input; `whole` names the input itself: `body` or `query`.

    `elsewhere` are fields of the model that come from elsewhere, so that messages do not list them.
    """
    wrong = error.errors(include_url=False)[: MOST_PROBLEMS + 1]
    return InvalidInput.of(*(_problem(one, model, whole, elsewhere) for one in wrong))


def repeatable(value: object) -> object:
    """Return a wrong value if a response may repeat it, None if it is too long or not a scalar."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_REPEATED else None
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= MAX_LEVEL else None
    return value if isinstance(value, float) and math.isfinite(value) else None


def repeatable_text(text: str) -> str:
    """Return text from a header as a response may repeat it: shortened, with invalid UTF-8 replaced."""
    return text[:_LONGEST_REPEATED].encode("utf-8", "replace").decode()


def refused_body(kind: type[InvalidInput], message: str) -> InvalidInput:
    """Return the error, of this kind, for a body as a whole."""
    return kind.of(field_problem("body", message))


def _problem(wrong: ErrorDetails, model: type[BaseModel], whole: str, elsewhere: Container[str]) -> Problem:
    field = ".".join(str(part) for part in wrong["loc"] if part != _NAME_IN_OBJECT) or whole
    noun = "parameter" if whole == "query" else "field"
    message = _message(wrong, model, noun, elsewhere)
    return field_problem(repeatable_text(field), message, repeatable(wrong["input"]), **broken_rule(wrong))


def broken_rule(wrong: ErrorDetails) -> Mapping[str, str]:
    """Return the rule that a value breaks, and its details; nothing if it has no name."""
    refused = wrong.get("ctx", {}).get("error")
    if isinstance(refused, RefusedValueError):
        return refused.details
    rule = _RULES.get(wrong["type"])
    return {"rule": rule} if rule else {}


def _message(problem: ErrorDetails, model: type[BaseModel], noun: str, elsewhere: Container[str]) -> str:
    if problem["type"] == "extra_forbidden":
        known = ", ".join(name for name in _fields_next_to(problem["loc"], model) if name not in elsewhere)
        return f"no such {noun}; there are {known}" if known else f"no such {noun}"
    if problem["type"] == "missing":
        return "required"
    return str(problem["msg"]).removeprefix("Value error, ")


def _fields_next_to(location: tuple[int | str, ...], model: type[BaseModel]) -> Iterable[str]:
    """Return the fields of the object that contains a location, made of names of fields and indices of lists."""
    kind: Any = model
    for part in location[:-1]:
        kind = kind.model_fields[part].annotation if isinstance(part, str) else get_args(kind)[0]
        kind = get_args(kind)[0] if get_origin(kind) is Annotated else kind
        kind = next((either for either in get_args(kind) if hasattr(either, "model_fields")), kind)
    return getattr(kind, "model_fields", {})
