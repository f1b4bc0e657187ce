"""The plans of queries: what a large catalogue must not make slow is read from an index."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from barcodesvc.store.lists import bounds_of_retired
from barcodesvc.store.postgres.queries import QUERIES as NUMBERED
from barcodesvc.store.sqlite.connection import QUERIES
from tests.engines import ServerPlaces
from tests.fixture_types import Plan
from tests.sweeps import sweep

LARGE = {"products", "levels", "movements", "idempotency_keys"}
INTERMEDIATE = {"locked", "matching", "wanted", "(subquery-1)"}
"""What a statement computes, or is given, and then walks through."""
WALKING = {
    *("copied_rows", "copy_products", "copy_codes", "count_copied_rows", "content"),  # of programs that copy everything
    *("export_levels", "export_levels_with_movements", "export_movements", "export_products"),
    *("list_levels", "list_low_levels", "list_low_products", "list_reorders"),
    *("list_products", "list_products_descending", "search_low_products"),
    "search_without_index",  # for what is shorter than a trigram
    "catalogue_marks",  # see below
}
"""The queries that walk through a large table, besides those of sorted pages."""
INDEXES = {
    "list_products_by_code": "products_by_code_folded",
    "list_products_by_description": "products_by_description",
    "list_products_by_change": "products_by_change",
    "list_products_by_level": "levels_by_level",
}
SORTED_PAGES = {name + way: index for name, index in INDEXES.items() for way in ("", "_descending")}


def walked(lines: list[str]) -> set[str]:
    """Return the names of the tables that a plan walks through."""
    return {line.split()[1] for line in lines if line.startswith("SCAN ")} - INTERMEDIATE


def test_only_lists_walk_through_a_large_table(plan: Plan) -> None:
    """Every other query uses an index, so that it costs the same in any catalogue; for imports see test_staging."""
    planned = [name for name, query in QUERIES.items() if re.search(r"\b(FROM|WHERE)\b", query.sql)]
    walking = {name for name in planned if "staged_rows" not in QUERIES[name].sql and walked(plan(name)) & LARGE}
    assert walking == WALKING | SORTED_PAGES.keys()


@sweep(
    "name",
    [
        *("insert_adjustment", "insert_count", "insert_undo", "insert_setting", "get_movement", "get_latest_movement"),
        *("get_kept_reply", "keep_reply", "delete_old_keys", "set_level", "resolve_scans", "product_texts_by_codes"),
        *("list_movements", "list_movements_of_import"),
        *("list_movements_after", "list_movements_of_import_after", "list_all_movements_after"),
    ],
)
def test_a_table_under_another_name_is_not_walked_through_either(plan: Plan, name: str) -> None:
    """These statements give tables other names, or walk through nothing at all."""
    assert walked(plan(name)) == set()


@sweep(
    "name",
    [
        *("list_levels", "list_low_levels", "export_levels", "export_movements", "export_levels_with_movements"),
        *("export_products", "list_movements", "list_movements_of_import"),
        *("list_movements_after", "list_movements_of_import_after", "list_all_movements_after"),
    ],
)
def test_what_is_read_some_at_a_time_is_never_sorted(plan: Plan, name: str) -> None:
    """An index returns rows in order, so that the first ones are available at once and none are buffered."""
    lines = plan(name)
    assert not [line for line in lines if "TEMP B-TREE" in line]
    assert len(walked(lines)) <= 1  # fields of other tables are looked up in an index


@sweep(("name", "index"), SORTED_PAGES.items())
def test_a_sorted_page_is_read_from_an_index(plan: Plan, name: str, index: str) -> None:
    """SQLite sorts nothing but the page itself."""
    lines = plan(name)
    assert lines[lines.index("CO-ROUTINE chosen") + 1].endswith(f"INDEX {index}")
    assert [line for line in lines if "TEMP B-TREE" in line] == lines[-1:]


def test_a_page_of_all_products_is_not_sorted(plan: Plan) -> None:
    """The products before it are skipped in the order of their ids."""
    assert [line for line in plan("list_products") if "B-TREE" in line and "ORDER BY" not in line] == []


@sweep("name", ["list_products_in_category", "search_products", "search_category"])
def test_no_search_walks_through_the_catalogue(plan: Plan, name: str) -> None:
    """Products are read by id and category only."""
    lines = [line for line in plan(name) if re.search(r"\b(products|chosen)\b", line)]
    assert lines
    assert not [line for line in lines if line.startswith("SCAN products")]


@sweep(
    ("name", "first"),
    [
        ("list_movements", "movements_by_product (product_id=? AND id<?)"),
        ("list_movements_after", "movements_by_product (product_id=? AND id>?)"),
        ("list_movements_of_import", "movements_by_import (import_id=? AND id<?)"),
        ("list_movements_of_import_after", "movements_by_import (import_id=? AND id>?)"),
        ("list_all_movements_after", "INTEGER PRIMARY KEY (rowid>?)"),
    ],
)
def test_a_page_of_movements_begins_where_an_index_says(plan: Plan, name: str, first: str) -> None:
    """Nothing is skipped over."""
    assert plan(name)[0].startswith("SEARCH")
    assert plan(name)[0].endswith(first)


@sweep(
    ("name", "index", "equal"),
    [
        ("list_recent_movements", "movements_by_time", ""),
        ("list_movements_by_author", "movements_by_author", "updated_by=? AND "),
    ],
)
def test_a_page_by_time_begins_where_an_index_says(plan: Plan, name: str, index: str, equal: str) -> None:
    """Nothing is skipped over, and only rows on the page are looked up and sorted."""
    lines = plan(name)
    assert [line for line in lines if index in line] == [
        f"SEARCH movements USING COVERING INDEX {index} ({equal}updated_at=? AND rowid<?)",
        f"SEARCH movements USING COVERING INDEX {index} ({equal}updated_at>? AND updated_at<?)",
    ]
    assert [line for line in lines if line.startswith(("SCAN", "MERGE"))] == ["MERGE (UNION ALL)", "SCAN page"]


def test_a_page_of_low_levels_passes_over_an_index_alone(plan: Plan) -> None:
    """Only the products on the page are looked up."""
    passed = [line for line in plan("list_low_products") if line.startswith("SCAN levels")]
    assert passed == ["SCAN levels USING COVERING INDEX levels_low"] * 2


@sweep("name", ["list_moved_products", "search_moved_products"])
def test_moved_products_are_found_by_the_time_of_their_movements(plan: Plan, name: str) -> None:
    """The index of times says where to begin."""
    assert "SEARCH movements USING INDEX movements_by_time (updated_at>?)" in plan(name)


def test_the_mark_of_the_catalogue_is_read_from_the_ends_of_indexes(plan: Plan) -> None:
    """So that a device that has the newest copy costs no more in a large catalogue."""
    lines = plan("catalogue_marks")
    assert [line for line in lines if "products" in line and line != "SCAN product_counts"] == [
        "SEARCH products USING COVERING INDEX products_retired (retired=?)",
        "SEARCH products",
        "SCAN products USING INDEX products_by_change",
    ]
    assert not [line for line in lines if "TEMP B-TREE" in line]


def test_each_key_of_a_scan_has_its_index(plan: Plan) -> None:
    """A scan costs the same in a catalogue of any size."""
    lines = " ".join(plan("resolve_scans"))
    assert all(f"product_codes_by_{key}" in lines for key in ("number", "main", "codabar", "folded"))


@asynccontextmanager
async def connected(postgres: ServerPlaces) -> AsyncIterator[asyncpg.Connection]:
    """Open a connection to a database on the server."""
    with postgres.one() as place:
        connection = await asyncpg.connect(place.url)
        try:
            yield connection
        finally:
            await connection.close()


@pytest.mark.each_engine
@sweep(("name", "index"), SORTED_PAGES.items())
async def test_a_sorted_page_is_read_from_an_index_of_the_server(postgres: ServerPlaces, name: str, index: str) -> None:
    """PostgreSQL reads the page in the order of the index; it sorts nothing but the page itself."""
    async with connected(postgres) as connection:
        await connection.execute("SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off")
        lines = [row[0] for row in await connection.fetch(f"EXPLAIN {NUMBERED[name].sql}", 50, 0)]
    limited = next(number for number, line in enumerate(lines) if "Limit" in line)
    assert index in lines[limited + 1]


@pytest.mark.each_engine
async def test_the_server_plans_each_search_for_its_words(postgres: ServerPlaces) -> None:
    """A plan for any words would read frequent ones from the index, too."""
    asked: dict[str, object] = {"named": "[]", "other_words": '["hex"]', "word": "bolt", "sorted_by": ""}
    asked |= {"text": "", "folded": "", "after": "", "category": None, "descending": 0, "limit": 5, "offset": 0}
    asked |= bounds_of_retired("false")
    query = NUMBERED["search_products"]
    async with connected(postgres) as connection:
        statement = await connection.prepare(query.sql)
        for _ in range(7):
            await statement.fetch(*query.values(asked))
        plans = await connection.fetchrow(
            "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE name = $1", statement.get_name()
        )
    assert tuple(plans) == (0, 7)
