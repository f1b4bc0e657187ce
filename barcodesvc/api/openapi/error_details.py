"""Types of the details of errors, and which error has which.

An error that DETAILS does not list has the details of its nearest parent there, in the tree of `barcodesvc.errors`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from barcodesvc import fields
from barcodesvc.api.resources.scan_responses import ImageCode
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

    Only the first 50 problems are listed; `errors_truncated` says that there may be more. If a spreadsheet has no
    header row (`rule` is `header row`), `header_texts` are those of the row that may be it, for people to map.
    """

    errors: Annotated[list[Problem], described(f"All problems, or the first {MOST_PROBLEMS} of them.")]
    errors_truncated: Annotated[Literal[True], described("True if there may be more problems.", example=True)]
    sheet: Annotated[str, described("The sheet of a spreadsheet that has no header row.", "Stock")]
    header_row: Annotated[int, described("The number of the row that may be the header, from 1.", 1)]
    header_texts: Annotated[list[str], described("The texts of that row, at most 100.", ["Ref", "Was", "Wieviel"])]


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

    resource: Annotated[Literal["movement"], described("What was not found.", "movement")]
    id: Annotated[int, described("The id that no change has.", 4711)]


class MissingName(TypedDict):
    """The name under which nothing is saved."""

    resource: Annotated[Literal["layout", "image"], described("What was not found.", "layout")]
    name: Annotated[str, described("The name under which nothing is saved.", "shelf")]


class MissingPrinter(TypedDict):
    """The name that no printer has."""

    resource: Annotated[Literal["printer"], described("What was not found.", "printer")]
    name: Annotated[str, described("The name that no printer has.", "zebra-2")]


class MissingPrintJob(TypedDict):
    """The id that no job of the printer has."""

    resource: Annotated[Literal["print_job"], described("What was not found.", "print_job")]
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


DETAILS: dict[type[ServiceError], Any] = {
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
"""Types of details by errors; each error here has an envelope that only narrower ones without an entry share."""
EXAMPLES: dict[type[ServiceError], dict[str, Any]] = {
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
