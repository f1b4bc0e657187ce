"""Exception hierarchy: every way in which a request can fail, as one tree.

    ServiceError                    500
      InvalidInput                  400  VALIDATION_ERROR
        InvalidContent              400  content that a symbology cannot encode, with the rule and position
        Unauthorized                401
        UnknownRoute                404
        ChangeNotFound              404
        MethodNotAllowed            405
      ProductNotFound               404  PRODUCT_NOT_FOUND
      DuplicateProductCode          409  DUPLICATE_PRODUCT_CODE
      LevelChanged                  409  VALIDATION_ERROR
      LevelOutOfRange               409  VALIDATION_ERROR
      LaterChange                   409  VALIDATION_ERROR
      AlreadyUndone                 409  VALIDATION_ERROR
      KeyReused                     409  VALIDATION_ERROR
      InvalidFileFormat             400  INVALID_FILE_FORMAT
      FileTooLarge                  400  FILE_TOO_LARGE
      RateLimitExceeded             429  RATE_LIMIT_EXCEEDED
      DatabaseFailure               500  DATABASE_ERROR
      GenerationFailure             500  GENERATION_ERROR
      ExportFailure                 500  EXPORT_ERROR
      Overload                      503  too much work of one kind, with the code of that kind and `Retry-After`
        RenderOverload              503  GENERATION_ERROR
        DatabaseOverload            503  DATABASE_ERROR
        ExportOverload              503  EXPORT_ERROR
        UploadOverload              429  RATE_LIMIT_EXCEEDED

StartError and BackupError are not part of the tree: they are raised outside of requests.

Rule: a library's exception is translated into this tree at the edge of the module that owns the library; status and
code are class attributes, so that no handler chooses them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

MOST_PROBLEMS = 50
"""Problems that are reported for one input; a search for them may stop at one more."""


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

    def __init__(self, message: str, *, headers: dict[str, str] | None = None, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details = details
        self.headers = headers or {}


class InvalidInput(ServiceError):
    """The input breaks a rule; `details.errors` lists every such field, or the first 50 of them."""

    status = 400
    code = "VALIDATION_ERROR"

    @classmethod
    def of(cls, *problems: FieldProblem) -> InvalidInput:
        """Build the error from its problems, the first of them in the message."""
        first, reported = problems[0], problems[:MOST_PROBLEMS]
        more = f" (and {len(reported) - 1} more)" if len(reported) > 1 else ""
        error = cls(f"{first.field}: {first.message}{more}", errors=[problem.as_json() for problem in reported])
        if len(reported) < len(problems):
            error.details["errors_truncated"] = True
        return error


class InvalidContent(InvalidInput):
    """The symbology cannot encode the content; the details name the broken rule, and where it is broken.

    `position` counts characters from 1; `fits` says what would be accepted.
    """

    def __init__(self, message: str, *, rule: str, position: int | None = None, **details: Any) -> None:
        if position is not None:
            details["position"] = position
        super().__init__(message, rule=rule, **details)


class Unauthorized(InvalidInput):
    """The service requires a key, and the request has none or a wrong one; `WWW-Authenticate` says how to send it."""

    status = 401


class UnknownRoute(InvalidInput):
    """There is no resource at this path."""

    status = 404


class ChangeNotFound(InvalidInput):
    """No change of a level has this id."""

    status = 404


class MethodNotAllowed(InvalidInput):
    """The resource exists but does not support this method; the `Allow` header lists those that it supports."""

    status = 405


class ProductNotFound(ServiceError):
    """No product has this id or code, or no product matches a scan."""

    status = 404
    code = "PRODUCT_NOT_FOUND"


class DuplicateProductCode(ServiceError):
    """Another product already has this code."""

    status = 409
    code = "DUPLICATE_PRODUCT_CODE"


class LevelChanged(ServiceError):
    """The stored level is not the one that the caller expected; nothing was changed."""

    status = 409
    code = "VALIDATION_ERROR"


class LevelOutOfRange(ServiceError):
    """The level would leave its range; nothing was changed."""

    status = 409
    code = "VALIDATION_ERROR"


class LaterChange(ServiceError):
    """The level was changed later than this count was taken; nothing was changed."""

    status = 409
    code = "VALIDATION_ERROR"


class AlreadyUndone(ServiceError):
    """The change has already been undone; nothing was changed."""

    status = 409
    code = "VALIDATION_ERROR"


class KeyReused(ServiceError):
    """The idempotency key was used for another request."""

    status = 409
    code = "VALIDATION_ERROR"


class InvalidFileFormat(ServiceError):
    """The upload is not a readable .xlsx or .xls workbook."""

    status = 400
    code = "INVALID_FILE_FORMAT"


class FileTooLarge(ServiceError):
    """The upload exceeds its limit, packed or unpacked."""

    status = 400
    code = "FILE_TOO_LARGE"


class RateLimitExceeded(ServiceError):
    """There are too many requests, or too many uploads at once; `Retry-After` says when to retry."""

    status = 429
    code = "RATE_LIMIT_EXCEEDED"


class DatabaseFailure(ServiceError):
    """The database did not carry out an operation; the cause is in the log, never in the response."""

    code = "DATABASE_ERROR"


class GenerationFailure(ServiceError):
    """Rendering of valid input failed."""

    code = "GENERATION_ERROR"


class ExportFailure(ServiceError):
    """An export could not be written."""

    code = "EXPORT_ERROR"


class Overload(ServiceError):
    """The service has too much work of this kind; `Retry-After` says in how many seconds to retry."""

    status = 503

    def __init__(self, message: str, *, retry_after: int = 1, **details: Any) -> None:
        super().__init__(message, headers={"Retry-After": str(retry_after)}, **details)

    @property
    def retry_after(self) -> int:
        """Seconds after which to retry."""
        return int(self.headers["Retry-After"])


class RenderOverload(Overload):
    """The render queue is full or the service is shutting down."""

    code = "GENERATION_ERROR"


class DatabaseOverload(Overload):
    """Too many requests wait for the database, or waited too long; `Retry-After` says when to retry."""

    code = "DATABASE_ERROR"


class ExportOverload(Overload):
    """The maximum number of exports and full lists is under way, or a slow client gave way to another one."""

    code = "EXPORT_ERROR"


class UploadOverload(Overload):
    """The maximum number of uploads is under way, or a slow one gave way to another one."""

    status = 429
    code = "RATE_LIMIT_EXCEEDED"
