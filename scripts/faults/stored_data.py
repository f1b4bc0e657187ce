"""What must hold in a database of either engine after faults, and where it differs from the responses of clients."""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg

from scripts.faults.clients import Book

_EMPTY: Mapping[str, str] = {
    "levels that are not the last of their history": (
        "SELECT product_id FROM levels WHERE current_level <> COALESCE((SELECT new_level FROM movements"
        " WHERE movements.product_id = levels.product_id ORDER BY id DESC LIMIT 1), 0)"
    ),
    "products without a level": "SELECT id FROM products WHERE id NOT IN (SELECT product_id FROM levels)",
    "products without their code": (
        "SELECT product_code FROM products EXCEPT SELECT code FROM product_codes WHERE is_own = 1"
    ),
    "levels without a product": "SELECT product_id FROM levels WHERE product_id NOT IN (SELECT id FROM products)",
    "changes without a product": "SELECT id FROM movements WHERE product_id NOT IN (SELECT id FROM products)",
    "histories with a gap": (
        "SELECT id FROM (SELECT id, old_level, LAG(new_level) OVER (PARTITION BY product_id ORDER BY id) AS before"
        " FROM movements) AS chain WHERE before <> old_level"
    ),
    "keys without a change": (
        "SELECT idempotency_key FROM idempotency_keys EXCEPT SELECT change_reason FROM movements"
    ),
    "counts": (
        "SELECT category, SUM(products) FROM product_counts GROUP BY category HAVING SUM(products) <> 0"
        " EXCEPT SELECT category, COUNT(*) FROM products GROUP BY category"
    ),
    "missing counts": (
        "SELECT category, COUNT(*) FROM products GROUP BY category"
        " EXCEPT SELECT category, SUM(products) FROM product_counts GROUP BY category"
    ),
}
"""Queries that return nothing for a correct database."""
_EMPTY_FILE: Mapping[str, str] = {
    "foreign keys": "PRAGMA foreign_key_check",
    "integrity": "SELECT 1 FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
}
"""Those of SQLite alone."""
_CHANGES = (
    "SELECT change_reason, product_id, old_level, new_level FROM movements"
    " WHERE change_reason LIKE 'count-%' OR change_reason LIKE 'set-%'"
)
"""What the clients have changed; the others are the first levels of products."""

Select = Callable[[str], list[tuple[Any, ...]]]
"""Returns the rows of a query."""


def wrong_in_file(path: Path) -> Counter[str]:
    """Return what is wrong in a file of SQLite, by kind."""
    found = _wrong(partial(select_from_file, path), {**_EMPTY, **_EMPTY_FILE})
    try:
        select_from_file(path, "INSERT INTO product_texts (product_texts, rank) VALUES ('integrity-check', 1)")
    except sqlite3.DatabaseError as error:
        found[f"search index: {error}"] += 1
    return found


def wrong_in_server(address: str) -> Counter[str]:
    """Return what is wrong in a database of PostgreSQL, by kind."""
    return _wrong(partial(select_from_server, address), _EMPTY)


def select_from_file(path: Path, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query to a file of SQLite."""
    with closing(sqlite3.connect(path, timeout=30.0, isolation_level=None)) as connection:
        return connection.execute(query).fetchall()


def select_from_server(address: str, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query to a database of PostgreSQL."""

    async def fetch() -> list[tuple[Any, ...]]:
        connection = await asyncpg.connect(address)
        try:
            return [tuple(row) for row in await connection.fetch(query)]
        finally:
            await connection.close()

    return asyncio.run(fetch())


def differences(select: Select, book: Book) -> Counter[str]:
    """Return where a database and the responses that clients got differ, by kind."""
    codes = {code for (code,) in select("SELECT product_code FROM products")}
    found = Counter(_of_changes(select(_CHANGES), book)) + Counter(_of_imports(codes, book))
    found["products that are there or gone, against the response"] = sum(
        (code in codes) is not is_there for code, is_there in book.products.items() if is_there is not None
    )
    return found


def _wrong(select: Select, queries: Mapping[str, str]) -> Counter[str]:
    return Counter({name: len(select(query)) for name, query in queries.items()})


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
