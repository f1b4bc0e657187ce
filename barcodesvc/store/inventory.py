"""Levels and their history in the database. Rule: a level and its history entry change together or not at all.

What grows with the table is read in batches by key, never by offset, and never held as a whole.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

from barcodesvc.errors import LevelChanged, ServiceError
from barcodesvc.models import MAX_ID, Level, LevelChange, LevelUpdate, Product
from barcodesvc.store.database import Database, Reader
from barcodesvc.store.products import get_product, list_products, no_such_product
from barcodesvc.store.script import Row, Script, one, run

BATCH = 1000
EARLIEST = ""
LATEST = "9999-12-31T23:59:59.999Z"
"""Timestamps that stand for no bound."""


@dataclass(frozen=True, slots=True)
class LevelPage:
    """One page of inventory records, with the number of records on all pages."""

    levels: tuple[Level, ...]
    total: int


async def levels(database: Database) -> AsyncIterator[list[Level]]:
    """Yield every inventory record in batches, in the order of the products' ids."""
    async for batch in _batches(database, "list_levels"):
        yield [Level(*row) for row in batch]


async def low_levels(database: Database) -> AsyncIterator[list[Level]]:
    """Yield the records whose current level is at or below the minimum, in batches."""
    async for batch in _batches(database, "list_low_levels"):
        yield [Level(*row) for row in batch]


async def levels_page(database: Database, *, limit: int, offset: int) -> LevelPage:
    """Return one page of the inventory records, in the order of the products' ids."""
    page = await list_products(database, limit=limit, offset=offset, search=None, category=None)
    return LevelPage(tuple(await levels_of(database, page.products)), page.total)


async def low_levels_page(database: Database, *, limit: int, offset: int) -> LevelPage:
    """Return one page of the records whose current level is at or below the minimum."""
    rows = await database.rows("list_low_levels_page", limit=limit, offset=offset)
    return LevelPage(tuple(Level(*row[1:]) for row in rows if row[1] is not None), rows[0][0])


async def levels_of(database: Database, products: Iterable[Product]) -> list[Level]:
    """Return the inventory records of products, in their order; of those that are gone by now there is none."""
    ids = json.dumps([product.id for product in products])
    return [Level(*row) for row in await database.rows("levels_of_products", ids=ids)]


async def get_level(database: Database, product_id: int) -> Level | None:
    """Return the inventory record of the product, or None."""
    row = await database.row("get_level", product_id=product_id)
    return None if row is None else Level(*row)


def read_level(product_id: int) -> Script[Level]:
    """Return the inventory record of the product as it is now, as a part of a script; raises ProductNotFound."""
    row = yield one("get_level", product_id=product_id)
    if row is None:
        raise no_such_product(product_id)
    return Level(*row)


async def set_level(database: Database, product_id: int, update: LevelUpdate, now: str) -> LevelChange:
    """Set the level and record the change; raises ProductNotFound and LevelChanged."""
    booked = {"new_level": update.new_level, "updated_by": update.updated_by, "now": now}

    def script() -> Script[LevelChange]:
        row = yield one(
            "insert_change",
            product_id=product_id,
            expected_level=update.expected_level,
            change_reason=update.change_reason,
            **booked,
        )
        if row is None:
            raise _refusal(product_id, update, (yield one("get_level", product_id=product_id)))
        yield run("set_level", product_id=product_id, changed_at=now, **booked)
        return LevelChange(*row)

    return await database.change(script)


async def history(  # noqa: PLR0913 - what a history is asked for
    database: Database,
    product_id: int,
    *,
    limit: int,
    from_time: str | None,
    to_time: str | None,
    before: int | None = None,
) -> list[LevelChange]:
    """Return the newest changes first, between two timestamps, both inclusive; raises ProductNotFound.

    With `before`, they begin behind the change of this id.
    """
    rows = await database.rows(
        "list_changes",
        product_id=product_id,
        updated_by=None,
        from_time=from_time or EARLIEST,
        to_time=to_time or LATEST,
        before=before or MAX_ID,
        limit=limit,
    )
    if not rows:
        await get_product(database, product_id)
    return [LevelChange(*row[:-2]) for row in rows]


async def exported_levels(source: Reader) -> AsyncIterator[list[Row]]:
    """Yield each level with category and unit, as LEVEL_COLUMNS, in batches."""
    async for batch in _batches(source, "export_levels"):
        yield batch


async def exported_changes(source: Reader) -> AsyncIterator[list[Row]]:
    """Yield each change as (product_id, id, product_code, old, new, reason, by, at), in batches."""
    async for batch in _change_batches(source, "export_changes", change_column=1, product_column=0):
        yield batch


async def exported_levels_with_changes(source: Reader) -> AsyncIterator[list[Row]]:
    """Yield each level once per change, the change's columns behind it, in batches."""
    query = "export_levels_with_changes"
    async for batch in _change_batches(source, query, change_column=11, product_column=1):
        yield batch


async def _batches(source: Reader, query: str) -> AsyncIterator[list[Row]]:
    after = 0
    while batch := await source.rows(query, after=after, limit=BATCH):
        yield batch
        after = batch[-1][1]


async def _change_batches(
    source: Reader, query: str, *, product_column: int, change_column: int
) -> AsyncIterator[list[Row]]:
    product = change = 0
    while batch := await source.rows(query, after_product=product, after_change=change, limit=BATCH):
        yield batch
        product, change = batch[-1][product_column], batch[-1][change_column] or 0


def _refusal(product_id: int, update: LevelUpdate, level: Row | None) -> ServiceError:
    if level is None:
        return no_such_product(product_id)
    return LevelChanged(
        f"the level is {level[4]}, not {update.expected_level} as expected; nothing was changed",
        current_level=level[4],
        expected_level=update.expected_level,
    )
