"""Substring search in codes and descriptions, through an index of trigrams.

The index finds the products in which some trigrams of a text occur. Their texts are then compared, so a search returns
exactly the products that contain the text. A text shorter than a trigram is compared with every product.

The product with exactly this code comes first, then those whose codes begin with it, then all others, each group by id.
"""

from __future__ import annotations

from barcodesvc.models import fold
from barcodesvc.store.database import Database
from barcodesvc.store.script import Row
from barcodesvc.store.stock import StockBounds, bounds_of

SMALL_CATEGORY = 1000
"""Products of the largest category that is searched without the index, which would find more products outside it."""
_ALIKE = frozenset("\ufffd\ufffe\uffff")
"""Characters that LIKE does not tell apart: it reads the last two, which are noncharacters, as the first."""
_TRIGRAM = 3


async def search(database: Database, text: str, category: str | None, *, limit: int, offset: int) -> list[Row]:
    """Return one page of the products whose code or description contains the text; each row begins with the total."""
    page = {**_ordering(text), "limit": limit, "offset": offset}
    if not _ALIKE.isdisjoint(text):
        return await database.rows("search_literally", category=category, **page)
    page["pattern"] = _containing(text)
    is_short = len(fold(text)) < _TRIGRAM
    if category is not None and (is_short or await _is_small(database, category)):
        return await database.rows("search_category", category=category, **page)
    if is_short:
        return await database.rows("search_without_index", **page)
    return await database.rows("search_products", category=category, **page)


async def search_low(  # noqa: PLR0913 - the parameters of a search
    database: Database, text: str, category: str | None, stock: StockBounds, *, limit: int, offset: int
) -> list[Row]:
    """Search the products with levels within bounds; an empty text finds all of them."""
    asked = {**_ordering(text), **bounds_of(stock), "category": category, "limit": limit, "offset": offset}
    if category is not None and await _is_small(database, category):
        return await database.rows("search_low_in_category", **asked)
    return await database.rows("search_low_products", **asked)


async def _is_small(database: Database, category: str) -> bool:
    row = await database.row("count_in_category", category=category)
    return row is not None and row[0] <= SMALL_CATEGORY


def _ordering(text: str) -> dict[str, str]:
    folded = fold(text)
    return {"text": text, "folded": folded, "after": f"{folded}\x7f"}


def _containing(text: str) -> str:
    literal = fold(text).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{literal}%"
