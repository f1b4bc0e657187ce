"""Search for words in codes, descriptions and values of attributes, through an index of trigrams.

A product is found if every word is in one of these texts, in any order, without regard to case and accents
(`texts.fold`). The index finds the products in which some trigrams of the words occur. Their texts are then compared,
so a search returns exactly the products that contain the words. If all words are shorter than a trigram, the texts of
every product are compared.

The product with exactly this code comes first, then those with it in another spelling, then those whose codes begin
with it, then all others, each group by id.
Another order sorts all products that are found, and so do the other filters of a list.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from barcodesvc.store.database import Database
from barcodesvc.store.script import Row
from barcodesvc.store.stock import StockBounds, bounds_of
from barcodesvc.texts import fold

SMALL_CATEGORY = 1000
"""Products of the largest category that is searched without the index, which would find more products outside it."""
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
MOST_WORDS = 32
"""Words of the longest search: each may be compared with all texts."""
_TRIGRAM = 3


@dataclass(frozen=True, slots=True)
class ProductFilter:
    """Which products: all filters must match, and one that is not set matches all products.

    `search` has the words that occur in code, description or values of attributes, and `category` is exact.
    `moved_since` is a timestamp: the level has a movement at that time or later. `named` has the ids of products that
    the search names as a number in another spelling; it finds them, too.
    """

    search: str = ""
    category: str | None = None
    stock: StockBounds | None = None
    moved_since: str | None = None
    named: tuple[int, ...] = ()


def words_of(search: str) -> list[str]:
    """Return the folded words of a search, each once, the longest first."""
    return sorted(dict.fromkeys(fold(search).split()), key=len, reverse=True)


async def search(
    database: Database, wanted: ProductFilter, sort: Sort | None = None, *, limit: int, offset: int
) -> list[Row]:
    """Return one page of the products that the filter selects; each row begins with the total."""
    word, *others = words_of(wanted.search) or [""]
    asked = {
        **_ordering(wanted.search.strip(), sort),
        "named": json.dumps(wanted.named),
        "word": word,
        "other_words": json.dumps(others),
        "category": wanted.category,
        "limit": limit,
        "offset": offset,
    }
    if wanted.moved_since is not None:
        bounds = {"moved_since": wanted.moved_since, **bounds_of(wanted.stock)}
        return await database.rows("search_moved_products", **asked, **bounds)
    if wanted.stock is None:
        return await _search_texts(database, wanted, asked)
    if await _is_small(database, wanted.category):
        return await database.rows("search_low_in_category", **asked, **bounds_of(wanted.stock))
    return await database.rows("search_low_products", **asked, **bounds_of(wanted.stock))


async def _search_texts(database: Database, wanted: ProductFilter, asked: dict[str, Any]) -> list[Row]:
    is_short = len(asked["word"]) < _TRIGRAM
    if wanted.category is not None and (is_short or await _is_small(database, wanted.category)):
        return await database.rows("search_category", **asked)
    return await database.rows("search_without_index" if is_short else "search_products", **asked)


async def _is_small(database: Database, category: str | None) -> bool:
    if category is None:
        return False
    row = await database.row("count_in_category", category=category)
    return row is not None and row[0] <= SMALL_CATEGORY


def _ordering(text: str, sort: Sort | None) -> dict[str, str | int]:
    folded, name = fold(text), sort or ""
    return {
        "text": text,
        "folded": folded,
        "after": f"{folded}\x7f",
        "sorted_by": name.removeprefix("-"),
        "descending": int(name.startswith("-")),
    }
