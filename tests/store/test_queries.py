import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from barcodesvc.store.postgres.queries import QUERIES as POSTGRES_QUERIES
from barcodesvc.store.queries import Query, load_queries, parse_queries
from barcodesvc.store.sqlite.connection import QUERIES
from tests.sweeps import sweep

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "barcodesvc").rglob("*.py"))
STORE = sorted((ROOT / "barcodesvc" / "store").rglob("*.py"))
SQL = sorted(path for name in ("queries", "migrations") for path in (ROOT / "sql" / name).glob("*.sql"))

SQLITE_ONLY = (
    r"AUTOINCREMENT|json_each|GLOB|INSERT OR|REPLACE INTO|rowid|last_insert_rowid|PRAGMA|strftime|julianday|datetime\("
    r"|IFNULL|WITHOUT ROWID|STRICT|COLLATE|INDEXED BY|typeof|total_changes|printf|\bIS NOT DISTINCT\b|`|\[|\?|\$|=="
)


def code_of(path: Path) -> str:
    """Return an SQL file without its comments and strings."""
    return re.sub("--.*|'[^']*'", "", path.read_text("utf-8"))


ASKING = {"one": "^", "row": "^", "scan_row": "^", "rows": "", "stream": "", "run": "!"}
"""The methods that run a statement, and what its query must return."""


def calls() -> Iterator[tuple[str, str]]:
    """Yield each call of such a method with the name of its query."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                way = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
                if way in ASKING and isinstance(node.args[0].value, str):
                    yield way, node.args[0].value


@cache
def asked() -> list[tuple[str, str]]:
    """Return the different calls, in order."""
    return sorted(set(calls()))


def test_every_query_is_named_somewhere() -> None:
    """The SQL files contain no unused query."""
    texts = {
        node.value
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant)
    }
    assert {*QUERIES, *POSTGRES_QUERIES} - texts == set()


@sweep(("way", "name"), asked)
def test_every_query_that_is_asked_gives_what_is_asked_for(way: str, name: str) -> None:
    """It exists, and is marked as returning one row, rows, or none: a query whose rows are not fetched is not run."""
    query = QUERIES.get(name) or load_queries("postgres")[name]
    assert query.yields == ASKING[way]
    assert way != "run" or "RETURNING" not in query.sql


def test_the_ways_of_asking_are_seen() -> None:
    """The test above finds calls of each kind."""
    assert {way for way, _ in asked()} == ASKING.keys()


def test_the_parameters_of_every_query_are_known() -> None:
    """A query's parameters are the names that its text binds."""
    assert QUERIES["get_product"].parameters == {"id"}
    assert QUERIES["list_levels"].parameters == {"limit"}
    assert QUERIES["ping"].parameters == frozenset()


@sweep("path", STORE)
def test_no_formatted_text_holds_sql(path: Path) -> None:
    """No f-string and no string operation in the store contains an SQL keyword."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, (ast.JoinedStr, ast.BinOp)):
            assert not re.search(r"\b(SELECT|INSERT|UPDATE|DELETE|WHERE|CREATE)\b", ast.unparse(node))


@pytest.mark.parametrize("path", SQL, ids=lambda path: path.name)
def test_sql_is_the_portable_subset(path: Path) -> None:
    """Shared SQL uses no feature that only SQLite has."""
    assert re.findall(SQLITE_ONLY, code_of(path), re.IGNORECASE) == []


def test_a_query_file_is_read_by_name() -> None:
    """A header gives name, parameters and result; the statement extends to the next header."""
    first, second = parse_queries("-- A file.\n-- name: a(x, y)^\nSELECT :x,\n:y;\n\n-- name: b()!\nDELETE FROM t;\n")
    assert first == Query("a", frozenset({"x", "y"}), "^", "SELECT :x,\n:y;")
    assert second == Query("b", frozenset(), "!", "DELETE FROM t;")


def test_comments_and_casts_hold_no_parameters() -> None:
    """A colon in a comment and the double colon of a PostgreSQL cast are not parameters."""
    [query] = parse_queries("-- name: a(x)\n-- about :nothing\nSELECT :x::text; -- nor :here\n")
    assert query.parameters == {"x"}


@sweep(
    ("text", "message"),
    [
        ("-- name: a(x)\nSELECT 1;", "declares ['x'] but uses []"),
        ("-- name: a()\nSELECT :x;", "declares [] but uses ['x']"),
        ("-- name: a\nSELECT 1;", "is no header"),
        ("-- name: a()?\nSELECT 1;", "is no header"),
        ("-- name: a() \nSELECT 1;", "is no header"),
        ("--name: a()\nSELECT 1;", "is no header"),
        ("-- Name: a()\nSELECT 1;", "is no header"),
        ("-- name: a()\nSELECT 1;\n-- name b()\nSELECT 2;", "is no header"),
        ("SELECT 1;\n-- name: a()\nSELECT 1;", "above the first header"),
        ("SELECT 1;", "above the first header"),
        ("-- name: a()\n", "not one statement"),
        ("-- name: a()\n-- only words;\n", "not one statement"),
        ("-- name: a()\nSELECT 1", "not one statement"),
        ("-- name: a()\nSELECT 1; SELECT 2;", "not one statement"),
    ],
)
def test_malformed_query_files_are_refused(text: str, message: str) -> None:
    """A malformed file is refused with a message that names the place."""
    with pytest.raises(ValueError, match=re.escape(message)):
        list(parse_queries(text))


def test_two_queries_of_one_name_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are unique over all files (the folder is replaced, since the real one is valid)."""
    for folder in ("queries", "engine"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "one.sql").write_text("-- name: twin()\nSELECT 1;\n", "utf-8")
    (tmp_path / "queries" / "notes.txt").write_text("not read", "utf-8")
    monkeypatch.setattr("barcodesvc.store.queries.files", lambda _: tmp_path)
    with pytest.raises(ValueError, match="two queries are named twin"):
        load_queries("engine")
