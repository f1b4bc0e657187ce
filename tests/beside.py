"""What another program does with the database of a test: it looks into it, or changes it, beside the service."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from barcodesvc.addresses import ServerAddress
from tests.engines import Place, answered, in_thread

_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"

_END = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE {}"


def run_beside(place: Place, *statements: str) -> list[tuple[Any, ...]]:
    """Run statements, each by itself; return the rows of the last one."""
    if not isinstance(place, Path):
        return in_thread(answered(place.url, *statements))
    rows: list[tuple[Any, ...]] = []
    with closing(sqlite3.connect(place, timeout=10.0, isolation_level=None)) as connection:
        for statement in statements:
            rows = connection.execute(statement).fetchall()
    return rows


def end_connections(place: Place) -> None:
    """End all connections to a database of a server, as an administrator can."""
    run_beside(place, _END.format("datname = current_database() AND pid <> pg_backend_pid()"))


def close_database(place: ServerAddress) -> None:
    """End all connections to a database of a server, which then takes no new ones."""
    elsewhere, name = _beside(place)
    run_beside(elsewhere, f"ALTER DATABASE {name} ALLOW_CONNECTIONS false", _END.format(f"datname = '{name}'"))


def open_again(place: ServerAddress) -> None:
    """Let a database of a server take connections again."""
    elsewhere, name = _beside(place)
    run_beside(elsewhere, f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")


def _beside(place: ServerAddress) -> tuple[ServerAddress, str]:
    """Return the address of another database on the server, and the name of this one."""
    parts = urlsplit(place.url)
    return ServerAddress(parts._replace(path="/postgres").geturl()), parts.path[1:]


def drop_tables(place: Place) -> None:
    """Take the tables away under a running service."""
    if not isinstance(place, Path):
        run_beside(place, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
        return
    # those of an index go with it
    run_beside(place, *(f"DROP TABLE IF EXISTS {name}" for (name,) in run_beside(place, _TABLES)))
