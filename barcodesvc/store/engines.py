"""Which engine serves a database: a file is SQLite's, the address of a server is PostgreSQL's.

An engine is imported when it is chosen: asyncpg is an extra, and would take memory from small installations.
"""

from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from barcodesvc.addresses import ServerAddress
from barcodesvc.errors import StartError
from barcodesvc.store.copying import Tables
from barcodesvc.store.database import Database


def open_database(where: Path | ServerAddress, **options: Any) -> AbstractAsyncContextManager[Database]:
    """Open the database with the options that both engines take; see their `open_database`. Raises StartError."""
    return cast("AbstractAsyncContextManager[Database]", _engine(where, "database").open_database(where, **options))


def open_source(where: Path | ServerAddress) -> AbstractAsyncContextManager[Tables]:
    """Open a database to copy from; see the engines' `open_source`. Raises StartError if asyncpg is missing."""
    return cast("AbstractAsyncContextManager[Tables]", _engine(where, "copying").open_source(where))


def open_target(where: Path | ServerAddress) -> AbstractAsyncContextManager[Tables]:
    """Open a database to copy into; see the engines' `open_target`. Raises StartError if asyncpg is missing."""
    return cast("AbstractAsyncContextManager[Tables]", _engine(where, "copying").open_target(where))


def only_service(where: Path | ServerAddress) -> AbstractContextManager[None]:
    """Keep other services from a file within the block; raises StartError if there is one. A server may have many."""
    if isinstance(where, ServerAddress):
        return nullcontext()
    return cast("AbstractContextManager[None]", _engine(where, "startup").only_service(where))


def _engine(where: Path | ServerAddress, part: str) -> ModuleType:
    name = "sqlite" if isinstance(where, Path) else "postgres"
    try:
        return import_module(f"barcodesvc.store.{name}.{part}")
    except ModuleNotFoundError as missing:
        if missing.name != "asyncpg":
            raise
        raise StartError(
            "BARCODESVC_DATABASE: a PostgreSQL server needs the package asyncpg; "
            "run `scripts/setup postgres`, or `pip install asyncpg`"
        ) from None
