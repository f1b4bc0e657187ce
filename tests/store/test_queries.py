"""Queries: read from files under sql/, known by name, and the only SQL that reaches a database."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from barcodesvc import store
from barcodesvc.store.postgres.queries import QUERIES as POSTGRES_QUERIES
from barcodesvc.store.queries import Query, load_queries, parse_queries
from barcodesvc.store.sqlite.connection import QUERIES
from tests.sweeps import sweep

PACKAGE = Path(store.__file__).parents[1]
TREES = {file: ast.parse(file.read_text("utf-8")) for file in sorted(PACKAGE.rglob("*.py"))}
SQL = sorted(path for name in ("queries", "migrations") for path in (PACKAGE.parent / "sql" / name).glob("*.sql"))
SCRIPTS = [file for file in (PACKAGE / "store").glob("*.py") if file.stem not in {"__init__", "engines"}]
HANDLERS = list((PACKAGE / "api" / "resources").glob("*.py"))

SQLITE_ONLY = (
    r"AUTOINCREMENT|json_each|GLOB|INSERT OR|REPLACE INTO|rowid|last_insert_rowid|PRAGMA|strftime|julianday|datetime\("
    r"|IFNULL|WITHOUT ROWID|STRICT|COLLATE|INDEXED BY|typeof|total_changes|printf|\bIS NOT DISTINCT\b|`|\[|\?|\$|=="
)


ASKING = {"one": "^", "row": "^", "scan_row": "^", "rows": "", "stream": "", "run": "!"}
"""The methods that run a statement, and what its query must return."""


RUNNERS = {"execute", "executemany", "executescript", "execute_fetchall", "execute_insert"}
RUNNERS |= {"fetch", "fetchrow", "fetchval", "cursor"}
"""The methods of sqlite3, aiosqlite and asyncpg that run SQL."""
PASSED_ON = {
    ("store/sqlite/connection.py", "run_in_thread", "partial(work, statements)"),  # a function
    ("store/sqlite/migrations.py", "result_of", "statement"),  # from the files in sql/sqlite/migrations
    ("store/postgres/pool.py", "stream", "limits.BATCH"),  # a number of rows, for a cursor
    ("store/postgres/copying.py", "batches", "BATCH_ROWS"),  # as above
    ("store/postgres/migrations.py", "result_of", "step"),  # from the files in sql/postgres/migrations
}
"""Other expressions that reach a database: module, function, expression."""
STATEMENT = re.compile(
    r"\s*(SELECT|INSERT|UPDATE|DELETE|REPLACE|CREATE|ALTER|DROP|WITH|PRAGMA|ATTACH|DETACH|BEGIN|COMMIT|END|ROLLBACK|"
    r"SAVEPOINT|RELEASE|ANALYZE|EXPLAIN|REINDEX|VACUUM)\b(\s*;|\s+\S)"
)
"""How a statement begins: its verb in capitals, followed by more text."""


def calls() -> Iterator[tuple[str, str]]:
    """Yield each call of such a method with the name of its query."""
    for tree in TREES.values():
        for node in ast.walk(tree):
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
    texts = {node.value for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.Constant)}
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


@sweep("path", SQL)
def test_sql_is_the_portable_subset(path: Path) -> None:
    """Shared SQL uses no feature that only SQLite has."""
    assert re.findall(SQLITE_ONLY, re.sub("--.*|'[^']*'", "", path.read_text("utf-8")), re.IGNORECASE) == []


@sweep("file", sorted(SCRIPTS + HANDLERS))
def test_no_script_and_no_handler_names_an_engine(file: Path) -> None:
    """Neither code nor comments name a library, a dialect or its peculiarities, so nothing hinders another engine."""
    assert re.findall(r"sqlite|postgres|pragma|json_each|fts5|rowid", file.read_text("utf-8"), re.IGNORECASE) == []


def test_the_path_of_a_change_names_files_that_are_there() -> None:
    """The package's docstring lists the files that a change of a level passes through, in order."""
    named = re.findall(r"^    (\S+\.py) ", store.__doc__ or "", re.MULTILINE)
    assert len(named) == 5
    assert [name for name in named if not (PACKAGE / name).is_file()] == []


def sites() -> Iterator[tuple[str, str, ast.expr]]:
    """Yield module, function and SQL of every use of a method that runs SQL, called or passed on."""
    for file, tree in TREES.items():
        for function in ast.walk(tree):
            if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
                    for runner, text in pairwise([call.func, *call.args]):
                        if isinstance(runner, ast.Attribute) and runner.attr in RUNNERS:
                            yield str(file.relative_to(PACKAGE)), function.name, text


def is_query(node: ast.expr) -> bool:
    """Return whether an expression is a named query's SQL: `query.sql` of a parameter, or `QUERIES["name"].sql`."""
    return bool(re.fullmatch(r"(\w+|QUERIES\['\w+'\])\.sql", ast.unparse(node)))


def test_only_fixed_texts_are_run() -> None:
    """No literal, f-string, formatting or joining: only a query from its file, or a known expression of an engine."""
    others = {(module, name, ast.unparse(text)) for module, name, text in sites() if not is_query(text)}
    assert others == PASSED_ON
    running = {f"store/{engine}/{name}.py" for engine in ("sqlite", "postgres") for name in ("migrations", "staging")}
    seen = {module for module, _, _ in sites()}
    assert seen >= running | {"store/sqlite/connection.py", "store/postgres/pool.py"}
    assert {module.rpartition("/")[0] for module in seen} == {"store/postgres", "store/sqlite"}


def test_no_statement_is_in_a_string() -> None:
    """Every statement is in a file under sql/, whether it is run where it is written or elsewhere."""
    found = []
    for tree in TREES.values():
        documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        constants = [
            node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in documentation
        ]
        found += [node.value for node in constants if isinstance(node.value, str) and STATEMENT.match(node.value)]
    assert found == []


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
        ("-- name: a\nSELECT 1;", "is not a header"),
        ("-- name: a()?\nSELECT 1;", "is not a header"),
        ("-- Name: a()\nSELECT 1;", "is not a header"),
        ("-- name: a()\nSELECT 1;\n-- name b()\nSELECT 2;", "is not a header"),
        ("SELECT 1;\n-- name: a()\nSELECT 1;", "above the first header"),
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
