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
from typing import Annotated, Any, Literal, NotRequired, Required

from pydantic import BaseModel, ConfigDict, create_model
from typing_extensions import TypedDict

from barcodesvc import fields
from barcodesvc.api.resources.scan_responses import ImageCode
from barcodesvc.api.responses import Success
from barcodesvc.errors import (
    MOST_PROBLEMS,
    AlreadyUndone,
    AmbiguousScan,
    ChangeNotFound,
    DatabaseFailure,
    DatabaseOverload,
    DuplicateProductCode,
    ExportFailure,
    ExportOverload,
    FileTooLarge,
    ForeignHost,
    ForeignPage,
    GenerationFailure,
    InvalidContent,
    InvalidFileFormat,
    InvalidHttp,
    InvalidInput,
    KeyReused,
    LaterChange,
    LevelChanged,
    LevelOutOfRange,
    MethodNotAllowed,
    NameNotFound,
    NoCodeOnImage,
    PrinterNotFound,
    PrintJobNotFound,
    PrintJobStateDiffers,
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
from barcodesvc.fields import Timestamp, described
from barcodesvc.print_jobs import JobState
from barcodesvc.scanning.candidates import Match
from barcodesvc.scanning.resolver import Candidate, ProposedProduct, Understood

_ImageCodes = Annotated[list[ImageCode], described("The codes in the image, in reading order.")]
_Looks = Annotated[int, described("How often the service has looked at the image.", 1)]
_AreCodesTruncated = Annotated[bool, described("Whether `codes` lists only the first of them.", example=False)]


class NoDetails(TypedDict):
    """The reason alone."""


class BrokenRule(TypedDict, total=False):
    """The broken rule of a symbology or layout; `position` counts characters from 1, `fits` is what would be valid.

    Minimum sizes are in pixels, where a module is one pixel, or in mm.
    """

    rule: Annotated[str, described("The name of the broken rule.", "check digit")]
    position: Annotated[int, described("Where the content breaks it, in characters from 1.", 13)]
    expected: Annotated[str, described("What would be right at this position.", "1")]
    fits: Annotated[str, described("What would be accepted, in words.", "12 digits, or 13 with their check digit")]
    character: Annotated[str, described("The character that cannot be encoded or printed.", "U+00E9")]
    least_width: Annotated[int, described("The smallest `width` for this content, in pixels.", 113)]
    least_size: Annotated[int, described("The smallest `size` for this content, in pixels.", 33)]
    product_codes: Annotated[list[str], described("The codes that do not fit on their labels.", ["4006381333931"])]
    label_width_mm: Annotated[float, described("The width that a label needs for them, in mm.", 37.3)]
    label_height_mm: Annotated[float, described("The height that a label needs for them, in mm.", 10.0)]


class Problem(BrokenRule):
    """One problem of one field; `value` is the value that was sent, if it is short enough to be repeated."""

    field: Annotated[
        str, described("Where it is: a path in the body with dots, a parameter, or `body` for all of it.", "new_level")
    ]
    message: Annotated[
        str, described("What is wrong, in words for people.", "Input should be greater than or equal to 0")
    ]
    value: NotRequired[
        Annotated[str | float | bool, described("The value that was sent, if it is short enough to repeat.", -1)]
    ]


class InvalidDetails(BrokenRule, total=False):
    """All problems of the input, and the broken rule, if there is one.

    Only the first 50 problems are listed; `errors_truncated` says that there may be more.
    """

    errors: Annotated[list[Problem], described(f"All problems, or the first {MOST_PROBLEMS} of them.")]
    errors_truncated: Annotated[Literal[True], described("True if there may be more problems.", example=True)]


class AllowedMethods(TypedDict):
    """The methods that the resource has."""

    allowed: Annotated[list[str], described("The methods that the resource has.", ["GET", "HEAD", "POST"])]


class MissingProducts(TypedDict, total=False):
    """The id, or the codes, that no product has."""

    id: Annotated[int, described("The id that no product has.", 4711)]
    missing: Annotated[list[str], described("The codes that no product has.", ["A-1"])]


class ScanDetails(TypedDict, total=False):
    """What was understood of the scan, and the products that match it equally; for an image also its codes.

    `new_product` is a body that creates a product which the same scan finds, or null if that is not possible.
    """

    understood: Annotated[Understood, described("What was understood of the scan.")]
    new_product: Annotated[
        ProposedProduct | None,
        described("A body that creates a product which the same scan finds, or null if that is not possible."),
    ]
    match: Annotated[Match, described("The rule by which several products match.", "gtin")]
    candidates: Annotated[list[Candidate], described("The products that match equally.")]
    codes: _ImageCodes
    codes_truncated: _AreCodesTruncated
    looks: _Looks


class ImageWithoutCode(TypedDict):
    """What helps to take a better picture; there are no codes."""

    hint: Annotated[str, described("How to take a better picture.", "hold the camera nearer and straight")]
    codes: Annotated[_ImageCodes, described("Always empty.", [])]
    codes_truncated: _AreCodesTruncated
    looks: _Looks


class TakenCode(TypedDict):
    """The code that another product has."""

    product_code: fields.Code


class OtherLevel(TypedDict):
    """The current level, and the expected one."""

    current_level: fields.CurrentLevel
    expected_level: Annotated[int, described("The level that the request expects.", 25)]


class PossibleDeltas(TypedDict):
    """The product, its current level, and by how much it can change."""

    product_id: fields.ProductId
    product_code: fields.Code
    description: fields.DescriptionText
    current_level: fields.CurrentLevel
    least_delta: Annotated[int, described("The smallest difference that is possible.", -8)]
    greatest_delta: Annotated[int, described("The greatest difference that is possible.", 9007199254740983)]


class LaterTime(TypedDict):
    """The product, its current level, when it was counted, and when it was changed after that."""

    product_id: fields.ProductId
    product_code: fields.Code
    description: fields.DescriptionText
    current_level: fields.CurrentLevel
    scanned_at: Annotated[Timestamp, described("When the level was counted.", "2026-01-31T11:59:30.000Z")]
    changed_at: Annotated[Timestamp, described("When the level was changed after that.")]


class MissingChange(TypedDict):
    """The id that no change has."""

    id: Annotated[int, described("The id that no change has.", 4711)]


class MissingName(TypedDict):
    """The name under which nothing is saved."""

    name: Annotated[str, described("The name under which nothing is saved.", "shelf")]


class MissingPrinter(TypedDict):
    """The name that no printer has."""

    name: Annotated[str, described("The name that no printer has.", "zebra-2")]


class MissingPrintJob(TypedDict):
    """The id that no job of the printer has."""

    id: Annotated[int, described("The id that no job of the printer has.", 4711)]


class OtherJobState(TypedDict):
    """The job and its state."""

    id: Annotated[int, described("The id of the job.", 7)]
    state: Annotated[JobState, described("The state of the job.", "printed")]


class UndoingChange(TypedDict):
    """The change, and the change that undid it."""

    id: fields.ChangeId
    undone_by: Annotated[int, described("The id of the change that undid it.", 10)]


class EarlierUse(TypedDict):
    """The request that the key was used for, and when."""

    idempotency_key: fields.Key
    used_for: Annotated[str, described("The request that the key was used for.", "POST /api/inventory/1/adjust")]
    used_at: Annotated[Timestamp, described("When it was used.")]


class TooLarge(TypedDict, total=False):
    """The maximum number of bytes, or the dimensions of an image that has too many pixels."""

    limit: Annotated[int, described("The most bytes, or pixels of an image, that are accepted.", 10_485_760)]
    width: Annotated[int, described("The width of the image in pixels.", 12_000)]
    height: Annotated[int, described("The height of the image in pixels.", 9_000)]


class Exceeded(TypedDict, total=False):
    """The limit on requests, and the seconds until its window ends."""

    limit: Annotated[int, described("The most requests in a window.", 100)]
    retry_after: Annotated[int, described("Seconds until the window ends.", 60)]


_Failed = Annotated[Literal[True], described("True: the request failed.", example=True)]
_ABOUT_DETAILS = "What a program can use: the reason, and what belongs to it."
_REASON = described("What a program decides by: a word of a closed list.")
_STATUS = "The status that a single call would have had."
_ENTRIES = "The envelopes, in the order of the request."
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
    NameNotFound: MissingName,
    PrinterNotFound: MissingPrinter,
    PrintJobNotFound: MissingPrintJob,
    PrintJobStateDiffers: OtherJobState,
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


_SHOWN: dict[type[ServiceError], dict[str, Any]] = {
    InvalidInput: {"errors": [{"field": "new_level", "message": "Input should be a valid integer", "value": "8"}]},
    InvalidContent: {
        "rule": "check digit",
        "expected": "1",
        "position": 13,
        "errors": [{"field": "product_code", "message": "EAN13: check digit 2 at position 13 is wrong; expected 1"}],
    },
    InvalidHttp: {},
    ForeignHost: {},
    UnreadableBody: {"errors": [{"field": "body", "message": "the body cannot be read"}]},
    ProductNotFound: {"id": 4711},
    UnresolvedScan: {
        "understood": {"text": "4711", "symbology": None, "gs1": None},
        "new_product": {"product_code": "4711", "description": "4711"},
    },
    AmbiguousScan: {
        "understood": {"text": "00036000291452", "symbology": None, "gs1": None},
        "match": "gtin",
        "candidates": [
            {"id": 3, "product_code": "036000291452", "description": "Tissues"},
            {"id": 4, "product_code": "0036000291452", "description": "Tissues, box of 12"},
        ],
    },
    FileTooLarge: {"limit": 10_485_760},
    RateLimitExceeded: {"limit": 100, "retry_after": 60},
}
"""Optional details in the examples of errors: not all of them make sense together."""
_ENVELOPES: dict[str, type[BaseModel]] = {}
"""Envelopes made so far: each error must have a single type, otherwise the schema would name two."""


def envelope_of(kind: type[ServiceError]) -> type[BaseModel]:
    """Return the type of the envelope of an error, and of those that are sent in the same."""
    return _envelope(kind.__name__, kind, tuple(dict.fromkeys(one.reason for one in sent_in(kind))))


def message_of(kind: type[ServiceError]) -> str:
    """Return the example of an error's message: the first line of its documentation, as the service writes messages."""
    first = (kind.__doc__ or "").partition("\n")[0].removesuffix(".")
    return first[:1].lower() + first[1:]


def _batched(kind: type[ServiceError]) -> type[BaseModel]:
    """Return the type of an error's envelope in a batch, with the status of a single call."""
    status = _described(Literal[kind.status], _STATUS)
    return _envelope(f"Batched{kind.__name__}", kind, (kind.reason,), status=(status, ...))


def _described(kind: Any, description: str, *example: object) -> Any:
    return Annotated[kind, described(description, *example)]


def example_details(kind: type[ServiceError]) -> dict[str, Any] | None:
    """Return the example of details whose fields are optional; None if it can be composed of those of their fields."""
    shown = _SHOWN.get(kind, _SHOWN.get(_sent_as(kind)))
    return None if shown is None else {"reason": kind.reason, **shown}


def _sent_as(kind: type[ServiceError]) -> type[ServiceError]:
    return next(parent for parent in kind.__mro__ if parent in _DETAILS)


def sent_in(kind: type[ServiceError]) -> Iterator[type[ServiceError]]:
    """Yield an error and those that are sent in its envelope."""
    yield kind
    for narrower in kind.__subclasses__():
        if narrower not in _DETAILS:
            yield from sent_in(narrower)


def _envelope(name: str, kind: type[ServiceError], reasons: tuple[Reason, ...], **more: Any) -> type[BaseModel]:
    if name not in _ENVELOPES:
        details = example_details(kind)
        example = () if details is None else (details,)
        _ENVELOPES[name] = create_model(
            name,
            __config__=_CLOSED,
            __doc__=kind.__doc__,
            error=(_Failed, ...),
            message=(_described(str, "What went wrong, in words for people.", message_of(kind)), ...),
            code=(_described(Literal[kind.code], "The kind of the error; several reasons share one."), ...),
            details=(_described(_details(name, kind, reasons), _ABOUT_DETAILS, *example), ...),
            **more,
        )
    return _ENVELOPES[name]


def _details(name: str, kind: type[ServiceError], reasons: tuple[Reason, ...]) -> Any:
    """Return the type of the details in an envelope: those of the error, and its reason."""
    listed = _DETAILS[_sent_as(kind)]
    reason = Required[Annotated[Literal[reasons], _REASON]]
    body = {"__annotations__": {"reason": reason}, "__doc__": listed.__doc__}
    return new_class(f"{name}Details", (listed,), exec_body=lambda namespace: namespace.update(body))


def batch_response(name: str, success: Any, *kinds: type[ServiceError]) -> type[BaseModel]:
    """Return the type of a batch's response: for each entry a success envelope, or that of one of these errors."""
    entry = reduce(or_, map(_batched, kinds), success)
    return create_model(
        name,
        __config__=_CLOSED,
        __doc__="For each entry, in order, the envelope that a single call would have returned, with its status.",
        success=(Success, ...),
        data=(_described(list[entry], _ENTRIES), ...),  # type: ignore[valid-type]  # a type that is made here
    )
