"""What is told of statements that were given up, from wherever their thread stands."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from barcodesvc.store.progress import BEGIN, COMMIT, Running
from barcodesvc.store.queries import Query
from barcodesvc.store.statements import FailedStatementError, Statements

FILL = Query("fill", frozenset(), "!", "INSERT INTO t VALUES (1)")


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    """Return a connection to a database with one table."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as opened:
        opened.execute("CREATE TABLE t (a)")
        yield opened


def test_between_two_statements_nothing_is_committed_any_more(connection: sqlite3.Connection) -> None:
    """What was given up there runs no further statement, so it can be said to be undone."""
    statements = Statements(connection, Running())
    statements.begin()
    statements.change(FILL)
    assert statements.abandon() == "a change"
    for further in (lambda: statements.change(FILL), statements.commit):
        with pytest.raises(FailedStatementError):
            further()
    statements.roll_back()
    assert connection.execute("SELECT * FROM t").fetchall() == []


def test_behind_its_commit_a_change_is_not_said_to_be_undone(connection: sqlite3.Connection) -> None:
    """Whoever gives up then must not be told that nothing was changed."""
    statements = Statements(connection, Running())
    statements.begin()
    statements.change(FILL)
    statements.commit()
    assert statements.abandon() == COMMIT


@pytest.mark.parametrize(("statement", "observed"), [("fill", ["fill"]), (BEGIN, []), (COMMIT, [])])
def test_the_statement_that_runs_is_told(connection: sqlite3.Connection, statement: str, observed: list[str]) -> None:
    """By its name, and with its time if it is a named query."""
    running = Running()
    statements, seen = Statements(connection, running), list[str]()
    running.begin(statement)
    assert statements.abandon() == statement
    statements.tell_times(lambda name, _: seen.append(name))
    assert seen == observed
