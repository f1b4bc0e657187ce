r"""Log formatter that prevents log injection: one record is one line, and its traceback is indented below it.

A path, a header or an exception's text may contain client input: line breaks that start a false record, escape
sequences that a terminal obeys, marks that change the reading direction. Rule: every invisible character is written as
an escape such as `\x1b` or `\u202e`, for all loggers of the process, including those of libraries.
"""

import logging
import re
from types import TracebackType

FORMAT = "%(asctime)s %(levelname)s %(name)s [%(request_id)s]: %(message)s"
"""A filter sets the id of the request that a line belongs to; lines outside of requests show NO_REQUEST."""
NO_REQUEST = "-"
_INDENT = "    "
_UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
"""Control characters (C0, C1, DEL), line separators, direction marks, zero-width characters, lone surrogates."""

_Raised = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class LineFormatter(logging.Formatter):
    """Formats a record as one line, followed by its traceback with each line indented."""

    def __init__(self, form: str) -> None:
        super().__init__(form, defaults={"request_id": NO_REQUEST})

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, and the traceback and stack below it."""
        record.exc_text = None  # another formatter may have cached its own text there
        return super().format(record)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name in the standard library
        """Return the line with invisible characters escaped."""
        return visible(super().formatMessage(record))

    def formatException(self, ei: _Raised) -> str:  # noqa: N802 - as formatMessage
        """Return the traceback, indented and escaped."""
        return _indented(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802 - as formatMessage
        """Return the stack, indented and escaped."""
        return _indented(super().formatStack(stack_info))


def log_to_standard_error(level: str, *filters: logging.Filter) -> None:
    """Log to standard error in this format, for all loggers of the process, from this level on, through the filters."""
    handler = logging.StreamHandler()
    for one in filters:
        handler.addFilter(one)
    handler.setFormatter(LineFormatter(FORMAT))
    logging.basicConfig(level=level, handlers=[handler])


def visible(text: str) -> str:
    """Return the text with invisible characters and line breaks written as escapes."""
    return _UNSEEN.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"  # noqa: PLR2004 - the greatest of two digits


def _indented(text: str) -> str:
    return "\n".join(_INDENT + visible(line) for line in text.split("\n"))
