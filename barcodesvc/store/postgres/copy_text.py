"""Rows for COPY: text with one row a line, and tabs between the fields (PostgreSQL's manual, COPY, text format).

Rule: the data of a COPY is complete before it begins. asyncpg reads a file or records while it sends them: even to a
connection that is lost, where uvloop raises RuntimeError, and without a time limit to a server that stops reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import asyncpg

_NULL = "\\N"
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def line(values: Iterable[object]) -> str:
    """Return a row as a line; raises TypeError for a value that is neither a text nor a number."""
    return "\t".join(map(_field, values)) + "\n"


async def copy_lines(connection: asyncpg.Connection, table: str, columns: Sequence[str], lines: bytes) -> None:
    """Append lines to a table; raises asyncpg's errors."""
    # a view: asyncpg takes bytes for the name of a file
    await connection.copy_to_table(table, source=memoryview(lines), columns=columns)


def _field(value: object) -> str:
    if value is None:
        return _NULL
    if not isinstance(value, (str, int, float)):
        raise TypeError(f"a {type(value).__name__} is neither a text nor a number")
    return str(value).translate(_ESCAPES)
