"""Levels and their history in the database. Rule: a level and its history entry change together or not at all.

What grows with the table is read from a snapshot some rows at a time, and never held as a whole.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass

from barcodesvc.errors import LevelChanged, ServiceError
from barcodesvc.models import MAX_ID, Level, LevelChange, LevelUpdate, Product
from barcodesvc.store.database import Database, Reader, Snapshot
from barcodesvc.store.products import get_product, list_products, no_such_product
from barcodesvc.store.script import Row, Script, one, run

FEW = 1000
"""Records of a list that needs no snapshot, which costs 4 ms of processor time with its file."""
EARLIEST = ""
LATEST = "9999-12-31T23:59:59.999Z"
"""Timestamps that stand for no bound."""


@dataclass(frozen=True, slots=True)
class LevelList:
    """Inventory records in the order of the products' ids, each as the fields of a Level, read by a query."""

    query: str

    async def few(self, source: Reader) -> list[Row] | None:
        """Return all of them where they are at most FEW, or None: one statement reads those as of one moment."""
        rows = await source.rows(self.query, limit=FEW + 1)
        return rows if len(rows) <= FEW else None

    def many(self, snapshot: Snapshot) -> AsyncGenerator[list[Row]]:
        """Yield all of them, some at a time."""
        return snapshot.stream(self.query, limit=MAX_ID)


LEVELS = LevelList("list_levels")
LOW_LEVELS = LevelList("list_low_levels")
"""Those whose current level is at or below the minimum."""


@dataclass(frozen=True, slots=True)
class LevelPage:
    """One page of inventory records, with the number of records on all pages."""

    levels: tuple[Level, ...]
    total: int


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


def exported_levels(snapshot: Snapshot) -> AsyncGenerator[list[Row]]:
    """Yield each level with category and unit, some at a time."""
    return snapshot.stream("export_levels")


def exported_changes(snapshot: Snapshot) -> AsyncGenerator[list[Row]]:
    """Yield each change as (product_id, id, product_code, old, new, reason, by, at), some at a time."""
    return snapshot.stream("export_changes")


def exported_levels_with_changes(snapshot: Snapshot) -> AsyncGenerator[list[Row]]:
    """Yield each level once per change, the change's columns behind it, some at a time."""
    return snapshot.stream("export_levels_with_changes")


def _refusal(product_id: int, update: LevelUpdate, level: Row | None) -> ServiceError:
    if level is None:
        return no_such_product(product_id)
    return LevelChanged(
        f"the level is {level[4]}, not {update.expected_level} as expected; nothing was changed",
        current_level=level[4],
        expected_level=update.expected_level,
    )
