"""What must hold in a PostgreSQL database after faults, and what its history says, read from the server itself."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import asyncpg

from scripts.faults.replica_clients import Book

_EMPTY: Mapping[str, str] = {
    "levels that are not the last of their history": (
        "SELECT product_id FROM levels"
        " JOIN (SELECT DISTINCT ON (product_id) product_id, new_level FROM movements ORDER BY product_id, id DESC)"
        " AS latest USING (product_id) WHERE current_level <> new_level"
    ),
    "products without a level": "SELECT id FROM products WHERE id NOT IN (SELECT product_id FROM levels)",
    "histories with a gap": (
        "SELECT id FROM (SELECT id, old_level, LAG(new_level) OVER (PARTITION BY product_id ORDER BY id) AS before"
        " FROM movements) AS chain WHERE before <> old_level"
    ),
    "keys without a change": (
        "SELECT idempotency_key FROM idempotency_keys EXCEPT SELECT change_reason FROM movements"
    ),
}
"""Queries that return nothing for a correct database."""
_CHANGES = (
    "SELECT change_reason, product_id, old_level, new_level FROM movements"
    " WHERE change_reason LIKE 'count-%' OR change_reason LIKE 'set-%'"
)
"""What the clients have changed; the others are the first levels of products."""


def wrongs(address: str, book: Book) -> Counter[str]:
    """Return what is wrong in the database, by kind, also compared with the clients' responses."""
    found, history, codes = asyncio.run(_read(address))
    return Counter(found) + Counter(_of_changes(history, book)) + Counter(_of_imports(codes, book))


async def _read(address: str) -> tuple[dict[str, int], list[tuple[Any, ...]], set[str]]:
    connection = await asyncpg.connect(address)
    try:
        found = {name: len(await connection.fetch(query)) for name, query in _EMPTY.items()}
        changes = await connection.fetch(_CHANGES)
        codes = await connection.fetch("SELECT product_code FROM products")
    finally:
        await connection.close()
    return found, [tuple(change) for change in changes], {code for (code,) in codes}


def _of_changes(history: list[tuple[Any, ...]], book: Book) -> Iterator[str]:
    stored = {reason: change for reason, *change in history}
    often = Counter(reason for reason, *_ in history)
    for reason, change in book.made.items():
        if reason not in stored:
            yield "an answered change that is not there"
        elif tuple(stored[reason]) != change:
            yield "a change other than it was answered"
    yield from ("a change that was counted twice" for reason, times in often.items() if times > 1)
    yield from ("a refused change that was made" for reason in book.refused if reason in stored)
    known = book.made.keys() | book.open
    yield from ("a change that no client made" for reason in often if reason not in known)


def _of_imports(codes: set[str], book: Book) -> Iterator[str]:
    for rows, was_answered in book.imports:
        found = sum(row in codes for row in rows)
        if found not in ({len(rows)} if was_answered else {0, len(rows)}):
            yield "an import that is there in part, or not at all"
