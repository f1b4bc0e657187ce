"""Lists of products: filters, orders and pages.

A page of all products in any order, or of those that match one filter by id, is read from an index. Otherwise all
products that one filter finds are read, compared with the other filters, and sorted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from barcodesvc.models import Product
from barcodesvc.store import product_search
from barcodesvc.store.attributes import product_of
from barcodesvc.store.database import Database
from barcodesvc.store.product_search import ProductFilter, Sort
from barcodesvc.store.script import Statement, rows
from barcodesvc.store.stock import StockBounds, bounds_of

_ALL: Mapping[Sort, str] = {
    "id": "list_products",
    "-id": "list_products_descending",
    "product_code": "list_products_by_code",
    "-product_code": "list_products_by_code_descending",
    "description": "list_products_by_description",
    "-description": "list_products_by_description_descending",
    "updated_at": "list_products_by_change",
    "-updated_at": "list_products_by_change_descending",
    "current_level": "list_products_by_level",
    "-current_level": "list_products_by_level_descending",
}
"""The queries for all products, each of which has an index."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the catalogue, with the number of products on all pages."""

    products: tuple[Product, ...]
    total: int


async def list_products(
    database: Database, wanted: ProductFilter, *, limit: int, offset: int, sort: Sort | None = None
) -> Page:
    """Return products in an order, by default those of a search in its order and others by id."""
    query = _by_index(wanted, sort)
    if query:
        found = await database.rows(query.name, limit=limit, offset=offset, **query.parameters)
    else:
        found = await product_search.search(database, wanted, sort, limit=limit, offset=offset)
    return Page(tuple(product_of(row, 1) for row in found if row[1] is not None), found[0][0])


def _by_index(wanted: ProductFilter, sort: Sort | None) -> Statement | None:
    """Return the query that reads a page from an index, if there is one."""
    if wanted == ProductFilter():
        return rows(_ALL[sort or "id"])
    if sort not in {None, "id"}:
        return None
    match wanted:
        case ProductFilter(search="", category=str(category), stock=None, moved_since=None):
            return rows("list_products_in_category", category=category)
        case ProductFilter(search="", category=None, stock=StockBounds() as stock, moved_since=None):
            return rows("list_low_products", **bounds_of(stock))
        case ProductFilter(search="", category=None, stock=None, moved_since=str(moved_since)):
            return rows("list_moved_products", moved_since=moved_since)
    return None
