"""Rows as COPY reads them: text, one row a line, fields apart by tabs (PostgreSQL's manual, COPY, text format).

Rule: what one COPY takes is complete when it begins. asyncpg, given a file or records, reads on and sends to a
connection that has gone meanwhile, which uvloop calls a RuntimeError; and it waits without a bound for one that takes
no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import asyncpg

_NULL = "\\N"
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def line(values: Iterable[object]) -> str:
    """Return a row as a line; raises TypeError for what is neither a text nor a number."""
    return "\t".join(map(_field, values)) + "\n"


async def copy_lines(connection: asyncpg.Connection, table: str, columns: Sequence[str], lines: bytes) -> None:
    """Put lines into a table; raises what asyncpg raises."""
    # a view, because asyncpg would take bytes for the name of a file
    await connection.copy_to_table(table, source=memoryview(lines), columns=columns)


def _field(value: object) -> str:
    if value is None:
        return _NULL
    if not isinstance(value, (str, int, float)):
        raise TypeError(f"{type(value).__name__} where a text or a number belongs")
    return str(value).translate(_ESCAPES)
