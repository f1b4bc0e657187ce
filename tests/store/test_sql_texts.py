"""What reaches SQLite as SQL: a named query, a migration, or one of a few literals; a value never, but bound."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "barcodesvc"
MODULES = sorted(PACKAGE.rglob("*.py"))

RUNNERS = {"execute", "executemany", "executescript", "execute_fetchall", "execute_insert"}
"""The methods of sqlite3 and aiosqlite that take SQL."""
OTHER_LIBRARIES = {"labels/embedded_font.py": {"plan.execute()"}}
"""Calls of that name that have nothing to do with SQL."""
PASSED_ON = {
    ("store/connection.py", "control", "statement"),  # handed literals only; see the test of that
    ("store/file_identity.py", "execute", "statement"),  # as aiosqlite was handed it
    ("store/migrations.py", "_apply", "statement"),  # from the files in sql/migrations
}
"""What else reaches SQLite: module, function, expression."""
STATEMENTS = (
    "PRAGMA ",
    "BEGIN",
    "COMMIT",
    "SELECT ",
    "ATTACH DATABASE :uri ",
    "DETACH DATABASE ",
    "CREATE TABLE schema_",
    "INSERT INTO schema_version ",
    "UPDATE schema_version ",
)
"""How the literals begin: what opens, closes and versions a database, never a query of the service."""

Site = tuple[str, str, ast.expr]


def texts(names: set[str]) -> Iterator[Site]:
    """Yield module, function and SQL of every use of a method of these names, called or handed on with it."""
    for module in MODULES:
        for function in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for node in ast.walk(function):
                    where = str(module.relative_to(PACKAGE))
                    if isinstance(node, ast.Call) and ast.unparse(node) not in OTHER_LIBRARIES.get(where, ()):
                        yield from ((where, function.name, text) for text in run_by(node, names))


def run_by(call: ast.Call, names: set[str]) -> Iterator[ast.expr]:
    """Yield the expression that stands behind a method of these names in a call."""
    parts = [call.func, *call.args]
    for runner, text in pairwise(parts):
        if isinstance(runner, ast.Attribute) and runner.attr in names:
            yield text


SITES = list(texts(RUNNERS))


def is_query(node: ast.expr) -> bool:
    """Tell whether an expression is the text of a named query: `query.sql` of a parameter, or `QUERIES["name"].sql`."""
    if not isinstance(node, ast.Attribute) or node.attr != "sql":
        return False
    if isinstance(node.value, ast.Subscript):
        return ast.unparse(node.value.value) == "QUERIES" and isinstance(node.value.slice, ast.Constant)
    return isinstance(node.value, ast.Name)


def is_statement(node: ast.expr) -> bool:
    """Tell whether an expression is one of the literals that need no file."""
    return isinstance(node, ast.Constant) and str(node.value).startswith(STATEMENTS)


@pytest.mark.parametrize("site", SITES, ids=lambda site: f"{site[0]}-{site[1]}-{ast.unparse(site[2])[:40]}")
def test_only_fixed_texts_are_run(site: Site) -> None:
    """No f-string, no formatting, no joining: a query from its file, a literal, or an expression that is known."""
    module, function, text = site
    known = (module, function, ast.unparse(text)) in PASSED_ON
    assert known or is_query(text) or is_statement(text), ast.unparse(text)


def test_the_sites_are_seen() -> None:
    """The test above has something to look at, in every file that runs SQL, and knows no expression that is gone."""
    assert {module for module, _, _ in SITES} >= {"store/connection.py", "store/migrations.py", "store/staging.py"}
    assert {(module, name, ast.unparse(text)) for module, name, text in SITES} >= PASSED_ON


def test_control_is_handed_fixed_texts_alone() -> None:
    """What begins and ends transactions is written out where it is called, or a constant or parameter of the store."""
    handed = [text for _, _, text in texts({"control"})]
    assert handed
    assert all(isinstance(text, (ast.Constant, ast.Name)) for text in handed)


def test_no_other_module_talks_to_sqlite() -> None:
    """SQL is run in the store alone."""
    assert {module.partition("/")[0] for module, _, _ in SITES} == {"store"}


@pytest.mark.parametrize(
    "text",
    [
        'f"SELECT {x}"',
        '"SELECT " + x',
        '"SELECT %s" % x',
        '"SELECT {}".format(x)',
        "x",
        '"DROP TABLE x"',
        "QUERIES[x].sql",
    ],
)
def test_what_is_put_together_would_be_seen(text: str) -> None:
    """The checks refuse what they are there to refuse."""
    node = ast.parse(text, mode="eval").body
    assert not is_query(node)
    assert not is_statement(node)
