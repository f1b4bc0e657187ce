"""Copying a whole database into an empty one, of whatever engine: table by table, each row as it is, its id included.

At the end the target is read again, and its rows are counted and hashed as those of the source were when they came.
Only a target that holds the same is committed, by whoever has opened it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from barcodesvc.errors import BackupError
from barcodesvc.store.copyable import CHANGES, KEYS, PRODUCTS, TABLES, Source, Table, Target
from barcodesvc.store.script import Row


@dataclass(slots=True)
class _Content:
    """How many rows were seen, and a checksum (SHA-256) of what stands in them and of their order."""

    rows: int = 0
    checksum: Any = field(default_factory=sha256)

    def add(self, rows: Sequence[Row]) -> None:
        """Count rows and take them into the checksum."""
        self.rows += len(rows)
        self.checksum.update("".join(map(repr, rows)).encode())


async def copy(source: Source, target: Target) -> str:
    """Copy everything, and return what to say of it; raises BackupError where the target is not empty or not alike."""
    for table in TABLES:
        await _require_empty(target, table)
    contents = {table: await _copied(source, target, table) for table in TABLES}
    await target.complete()
    for table, content in contents.items():
        await _require_same(target, table, content)
    for table in TABLES:
        if table.numbered:
            await _go_on_behind(source, target, table)
    return _summary(contents)


async def _require_empty(target: Target, table: Table) -> None:
    if await target.rows(table, table.before_first):
        raise BackupError(f"the target is not empty: there are rows in its table {table.name}; name a new database")


async def _copied(source: Source, target: Target, table: Table) -> _Content:
    content = _Content()
    async for rows in _batches(source, table):
        content.add(rows)
        await target.put(table, rows)
    return content


async def _require_same(target: Target, table: Table, expected: _Content) -> None:
    found = _Content()
    async for rows in _batches(target, table):
        found.add(rows)
    if found.rows != expected.rows:
        raise BackupError(f"the table {table.name} has {found.rows} rows in the target, {expected.rows} in the source")
    if found.checksum.digest() != expected.checksum.digest():
        raise BackupError(
            f"the {found.rows} rows of the table {table.name} are others in the target than in the source"
        )


async def _batches(source: Source, table: Table) -> AsyncIterator[Sequence[Row]]:
    after = table.before_first
    while rows := await source.rows(table, after):
        yield rows
        after = rows[-1][0]


async def _go_on_behind(source: Source, target: Target, table: Table) -> None:
    last = await source.last_id(table)
    await target.set_last_id(table, last)
    if await target.last_id(table) != last:
        raise BackupError(f"the ids of the table {table.name} do not go on behind {last} in the target")


def _summary(contents: Mapping[Table, _Content]) -> str:
    products, changes, keys = (contents[table].rows for table in (PRODUCTS, CHANGES, KEYS))
    return (
        f"{products} products with their levels, {changes} changes of levels, {keys} idempotency keys; "
        "counts and checksums are the same"
    )
