r"""A log formatter against forged lines: one record is one line, and what stands below it is indented.

A path, a header or the text of an exception may hold what a client sent: line breaks that begin a false line, escape
sequences that a terminal obeys, marks that turn the reading direction. Rule: whatever does not show is written as
`\x1b` or `\u202e`, for every logger of the process, those of libraries too.
"""

from __future__ import annotations

import logging
import re
from types import TracebackType

FORMAT = "%(asctime)s %(levelname)s %(name)s [%(request_id)s]: %(message)s"
"""The id of the request that a line belongs to is set by a filter; NO_REQUEST stands where there is none."""
NO_REQUEST = "-"
_INDENT = "    "
_UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
"""Controls (C0, C1, DEL), separators of lines, marks of direction, characters without width, halves of surrogates."""

_Raised = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class LineFormatter(logging.Formatter):
    """Formats a record as one line, and below it its traceback, indented, with lines of its own."""

    def __init__(self, form: str) -> None:
        super().__init__(form, defaults={"request_id": NO_REQUEST})

    def format(self, record: logging.LogRecord) -> str:
        """Return the line and what stands below it."""
        record.exc_text = None  # what another formatter has left there
        return super().format(record)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name in the standard library
        """Return the line."""
        return visible(super().formatMessage(record))

    def formatException(self, ei: _Raised) -> str:  # noqa: N802 - as formatMessage
        """Return the traceback."""
        return _indented(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802 - as formatMessage
        """Return the stack."""
        return _indented(super().formatStack(stack_info))


def log_to_standard_error(level: str, *filters: logging.Filter) -> None:
    """Let every logger of the process write such lines, from this level on, as far as the filters let them pass."""
    handler = logging.StreamHandler()
    for one in filters:
        handler.addFilter(one)
    handler.setFormatter(LineFormatter(FORMAT))
    logging.basicConfig(level=level, handlers=[handler])
    # at DEBUG it writes what statements are run with, which is somebody's data
    logging.getLogger("aiosqlite").setLevel(logging.INFO)


def visible(text: str) -> str:
    """Return the text with everything that does not show, or breaks the line, written as an escape."""
    return _UNSEEN.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"  # noqa: PLR2004 - the greatest of two digits


def _indented(text: str) -> str:
    return "\n".join(_INDENT + visible(line) for line in text.split("\n"))
