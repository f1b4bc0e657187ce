"""What `details` of each error holds, as types; the tests of the API compare every answer with them.

An error that is not named here has the details of its nearest parent in the tree of `barcodesvc.errors`.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any, Literal, NotRequired

from pydantic import BaseModel, ConfigDict, create_model
from typing_extensions import TypedDict

from barcodesvc.api.resources.decoded_scans import ImageCode
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
    """Nothing beside the message."""


class BrokenRule(TypedDict, total=False):
    """The rule of a symbology or a layout that is broken; `position` counts characters from 1, `fits` is what would do.

    What a size has to be at least stands in pixels, modules being pixels here, or in mm.
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
    least_width_mm: float
    least_height_mm: float


class Problem(BrokenRule):
    """One thing that is wrong with one field; `value` is what was sent, where it is short enough to be repeated."""

    field: str
    message: str
    value: NotRequired[str | float | bool]


class InvalidDetails(BrokenRule, total=False):
    """Everything that is wrong with the input, and the rule that is broken where there is one.

    Of very many problems the first are named, and `errors_truncated` says that there may be more.
    """

    errors: list[Problem]
    errors_truncated: Literal[True]


class AllowedMethods(TypedDict):
    """The methods that are possible."""

    allowed: list[str]


class NotFoundDetails(TypedDict, total=False):
    """The id or the codes that are missing; of a scan what was understood, of an image also its codes.

    `new_product` is a body that makes a product which the same scan finds, null where there is none.
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
    """The code that another product carries."""

    product_code: str


class OtherLevel(TypedDict):
    """The level that stands, and the one that was expected."""

    current_level: int
    expected_level: int


class PossibleDeltas(TypedDict):
    """The level that stands, and by how much it can change."""

    product_code: str
    current_level: int
    least_delta: int
    greatest_delta: int


class LaterTime(TypedDict):
    """The level that stands, when it was counted, and when it was changed after that."""

    product_code: str
    current_level: int
    scanned_at: Timestamp
    changed_at: Timestamp


class MissingChange(TypedDict):
    """The id that no change has."""

    id: int


class UndoingChange(TypedDict):
    """The change, and the one that takes it back."""

    id: int
    undone_by: int


class EarlierUse(TypedDict):
    """For what the key stands, and since when."""

    idempotency_key: str
    used_for: str
    used_at: Timestamp


class TooLarge(TypedDict, total=False):
    """The greatest number of bytes, or the pixels of an image that has too many."""

    limit: int
    width: int
    height: int


class Exceeded(TypedDict, total=False):
    """The limit on requests, and seconds to the end of its window."""

    limit: int
    retry_after: int


_CLOSED = ConfigDict(extra="forbid", defer_build=True)
"""Built when the document is made, and not at the start."""
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
"""Those that were made: equal types have to be one, or a schema would name them apart."""


def envelope_of(kind: type[ServiceError]) -> type[BaseModel]:
    """Return the type of the envelope of an error."""
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


def batch_answer(name: str, success: Any, *kinds: type[ServiceError]) -> type[BaseModel]:
    """Return the type of a batch's answer: for each entry the envelope of a success, or that of one of these errors."""
    entry = reduce(or_, map(envelope_of, kinds), success)
    return create_model(
        name,
        __config__=_CLOSED,
        __doc__="For each entry, in order, the envelope that the single call would have given.",
        success=(Success, ...),
        data=(list[entry], ...),  # type: ignore[valid-type]  # a type that is made here
    )
