"""Copying a whole database into an empty one, of either engine: table by table, each row with its id.

The source is read in one transaction. The target is filled in another one and read back; it is committed only if the
row count and the checksum of every table match.

Rule: derived data is not copied. Triggers maintain the counters of the target; its first start builds the text index.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version as version_of
from typing import Any, Protocol

from barcodesvc.errors import BackupError
from barcodesvc.store.migrations import OWN_TABLES, no_longer_known

BATCH_ROWS = 2_000
"""Rows that are in memory at once."""

Batch = list[dict[str, Any]]
"""Some rows of a table, each with its columns by name."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table, and the names of the queries that read its rows and insert one into a file.

    `numbered` says that the database assigns the ids and never assigns one twice.
    """

    name: str
    read: str
    insert: str
    numbered: bool = False


PRODUCTS = Table("products", "copied_products", "insert_copied_product", numbered=True)
LEVELS = Table("levels", "copied_levels", "insert_copied_level", numbered=True)
CHANGES = Table("movements", "copied_changes", "insert_copied_change", numbered=True)
KEYS = Table("idempotency_keys", "copied_keys", "insert_copied_key")
SESSION_KEY = Table("session_key", "copied_session_key", "insert_copied_session_key")
ENDED_SESSIONS = Table("ended_sessions", "copied_ended_sessions", "insert_copied_ended_session")
LABEL_LAYOUTS = Table("label_layouts", "copied_label_layouts", "insert_copied_label_layout")
LABEL_IMAGES = Table("label_images", "copied_label_images", "insert_copied_label_image")
PRINT_JOBS = Table("print_jobs", "copied_print_jobs", "insert_copied_print_job", numbered=True)
TABLES = (PRODUCTS, LEVELS, CHANGES, KEYS, SESSION_KEY, ENDED_SESSIONS, LABEL_LAYOUTS, LABEL_IMAGES, PRINT_JOBS)
"""Ordered so that each row follows the rows that it references."""


class Tables(Protocol):
    """The tables of a database inside a transaction; the transaction of a target keeps other writers out."""

    def batches(self, table: Table) -> AsyncIterator[Batch]:
        """Yield all rows of a table in the order of its key, at most BATCH_ROWS at a time."""

    async def last_id(self, table: Table) -> int:
        """Return the last id that a table has assigned, even if its row is deleted; 0 for none."""

    async def insert(self, table: Table, batch: Batch) -> None:
        """Insert rows; raises BackupError if the database cannot store one."""

    async def set_last_id(self, table: Table, last: int) -> None:
        """Make the next id follow this one. A server does not roll this back, so it comes last."""


async def copy(source: Tables, target: Tables) -> str:
    """Copy all tables and return a summary; raises BackupError if the target is not empty or does not match."""
    for table in TABLES:
        if (await _content(target.batches(table)))[0]:
            raise BackupError(f"the target is not empty: its table {table.name} has rows; name a new database")
    contents = {table: await _content(_inserted(source, target, table)) for table in TABLES}
    for table, (rows, checksum) in contents.items():
        found, found_checksum = await _content(target.batches(table))
        if (found, found_checksum) != (rows, checksum):
            raise BackupError(f"the table {table.name} differs between source ({rows} rows) and target ({found} rows)")
    for table in TABLES:
        if table.numbered:
            await target.set_last_id(table, await source.last_id(table))
    return (
        f"{contents[PRODUCTS][0]} products with their levels, {contents[CHANGES][0]} changes of levels, "
        f"{contents[KEYS][0]} idempotency keys; row counts and checksums match"
    )


async def _inserted(source: Tables, target: Tables, table: Table) -> AsyncIterator[Batch]:
    async for batch in source.batches(table):
        await target.insert(table, batch)
        yield batch


async def _content(batches: AsyncIterator[Batch]) -> tuple[int, bytes]:
    """Return the number of rows, and their checksum."""
    rows, checksum = 0, sha256()
    async for batch in batches:
        rows += len(batch)
        checksum.update("".join(repr(tuple(row.values())) for row in batch).encode())
    return rows, checksum.digest()


class EmptySourceError(BackupError):
    """A source has no tables: the first start creates them."""


class OlderSourceError(BackupError):
    """The schema of a source is older than this release's: the next start migrates it."""


def require_source(tables: Iterable[str]) -> None:
    """Raise BackupError if the tables of a source are not this service's, EmptySourceError if it has none."""
    found = set(tables)
    if not found:
        raise EmptySourceError("the source is an empty database")
    if not found >= OWN_TABLES:
        raise BackupError("the source is not a database of this service")


def require_version(version: int, known: Collection[int]) -> None:
    """Raise BackupError if the schema of a source is not the newest known one, OlderSourceError if it can become it."""
    oldest, newest = min(known), max(known)
    if version < oldest:
        raise BackupError(no_longer_known(version))
    if version < newest:
        raise OlderSourceError(
            f"it has schema version {version}, and {newest} is needed; "
            f"start barcodesvc {version_of('barcodesvc')} with it once, which migrates it"
        )
    if version > newest:
        raise BackupError(
            f"it has schema version {version}, this release knows {newest}; copy it with the newer release that made it"
        )
