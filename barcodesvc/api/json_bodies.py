"""JSON bodies become models within a parse budget.

Nothing but a body's length keeps it from holding 300,000 fields, and what is wrong with each of them would be found,
and described, before anybody else gets a turn. So there are bounds on the way: a body with more values than any valid
one has is read only up to there; of the unknown fields of an object, and of the wrong entries of a list, only as many
are looked at as an answer names.

Rule: a body that is valid is read as if there were no bounds.
"""

from __future__ import annotations

import codecs
import re
from itertools import islice
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails, from_json, to_json

from barcodesvc.api.refusals import problems_of, refusal_of, refused_body
from barcodesvc.errors import MOST_PROBLEMS, InvalidInput
from barcodesvc.models import Draft, ProblemCount

Sent = TypeVar("Sent", bound=Draft)

BEGINS_WITH_MARK = "it begins with a byte order mark; send UTF-8 without one (RFC 8259, clause 8.1)"
_BYTE_ORDER_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
"""That of UTF-32 in little endian begins with that of UTF-16."""
_OPENINGS = (b",", b"[", b"{")
_STRING_OR_OPENING = re.compile(rb'"[^"]*"?|[,\[{]')
_QUOTE = ord('"')


def model_in(model: type[Sent], body: bytes) -> Sent:
    """Return the model in a JSON body; raises InvalidInput for anything that is not it."""
    if body.startswith(_BYTE_ORDER_MARKS):
        raise refused_body(f"Invalid JSON: {BEGINS_WITH_MARK}")
    end = _end_of_values(body, model.most_values)
    if end is not None:
        raise _refusal_of_beginning(model, body[:end])
    try:
        return model.model_validate_json(body, context=ProblemCount())
    except ValidationError as error:
        raise refusal_of(error, model, "body") from error


def _end_of_values(body: bytes, most: int) -> int | None:
    """Return where a body goes beyond so many values, None if it does not.

    Count commas and opening brackets outside strings; each begins one value. Strings are looked for only where there
    are many: escapes are replaced by as many bytes first, so that each quote begins a string or ends it.
    """
    if sum(map(body.count, _OPENINGS)) <= most:
        return None
    plain = body.replace(b"\\\\", b"__").replace(b'\\"', b"__")
    starts = (found.start() for found in _STRING_OR_OPENING.finditer(plain))
    return next(islice((start for start in starts if plain[start] != _QUOTE), most, None), None)


def _refusal_of_beginning(model: type[Draft], beginning: bytes) -> InvalidInput:
    """Return what is wrong with the beginning of a body; what is missing in it may come behind it."""
    try:
        value = from_json(beginning, allow_partial=True)
        model.model_validate_json(to_json(value, inf_nan_mode="constants"), context=ProblemCount())
    except ValidationError as error:
        wrong = [problem for problem in error.errors(include_url=False) if problem["type"] != "missing"]
        problems = list(islice(problems_of(map(_uncounted, wrong), model, "body"), MOST_PROBLEMS))
        if problems:
            return InvalidInput.of(*problems).truncated()
    except ValueError as error:
        return refused_body(f"Invalid JSON: {error}")
    most = f"more than {model.most_values} values, more than any valid one"
    return refused_body(f"holds {most}; send fewer, and each field once, for a field counts each time that it is given")


def _uncounted(problem: ErrorDetails) -> ErrorDetails:
    """Return the problem without the length of a list, which may go on behind what was read."""
    if problem["type"] == "too_long":
        problem["msg"] = f"List should have at most {problem['ctx']['max_length']} items; there are more"
    return problem
