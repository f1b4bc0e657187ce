"""Which engine serves a database: a file is SQLite's, the address of a server is PostgreSQL's.

An engine is imported when it is chosen: asyncpg is an extra, and would take memory from small installations.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from barcodesvc.addresses import ServerAddress
from barcodesvc.errors import StartError
from barcodesvc.store.copying import Tables
from barcodesvc.store.database import Database


def open_database(where: Path | ServerAddress, **options: Any) -> AbstractAsyncContextManager[Database]:
    """Open the database with the options that both engines take; see their `open_database`. Raises StartError."""
    if isinstance(where, Path):
        from barcodesvc.store.sqlite import database as sqlite  # noqa: PLC0415 - see above

        return sqlite.open_database(where, **options)
    with _missing_extra_named():
        from barcodesvc.store.postgres import database as postgres  # noqa: PLC0415 - see above
    return postgres.open_database(where.url, **options)


def only_service(where: Path | ServerAddress) -> AbstractContextManager[None]:
    """Keep other services from a file within the block; raises StartError if there is one. A server may have many."""
    if isinstance(where, ServerAddress):
        return nullcontext()
    from barcodesvc.store.sqlite import service_lock  # noqa: PLC0415 - see above

    return service_lock.only_service(where)


def open_source(where: Path | ServerAddress) -> AbstractAsyncContextManager[Tables]:
    """Open a database to copy from; see the engines' `open_source`. Raises StartError if asyncpg is missing."""
    if isinstance(where, Path):
        from barcodesvc.store.sqlite import copying as sqlite  # noqa: PLC0415 - see above

        return sqlite.open_source(where)
    with _missing_extra_named():
        from barcodesvc.store.postgres import copying as postgres  # noqa: PLC0415 - see above
    return postgres.open_source(where.url)


def open_target(where: Path | ServerAddress) -> AbstractAsyncContextManager[Tables]:
    """Open a database to copy into; see the engines' `open_target`. Raises StartError if asyncpg is missing."""
    if isinstance(where, Path):
        from barcodesvc.store.sqlite import copying as sqlite  # noqa: PLC0415 - see above

        return sqlite.open_target(where)
    with _missing_extra_named():
        from barcodesvc.store.postgres import copying as postgres  # noqa: PLC0415 - see above
    return postgres.open_target(where.url)


@contextmanager
def _missing_extra_named() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as missing:
        if missing.name != "asyncpg":
            raise
        raise StartError(
            "BARCODESVC_DATABASE: a PostgreSQL server needs the package asyncpg; "
            "run `scripts/setup postgres`, or `pip install asyncpg`"
        ) from None
