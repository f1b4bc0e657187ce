"""Names under which layouts and images of labels are saved, and how they are read from a path."""

from __future__ import annotations

import re
from typing import Annotated

from aiohttp import web
from pydantic import AfterValidator

from barcodesvc.api.requests import NoQuery, gathered_in, read_query, refuse_together
from barcodesvc.errors import FieldProblem, InvalidInput
from barcodesvc.fields import described
from barcodesvc.models import matching
from barcodesvc.validation import repeatable

_PATTERN = r"^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$"
"""Clients remove the segments `.` and `..` from a path."""
_NAME = re.compile(_PATTERN)
_RULE = "a name is 1 to 64 of the characters A-Z a-z 0-9 . _ -, and neither . nor .."


def _require_name(value: str) -> str:
    if not _NAME.fullmatch(value):
        raise ValueError(_RULE)
    return value


LabelName = Annotated[
    str,
    AfterValidator(_require_name),
    matching(_PATTERN),
    described("The name: 1 to 64 of the characters `A-Za-z0-9._-`.", "shelf"),
]


def read_name(request: web.Request) -> str:
    """Read the name from the path; raises InvalidInput."""
    name = request.match_info["name"]
    if not _NAME.fullmatch(name):
        raise InvalidInput.of(FieldProblem("name", _RULE, repeatable(name)))
    return name


def read_bare_name(request: web.Request) -> str:
    """Read the name from the path of a request without parameters; raises InvalidInput for what is wrong in either."""
    refusals: list[InvalidInput] = []
    with gathered_in(refusals):
        name = read_name(request)
    with gathered_in(refusals):
        read_query(request, NoQuery)
    refuse_together(refusals)
    return name
