"""Access to a test's database from another program: reads or changes it while the service runs."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.engines import Place, answered, in_thread

_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"

_END = """
SELECT pg_terminate_backend(pid, 5000)
FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


def run_sql(place: Place, *statements: str) -> list[tuple[Any, ...]]:
    """Run statements, each in its own transaction; return the rows of the last one."""
    if not isinstance(place, Path):
        return in_thread(answered(place.url, *statements))
    rows: list[tuple[Any, ...]] = []
    with closing(sqlite3.connect(place, timeout=10.0, isolation_level=None)) as connection:
        for statement in statements:
            rows = connection.execute(statement).fetchall()
    return rows


def end_connections(place: Place) -> None:
    """End all connections to a server's database, as an administrator can."""
    run_sql(place, _END)


def drop_tables(place: Place) -> None:
    """Drop the tables under a running service."""
    if not isinstance(place, Path):
        run_sql(place, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
        return
    # the tables of an index are dropped with it
    run_sql(place, *(f"DROP TABLE IF EXISTS {name}" for (name,) in run_sql(place, _TABLES)))
