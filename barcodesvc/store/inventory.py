"""Levels in the database: single records, pages, whole lists and exports.

Long lists are streamed from a snapshot in batches, so memory never holds all of their rows.
"""

import json
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import dataclass, field

from barcodesvc.models import MAX_ID, Level, Product, Reorder
from barcodesvc.store.database import Database, Reader, Snapshot
from barcodesvc.store.lists import EVERY_PRODUCT, ProductFilter, bounds_of, bounds_of_retired, list_products
from barcodesvc.store.script import Row

UNSTREAMED = 1000
"""Records of the longest list that is read without a snapshot, because opening one is slow."""


@dataclass(frozen=True, slots=True)
class LevelList:
    """A query for a list of any length, and what its rows are: inventory records in the order of the products' ids."""

    query: str
    bounds: Mapping[str, int | str | None] = field(default_factory=dict)
    record: Callable[..., object] = Level

    async def read_if_small(self, source: Reader) -> list[Row] | None:
        """Return all rows, read by one statement, or None if there are more than UNSTREAMED."""
        rows = await source.rows(self.query, limit=UNSTREAMED + 1, **self.bounds)
        return rows if len(rows) <= UNSTREAMED else None

    def stream(self, snapshot: Snapshot) -> AsyncGenerator[list[Row]]:
        """Yield all rows in batches."""
        return snapshot.stream(self.query, limit=MAX_ID, **self.bounds)


def all_levels(wanted: ProductFilter) -> LevelList:
    """Return the list of the levels of products, by stock and by whether they are retired."""
    if wanted.stock is None:
        return LevelList("list_levels", bounds_of_retired(wanted.retired))
    return LevelList("list_low_levels", bounds_of(wanted))


def reorders(group_by: str | None) -> LevelList:
    """Return the list to buy, by the values of an attribute."""
    return LevelList("list_reorders", {"group_by": group_by}, Reorder)


@dataclass(frozen=True, slots=True)
class LevelPage:
    """One page of inventory records, with the number of records on all pages."""

    levels: tuple[Level, ...]
    total: int


async def levels_page(database: Database, wanted: ProductFilter, *, limit: int, offset: int) -> LevelPage:
    """Return one page of the inventory records of products, in the order of their ids."""
    page = await list_products(database, wanted, limit=limit, offset=offset)
    return LevelPage(tuple(await levels_of(database, page.products)), page.total)


async def levels_of(database: Database, products: Iterable[Product]) -> list[Level]:
    """Return the inventory records of products, in their order, without those of products deleted meanwhile."""
    wanted = json.dumps([product.id for product in products])
    return [Level(*row) for row in await database.rows("levels_of_products", wanted=wanted)]


async def get_level(database: Database, product_id: int) -> Level | None:
    """Return the inventory record of the product, or None."""
    row = await database.row("get_level", product_id=product_id)
    return None if row is None else Level(*row)


def exported_products(snapshot: Snapshot, wanted: ProductFilter = EVERY_PRODUCT) -> AsyncGenerator[list[Row]]:
    """Yield the products with levels within bounds, in batches.

    Each row is (code, description, category, unit, current, minimum, maximum level, further codes, stored attributes).
    """
    return snapshot.stream("export_products", **bounds_of(wanted))


def exported_levels(snapshot: Snapshot, wanted: ProductFilter = EVERY_PRODUCT) -> AsyncGenerator[list[Row]]:
    """Yield the levels within bounds with category and unit, in batches."""
    return snapshot.stream("export_levels", **bounds_of(wanted))


def exported_movements(snapshot: Snapshot, wanted: ProductFilter = EVERY_PRODUCT) -> AsyncGenerator[list[Row]]:
    """Yield the movements of these levels as (product_id, id, product_code, old, new, reason, by, at), in batches."""
    return snapshot.stream("export_movements", **bounds_of(wanted))


def exported_levels_with_movements(
    snapshot: Snapshot, wanted: ProductFilter = EVERY_PRODUCT
) -> AsyncGenerator[list[Row]]:
    """Yield each level within bounds once per movement, followed by its columns, in batches."""
    return snapshot.stream("export_levels_with_movements", **bounds_of(wanted))
