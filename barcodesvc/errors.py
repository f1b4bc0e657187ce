"""Exception hierarchy: every way in which a request can fail, as one tree.

StartError and BackupError are not part of the tree: they are raised outside of requests.

Rule: a library's exception is translated into this tree at the edge of the module that owns the library; status, code
and reason belong to the class, so that no handler chooses them. Where one class would mean several things to a client,
it has a subclass with another reason. What a program needs besides are fields of the class, sent in their order; the
OpenAPI document has their types, descriptions and examples from there. An error whose details have types of a higher
floor is next to these types.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, NotRequired, Self, cast, dataclass_transform, get_type_hints

from typing_extensions import TypedDict, Unpack

from barcodesvc import fields
from barcodesvc.fields import described

MOST_PROBLEMS = 50
"""Problems that are reported for one input; a search for them may stop at one more."""
LEFT_OUT: Any = object()
"""The default of a detail that not every error of its class has."""


class Reason(StrEnum):
    """What a program can do something about: `details.reason` of every error, a word of this closed list."""

    INVALID_INPUT = "invalid_input"
    BAD_CONTENT = "bad_content"
    INVALID_HTTP = "invalid_http"
    FOREIGN_HOST = "foreign_host"
    FOREIGN_PAGE = "foreign_page"
    UNREADABLE_BODY = "unreadable_body"
    INVALID_JSON = "invalid_json"
    TOO_SLOW = "too_slow"
    TOO_LARGE = "too_large"
    UNREADABLE_FILE = "unreadable_file"
    API_KEY_MISSING = "api_key_missing"
    API_KEY_WRONG = "api_key_wrong"
    UNKNOWN_ROUTE = "unknown_route"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    NOT_FOUND = "not_found"
    NO_PRODUCT_MATCHES = "no_product_matches"
    SEVERAL_PRODUCTS_MATCH = "several_products_match"
    NO_CODE_ON_IMAGE = "no_code_on_image"
    DUPLICATE_CODE = "duplicate_code"
    EXPECTED_LEVEL_DIFFERS = "expected_level_differs"
    LEVEL_OUT_OF_RANGE = "level_out_of_range"
    COUNT_IS_OUTDATED = "count_is_outdated"
    ALREADY_UNDONE = "already_undone"
    IDEMPOTENCY_KEY_REUSED = "idempotency_key_reused"
    PRINT_JOB_STATE_DIFFERS = "print_job_state_differs"
    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    STOPPING = "stopping"
    UNCONFIRMED = "unconfirmed"
    FAILED = "failed"


@dataclass(eq=False, kw_only=True, repr=False)
class BrokenRule:
    """The broken rule of a field, symbology or layout.

    Minimum sizes are in pixels, where a module is one pixel, or in mm.
    """

    rule: Annotated[str, described("The name of the broken rule.", "check digit")] = LEFT_OUT
    position: Annotated[int, described("Where the content breaks it, in characters from 1.", 13)] = LEFT_OUT
    expected: Annotated[str, described("What would be right at this position.", "1")] = LEFT_OUT
    fits: Annotated[str, described("What would be accepted, in words.", "12 digits, or 13 with their check digit")] = (
        LEFT_OUT
    )
    character: Annotated[str, described("The character that cannot be encoded or printed.", "U+00E9")] = LEFT_OUT
    least_width: Annotated[int, described("The smallest `width` for this content, in pixels.", 113)] = LEFT_OUT
    least_size: Annotated[int, described("The smallest `size` for this content, in pixels.", 33)] = LEFT_OUT
    product_codes: Annotated[list[str], described("The codes that do not fit on their labels.", ["4006381333931"])] = (
        LEFT_OUT
    )
    placeholder: Annotated[
        str, described("The placeholder, as it is written, that nothing fills or that is unknown.", "{lot}")
    ] = LEFT_OUT
    label_width_mm: Annotated[float, described("The width that a label needs for them, in mm.", 37.3)] = LEFT_OUT
    label_height_mm: Annotated[float, described("The height that a label needs for them, in mm.", 10.0)] = LEFT_OUT


_RULE: Any = TypedDict("_RULE", get_type_hints(BrokenRule, include_extras=True), total=False)  # type: ignore[misc]


class Problem(_RULE):
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


def field_problem(field: str, message: str, value: object = None, **rule: Any) -> Problem:
    """Return a problem of one field; `value` is not None if it may be repeated, `rule` is what the value breaks."""
    problem = {**rule, "field": field, "message": message}
    return cast("Problem", problem if value is None else {**problem, "value": value})


class StartError(Exception):
    """The service cannot start; the message tells the person at the terminal what to change."""


class BackupError(Exception):
    """A database cannot be copied or restored; the message tells the person at the terminal why."""


_NO_DETAIL = MappingProxyType({"is_detail": False})
"""Of fields that are not sent as details."""


class _Declared(TypedDict, total=False):
    """What an error declares with its name; the rest is that of its parent."""

    status: int
    code: str
    reason: Reason


@dataclass_transform(eq_default=False, kw_only_default=True, field_specifiers=(field,))
@dataclass(eq=False, repr=False)
class ServiceError(Exception):
    """The root: a message for people, details for programs, headers for the protocol.

    The annotated names of a class are its details; each is a dataclass, whose fields are keywords when it is raised.
    An error is sent in its own envelope, or in that of the parent that it names. `about` describes its details, and
    `example` has those that make sense together; without one, the example has all that are never left out.
    """

    status: ClassVar[int] = 500
    code: ClassVar[str] = "GENERATION_ERROR"
    reason: ClassVar[Reason] = Reason.FAILED
    about: ClassVar[str] = "The reason alone."
    example: ClassVar[Mapping[str, Any] | None] = None
    envelope: ClassVar[type[ServiceError]]

    message: str = field(metadata=_NO_DETAIL)
    headers: dict[str, str] = field(default_factory=dict, kw_only=True, metadata=_NO_DETAIL)

    def __init_subclass__(cls, *, envelope: type[ServiceError] | None = None, **declared: Unpack[_Declared]) -> None:
        super().__init_subclass__()
        if inspect.get_annotations(cls):
            dataclass(eq=False, kw_only=True, repr=False)(cls)
        cls.envelope = envelope or cls
        for name, value in declared.items():
            setattr(cls, name, value)

    def __post_init__(self) -> None:
        super().__init__(self.message)

    @classmethod
    def detail_fields(cls) -> tuple[dataclasses.Field[Any], ...]:
        """Return the fields that are details, in the order in which they are sent."""
        return tuple(one for one in dataclasses.fields(cls) if one.metadata != _NO_DETAIL)

    @property
    def details(self) -> dict[str, Any]:
        """The details by name, without those that are left out."""
        values = {one.name: getattr(self, one.name) for one in self.detail_fields()}
        return {name: value for name, value in values.items() if value is not LEFT_OUT}


ServiceError.envelope = ServiceError


class InvalidInput(BrokenRule, ServiceError, status=400, code="VALIDATION_ERROR", reason=Reason.INVALID_INPUT):
    """The input breaks a rule; `details.errors` lists every such field, or the first 50 of them."""

    about = (
        "All problems of the input, and the broken rule, if there is one.\n\n"
        "Only the first 50 problems are listed; `errors_truncated` says that there may be more. If a spreadsheet has "
        "no header row (`rule` is `header row`), `header_texts` are those of the row that may be it, for people to map."
    )
    example: ClassVar = {
        "errors": [
            {
                "rule": "whole number",
                "field": "new_level",
                "message": "Input should be a valid integer",
                "value": "8",
            }
        ]
    }

    errors: Annotated[list[Problem], described(f"All problems, or the first {MOST_PROBLEMS} of them.")] = LEFT_OUT
    errors_truncated: Annotated[Literal[True], described("True if there may be more problems.", example=True)] = (
        LEFT_OUT
    )
    sheet: Annotated[str, described("The sheet of a spreadsheet that has no header row.", "Stock")] = LEFT_OUT
    header_row: Annotated[int, described("The number of the row that may be the header, from 1.", 1)] = LEFT_OUT
    header_texts: Annotated[list[str], described("The texts of that row, at most 100.", ["Ref", "Was", "Wieviel"])] = (
        LEFT_OUT
    )

    @classmethod
    def of(cls, *problems: Problem) -> Self:
        """Build the error from its problems, the first of them in the message."""
        first, reported = problems[0], problems[:MOST_PROBLEMS]
        more = f" (and {len(reported) - 1} more)" if len(reported) > 1 else ""
        error = cls(f"{first['field']}: {first['message']}{more}", errors=list(reported))
        if len(reported) < len(problems):
            error.errors_truncated = True
        return error


class InvalidContent(InvalidInput, reason=Reason.BAD_CONTENT):
    """The symbology cannot encode the content; the details name the broken rule, and where it is broken.

    `position` counts characters from 1; `fits` says what would be accepted. Of several contents, each of
    `details.errors` names its own rule.
    """

    example: ClassVar = {
        "rule": "check digit",
        "expected": "1",
        "position": 13,
        "errors": [{"field": "product_code", "message": "EAN13: check digit 2 at position 13 is wrong; expected 1"}],
    }


class InvalidHttp(InvalidInput, reason=Reason.INVALID_HTTP, envelope=InvalidInput):
    """The request is not valid HTTP, or its head is longer than it may be."""


class ForeignHost(InvalidInput, reason=Reason.FOREIGN_HOST, envelope=InvalidInput):
    """The service does not answer under the name in the request."""


class ForeignPage(InvalidInput, reason=Reason.FOREIGN_PAGE):
    """A page of another site may not change anything."""

    example: ClassVar = {}


class UnreadableBody(InvalidInput, reason=Reason.UNREADABLE_BODY):
    """The body is malformed, or of a media type that the route does not read."""

    example: ClassVar = {"errors": [{"field": "body", "message": "the body cannot be read"}]}


class InvalidJson(UnreadableBody, reason=Reason.INVALID_JSON, envelope=UnreadableBody):
    """The body is not JSON."""


class LateBody(UnreadableBody, reason=Reason.TOO_SLOW, envelope=UnreadableBody):
    """The body did not arrive in time."""


class LongBody(UnreadableBody, reason=Reason.TOO_LARGE, envelope=UnreadableBody):
    """The body is longer than the route allows."""


class Unauthorized(ServiceError, status=401, code="VALIDATION_ERROR", reason=Reason.API_KEY_MISSING):
    """The service requires a key, and the request has none or a wrong one; `WWW-Authenticate` says how to send it."""


class WrongApiKey(Unauthorized, reason=Reason.API_KEY_WRONG, envelope=Unauthorized):
    """The key is not one that the service knows."""


class UnknownRoute(ServiceError, status=404, code="VALIDATION_ERROR", reason=Reason.UNKNOWN_ROUTE):
    """There is no resource at this path."""


class ChangeNotFound(ServiceError, status=404, code="VALIDATION_ERROR", reason=Reason.NOT_FOUND):
    """No change of a level has this id."""

    about = "The id that no change has."

    resource: Annotated[Literal["movement"], described("What was not found.", "movement")] = "movement"
    id: Annotated[int, described("The id that no change has.", 4711)]


class NameNotFound(ServiceError, status=404, code="VALIDATION_ERROR", reason=Reason.NOT_FOUND):
    """Nothing of this kind is saved under this name."""

    about = "The name under which nothing is saved."

    resource: Annotated[Literal["layout", "image"], described("What was not found.", "layout")]
    name: Annotated[str, described("The name under which nothing is saved.", "shelf")]


class PrinterNotFound(ServiceError, status=404, code="VALIDATION_ERROR", reason=Reason.NOT_FOUND):
    """No printer has this name."""

    about = "The name that no printer has."

    resource: Annotated[Literal["printer"], described("What was not found.", "printer")] = "printer"
    name: Annotated[str, described("The name that no printer has.", "zebra-2")]


class MethodNotAllowed(ServiceError, status=405, code="VALIDATION_ERROR", reason=Reason.METHOD_NOT_ALLOWED):
    """The resource exists but does not support this method; the `Allow` header lists those that it supports."""

    about = "The methods that the resource has."

    allowed: Annotated[list[str], described("The methods that the resource has.", ["GET", "HEAD", "POST"])]


class ProductNotFound(ServiceError, status=404, code="PRODUCT_NOT_FOUND", reason=Reason.NOT_FOUND):
    """No product has this id or code."""

    about = "The id, or the codes, that no product has."
    example: ClassVar = {"id": 4711}

    id: Annotated[int, described("The id that no product has.", 4711)] = LEFT_OUT
    missing: Annotated[list[str], described("The codes that no product has.", ["A-1"])] = LEFT_OUT


class LevelChanged(ServiceError, status=409, code="VALIDATION_ERROR", reason=Reason.EXPECTED_LEVEL_DIFFERS):
    """The stored level is not the one that the caller expected; nothing was changed."""

    about = "The current level, and the expected one."

    current_level: fields.CurrentLevel
    expected_level: Annotated[int, described("The level that the request expects.", 25)]


class LevelOutOfRange(ServiceError, status=409, code="VALIDATION_ERROR", reason=Reason.LEVEL_OUT_OF_RANGE):
    """The level would leave its range; nothing was changed."""

    about = "The product, its current level, and by how many pieces it can change."

    product_id: fields.ProductId
    product_code: fields.Code
    description: fields.DescriptionText
    current_level: fields.CurrentLevel
    least_delta: Annotated[int, described("The smallest difference that is possible, in pieces.", -8)]
    greatest_delta: Annotated[int, described("The greatest difference that is possible.", 9007199254740983)]
    pack_quantity: fields.PackQuantity


class LaterChange(ServiceError, status=409, code="VALIDATION_ERROR", reason=Reason.COUNT_IS_OUTDATED):
    """The level was changed later than this count was taken; nothing was changed."""

    about = "The product, its current level, when it was counted, and when it was changed after that."

    product_id: fields.ProductId
    product_code: fields.Code
    description: fields.DescriptionText
    current_level: fields.CurrentLevel
    scanned_at: Annotated[fields.Timestamp, described("When the level was counted.", "2026-01-31T11:59:30.000Z")]
    changed_at: Annotated[fields.Timestamp, described("When the level was changed after that.")]


class AlreadyUndone(ServiceError, status=409, code="VALIDATION_ERROR", reason=Reason.ALREADY_UNDONE):
    """The change has already been undone; nothing was changed."""

    about = "The change, and the change that undid it."

    id: fields.ChangeId
    undone_by: Annotated[int, described("The id of the change that undid it.", 10)]


class KeyReused(ServiceError, status=409, code="VALIDATION_ERROR", reason=Reason.IDEMPOTENCY_KEY_REUSED):
    """The idempotency key was used for another request."""

    about = "The request that the key was used for, and when."

    idempotency_key: fields.Key
    used_for: Annotated[str, described("The request that the key was used for.", "POST /api/inventory/1/adjust")]
    used_at: Annotated[fields.Timestamp, described("When it was used.")]


class InvalidFileFormat(ServiceError, status=400, code="INVALID_FILE_FORMAT", reason=Reason.UNREADABLE_FILE):
    """The upload is not a readable .xlsx, .xls or .ods workbook."""


class FileTooLarge(ServiceError, status=400, code="FILE_TOO_LARGE", reason=Reason.TOO_LARGE):
    """The upload exceeds its limit, packed or unpacked."""

    about = "The maximum number of bytes, or the dimensions of an image that has too many pixels."
    example: ClassVar = {"limit": 10_485_760}

    limit: Annotated[int, described("The most bytes, or pixels of an image, that are accepted.", 10_485_760)] = LEFT_OUT
    width: Annotated[int, described("The width of the image in pixels.", 12_000)] = LEFT_OUT
    height: Annotated[int, described("The height of the image in pixels.", 9_000)] = LEFT_OUT


class RateLimitExceeded(ServiceError, status=429, code="RATE_LIMIT_EXCEEDED", reason=Reason.RATE_LIMITED):
    """There are too many requests, or too many uploads at once; `Retry-After` says when to retry."""

    about = "The limit on requests, and the seconds until its window ends."

    limit: Annotated[int, described("The most requests in a window.", 100)]
    retry_after: Annotated[int, described("Seconds until the window ends.", 60)]


class DatabaseFailure(ServiceError, code="DATABASE_ERROR"):
    """The database did not carry out an operation; the cause is in the log, never in the response."""


class UnconfirmedChange(DatabaseFailure, reason=Reason.UNCONFIRMED):
    """The database did not confirm the change, which may have been made."""


class GenerationFailure(ServiceError, code="GENERATION_ERROR"):
    """Rendering of valid input failed."""


class ExportFailure(ServiceError, code="EXPORT_ERROR"):
    """An export could not be written."""


class Overload(ServiceError, status=503, reason=Reason.OVERLOADED):
    """The service has too much work of this kind; `Retry-After` says in how many seconds to retry."""

    retry_after: int = field(default=1, metadata=_NO_DETAIL)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.headers["Retry-After"] = str(self.retry_after)


class RenderOverload(Overload, code="GENERATION_ERROR"):
    """The render queue is full or the service is shutting down."""


class Stopping(RenderOverload, reason=Reason.STOPPING, envelope=RenderOverload):
    """The service is shutting down."""


class DatabaseOverload(Overload, code="DATABASE_ERROR"):
    """Too many requests wait for the database, or waited too long; `Retry-After` says when to retry."""


class ExportOverload(Overload, code="EXPORT_ERROR"):
    """The maximum number of exports and full lists is under way, or half of it by this client."""


class UploadOverload(Overload, status=429, code="RATE_LIMIT_EXCEEDED"):
    """The maximum number of uploads is under way, or half of it by this client."""
