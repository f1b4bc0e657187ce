"""SQL injection check: only named queries and migrations from sql/ reach a database, and values are always bound."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from tests.sweeps import sweep

PACKAGE = Path(__file__).parents[2] / "barcodesvc"
MODULES = sorted(PACKAGE.rglob("*.py"))

RUNNERS = {"execute", "executemany", "executescript", "execute_fetchall", "execute_insert"}
RUNNERS |= {"fetch", "fetchrow", "fetchval", "cursor"}
"""The methods of sqlite3, aiosqlite and asyncpg that run SQL."""
OTHER_LIBRARIES = {"labels/embedded_font.py": {"plan.execute()"}}
"""Methods with such a name that are unrelated to SQL."""
PASSED_ON = {
    ("store/sqlite/connection.py", "run_in_thread", "partial(work, statements)"),  # a function
    ("store/sqlite/migrations.py", "result_of", "statement"),  # from the files in sql/sqlite/migrations
    ("store/postgres/pool.py", "stream", "limits.BATCH"),  # a number of rows, for a cursor
    ("store/postgres/copying.py", "batches", "BATCH_ROWS"),  # as above
    ("store/postgres/migrations.py", "result_of", "step"),  # from the files in sql/postgres/migrations
}
"""Other expressions that reach a database: module, function, expression."""
SQL = re.compile(
    r"\s*(SELECT|INSERT|UPDATE|DELETE|REPLACE|CREATE|ALTER|DROP|WITH|PRAGMA|ATTACH|DETACH|BEGIN|COMMIT|END|ROLLBACK|"
    r"SAVEPOINT|RELEASE|ANALYZE|EXPLAIN|REINDEX|VACUUM)\b(\s*;|\s+\S)"
)
"""How a statement begins: its verb in capitals, followed by more text."""

Site = tuple[str, str, ast.expr]


def texts(names: set[str]) -> Iterator[Site]:
    """Yield module, function and SQL of every use of a method with one of these names, called or passed on."""
    for module in MODULES:
        where = str(module.relative_to(PACKAGE))
        for function in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
                    if where not in OTHER_LIBRARIES or ast.unparse(call) not in OTHER_LIBRARIES[where]:
                        yield from ((where, function.name, text) for text in run_by(call, names))


def run_by(call: ast.Call, names: set[str]) -> Iterator[ast.expr]:
    """Yield the expression that follows a method with one of these names in a call."""
    parts = [call.func, *call.args]
    for runner, text in pairwise(parts):
        if isinstance(runner, ast.Attribute) and runner.attr in names:
            yield text


@cache
def sites() -> list[Site]:
    """Return the uses of methods that run SQL."""
    return list(texts(RUNNERS))


def is_query(node: ast.expr) -> bool:
    """Return whether an expression is a named query's SQL: `query.sql` of a parameter, or `QUERIES["name"].sql`."""
    if not isinstance(node, ast.Attribute) or node.attr != "sql":
        return False
    if isinstance(node.value, ast.Subscript):
        return ast.unparse(node.value.value) == "QUERIES" and isinstance(node.value.slice, ast.Constant)
    return isinstance(node.value, ast.Name)


def sql_strings(tree: ast.Module) -> list[str]:
    """Return the strings of a module that begin like a statement, without its docstrings."""
    texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    strings = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in texts)
    return [node.value for node in strings if isinstance(node.value, str) and SQL.match(node.value)]


@sweep("site", sites)
def test_only_fixed_texts_are_run(site: Site) -> None:
    """No literal, f-string, formatting or joining: only a query from its file, or a known expression."""
    module, function, text = site
    known = (module, function, ast.unparse(text)) in PASSED_ON
    assert known or is_query(text), ast.unparse(text)


@sweep("module", MODULES)
def test_no_statement_is_in_a_string(module: Path) -> None:
    """Every statement is in a file under sql/, whether it is run where it is written or elsewhere."""
    assert sql_strings(ast.parse(module.read_text("utf-8"))) == []


def test_the_sites_are_seen() -> None:
    """The test above finds uses in every file that runs SQL, and has no outdated exception."""
    running = {f"store/sqlite/{name}.py" for name in ("connection", "migrations", "staging")}
    running |= {f"store/postgres/{name}.py" for name in ("pool", "migrations", "staging")}
    assert {module for module, _, _ in sites()} >= running
    assert {(module, name, ast.unparse(text)) for module, name, text in sites()} >= PASSED_ON


def test_no_other_module_talks_to_a_database() -> None:
    """Only the engines run SQL."""
    assert {module.rpartition("/")[0] for module, _, _ in sites()} == {"store/postgres", "store/sqlite"}


@pytest.mark.parametrize(
    "text",
    [
        'f"SELECT {x}"',
        '"SELECT " + x',
        '"SELECT %s" % x',
        '"SELECT {}".format(x)',
        "x",
        '"DROP TABLE x"',
        '"BEGIN"',
        "QUERIES[x].sql",
    ],
)
def test_what_is_put_together_would_be_seen(text: str) -> None:
    """The checks refuse examples of what they must refuse."""
    node = ast.parse(text, mode="eval").body
    assert not is_query(node)


@pytest.mark.parametrize("text", ["SELECT 1", "PRAGMA data_version", "\n  BEGIN IMMEDIATE", "COMMIT;", "DELETE FROM x"])
def test_a_statement_in_a_string_would_be_seen(text: str) -> None:
    """In any expression, but not in documentation."""
    assert sql_strings(ast.parse(f"x = [{text!r}]")) == [text]
    assert sql_strings(ast.parse(f'"""{text}"""')) == []
