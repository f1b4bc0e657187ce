"""What must hold in the database after a crash, read from the file itself."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

_EMPTY: Mapping[str, str] = {
    "foreign keys": "PRAGMA foreign_key_check",
    "levels that are not the last of their history": (
        "SELECT product_id FROM levels WHERE current_level <> COALESCE((SELECT new_level FROM movements"
        " WHERE movements.product_id = levels.product_id ORDER BY id DESC LIMIT 1), 0)"
    ),
    "products without a level": "SELECT id FROM products WHERE id NOT IN (SELECT product_id FROM levels)",
    "levels without a product": "SELECT product_id FROM levels WHERE product_id NOT IN (SELECT id FROM products)",
    "changes without a product": "SELECT id FROM movements WHERE product_id NOT IN (SELECT id FROM products)",
    "broken chains": (
        "SELECT id FROM (SELECT id, old_level, LAG(new_level) OVER (PARTITION BY product_id ORDER BY id) AS before"
        " FROM movements) WHERE before IS NOT NULL AND before <> old_level"
    ),
    "changes that do not take back what they undo": (
        "SELECT undoing.id FROM movements AS undoing JOIN movements AS made ON made.id = undoing.undoes"
        " WHERE undoing.new_level - undoing.old_level <> made.old_level - made.new_level"
    ),
    "counts": (
        "SELECT category, products FROM product_counts EXCEPT SELECT category, COUNT(*) FROM products GROUP BY category"
    ),
    "missing counts": (
        "SELECT category, COUNT(*) FROM products GROUP BY category EXCEPT SELECT category, products FROM product_counts"
    ),
}
"""Queries that return nothing for a correct database."""


def wrongs(path: Path) -> list[str]:
    """Return what is wrong in the database."""
    with closing(sqlite3.connect(path, timeout=30.0, isolation_level=None)) as connection:
        found = [name for name, query in _EMPTY.items() if connection.execute(query).fetchall()]
        if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            found.append("integrity")
        try:
            connection.execute("INSERT INTO product_texts (product_texts, rank) VALUES ('integrity-check', 1)")
        except sqlite3.DatabaseError as error:
            found.append(f"search index: {error}")
        return found


def levels(path: Path) -> dict[str, int]:
    """Return the level of each product by its code."""
    with closing(sqlite3.connect(path, timeout=30.0)) as connection:
        return dict(
            connection.execute(
                "SELECT product_code, current_level FROM products JOIN levels ON product_id = products.id"
            )
        )
