"""Exception hierarchy: every way in which a request can fail, as one tree.

    ServiceError                    500
      InvalidInput                  400  VALIDATION_ERROR
        InvalidContent              400  content that a symbology cannot encode, with the rule and position
        InvalidHttp                 400
        ForeignHost                 400
        ForeignPage                 400
        UnreadableBody              400
          InvalidJson               400
          LateBody                  400
          LongBody                  400
        Unauthorized                401
          WrongApiKey               401
        UnknownRoute                404
        ChangeNotFound              404
        NameNotFound                404
        PrinterNotFound             404
        PrintJobNotFound            404
        MethodNotAllowed            405
      ProductNotFound               404  PRODUCT_NOT_FOUND
        UnresolvedScan              404
          AmbiguousScan             404
          NoCodeOnImage             404
      DuplicateProductCode          409  DUPLICATE_PRODUCT_CODE
      LevelChanged                  409  VALIDATION_ERROR
      LevelOutOfRange               409  VALIDATION_ERROR
      LaterChange                   409  VALIDATION_ERROR
      AlreadyUndone                 409  VALIDATION_ERROR
      KeyReused                     409  VALIDATION_ERROR
      PrintJobStateDiffers          409  VALIDATION_ERROR
      InvalidFileFormat             400  INVALID_FILE_FORMAT
      FileTooLarge                  400  FILE_TOO_LARGE
      RateLimitExceeded             429  RATE_LIMIT_EXCEEDED
      DatabaseFailure               500  DATABASE_ERROR
        UnconfirmedChange           500
      GenerationFailure             500  GENERATION_ERROR
      ExportFailure                 500  EXPORT_ERROR
      Overload                      503  too much work of one kind, with the code of that kind and `Retry-After`
        RenderOverload              503  GENERATION_ERROR
          Stopping                  503
        DatabaseOverload            503  DATABASE_ERROR
        ExportOverload              503  EXPORT_ERROR
        UploadOverload              429  RATE_LIMIT_EXCEEDED

StartError and BackupError are not part of the tree: they are raised outside of requests.

Rule: a library's exception is translated into this tree at the edge of the module that owns the library; status, code
and reason are class attributes, so that no handler chooses them. Where one class would mean several things to a client,
it has a subclass with another reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, Self

MOST_PROBLEMS = 50
"""Problems that are reported for one input; a search for them may stop at one more."""


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


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """One problem of one field of the input.

    `field` is the dotted path in the body, the query parameter or the path segment; `value` is the value that was sent,
    if it is short enough to be repeated.
    """

    field: str
    message: str
    value: Any = None

    def as_json(self) -> dict[str, Any]:
        """Return the problem in the format of `details.errors`."""
        problem = {"field": self.field, "message": self.message}
        return problem if self.value is None else {**problem, "value": self.value}


class StartError(Exception):
    """The service cannot start; the message tells the person at the terminal what to change."""


class BackupError(Exception):
    """A database cannot be copied or restored; the message tells the person at the terminal why."""


class ServiceError(Exception):
    """The root: a message for people, details for programs, headers for the protocol."""

    status: ClassVar[int] = 500
    code: ClassVar[str] = "GENERATION_ERROR"
    reason: ClassVar[Reason] = Reason.FAILED

    def __init__(self, message: str, *, headers: dict[str, str] | None = None, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details = details
        self.headers = headers or {}


class InvalidInput(ServiceError):
    """The input breaks a rule; `details.errors` lists every such field, or the first 50 of them."""

    status = 400
    code = "VALIDATION_ERROR"
    reason = Reason.INVALID_INPUT

    @classmethod
    def of(cls, *problems: FieldProblem) -> Self:
        """Build the error from its problems, the first of them in the message."""
        first, reported = problems[0], problems[:MOST_PROBLEMS]
        more = f" (and {len(reported) - 1} more)" if len(reported) > 1 else ""
        error = cls(f"{first.field}: {first.message}{more}", errors=[problem.as_json() for problem in reported])
        if len(reported) < len(problems):
            error.details["errors_truncated"] = True
        return error


class InvalidContent(InvalidInput):
    """The symbology cannot encode the content; the details name the broken rule, and where it is broken.

    `position` counts characters from 1; `fits` says what would be accepted. Of several contents, each of
    `details.errors` names its own rule.
    """

    reason = Reason.BAD_CONTENT

    def __init__(self, message: str, *, rule: str | None = None, position: int | None = None, **details: Any) -> None:
        if rule is not None:
            details = {"rule": rule, **details}
        if position is not None:
            details["position"] = position
        super().__init__(message, **details)


class InvalidHttp(InvalidInput):
    """The request is malformed, in another version of HTTP, or in chunks or a head beyond their limits."""

    reason = Reason.INVALID_HTTP


class ForeignHost(InvalidInput):
    """The service does not answer under the name in the request."""

    reason = Reason.FOREIGN_HOST


class ForeignPage(InvalidInput):
    """A page of another site may not change anything."""

    reason = Reason.FOREIGN_PAGE


class UnreadableBody(InvalidInput):
    """The body is malformed, or of a media type that the route does not read."""

    reason = Reason.UNREADABLE_BODY


class InvalidJson(UnreadableBody):
    """The body is not JSON."""

    reason = Reason.INVALID_JSON


class LateBody(UnreadableBody):
    """The body did not arrive in time."""

    reason = Reason.TOO_SLOW


class LongBody(UnreadableBody):
    """The body is longer than the route allows."""

    reason = Reason.TOO_LARGE


class Unauthorized(InvalidInput):
    """The service requires a key, and the request has none or a wrong one; `WWW-Authenticate` says how to send it."""

    status = 401
    reason = Reason.API_KEY_MISSING


class WrongApiKey(Unauthorized):
    """The key is not one that the service knows."""

    reason = Reason.API_KEY_WRONG


class UnknownRoute(InvalidInput):
    """There is no resource at this path."""

    status = 404
    reason = Reason.UNKNOWN_ROUTE


class ChangeNotFound(InvalidInput):
    """No change of a level has this id."""

    status = 404
    reason = Reason.NOT_FOUND


class NameNotFound(InvalidInput):
    """Nothing of this kind is saved under this name."""

    status = 404
    reason = Reason.NOT_FOUND


class PrinterNotFound(InvalidInput):
    """No printer has this name."""

    status = 404
    reason = Reason.NOT_FOUND


class PrintJobNotFound(InvalidInput):
    """The printer has no job with this id."""

    status = 404
    reason = Reason.NOT_FOUND


class MethodNotAllowed(InvalidInput):
    """The resource exists but does not support this method; the `Allow` header lists those that it supports."""

    status = 405
    reason = Reason.METHOD_NOT_ALLOWED


class ProductNotFound(ServiceError):
    """No product has this id or code."""

    status = 404
    code = "PRODUCT_NOT_FOUND"
    reason = Reason.NOT_FOUND


class UnresolvedScan(ProductNotFound):
    """The scan names no product, or several; the details contain what was understood of it."""

    reason = Reason.NO_PRODUCT_MATCHES


class AmbiguousScan(UnresolvedScan):
    """Several products match the scan equally."""

    reason = Reason.SEVERAL_PRODUCTS_MATCH


class NoCodeOnImage(UnresolvedScan):
    """The image has no code that can be read."""

    reason = Reason.NO_CODE_ON_IMAGE


class DuplicateProductCode(ServiceError):
    """Another product already has this code."""

    status = 409
    code = "DUPLICATE_PRODUCT_CODE"
    reason = Reason.DUPLICATE_CODE


class LevelChanged(ServiceError):
    """The stored level is not the one that the caller expected; nothing was changed."""

    status = 409
    code = "VALIDATION_ERROR"
    reason = Reason.EXPECTED_LEVEL_DIFFERS


class LevelOutOfRange(ServiceError):
    """The level would leave its range; nothing was changed."""

    status = 409
    code = "VALIDATION_ERROR"
    reason = Reason.LEVEL_OUT_OF_RANGE


class LaterChange(ServiceError):
    """The level was changed later than this count was taken; nothing was changed."""

    status = 409
    code = "VALIDATION_ERROR"
    reason = Reason.COUNT_IS_OUTDATED


class AlreadyUndone(ServiceError):
    """The change has already been undone; nothing was changed."""

    status = 409
    code = "VALIDATION_ERROR"
    reason = Reason.ALREADY_UNDONE


class KeyReused(ServiceError):
    """The idempotency key was used for another request."""

    status = 409
    code = "VALIDATION_ERROR"
    reason = Reason.IDEMPOTENCY_KEY_REUSED


class PrintJobStateDiffers(ServiceError):
    """The print job is over, or not over yet, so that this is not possible; nothing was changed."""

    status = 409
    code = "VALIDATION_ERROR"
    reason = Reason.PRINT_JOB_STATE_DIFFERS


class InvalidFileFormat(ServiceError):
    """The upload is not a readable .xlsx or .xls workbook."""

    status = 400
    code = "INVALID_FILE_FORMAT"
    reason = Reason.UNREADABLE_FILE


class FileTooLarge(ServiceError):
    """The upload exceeds its limit, packed or unpacked."""

    status = 400
    code = "FILE_TOO_LARGE"
    reason = Reason.TOO_LARGE


class RateLimitExceeded(ServiceError):
    """There are too many requests, or too many uploads at once; `Retry-After` says when to retry."""

    status = 429
    code = "RATE_LIMIT_EXCEEDED"
    reason = Reason.RATE_LIMITED


class DatabaseFailure(ServiceError):
    """The database did not carry out an operation; the cause is in the log, never in the response."""

    code = "DATABASE_ERROR"


class UnconfirmedChange(DatabaseFailure):
    """The database did not confirm the change, which may have been made."""

    reason = Reason.UNCONFIRMED


class GenerationFailure(ServiceError):
    """Rendering of valid input failed."""

    code = "GENERATION_ERROR"


class ExportFailure(ServiceError):
    """An export could not be written."""

    code = "EXPORT_ERROR"


class Overload(ServiceError):
    """The service has too much work of this kind; `Retry-After` says in how many seconds to retry."""

    status = 503
    reason = Reason.OVERLOADED

    def __init__(self, message: str, *, retry_after: int = 1, **details: Any) -> None:
        super().__init__(message, headers={"Retry-After": str(retry_after)}, **details)

    @property
    def retry_after(self) -> int:
        """Seconds after which to retry."""
        return int(self.headers["Retry-After"])


class RenderOverload(Overload):
    """The render queue is full or the service is shutting down."""

    code = "GENERATION_ERROR"


class Stopping(RenderOverload):
    """The service is shutting down."""

    reason = Reason.STOPPING


class DatabaseOverload(Overload):
    """Too many requests wait for the database, or waited too long; `Retry-After` says when to retry."""

    code = "DATABASE_ERROR"


class ExportOverload(Overload):
    """The maximum number of exports and full lists is under way, or half of it by this client."""

    code = "EXPORT_ERROR"


class UploadOverload(Overload):
    """The maximum number of uploads is under way, or a slow one gave way to another one."""

    status = 429
    code = "RATE_LIMIT_EXCEEDED"
