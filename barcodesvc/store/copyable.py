"""What of a database is copied into another one, and what an engine does for that.

Rule: what is derived, as an index of texts or a count, is not copied; the target's engine makes its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version as version_of
from typing import Protocol

from barcodesvc.errors import BackupError
from barcodesvc.store.script import Row

BATCH_ROWS = 2_000
"""Rows that are in memory at once."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table by its name; `read` and `put` are the queries that read some rows behind a key, and put a row.

    Its key is the first of its columns. `numbered` says whether the database gives the keys, none of them twice.
    """

    name: str
    read: str
    put: str
    columns: tuple[str, ...]
    numbered: bool = False

    @property
    def before_first(self) -> int | str:
        """What is below every key."""
        return 0 if self.columns[0] == "id" else ""


PRODUCTS = Table(
    "products",
    "copied_products",
    "put_copied_product",
    (
        "id",
        "product_code",
        "description",
        "category",
        "unit_of_measure",
        "created_at",
        "updated_at",
        "code_folded",
        "description_folded",
        "gtin",
        "short_gtin",
    ),
    numbered=True,
)
LEVELS = Table(
    "levels",
    "copied_levels",
    "put_copied_level",
    (
        "id",
        "product_id",
        "current_level",
        "minimum_level",
        "maximum_level",
        "last_updated",
        "updated_by",
        "changed_at",
    ),
    numbered=True,
)
CHANGES = Table(
    "level_changes",
    "copied_changes",
    "put_copied_change",
    (
        "id",
        "product_id",
        "old_level",
        "new_level",
        "change_reason",
        "updated_by",
        "updated_at",
        "scanned_at",
        "undoes",
    ),
    numbered=True,
)
KEYS = Table(
    "idempotency_keys",
    "copied_keys",
    "put_copied_key",
    ("idempotency_key", "used_for", "fingerprint", "answer", "used_at"),
)
SESSION_KEY = Table("session_key", "copied_session_key", "put_copied_session_key", ("id", "session_key"))
ENDED_SESSIONS = Table(
    "ended_sessions", "copied_ended_sessions", "put_copied_ended_session", ("session_id", "expires_at")
)
TABLES = (PRODUCTS, LEVELS, CHANGES, KEYS, SESSION_KEY, ENDED_SESSIONS)
"""In an order in which every row comes behind those that it refers to."""


class Source(Protocol):
    """A database that stays as it was when it was opened, whoever changes it meanwhile."""

    async def rows(self, table: Table, after: int | str) -> Sequence[Row]:
        """Return the next rows of a table behind a key, in the order of the keys, at most BATCH_ROWS."""

    async def last_id(self, table: Table) -> int:
        """Return the last id that was given in a table, also where its row is gone; 0 for none."""


class Target(Source, Protocol):
    """A database of the newest version in a transaction, in which nobody else changes it."""

    async def put(self, table: Table, rows: Sequence[Row]) -> None:
        """Put rows into a table; raises BackupError for one that the database cannot hold."""

    async def complete(self) -> None:
        """Make what is derived from the rows."""

    async def set_last_id(self, table: Table, last: int) -> None:
        """Let the next id of a table be above this one. Not every engine undoes it, so it comes last."""


def require_version(version: int, known: int) -> None:
    """Raise BackupError for a source whose tables may be others than those that this release knows."""
    if version < known:
        raise BackupError(
            f"it has schema version {version}, and {known} is needed; "
            f"start barcodesvc {version_of('barcodesvc')} with it once, which brings it there"
        )
    if version > known:
        raise BackupError(
            f"it has schema version {version}, this release knows {known}; copy it with the newer release that made it"
        )
