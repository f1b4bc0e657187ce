"""Validation errors: those of pydantic become one InvalidInput that names every problem at once.

Without it a client would get pydantic's own messages, with links to its documentation and all of what was sent. Rule: a
wrong value is repeated only where it is short. Who looks for problems sees to it that they are few.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator
from itertools import islice
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from barcodesvc.errors import MOST_PROBLEMS, FieldProblem, InvalidInput
from barcodesvc.models import MAX_LEVEL

Model = TypeVar("Model", bound=BaseModel)

_LONGEST_REPEATED = 100
"""Characters up to which a wrong value is repeated in the answer."""


def validated(model: type[Model], value: object) -> Model:
    """Return the model of a JSON value; raises InvalidInput for anything that is not it."""
    if not isinstance(value, dict):
        raise InvalidInput.of(FieldProblem("body", "Input should be an object", repeatable(value)))
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise refusal_of(error, model, "body") from error


def refusal_of(
    error: ValidationError, model: type[BaseModel], whole: str, elsewhere: Container[str] = ()
) -> InvalidInput:
    """Return the problems of one input, whose name as a whole is `body` or `query`.

    `elsewhere` are fields of the model that are not given in this input, and therefore not offered.
    """
    problems = problems_of(error.errors(include_url=False), model, whole, elsewhere)
    return InvalidInput.of(*islice(problems, MOST_PROBLEMS + 1))


def repeatable(value: object) -> object:
    """Return a wrong value as it can stand in an answer, None for one that is too long or no plain value."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_REPEATED else None
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= MAX_LEVEL else None
    return value if isinstance(value, float) and math.isfinite(value) else None


def repeatable_text(text: str) -> str:
    """Return text from a header as it can stand in an answer: short, and without what is not UTF-8."""
    return text[:_LONGEST_REPEATED].encode("utf-8", "replace").decode()


def refused_body(message: str) -> InvalidInput:
    """Return the refusal of a body as a whole."""
    return InvalidInput.of(FieldProblem("body", message))


def problems_of(
    wrong: Iterable[ErrorDetails], model: type[BaseModel], whole: str, elsewhere: Container[str] = ()
) -> Iterator[FieldProblem]:
    """Yield what pydantic found wrong, in the words of an answer; for the rest see `refusal_of`."""
    noun = "parameter" if whole == "query" else "field"
    for problem in wrong:
        field = ".".join(str(part) for part in problem["loc"]) or whole
        message = _message(problem, model, noun, elsewhere)
        yield FieldProblem(repeatable_text(field), message, repeatable(problem["input"]))


def _message(problem: ErrorDetails, model: type[BaseModel], noun: str, elsewhere: Container[str]) -> str:
    if problem["type"] == "extra_forbidden":
        known = ", ".join(name for name in _fields_beside(problem["loc"], model) if name not in elsewhere)
        return f"no such {noun}; there are {known}" if known else f"no such {noun}"
    if problem["type"] == "missing":
        return "required"
    return str(problem["msg"]).removeprefix("Value error, ")


def _fields_beside(location: tuple[int | str, ...], model: type[BaseModel]) -> Iterable[str]:
    """Return the fields of the object in which a location lies: fields are named, entries of lists are numbered."""
    kind: Any = model
    for part in location[:-1]:
        kind = kind.model_fields[part].annotation if isinstance(part, str) else get_args(kind)[0]
        kind = get_args(kind)[0] if get_origin(kind) is Annotated else kind
        kind = next((either for either in get_args(kind) if hasattr(either, "model_fields")), kind)
    return getattr(kind, "model_fields", {})
