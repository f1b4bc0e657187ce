import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import pytest

from barcodesvc.errors import DatabaseFailure
from barcodesvc.models import DEFAULT_UNIT, ProductChange, ProductDraft
from barcodesvc.store import staging as module
from barcodesvc.store.database import Database
from barcodesvc.store.lists import ProductFilter, list_products
from barcodesvc.store.products import get_product_by_code
from barcodesvc.store.script import Row, Script, rows
from barcodesvc.store.sqlite.connection import QUERIES
from barcodesvc.store.sqlite.staging import staging_file
from barcodesvc.store.staging import (
    Chunk,
    Entry,
    StagedRows,
    ValidRow,
    chunks,
    contradictions,
    insert_new,
    update_stored,
)
from tests.direct_sql import run_sql
from tests.engines import Place
from tests.stock import change_product, delete_product

pytestmark = pytest.mark.each_engine

NOW = "2026-01-31T12:00:00.000Z"
LATER = "2026-02-01T12:00:00.000Z"
ALL = Chunk(0, 100)
CATEGORIES = ("Pens", "Nuts")

T = TypeVar("T")
Staged = Callable[..., Path]


@pytest.fixture
def staged(database: Database, tmp_path: Path) -> Staged:
    """Return a function that stages rows with these fields, numbered from 2, and returns their file."""

    def put(*fields_of_rows: dict[str, Any]) -> Path:
        path = tmp_path / "staged"
        path.unlink(missing_ok=True)
        with database.staging(path) as file:
            staged = StagedRows(file)
            for number, fields in enumerate(fields_of_rows, start=2):
                draft = ProductDraft(**{"description": "new", **fields})
                staged.put([ValidRow(number, draft, frozenset({"description", *fields}))])
        return path

    return put


async def written(database: Database, path: Path, script: Callable[..., Script[T]], *arguments: Any) -> T:
    """Play a script of the module in a transaction with the staged file."""
    return await database.change_long(lambda: script(*arguments), staged=path)


def asking(name: str) -> Script[list[Row]]:
    """Return the rows of one query."""
    found: list[Row] = yield rows(name)
    return found


def test_chunks_hold_every_row_once() -> None:
    """They follow one another up to the last row; without rows there are none."""
    assert list(chunks(0)) == []
    assert list(chunks(module.CHUNK)) == [Chunk(0, module.CHUNK)]
    parts = list(chunks(2 * module.CHUNK + 1))
    assert sum(part.rows for part in parts) == 2 * module.CHUNK + 1
    assert [part.after for part in parts[1:]] == [part.upto for part in parts[:-1]]


async def test_the_totals_of_categories_follow_every_way_to_move_a_product(
    database: Database, add: Callable[..., Any], staged: Staged
) -> None:
    """They are counters, which an import, a change and a deletion keep equal to the number of products."""
    made = [await add(code, category="Pens") for code in ("A", "B", "C", "D")]
    moved = staged({"product_code": "A", "category": "Nuts"}, {"product_code": "B", "category": "Nuts"})
    await written(database, moved, update_stored, ALL, LATER)
    assert await totals(database) == {"Pens": 2, "Nuts": 2}
    await change_product(database, made[0].id, ProductChange(category="Pens"), LATER)
    await change_product(database, made[1].id, ProductChange(description="x"), LATER)
    assert await totals(database) == {"Pens": 3, "Nuts": 1}
    await delete_product(database, made[1].id)
    assert await totals(database) == {"Pens": 3, "Nuts": 0}


async def totals(database: Database) -> dict[str, int]:
    """Return the number of products in each category that lists report."""
    pages = {
        name: await list_products(database, ProductFilter(category=name), limit=1, offset=0) for name in CATEGORIES
    }
    return {name: page.total for name, page in pages.items()}


async def test_new_products_come_with_levels_and_histories(database: Database, staged: Staged, add: Any) -> None:
    """In row order, with the defaults of new products for blank fields; existing rows stay unchanged."""
    await add("B", initial_level=4)
    path = staged(
        {"product_code": "Z", "initial_level": 3, "minimum_level": 1}, {"product_code": "B"}, {"product_code": "A"}
    )
    assert len(await written(database, path, insert_new, ALL, Entry(LATER))) == 2
    assert [code for (code,) in await database.rows("codes")] == ["B", "Z", "A"]
    stock = await database.rows("stock")
    assert stock == [("B", 4, 0, 0, NOW), ("Z", 3, 1, 0, LATER), ("A", 0, 0, 0, LATER)]
    assert [row[1:] for row in await database.rows("first_changes")] == [
        (0, 4, "initial level"),
        (0, 3, "initial level"),
    ]
    product = await get_product_by_code(database, "A")
    assert (product.category, product.unit_of_measure, product.created_at) == ("", DEFAULT_UNIT, LATER)


async def test_a_text_is_stored_as_it_is(database: Database, staged: Staged) -> None:
    """Backslashes too, which begin an escape where PostgreSQL copies rows."""
    text = "1\\2 \\N \\t"
    await written(database, staged({"product_code": "A", "description": text}), insert_new, ALL, Entry(NOW))
    assert (await get_product_by_code(database, "A")).description == text


async def test_a_chunk_takes_its_own_rows(database: Database, staged: Staged) -> None:
    """Rows before and after it are left."""
    path = staged(*({"product_code": code, "initial_level": 1} for code in "ABCDE"))
    assert len(await written(database, path, insert_new, Chunk(1, 3), Entry(NOW))) == 2
    assert [code for (code,) in await database.rows("codes")] == ["B", "C"]
    assert len(await database.rows("first_changes")) == 2


async def test_stored_products_change_as_far_as_rows_are_filled_in(
    database: Database, staged: Staged, add: Any
) -> None:
    """A zero is a value, a blank is not; the level and products that are not staged stay unchanged."""
    for code in "ABC":
        await add(code, category="Pens", unit_of_measure="box", initial_level=5, minimum_level=2, maximum_level=9)
    path = staged(
        {"product_code": "A", "minimum_level": 0, "initial_level": 7},
        {"product_code": "new"},
        {"product_code": "B", "category": "Nuts", "maximum_level": 0},
    )
    assert await written(database, path, update_stored, ALL, LATER) == 2
    stock = await database.rows("stock")
    assert stock == [("A", 5, 0, 9, NOW), ("B", 5, 2, 0, NOW), ("C", 5, 2, 9, NOW)]
    found = [await get_product_by_code(database, code) for code in "ABC"]
    assert [(product.category, product.unit_of_measure) for product in found] == [
        ("Pens", "box"),
        ("Nuts", "box"),
        ("Pens", "box"),
    ]
    assert [product.updated_at for product in found] == [LATER, LATER, NOW]


async def test_many_merged_products_are_folded(
    database: Database, place: Place, add: Any, staged: Staged, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A chunk with more products that keep some attributes than are folded at once, and with others in between."""
    monkeypatch.setattr(module, "TEXTS_AT_ONCE", 2)
    for number in range(7):
        await add(f"A-{number}", description="É", attributes={} if number == 3 else {"b": f"É{number}", "c": "Ü"})
    given = [{} if number == 5 else {"attributes": {"a": "Ä"}} for number in range(7)]
    path = staged(*({"product_code": f"A-{number}", "description": "Ö", **more} for number, more in enumerate(given)))
    await written(database, path, update_stored, Chunk(0, 7), LATER)
    folded = [f"o\na\ne{number}\nu" for number in range(7)]
    folded[3], folded[5] = "o\na", "o\ne5\nu"
    assert run_sql(place, "SELECT description_folded FROM products ORDER BY id") == [(text,) for text in folded]


async def test_contradictions_are_reported_and_left_out(database: Database, staged: Staged, add: Any) -> None:
    """A maximum below the resulting minimum, wherever either comes from, changes nothing of its product."""
    for code in "ABCD":
        await add(code, minimum_level=2, maximum_level=9)
    path = staged(
        {"product_code": "A", "minimum_level": 10},
        {"product_code": "B", "maximum_level": 1},
        {"product_code": "C", "maximum_level": 0, "minimum_level": 10},
        {"product_code": "D"},
    )
    refused = await written(database, path, contradictions, ALL)
    assert [(row.number, row.given_minimum, row.given_maximum) for row in refused] == [(2, 10, None), (3, None, 1)]
    assert [(row.minimum_level, row.maximum_level) for row in refused] == [(10, 9), (2, 1)]
    assert await written(database, path, update_stored, ALL, LATER) == 2
    assert [row[2:4] for row in await database.rows("stock")] == [(2, 9), (2, 9), (10, 0), (2, 9)]
    assert (await get_product_by_code(database, "A")).description == "The A"


@pytest.mark.usefixtures("database_file")  # SQLite attaches it
async def test_the_file_is_let_go_of_whatever_becomes_of_the_work(database: Database, staged: Staged) -> None:
    """After success and failure alike the writer has only its own database attached."""
    path = staged({"product_code": "A"})
    await written(database, path, insert_new, ALL, Entry(NOW))
    with pytest.raises(DatabaseFailure):
        await written(database, path, asking, "wrong")
    assert await database.change_long(lambda: asking("files")) == [("main",)]
    assert len(await written(database, path, insert_new, ALL, Entry(NOW))) == 0


async def test_a_staged_file_that_is_gone_is_a_database_failure(database: Database, tmp_path: Path) -> None:
    """No file is created in its place, and the writer continues."""
    with pytest.raises(DatabaseFailure):
        await written(database, tmp_path / "gone", insert_new, ALL, Entry(NOW))
    assert not (tmp_path / "gone").exists()
    assert await database.change_long(lambda: asking("codes")) == []


def test_a_file_that_holds_something_else_is_a_database_failure(tmp_path: Path) -> None:
    """A file that is not a staged file is refused with the usual error."""
    (tmp_path / "staged").write_bytes(b"no database " * 100)
    with pytest.raises(DatabaseFailure, match="could not be stored"), staging_file(tmp_path / "staged"):
        pass


OF_NAMED_ROWS = {"leave_out_rows", "codes_taken_or_staged"}
"""What is asked of some rows by their positions or their codes, for thousands of them at once."""
SET_STATEMENTS = sorted(
    name for name, query in QUERIES.items() if "FROM staged_rows" in query.sql and name not in OF_NAMED_ROWS
)


@pytest.mark.parametrize("name", SET_STATEMENTS)
@pytest.mark.usefixtures("database")
def test_a_chunk_costs_what_it_holds(database_file: Path, staged: Staged, name: str) -> None:
    """Staged rows are found by position, and stored ones by an index: nothing is scanned."""
    with closing(sqlite3.connect(database_file)) as connection:
        connection.execute("ATTACH DATABASE ? AS staged", (str(staged()),))
        query = QUERIES[name]
        plan = connection.execute(f"EXPLAIN QUERY PLAN {query.sql}", dict.fromkeys(query.parameters)).fetchall()
    lines = [row[3] for row in plan]
    assert any(line.startswith("SEARCH given USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)") for line in lines)
    of_one_row = ("SCAN json_each", "SCAN (subquery", "SCAN other VIRTUAL TABLE")
    assert [line for line in lines if line.startswith("SCAN") and not line.startswith(of_one_row)] == []
