"""Queries that only tests use; an engine that is opened with them has them in addition to its own."""

from collections.abc import Mapping
from typing import Any

from barcodesvc.store.postgres.queries import QUERIES as POSTGRES_QUERIES, numbered
from barcodesvc.store.queries import parse_queries
from barcodesvc.store.sqlite.connection import QUERIES

_TEXT = r"""
-- name: levels()
SELECT product_id FROM levels ORDER BY id;

-- name: stock()
SELECT product_code, current_level, minimum_level, maximum_level, last_updated
FROM levels
JOIN products ON products.id = product_id
ORDER BY levels.id;

-- name: first_changes()
SELECT product_id, old_level, new_level, change_reason FROM movements;

-- name: keys()
SELECT idempotency_key, used_for, fingerprint, used_at FROM idempotency_keys ORDER BY 1;

-- name: erase()!
DELETE FROM products;

-- name: touch(text)!
UPDATE products SET category = :text;

-- name: lengthen(text)!
UPDATE products SET description = description || :text;

-- name: again()!
INSERT INTO levels SELECT * FROM levels;

-- name: orphan()!
INSERT INTO levels (product_id, current_level, minimum_level, maximum_level, last_updated, updated_by)
VALUES (999, 0, 0, 0, '', '');

-- name: disorder()!
UPDATE levels SET minimum_level = 9, maximum_level = 5;

-- name: wrong()
SELECT * FROM nowhere;

-- name: long()^
WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 3000000)
SELECT COUNT(*) FROM counted;

-- name: endless()^
WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted)
SELECT MAX(n) FROM counted;

"""

_SQLITE = r"""
-- name: codes()
SELECT product_code FROM products NOT INDEXED ORDER BY id;

-- name: echo(value)^
SELECT :value;

-- name: give_all_up()!
INSERT OR ROLLBACK INTO levels SELECT * FROM levels;

-- name: files()
SELECT name FROM pragma_database_list;

-- name: grow_no_more()^
PRAGMA max_page_count = 1;

-- name: grow_on()^
PRAGMA max_page_count = 1000000;

-- name: journal_mode()^
PRAGMA journal_mode;

-- name: foreign_keys()^
PRAGMA foreign_keys;

-- name: synchronous()^
PRAGMA synchronous;
"""

_POSTGRES = r"""
-- name: codes()
SELECT product_code FROM products ORDER BY id;

-- name: echo(value)^
SELECT CAST(:value AS TEXT);

-- name: isolation()^
SELECT current_setting('transaction_isolation');
"""

ALL = {**QUERIES, **{query.name: query for query in parse_queries(_TEXT + _SQLITE)}}
"""Those for SQLite."""
OF_ENGINE: Mapping[str, Mapping[str, Any]] = {
    "sqlite": ALL,
    "postgres": {**POSTGRES_QUERIES, **{query.name: numbered(query) for query in parse_queries(_TEXT + _POSTGRES)}},
}
