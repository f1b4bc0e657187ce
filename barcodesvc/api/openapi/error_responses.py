"""Types of each error's `details`; the tests of the API validate every response against them.

An error that is not listed here has the details of its nearest parent in the tree of `barcodesvc.errors`.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any, Literal, NotRequired

from pydantic import BaseModel, ConfigDict, create_model
from typing_extensions import TypedDict

from barcodesvc.api.resources.scan_responses import ImageCode
from barcodesvc.api.responses import Success
from barcodesvc.errors import (
    AlreadyUndone,
    ChangeNotFound,
    DuplicateProductCode,
    FileTooLarge,
    InvalidInput,
    KeyReused,
    LaterChange,
    LevelChanged,
    LevelOutOfRange,
    MethodNotAllowed,
    ProductNotFound,
    RateLimitExceeded,
    ServiceError,
    UnknownRoute,
)
from barcodesvc.models import Timestamp
from barcodesvc.scanning.candidates import Match
from barcodesvc.scanning.resolver import Candidate, NewProduct, Understood


class NoDetails(TypedDict):
    """No details besides the message."""


class BrokenRule(TypedDict, total=False):
    """The broken rule of a symbology or layout; `position` counts characters from 1, `fits` is what would be valid.

    Minimum sizes are in pixels, where a module is one pixel, or in mm.
    """

    rule: str
    position: int
    expected: str
    fits: str
    character: str
    least_width: int
    least_size: int
    product_codes: list[str]
    label_width_mm: float
    label_height_mm: float


class Problem(BrokenRule):
    """One problem of one field; `value` is the value that was sent, if it is short enough to be repeated."""

    field: str
    message: str
    value: NotRequired[str | float | bool]


class InvalidDetails(BrokenRule, total=False):
    """All problems of the input, and the broken rule, if there is one.

    Only the first 50 problems are listed; `errors_truncated` says that there may be more.
    """

    errors: list[Problem]
    errors_truncated: Literal[True]


class AllowedMethods(TypedDict):
    """The methods that the resource has."""

    allowed: list[str]


class NotFoundDetails(TypedDict, total=False):
    """The missing id or codes; for a scan also what was understood, for an image also its codes.

    `new_product` is a body that creates a product which the same scan finds, or null if that is not possible.
    """

    id: int
    missing: list[str]
    understood: Understood
    new_product: NewProduct | None
    match: Match
    candidates: list[Candidate]
    hint: str
    codes: list[ImageCode]
    codes_truncated: bool


class TakenCode(TypedDict):
    """The code that another product has."""

    product_code: str


class OtherLevel(TypedDict):
    """The current level, and the expected one."""

    current_level: int
    expected_level: int


class PossibleDeltas(TypedDict):
    """The current level, and by how much it can change."""

    product_code: str
    current_level: int
    least_delta: int
    greatest_delta: int


class LaterTime(TypedDict):
    """The current level, when it was counted, and when it was changed after that."""

    product_code: str
    current_level: int
    scanned_at: Timestamp
    changed_at: Timestamp


class MissingChange(TypedDict):
    """The id that no change has."""

    id: int


class UndoingChange(TypedDict):
    """The change, and the change that undid it."""

    id: int
    undone_by: int


class EarlierUse(TypedDict):
    """The request that the key was used for, and when."""

    idempotency_key: str
    used_for: str
    used_at: Timestamp


class TooLarge(TypedDict, total=False):
    """The maximum number of bytes, or the dimensions of an image that has too many pixels."""

    limit: int
    width: int
    height: int


class Exceeded(TypedDict, total=False):
    """The limit on requests, and the seconds until its window ends."""

    limit: int
    retry_after: int


_CLOSED = ConfigDict(extra="forbid", defer_build=True)
"""Built together with the document instead of at startup."""
_DETAILS: dict[type[ServiceError], Any] = {
    ServiceError: NoDetails,
    InvalidInput: InvalidDetails,
    UnknownRoute: NoDetails,
    MethodNotAllowed: AllowedMethods,
    ProductNotFound: NotFoundDetails,
    DuplicateProductCode: TakenCode,
    LevelChanged: OtherLevel,
    LevelOutOfRange: PossibleDeltas,
    LaterChange: LaterTime,
    ChangeNotFound: MissingChange,
    AlreadyUndone: UndoingChange,
    KeyReused: EarlierUse,
    FileTooLarge: TooLarge,
    RateLimitExceeded: Exceeded,
}


def details_of(kind: type[ServiceError]) -> Any:
    """Return the type of an error's details."""
    return next(_DETAILS[parent] for parent in kind.__mro__ if parent in _DETAILS)


_ENVELOPES: dict[type[ServiceError], type[BaseModel]] = {}
"""Envelopes made so far: each error must have a single type, otherwise the schema would name two."""


def envelope_of(kind: type[ServiceError]) -> type[BaseModel]:
    """Return the type of an error's envelope."""
    if kind not in _ENVELOPES:
        _ENVELOPES[kind] = _envelope(kind)
    return _ENVELOPES[kind]


def _envelope(kind: type[ServiceError]) -> type[BaseModel]:
    return create_model(
        kind.__name__,
        __config__=_CLOSED,
        __doc__=kind.__doc__,
        error=(Literal[True], ...),
        message=(str, ...),
        code=(Literal[kind.code], ...),  # type: ignore[arg-type]  # a type that is made here
        details=(details_of(kind), ...),
    )


def batch_response(name: str, success: Any, *kinds: type[ServiceError]) -> type[BaseModel]:
    """Return the type of a batch's response: for each entry a success envelope, or that of one of these errors."""
    entry = reduce(or_, map(envelope_of, kinds), success)
    return create_model(
        name,
        __config__=_CLOSED,
        __doc__="For each entry, in order, the envelope that a single call would have returned.",
        success=(Success, ...),
        data=(list[entry], ...),  # type: ignore[valid-type]  # a type that is made here
    )
