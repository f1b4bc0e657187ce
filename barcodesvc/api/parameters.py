"""Parameters of requests: query parameters and segments of paths become checked values.

All problems are reported in one InvalidInput. Rule: unknown parameters are refused by name, and numbers and booleans
have one spelling.
"""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Annotated, TypeVar

from aiohttp import web
from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError

from barcodesvc import fields
from barcodesvc.api.keys import SERVICE
from barcodesvc.errors import MOST_PROBLEMS, InvalidInput, field_problem
from barcodesvc.fields import described
from barcodesvc.models import MAX_ID, Query
from barcodesvc.validation import Model, refusal_of, repeatable

T = TypeVar("T")

_INTEGER = re.compile(r"0|[1-9][0-9]{0,18}")
_NUMBER = re.compile(r"[0-9]{1,12}(\.[0-9]{1,20})?")
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def _integer(value: object) -> object:
    if not isinstance(value, str) or not _INTEGER.fullmatch(value):
        raise ValueError("not a whole number of at most 19 digits 0-9 without leading zeros")
    return int(value)


def query_number(value: object) -> object:
    """Return the number that a query parameter spells; raises ValueError for any but digits and a point."""
    if not isinstance(value, str) or not _NUMBER.fullmatch(value):
        raise ValueError("not a number of digits 0-9 and at most one point")
    return float(value)


def query_boolean(value: object) -> object:
    """Return the boolean that a query parameter spells; raises ValueError for anything but true, false, 1 and 0."""
    if value not in _BOOLEANS:
        raise ValueError("not true, false, 1 or 0")
    return _BOOLEANS[str(value)]


def _id(value: object) -> object:
    number = int(value) if isinstance(value, str) and _INTEGER.fullmatch(value) else 0
    if not 1 <= number <= MAX_ID:
        raise ValueError(f"an id is a whole number from 1 to {MAX_ID}")
    return number


_ID = Field(ge=1, le=MAX_ID, json_schema_extra={"format": "int64"})
ProductInPath = Annotated[fields.ProductId, BeforeValidator(_id), _ID]
MovementInPath = Annotated[fields.ChangeId, BeforeValidator(_id), _ID]
CodeInPath = Annotated[int, BeforeValidator(_id), described("The id of the further code.", 3), _ID]
UnknownScanInPath = Annotated[int, BeforeValidator(_id), described("The id of the unknown scan.", 5), _ID]
JobInPath = Annotated[int, BeforeValidator(_id), described("The id of the job.", 7), _ID]
QueryInteger = Annotated[int, BeforeValidator(_integer)]
QueryBoolean = Annotated[bool, BeforeValidator(query_boolean)]


class NoQuery(Query):
    """The query of a route that takes no parameters."""


def read_query(request: web.Request, model: type[Model], **in_path: str) -> Model:
    """Read the query parameters; raises InvalidInput for unknown, repeated and wrong ones.

    `in_path` are fields of the model that are in the path, and therefore not in the query. The context of validators is
    the settings.
    """
    query = request.query
    given = Counter(name for name, _ in query.items())
    names = (name for name, count in given.items() if count > 1)
    repeated = [field_problem(name, "given more than once") for name in islice(names, MOST_PROBLEMS + 1)]
    misplaced = [field_problem(name, "belongs to the path, not to the query") for name in in_path if name in query]
    if repeated or misplaced:
        raise InvalidInput.of(*repeated, *misplaced)
    try:
        return model.model_validate({**query, **in_path}, context=request.app[SERVICE].settings)
    except ValidationError as error:
        raise refusal_of(error, model, "query", in_path) from error


def read_segment(request: web.Request, name: str, kind: TypeAdapter[T]) -> T:
    """Read a segment of the path; raises InvalidInput unless it is of this type."""
    text = request.match_info[name]
    try:
        return kind.validate_python(text)
    except ValidationError as error:
        message = str(error.errors(include_url=False)[0]["msg"]).removeprefix("Value error, ")
        raise InvalidInput.of(field_problem(name, message, repeatable(text))) from error


@contextmanager
def gathered_in(refusals: list[InvalidInput]) -> Iterator[None]:
    """Append a refusal raised in the block to the list instead of raising it; for `refuse_together`."""
    try:
        yield
    except InvalidInput as refusal:
        refusals.append(refusal)


def refuse_together(refusals: list[InvalidInput]) -> None:
    """Raise one InvalidInput with the problems of all refusals, if there are any."""
    if len(refusals) == 1:
        raise refusals[0]
    problems = [problem for refusal in refusals for problem in refusal.errors]
    if problems:
        raise InvalidInput.of(*problems)
