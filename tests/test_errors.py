"""Errors: what each class sends, and how problems of fields are listed."""

import re
from collections.abc import Iterator

from barcodesvc.errors import AlreadyUndone, InvalidInput, Overload, ProductNotFound, ServiceError, field_problem
from barcodesvc.scanning.unresolved import UnresolvedScan
from tests.pages import section
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
    """Yield an error class and all its subclasses in the package."""
    yield kind
    for narrower in kind.__subclasses__():
        if narrower.__module__.startswith("barcodesvc."):
            yield from kinds(narrower)


def test_errors_have_the_codes_of_the_specification() -> None:
    """A page names exactly these; an error has the status and the details of its envelope."""
    written = re.findall(r"`([A-Z]+_[A-Z_]+)`", section("docs/api.md", "Errors").partition("| reason |")[0])
    assert {kind.code for kind in kinds()} == CODES == set(written)
    assert {kind.status for kind in kinds()} == {400, 401, 404, 405, 409, 429, 500, 503}
    for kind in kinds():
        sent = kind.envelope
        assert (kind.status, kind.code, kind.detail_fields()) == (sent.status, sent.code, sent.detail_fields())


def test_an_error_carries_message_details_and_headers() -> None:
    """Details are fields, sent in their order; one that not every error has is absent, and null is a value."""
    error = AlreadyUndone("undone", undone_by=3, id=2, headers={"Retry-After": "5"})
    assert (str(error), error.message, error.headers) == ("undone", "undone", {"Retry-After": "5"})
    assert list(error.details.items()) == [("id", 2), ("undone_by", 3)]
    assert (ServiceError("broken").details, ServiceError("broken").headers) == ({}, {})
    assert ProductNotFound("missing", missing=["A-1"]).details == {"missing": ["A-1"]}
    assert UnresolvedScan("unknown", new_product=None).details == {"new_product": None}


@sweep("kind", [Overload, *Overload.__subclasses__()])
def test_an_overload_says_when_to_come_back(kind: type[Overload]) -> None:
    """For every kind of work, the response says after how many seconds to retry."""
    assert kind("too many", retry_after=7).headers == {"Retry-After": "7"}
    assert kind("too many").headers == {"Retry-After": "1"}


def test_problems_are_listed_with_the_first_in_the_message() -> None:
    """The message has the first problem and the number of others; details have all of them."""
    error = InvalidInput.of(field_problem("a.b", "too long", 5), field_problem("c", "required"))
    assert error.message == "a.b: too long (and 1 more)"
    assert error.details["errors"] == [
        {"field": "a.b", "message": "too long", "value": 5},
        {"field": "c", "message": "required"},
    ]
    assert InvalidInput.of(field_problem("c", "required")).message == "c: required"


def test_only_the_first_of_very_many_problems_are_listed() -> None:
    """There are fifty, and the details say whether some are left out."""
    for count, truncated in ((50, {}), (51, {"errors_truncated": True})):
        error = InvalidInput.of(*(field_problem(str(number), "wrong") for number in range(count)))
        assert error.message == "0: wrong (and 49 more)"
        assert [problem["field"] for problem in error.errors] == list(map(str, range(50)))
        assert error.details == {"errors": error.errors, **truncated}


def test_a_problem_names_the_rule_that_it_breaks() -> None:
    """So each of several contents has its own rule; a value is repeated even if it is false."""
    problem = field_problem("products.0", "no letters", "A", rule="digits", position=1)
    assert problem == {"rule": "digits", "position": 1, "field": "products.0", "message": "no letters", "value": "A"}
    assert field_problem("minimum_level", "wrong", 0)["value"] == 0
