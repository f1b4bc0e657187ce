"""What another program does with the database of a test: it looks into it, or changes it, beside the service."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from barcodesvc.addresses import ServerAddress

Place = Path | ServerAddress


def run_beside(place: Place, *statements: str) -> list[tuple[Any, ...]]:
    """Run statements that need no parameters, in one transaction; return the rows of the last one."""
    if isinstance(place, ServerAddress):
        raise NotImplementedError(place)
    with closing(sqlite3.connect(place, timeout=10.0)) as connection, connection:
        rows: list[tuple[Any, ...]] = []
        for statement in statements:
            rows = connection.execute(statement).fetchall()
    return rows


def drop_tables(place: Place) -> None:
    """Take the tables away under a running service."""
    names = (name for (name,) in run_beside(place, "SELECT name FROM sqlite_master WHERE type = 'table'"))
    run_beside(place, *_dropping(name for name in names if not name.startswith("sqlite_")))


def _dropping(names: Iterable[str]) -> Iterable[str]:
    # those of an index go with it
    return (f"DROP TABLE IF EXISTS {name}" for name in names)
