"""Copying a whole database into an empty one, of either engine: table by table, each row with its id.

The source is read in one transaction. The target is filled in another one, which is committed only if every table has
as many rows as in the source.

Rule: derived data is not copied. Triggers maintain the counters of the target; its first start builds the text index.
"""

from collections.abc import AsyncIterator, Collection, Sequence
from functools import cache
from importlib.metadata import version as version_of
from typing import Any, NamedTuple, Protocol

from barcodesvc.errors import BackupError
from barcodesvc.store.migrations import known_version
from barcodesvc.store.queries import load_queries
from barcodesvc.store.script import Script

BATCH_ROWS = 2_000
"""Rows that are in memory at once."""

NUMBERED = ("products", "product_codes", "levels", "movements", "imports", "print_jobs", "unknown_scans")
"""Tables to which the database assigns the ids, none twice."""
TABLES = (*NUMBERED, "made_codes", "idempotency_keys", "session_key", "ended_sessions", "label_layouts", "label_images")
"""Ordered so that each row follows the rows that it references."""


class Batch(NamedTuple):
    """Some rows of a table, and the names of their columns."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


class Tables(Protocol):
    """The tables of a database inside a transaction; the transaction of a target keeps other writers out."""

    def batches(self, table: str) -> AsyncIterator[Batch]:
        """Yield all rows of a table in the order of its key, at most BATCH_ROWS at a time."""

    async def insert(self, table: str, batch: Batch) -> None:
        """Insert rows; raises BackupError if the database cannot store one."""

    async def value(self, name: str, table: str, **parameters: int) -> int:
        """Return what a query of copy.sql returns for a table, which is its parameter, too."""


queries_with = cache(load_queries)
"""Returns the queries of an engine with other parts, of which `table` names one that is copied."""


async def copy(source: Tables, target: Tables) -> str:
    """Copy all tables and return a summary; raises BackupError if the target is not empty or does not match."""
    for table in TABLES:
        if await target.value("count_copied_rows", table):
            raise BackupError(f"the target is not empty: its table {table} has rows; name a new database")
    copied = {table: await _copied(source, target, table) for table in TABLES}
    for table in NUMBERED:  # a server does not roll this back, so it comes last
        await target.value("set_last_given_id", table, last=await source.value("last_given_id", table))
    return (
        f"{copied['products']} products with their levels, {copied['movements']} changes of levels, "
        f"{copied['idempotency_keys']} idempotency keys; row counts match"
    )


async def _copied(source: Tables, target: Tables, table: str) -> int:
    rows = 0
    async for batch in source.batches(table):
        await target.insert(table, batch)
        rows += len(batch.rows)
    found = await target.value("count_copied_rows", table)
    if found != rows:
        raise BackupError(f"the table {table} differs between source ({rows} rows) and target ({found} rows)")
    return rows


class EmptySourceError(BackupError):
    """A source has no tables: the first start creates them."""


class OlderSourceError(BackupError):
    """The schema of a source is older than this release's: the next start migrates it."""


def require_newest(scripts: Collection[int]) -> Script[None]:
    """Refuse a source without the newest schema; raises EmptySourceError, OlderSourceError, and StartError."""
    version = yield from known_version(scripts)
    if not version:
        raise EmptySourceError("the source is an empty database")
    if version < max(scripts):
        raise OlderSourceError(
            f"it has schema version {version}, and {max(scripts)} is needed; "
            f"start barcodesvc {version_of('barcodesvc')} with it once, which migrates it"
        )
