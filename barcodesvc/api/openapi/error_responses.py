"""Types of the envelopes of errors; the tests of the API validate every response against them.

An error that `_DETAILS` does not list is sent in the envelope of its nearest parent there, in the tree of
`barcodesvc.errors`; so `details.reason` of an envelope is that of its error or of one of these. In a batch, each error
has an envelope that names it alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_
from types import new_class
from typing import Any, Literal, NotRequired, Required

from pydantic import BaseModel, ConfigDict, create_model
from typing_extensions import TypedDict

from barcodesvc.api.resources.scan_responses import ImageCode
from barcodesvc.api.responses import Success
from barcodesvc.errors import (
    AlreadyUndone,
    ChangeNotFound,
    DatabaseFailure,
    DatabaseOverload,
    DuplicateProductCode,
    ExportFailure,
    ExportOverload,
    FileTooLarge,
    ForeignPage,
    GenerationFailure,
    InvalidContent,
    InvalidFileFormat,
    InvalidInput,
    KeyReused,
    LaterChange,
    LevelChanged,
    LevelOutOfRange,
    MethodNotAllowed,
    NoCodeOnImage,
    ProductNotFound,
    RateLimitExceeded,
    Reason,
    RenderOverload,
    ServiceError,
    Unauthorized,
    UnconfirmedChange,
    UnknownRoute,
    UnreadableBody,
    UnresolvedScan,
    UploadOverload,
)
from barcodesvc.models import Timestamp
from barcodesvc.scanning.candidates import Match
from barcodesvc.scanning.resolver import Candidate, ProposedProduct, Understood


class NoDetails(TypedDict):
    """The reason alone."""


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


class MissingProducts(TypedDict, total=False):
    """The id, or the codes, that no product has."""

    id: int
    missing: list[str]


class ScanDetails(TypedDict, total=False):
    """What was understood of the scan, and the products that match it equally; for an image also its codes.

    `new_product` is a body that creates a product which the same scan finds, or null if that is not possible.
    """

    understood: Understood
    new_product: ProposedProduct | None
    match: Match
    candidates: list[Candidate]
    codes: list[ImageCode]
    codes_truncated: bool


class ImageWithoutCode(TypedDict):
    """What helps to take a better picture; there are no codes."""

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
    InvalidContent: InvalidDetails,
    ForeignPage: InvalidDetails,
    UnreadableBody: InvalidDetails,
    Unauthorized: NoDetails,
    UnknownRoute: NoDetails,
    MethodNotAllowed: AllowedMethods,
    ProductNotFound: MissingProducts,
    UnresolvedScan: ScanDetails,
    NoCodeOnImage: ImageWithoutCode,
    DuplicateProductCode: TakenCode,
    LevelChanged: OtherLevel,
    LevelOutOfRange: PossibleDeltas,
    LaterChange: LaterTime,
    ChangeNotFound: MissingChange,
    AlreadyUndone: UndoingChange,
    KeyReused: EarlierUse,
    InvalidFileFormat: NoDetails,
    FileTooLarge: TooLarge,
    RateLimitExceeded: Exceeded,
    DatabaseFailure: NoDetails,
    UnconfirmedChange: NoDetails,
    GenerationFailure: NoDetails,
    ExportFailure: NoDetails,
    RenderOverload: NoDetails,
    DatabaseOverload: NoDetails,
    ExportOverload: NoDetails,
    UploadOverload: NoDetails,
}


_ENVELOPES: dict[str, type[BaseModel]] = {}
"""Envelopes made so far: each error must have a single type, otherwise the schema would name two."""


def envelope_of(kind: type[ServiceError]) -> type[BaseModel]:
    """Return the type of the envelope of an error, and of those that are sent in the same."""
    return _envelope(kind.__name__, kind, tuple(dict.fromkeys(_reasons(kind))))


def _batched(kind: type[ServiceError]) -> type[BaseModel]:
    """Return the type of an error's envelope in a batch, with the status of a single call."""
    return _envelope(f"Batched{kind.__name__}", kind, (kind.reason,), status=(Literal[kind.status], ...))


def _sent_as(kind: type[ServiceError]) -> type[ServiceError]:
    return next(parent for parent in kind.__mro__ if parent in _DETAILS)


def _reasons(kind: type[ServiceError]) -> Iterator[Reason]:
    yield kind.reason
    for narrower in kind.__subclasses__():
        if narrower not in _DETAILS:
            yield from _reasons(narrower)


def _envelope(name: str, kind: type[ServiceError], reasons: tuple[Reason, ...], **more: Any) -> type[BaseModel]:
    if name not in _ENVELOPES:
        _ENVELOPES[name] = create_model(
            name,
            __config__=_CLOSED,
            __doc__=kind.__doc__,
            error=(Literal[True], ...),
            message=(str, ...),
            code=(Literal[kind.code], ...),  # type: ignore[arg-type]  # a type that is made here
            details=(_details(name, kind, reasons), ...),
            **more,
        )
    return _ENVELOPES[name]


def _details(name: str, kind: type[ServiceError], reasons: tuple[Reason, ...]) -> Any:
    """Return the type of the details in an envelope: those of the error, and its reason."""
    listed = _DETAILS[_sent_as(kind)]
    fields = {"__annotations__": {"reason": Required[Literal[reasons]]}, "__doc__": listed.__doc__}
    return new_class(f"{name}Details", (listed,), exec_body=lambda namespace: namespace.update(fields))


def batch_response(name: str, success: Any, *kinds: type[ServiceError]) -> type[BaseModel]:
    """Return the type of a batch's response: for each entry a success envelope, or that of one of these errors."""
    entry = reduce(or_, map(_batched, kinds), success)
    return create_model(
        name,
        __config__=_CLOSED,
        __doc__="For each entry, in order, the envelope that a single call would have returned, with its status.",
        success=(Success, ...),
        data=(list[entry], ...),  # type: ignore[valid-type]  # a type that is made here
    )
