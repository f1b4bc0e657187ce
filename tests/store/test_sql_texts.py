"""What reaches SQLite as SQL: a named query, a migration, or one of a few literals; a value never, but bound."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "barcodesvc"
MODULES = sorted(PACKAGE.rglob("*.py"))

RUNNERS = {"execute", "executemany", "executescript", "execute_fetchall", "execute_insert"}
"""The methods of sqlite3 and aiosqlite that take SQL."""
OTHER_LIBRARIES = {"labels/embedded_font.py": {"plan.execute()"}}
"""Calls of that name that have nothing to do with SQL."""
PASSED_ON = {
    ("store/database.py", "control", "statement"),  # handed literals only; see the test of that
    ("store/migrations.py", "_apply", "statement"),  # from the files in sql/migrations
}
"""Variables that reach SQLite: module, function, name."""
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

Site = tuple[str, str, ast.Call]


def calls(names: set[str]) -> Iterator[Site]:
    """Yield module, function and node of every call of a method of these names in the package."""
    for module in MODULES:
        for function in ast.walk(ast.parse(module.read_text("utf-8"))):
            if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names:
                    yield str(module.relative_to(PACKAGE)), function.name, node


SITES = [site for site in calls(RUNNERS) if ast.unparse(site[2]) not in OTHER_LIBRARIES.get(site[0], ())]


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


@pytest.mark.parametrize("site", SITES, ids=lambda site: f"{site[0]}-{site[1]}-{ast.unparse(site[2])[-50:]}")
def test_only_fixed_texts_are_run(site: Site) -> None:
    """No f-string, no formatting, no joining: a query from its file, a literal, or a variable that is known."""
    module, function, call = site
    text = call.args[0]
    assert (
        is_query(text)
        or is_statement(text)
        or (isinstance(text, ast.Name) and (module, function, text.id) in PASSED_ON)
    ), ast.unparse(call)


def test_the_call_sites_are_seen() -> None:
    """The test above has something to look at, in every file that runs SQL, and knows no variable that is gone."""
    assert {module for module, _, _ in SITES} >= {"store/database.py", "store/migrations.py", "store/staging.py"}
    variables = {(module, name, call.args[0].id) for module, name, call in SITES if isinstance(call.args[0], ast.Name)}
    assert variables == PASSED_ON


def test_control_is_handed_literals_alone() -> None:
    """What begins and ends transactions is written out where it is called."""
    handed = [call.args[0] for _, _, call in calls({"control"})]
    assert handed
    assert all(isinstance(text, ast.Constant) for text in handed)


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
