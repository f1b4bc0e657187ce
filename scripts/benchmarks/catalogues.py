"""Large catalogues, alike on SQLite and PostgreSQL, made in a few statements."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import asyncpg
import uvloop

from barcodesvc.addresses import ServerAddress
from barcodesvc.store.postgres.database import open_database
from scripts.benchmarks.service import fill_catalogue
from tests.servers.postgres import PostgresServer

FEW, MANY = 10_000, 1_000_000
WORD = "walnut"
"""In twenty products, whatever the size of the catalogue; its trigrams are in no other."""
DIGITS = "0000123"
"""In eleven codes of both catalogues; each of its trigrams is in a large part of them."""
_NOW = "2026-01-31T12:00:00.000Z"
_PRODUCTS = """
WITH RECURSIVE numbers (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number < {products} - 1),
texts (number, code, description) AS (
    SELECT number, 'AB-' || substr(CAST(100000000 + number AS TEXT), 2),
           'Hex bolt M' || (4 + number % 7) || ' x ' || (20 + number % 60) || ', zinc, bin ' || number
           || CASE WHEN number % ({products} / 20) = 7 THEN ', {word}' ELSE '' END
    FROM numbers
)
INSERT INTO products (product_code, description, category, unit_of_measure, created_at, updated_at,
                      code_folded, description_folded)
SELECT code, description, 'Bin ' || (number % 8), 'pcs', '{now}', '{now}', lower(code), lower(description)
FROM texts
"""
_CODES = """
INSERT INTO product_codes (product_id, code, is_own, pack_quantity, note, created_at, folded_key, number_key)
SELECT id, product_code, 1, 1, '', '{now}', code_folded, substr(CAST(100000000000000 + id AS TEXT), 2)
FROM products ORDER BY id
"""
_LEVELS = """
INSERT INTO levels (product_id, current_level, minimum_level, maximum_level, last_updated, updated_by)
SELECT id, id % 500, 2, 0, '{now}', 'system' FROM products ORDER BY id
"""
_INDEXED = "UPDATE indexed_products SET upto = (SELECT MAX(id) FROM products)"


def make_file(path: Path, products: int) -> None:
    """Create a database of this many products with their levels, in one transaction."""
    uvloop.run(fill_catalogue(path, ()))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA cache_size = -262144")
        for statement in (*_statements(products), _INDEXED):
            connection.execute(statement)


def make_database(server: PostgresServer, name: str, products: int) -> str:
    """Create a database of this many products with their levels, and return its address."""
    asyncio.run(_run(server.address(), f"CREATE DATABASE {name}"))
    asyncio.run(_migrate(server.address(name)))
    asyncio.run(_run(server.address(name), *_statements(products), "VACUUM ANALYZE"))
    return server.address(name)


def _statements(products: int) -> list[str]:
    return [statement.format(products=products, word=WORD, now=_NOW) for statement in (_PRODUCTS, _CODES, _LEVELS)]


async def _migrate(address: str) -> None:
    async with open_database(ServerAddress(address)):
        pass


async def _run(address: str, *statements: str) -> None:
    """Run statements on a database, each in its own transaction."""
    connection = await asyncpg.connect(address)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()
