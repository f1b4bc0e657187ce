"""Lists of products: filters, orders, pages and searches.

A page of all products in any order, or of those that match one filter by id, is read from an index. Otherwise all
products that one filter finds are read, compared with the other filters, and sorted.

A search finds a product if every word is in its code, its description or a value of its attributes, in any order,
without regard to case and accents (`texts.fold`). An index of trigrams finds the products in which some trigrams of the
words occur. Their texts are then compared, so a search returns exactly the products that contain the words. If all
words are shorter than a trigram, the texts of every product are compared.

The product with exactly this code comes first, then those with it in another spelling, then those whose codes begin
with it, then all others, each group by id.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from barcodesvc.models import MAX_LEVEL, Level, Product
from barcodesvc.store.attributes import product_of
from barcodesvc.store.database import Database, Reader
from barcodesvc.store.script import Statement, rows
from barcodesvc.texts import fold

SMALL_CATEGORY = 1000
"""Products of the largest category that is searched without the index, which would find more products outside it."""
MOST_WORDS = 32
"""Words of the longest search: each may be compared with all texts."""
_TRIGRAM = 3

Sort = Literal[
    "id",
    "product_code",
    "description",
    "updated_at",
    "current_level",
    "-id",
    "-product_code",
    "-description",
    "-updated_at",
    "-current_level",
]
"""The field that products are sorted by; `-` reverses the order. Equal values are sorted by id.

Texts are compared as `texts.fold` returns them, by code points, and of descriptions the first 100 characters.
"""
Retired = Literal["false", "true", "any"]
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
class StockBounds:
    """Levels at or below their minimum and at most `most_level`, with a minimum of at least `least_minimum`.

    The index of low levels finds them: as no minimum is negative, a level of 0 is always at or below its minimum.
    """

    least_minimum: int = 0
    most_level: int = MAX_LEVEL

    def include(self, level: Level) -> bool:
        """Return whether a level is within the bounds."""
        return self.least_minimum <= level.minimum_level >= level.current_level <= self.most_level


AT_OR_BELOW_MINIMUM = StockBounds()
"""Includes a level of 0 with a minimum of 0, which means no minimum."""
LOW = StockBounds(least_minimum=1)
OUT = StockBounds(most_level=0)


@dataclass(frozen=True, slots=True)
class ProductFilter:
    """Which products: all filters must match, and one that is not set matches all products.

    `search` has the words that occur in code, description or values of attributes, and `category` is exact.
    `moved_since` is a timestamp: the level has a movement at that time or later. `named` has the ids of products that
    the search names as a number in another spelling; it finds them, too. `retired` selects the products that are no
    longer sold, or `any`.
    """

    search: str = ""
    category: str | None = None
    stock: StockBounds | None = None
    moved_since: str | None = None
    named: tuple[int, ...] = ()
    retired: Retired = "false"


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the catalogue, with the number of products on all pages."""

    products: tuple[Product, ...]
    total: int


EVERY_PRODUCT = ProductFilter()
"""Except those that are retired."""


def bounds_of(wanted: ProductFilter) -> Mapping[str, int | None]:
    """Return the parameters of a query by stock and by whether products are retired."""
    retired = bounds_of_retired(wanted.retired)
    if wanted.stock is None:
        return {"least_minimum": None, "most_level": None, **retired}
    return {"least_minimum": wanted.stock.least_minimum, "most_level": wanted.stock.most_level, **retired}


def bounds_of_retired(retired: Retired) -> Mapping[str, int]:
    """Return the parameters of a query by whether products are retired."""
    return {"least_retired": int(retired == "true"), "most_retired": int(retired != "false")}


def words_of(search: str) -> list[str]:
    """Return the folded words of a search, each once, the longest first."""
    return sorted(dict.fromkeys(fold(search).split()), key=len, reverse=True)


async def list_products(
    database: Database, wanted: ProductFilter, *, limit: int, offset: int, sort: Sort | None = None
) -> Page:
    """Return products in an order, by default those of a search in its order and others by id."""
    query = _by_index(wanted, sort) or await _search(database, wanted, sort)
    found = await database.rows(query.name, limit=limit, offset=offset, **query.parameters)
    return Page(tuple(product_of(row, 1) for row in found if row[1] is not None), found[0][0])


async def count_products(reader: Reader) -> int:
    """Return the number of all products."""
    row = await reader.row("count_products")
    return row[0] if row else 0


async def product_with_code(database: Database, product_code: str, wanted: ProductFilter) -> tuple[Product, ...]:
    """Return the product with exactly this code, or none if the filter does not select it."""
    asked = {"product_code": product_code, "moved_since": wanted.moved_since, **bounds_of(wanted)}
    row = await database.row("product_with_code", **asked, **_asked(wanted, None))
    return (product_of(row),) if row else ()


async def products_with_ids(database: Database, ids: Sequence[int]) -> tuple[Product, ...]:
    """Return the products that have these ids, in their order, without those that do not exist."""
    found = await database.rows("products_by_ids", wanted=json.dumps(ids))
    return tuple(product_of(row) for row in found)


def _by_index(wanted: ProductFilter, sort: Sort | None) -> Statement | None:
    """Return the query that reads a page from an index, if there is one."""
    if wanted == ProductFilter():
        return rows(_ALL[sort or "id"])
    if sort not in {None, "id"} or wanted.retired != "false":
        return None
    match wanted:
        case ProductFilter(search="", category=str(category), stock=None, moved_since=None):
            return rows("list_products_in_category", category=category)
        case ProductFilter(search="", category=None, stock=StockBounds(), moved_since=None):
            return rows("list_low_products", **bounds_of(wanted))
        case ProductFilter(search="", category=None, stock=None, moved_since=str(moved_since)):
            return rows("list_moved_products", moved_since=moved_since)
    return None


async def _search(database: Database, wanted: ProductFilter, sort: Sort | None) -> Statement:
    """Return the query that reads all products which one filter finds, and sorts those that match the others."""
    asked = {**_asked(wanted, sort), **bounds_of(wanted)}
    if wanted.moved_since is not None:
        return rows("search_moved_products", moved_since=wanted.moved_since, **asked)
    if wanted.stock is not None:
        is_small = await _is_small(database, wanted.category)
        return rows("search_low_in_category" if is_small else "search_low_products", **asked)
    is_short = len(asked["word"]) < _TRIGRAM
    if wanted.category is not None and (is_short or await _is_small(database, wanted.category)):
        return rows("search_category", **asked)
    return rows("search_without_index" if is_short else "search_products", **asked)


async def _is_small(database: Database, category: str | None) -> bool:
    if category is None:
        return False
    row = await database.row("count_in_category", category=category)
    return row is not None and row[0] <= SMALL_CATEGORY


def _asked(wanted: ProductFilter, sort: Sort | None) -> dict[str, Any]:
    """Return the parameters of a search."""
    text, name = wanted.search.strip(), sort or ""
    word, *others = words_of(text) or [""]
    return {
        "text": text,
        "folded": fold(text),
        "after": f"{fold(text)}\x7f",
        "named": json.dumps(wanted.named),
        "word": word,
        "other_words": json.dumps(others),
        "category": wanted.category,
        "sorted_by": name.removeprefix("-"),
        "descending": int(name.startswith("-")),
    }
