"""The rows of an import: put aside in a database file of their own, then taken into the catalogue by set statements.

    with staging(path) as rows:          # in whatever process; needs no catalogue
        rows.put([(number, columns, filled), ...])
    await database.write_long(work, staged=path)    # `work` calls the functions below, chunk by chunk

What becomes of a row is decided by statements alone, inside one transaction, in the connection's thread and without
the interpreter lock: a hundred thousand rows cost the event loop nothing. Rule: the file lives as long as its import,
so nothing in it is made safe against a crash.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from barcodesvc.errors import DatabaseFailure
from barcodesvc.models import DEFAULT_UNIT
from barcodesvc.store.connection import Connection
from barcodesvc.store.products import FIRST_AUTHOR, FIRST_REASON, ProductColumns
from barcodesvc.store.queries import QUERIES, Query

_LOG = logging.getLogger(__name__)

CHUNK = 2000
"""Rows that one statement takes, some 20 ms of work: what is told and what is cancelled happens in between."""

ValidRow = tuple[int, ProductColumns, frozenset[str]]
"""The number beside a row in its spreadsheet, its product, and the fields of the draft that it filled in."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The staged rows of the places over `after` up to `upto`."""

    after: int
    upto: int

    @property
    def rows(self) -> int:
        """How many they are."""
        return self.upto - self.after


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A row whose product would have a maximum below its minimum; what the row itself gives is None where blank."""

    number: int
    product_code: str
    given_minimum: int | None
    given_maximum: int | None
    minimum_level: int
    maximum_level: int


@dataclass(frozen=True, slots=True)
class StoredProduct:
    """A product with its levels, as a preview shows it."""

    product_code: str
    description: str
    category: str
    unit_of_measure: str
    current_level: int
    minimum_level: int
    maximum_level: int


class Staging:
    """The open file that rows are put into; made by `staging`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.rows = 0

    def put(self, rows: Iterable[ValidRow]) -> None:
        """Put rows aside, behind those that are already there; no code may come twice."""
        with _translated():
            self._connection.executemany(QUERIES["put_staged_row"].sql, map(self._staged, rows))

    def _staged(self, row: ValidRow) -> dict[str, Any]:
        number, product, filled = row
        self.rows += 1
        return {
            "place": self.rows,
            "number": number,
            "product_code": product.product_code,
            "description": product.description,
            "category": product.category if "category" in filled else None,
            "unit_of_measure": product.unit_of_measure if "unit_of_measure" in filled else None,
            "code_folded": product.code_folded,
            "description_folded": product.description_folded,
            "gtin": product.gtin,
            "short_gtin": product.short_gtin,
            "initial_level": product.initial_level,
            "minimum_level": product.minimum_level if "minimum_level" in filled else None,
            "maximum_level": product.maximum_level if "maximum_level" in filled else None,
        }


@contextmanager
def staging(path: Path) -> Iterator[Staging]:
    """Make the empty file one that rows can be put into; they are all there once it is left without an error.

    Raises DatabaseFailure, as `Staging.put`, if they cannot be stored.
    """
    with _translated():
        connection = sqlite3.connect(path, isolation_level=None)
    with closing(connection):
        with _translated():
            connection.execute(QUERIES["keep_no_journal"].sql)
            connection.execute(QUERIES["synchronise_nothing"].sql)
            connection.execute(QUERIES["begin_reading"].sql)
            connection.execute(QUERIES["create_staged_rows"].sql)
        yield Staging(connection)
        with _translated():
            connection.execute(QUERIES["commit"].sql)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        _LOG.exception("the rows of an import cannot be put aside")
        raise DatabaseFailure("the rows of the file could not be put aside; nothing was changed") from error


def chunks(rows: int) -> Iterator[Chunk]:
    """Yield the chunks of so many staged rows, in order."""
    for after in range(0, rows, CHUNK):
        yield Chunk(after, min(after + CHUNK, rows))


async def insert_new(connection: Connection, chunk: Chunk, now: str) -> int:
    """Create the products that are not there yet, with levels and histories, and return how many they are."""
    places = {"after": chunk.after, "upto": chunk.upto}
    last = await connection.row(QUERIES["last_product_id"])
    last_id = last[0] if last else 0
    created = await connection.change(QUERIES["insert_staged_products"], **places, unit=DEFAULT_UNIT, now=now)
    if created:
        first = {**places, "last_id": last_id, "updated_by": FIRST_AUTHOR, "now": now}
        await connection.change(QUERIES["insert_staged_levels"], **first)
        await connection.change(QUERIES["insert_staged_changes"], **first, change_reason=FIRST_REASON)
    return created


async def update_stored(connection: Connection, chunk: Chunk, now: str) -> int:
    """Change products that are already there, but for contradictions, and return how many they are."""
    places = {"after": chunk.after, "upto": chunk.upto}
    changed = await connection.change(QUERIES["update_staged_products"], **places, now=now)
    if changed:
        await connection.change(QUERIES["update_staged_levels"], **places)
    return changed


async def contradictions(connection: Connection, chunk: Chunk) -> list[Contradiction]:
    """Return the rows that an update would bring into contradiction with what is stored."""
    rows = await connection.rows(QUERIES["contradicting_rows"], after=chunk.after, upto=chunk.upto)
    return [Contradiction(*row) for row in rows]


async def count_new(connection: Connection, chunk: Chunk) -> int:
    """Return how many products `insert_new` would create."""
    return await _counted(connection, QUERIES["count_new_rows"], chunk)


async def count_changing(connection: Connection, chunk: Chunk) -> int:
    """Return how many products `update_stored` would change."""
    return await _counted(connection, QUERIES["count_changing_rows"], chunk)


async def preview_new(connection: Connection, chunk: Chunk, limit: int) -> list[tuple[int, StoredProduct]]:
    """Return the first products that `insert_new` would create, as they would be, with the numbers of their rows."""
    return await _previewed(connection, QUERIES["preview_new_rows"], chunk, limit=limit, unit=DEFAULT_UNIT)


async def preview_changing(connection: Connection, chunk: Chunk, limit: int) -> list[tuple[int, StoredProduct]]:
    """Return the first products that `update_stored` would change, as they would be then."""
    return await _previewed(connection, QUERIES["preview_changing_rows"], chunk, limit=limit)


async def preview_staying(connection: Connection, chunk: Chunk, limit: int) -> list[tuple[int, StoredProduct]]:
    """Return the first products that are already there, as they are."""
    return await _previewed(connection, QUERIES["preview_staying_rows"], chunk, limit=limit)


async def _counted(connection: Connection, query: Query, chunk: Chunk) -> int:
    row = await connection.row(query, after=chunk.after, upto=chunk.upto)
    return row[0] if row else 0


async def _previewed(
    connection: Connection, query: Query, chunk: Chunk, **parameters: Any
) -> list[tuple[int, StoredProduct]]:
    rows = await connection.rows(query, after=chunk.after, upto=chunk.upto, **parameters)
    return [(row[0], StoredProduct(*row[1:])) for row in rows]
