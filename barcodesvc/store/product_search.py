"""Substring search in codes and descriptions, through an index of trigrams.

The index says in which products some trigrams are; the texts themselves are compared behind it, so that what is found
is what contains the text. What is shorter than a trigram walks through the catalogue.

Rule: nothing waits for the index but single new products. The rows of an import are compared one by one until
`catch_up` has indexed them, in short transactions of its own; a search is exact before, meanwhile and afterwards.
"""

from __future__ import annotations

import json
import math

from barcodesvc.models import fold
from barcodesvc.store.database import Database
from barcodesvc.store.script import Row, Script, one

INDEXED_AT_ONCE = 1000
"""Products that one transaction indexes, some 10 ms of work: a change that comes meanwhile waits as long."""
SMALL_CATEGORY = 1000
"""Products up to which a category is walked through: the index would find more products outside of it."""
_ALIKE = frozenset("\ufffd\ufffe\uffff")
"""Characters that LIKE may take for one: the last two, which stand for nothing, are read as the first."""
_TRIGRAM = 3
_MOST_TRIGRAMS = 16
"""Trigrams of a long text that are compared for how rare they are."""


async def search(database: Database, text: str, category: str | None, *, limit: int, offset: int) -> list[Row]:
    """Return one page of the products whose code or description contains the text, each row behind the total."""
    if not _ALIKE.isdisjoint(text):
        return await database.rows("scan_exactly", text=fold(text), category=category, limit=limit, offset=offset)
    page = {"pattern": _containing(text), "limit": limit, "offset": offset}
    trigrams = _trigrams(text)
    if category is not None and (not trigrams or await _is_small(database, category)):
        return await database.rows("scan_category", category=category, **page)
    if not trigrams:
        return await database.rows("scan_products", **page)
    return await database.rows("search_products", trigrams=json.dumps(trigrams), category=category, **page)


def catch_up(database: Database) -> None:
    """Index in the background what is not indexed yet; what is left when the database closes has the next time."""
    database.repeat(lambda: index_more(INDEXED_AT_ONCE))


def index_more(limit: int) -> Script[bool]:
    """Index the next products, as a part of a script; return whether there were any."""
    return (yield one("index_more_products", limit=limit)) is not None


async def _is_small(database: Database, category: str) -> bool:
    row = await database.row("count_in_category", category=category)
    return row is not None and row[0] <= SMALL_CATEGORY


def _trigrams(text: str) -> list[str]:
    """Return different trigrams of the folded text, from all over it."""
    folded = fold(text)
    found = list(dict.fromkeys(folded[start : start + _TRIGRAM] for start in range(len(folded) - _TRIGRAM + 1)))
    return found[:: math.ceil(len(found) / _MOST_TRIGRAMS) or 1]


def _containing(text: str) -> str:
    literal = fold(text).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{literal}%"
