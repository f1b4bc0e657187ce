from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from barcodesvc import errors
from barcodesvc.errors import FieldProblem, InvalidContent, InvalidInput, Overload, ServiceError, StartError
from tests.sweeps import sweep

CODES = {
    "VALIDATION_ERROR",
    "PRODUCT_NOT_FOUND",
    "DUPLICATE_PRODUCT_CODE",
    "INVALID_FILE_FORMAT",
    "FILE_TOO_LARGE",
    "DATABASE_ERROR",
    "GENERATION_ERROR",
    "EXPORT_ERROR",
    "RATE_LIMIT_EXCEEDED",
}
"""The codes of the interface specification, and the one that was added."""


def kinds(kind: type[ServiceError] = ServiceError) -> Iterator[type[ServiceError]]:
    """Yield an error class and all its subclasses in the module."""
    yield kind
    for narrower in kind.__subclasses__():
        if narrower.__module__ == errors.__name__:
            yield from kinds(narrower)


KINDS = list(kinds())


def test_the_drawn_tree_is_the_real_one() -> None:
    """The module's drawing has every error, with its status, under its parent."""
    drawn = re.findall(r"^( +)([A-Z]\w+) +(\d{3})", errors.__doc__ or "", re.MULTILINE)
    depths = {name: len(indentation) // 2 for indentation, name, _ in drawn}
    assert {name: int(status) for _, name, status in drawn} == {kind.__name__: kind.status for kind in KINDS}
    assert [name for _, name, _ in drawn] == [kind.__name__ for kind in KINDS]
    assert depths == {kind.__name__: kind.__mro__.index(ServiceError) + depths["ServiceError"] for kind in KINDS}


@sweep("kind", KINDS)
def test_codes_are_those_of_the_specification(kind: type[ServiceError]) -> None:
    """No error has a code or status outside the specification, except the 401 for an optional key."""
    assert kind.code in CODES
    assert kind.status in {400, 401, 404, 405, 409, 429, 500, 503}


def test_an_error_carries_message_details_and_headers() -> None:
    """Details are keywords; by default, they are an empty object."""
    error = ServiceError("broken", headers={"Retry-After": "5"}, part=3)
    assert (str(error), error.message, error.details) == ("broken", "broken", {"part": 3})
    assert error.headers == {"Retry-After": "5"}
    assert (ServiceError("broken").details, ServiceError("broken").headers) == ({}, {})


@pytest.mark.parametrize("kind", list(kinds(Overload)), ids=lambda kind: kind.__name__)
def test_an_overload_says_when_to_come_back(kind: type[Overload]) -> None:
    """For every kind of work, the response says after how many seconds to retry."""
    assert kind("too many", retry_after=7).headers == {"Retry-After": "7"}
    assert kind("too many").headers == {"Retry-After": "1"}


def test_problems_are_listed_with_the_first_in_the_message() -> None:
    """The message has the first problem and the number of others; details have all of them."""
    error = InvalidInput.of(FieldProblem("a.b", "too long", 5), FieldProblem("c", "required"))
    assert error.message == "a.b: too long (and 1 more)"
    assert error.details["errors"] == [
        {"field": "a.b", "message": "too long", "value": 5},
        {"field": "c", "message": "required"},
    ]
    assert InvalidInput.of(FieldProblem("c", "required")).message == "c: required"


def test_only_the_first_of_very_many_problems_are_listed() -> None:
    """There are fifty, and the details say whether some are left out."""
    for count, reported, truncated in ((50, 50, {}), (51, 50, {"errors_truncated": True})):
        error = InvalidInput.of(*(FieldProblem(str(number), "wrong") for number in range(count)))
        assert error.message == "0: wrong (and 49 more)"
        assert [problem["field"] for problem in error.details.pop("errors")] == [
            str(number) for number in range(reported)
        ]
        assert error.details == truncated


@pytest.mark.parametrize("value", [0, False, "", 0.0])
def test_a_value_is_repeated_even_if_it_is_false(value: object) -> None:
    """Only an unknown value is left out."""
    assert FieldProblem("c", "wrong", value).as_json()["value"] == value


def test_content_that_does_not_fit_names_rule_and_position() -> None:
    """The position is present if there is one."""
    error = InvalidContent("no letters", rule="digits", position=3, fits="0-9")
    assert error.details == {"rule": "digits", "position": 3, "fits": "0-9"}
    assert InvalidContent("empty", rule="length").details == {"rule": "length"}


def test_a_start_error_is_no_response() -> None:
    """An error at startup never becomes an envelope."""
    assert not issubclass(StartError, ServiceError)
