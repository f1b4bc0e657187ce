"""The rows of an import in a file for COPY, which a transaction then loads into a temporary table `staged_rows`.

The process that parses the import writes the file, and needs no connection. COPY is many times as fast as INSERT.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import asyncpg

from barcodesvc.errors import DatabaseFailure
from barcodesvc.store.postgres.copy_text import copy_lines, line
from barcodesvc.store.postgres.queries import QUERIES

_LOG = logging.getLogger(__name__)

COLUMNS = (
    "position",
    "number",
    "product_code",
    "description",
    "category",
    "unit_of_measure",
    "code_folded",
    "description_folded",
    "number_key",
    "initial_level",
    "minimum_level",
    "maximum_level",
    "attributes",
)
_COPY_BYTES = 512 * 1024
"""Bytes of rows in one COPY."""


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
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            yield StagingFile(file)
    except OSError as error:
        _LOG.exception("the rows of an import cannot be stored")
        raise DatabaseFailure("the rows of the file could not be stored; nothing was changed") from error


async def load(connection: asyncpg.Connection, path: Path) -> None:
    """Load a staged file into the table `staged_rows`, which ends with the transaction.

    Raises DatabaseFailure if the file cannot be read, and asyncpg's errors.
    """
    with _readable():
        file = path.open("rb")
    with file:
        await connection.execute(QUERIES["read_by_indexes"].sql)
        await connection.execute(QUERIES["create_staged_rows"].sql)
        while some := await asyncio.to_thread(_next_rows, file):
            await copy_lines(connection, "staged_rows", COLUMNS, some)
    await connection.execute(QUERIES["count_staged_rows"].sql)


def _next_rows(file: IO[bytes]) -> bytes:
    with _readable():
        return b"".join(file.readlines(_COPY_BYTES))


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        _LOG.exception("the rows of an import cannot be read")
        raise DatabaseFailure("the rows of the file could not be read; nothing was changed") from error
