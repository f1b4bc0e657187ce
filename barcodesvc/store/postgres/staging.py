"""The rows of an import in a file for COPY, which a transaction then loads into a temporary table `staged_rows`.

The process that parses the import writes the file, and needs no connection. COPY is many times as fast as INSERT. It
takes text with one row a line, and tabs between the fields (PostgreSQL's manual, COPY, text format).

Rule: the data of a COPY is complete before it begins. asyncpg reads a file or records while it sends them: even to a
connection that is lost, where uvloop raises RuntimeError, and without a time limit to a server that stops reading.
"""

import asyncio
import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import asyncpg

from barcodesvc.errors import DatabaseFailure
from barcodesvc.store.postgres.queries import QUERIES

_LOG = logging.getLogger(__name__)

COLUMNS = (
    *("position", "number", "product_code", "description", "category", "unit_of_measure", "code_folded"),
    *("description_folded", "number_key", "main_key", "codabar_key", "initial_level", "minimum_level"),
    *("maximum_level", "attributes", "other_codes"),
)
_COPY_BYTES = 512 * 1024
"""Bytes of rows in one COPY."""
_NULL = "\\N"
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def line(values: Iterable[object]) -> str:
    """Return a row as a line; raises TypeError for a value that is neither a text nor a number."""
    return "\t".join(map(_field, values)) + "\n"


def _field(value: object) -> str:
    if value is None:
        return _NULL
    if not isinstance(value, (str, int, float)):
        raise TypeError(f"a {type(value).__name__} is neither a text nor a number")
    return str(value).translate(_ESCAPES)


async def copy_lines(connection: asyncpg.Connection, table: str, columns: Sequence[str], lines: bytes) -> None:
    """Append lines to a table; raises asyncpg's errors."""
    # a view: asyncpg takes bytes for the name of a file
    await connection.copy_to_table(table, source=memoryview(lines), columns=columns)


class StagingFile:
    """The open file; made by `staging_file`."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def put(self, rows: Iterable[dict[str, Any]]) -> None:
        """Append rows."""
        for row in rows:
            self._file.write(line(row[column] for column in COLUMNS))


@contextmanager
def staging_file(path: Path) -> Iterator[StagingFile]:
    """Make the empty file a staged one; its rows are complete if the block ends without an error.

    Raises DatabaseFailure if rows cannot be stored.
    """
    with _failing("stored"), path.open("w", encoding="utf-8", newline="") as file:
        yield StagingFile(file)


async def load(connection: asyncpg.Connection, path: Path) -> None:
    """Load a staged file into the table `staged_rows`, which ends with the transaction.

    Raises DatabaseFailure if the file cannot be read, and asyncpg's errors.
    """
    with _failing("read"):
        file = path.open("rb")
    with file:
        await connection.execute(QUERIES["read_by_indexes"].sql)
        await connection.execute(QUERIES["create_staged_rows"].sql)
        while some := await asyncio.to_thread(_next_lines, file):
            await copy_lines(connection, "staged_rows", COLUMNS, some)
    await connection.execute(QUERIES["count_staged_rows"].sql)


def _next_lines(file: IO[bytes]) -> bytes:
    with _failing("read"):
        return b"".join(file.readlines(_COPY_BYTES))


@contextmanager
def _failing(what: str) -> Iterator[None]:
    """Raise DatabaseFailure if the file cannot be read or stored, whichever it is."""
    try:
        yield
    except OSError as error:
        _LOG.exception("the rows of an import cannot be %s", what)
        raise DatabaseFailure(f"the rows of the file could not be {what}; nothing was changed") from error
