"""Which engine serves a database: a file is SQLite's, the address of a server is PostgreSQL's.

An engine is loaded when it is chosen: asyncpg is an extra, and takes memory that a small installation needs elsewhere.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from barcodesvc.addresses import ServerAddress
from barcodesvc.errors import StartError
from barcodesvc.store.database import Database


def open_database(where: Path | ServerAddress, **options: Any) -> AbstractAsyncContextManager[Database]:
    """Open the database with the options that both engines take; see their `open_database`. Raises StartError."""
    if isinstance(where, Path):
        from barcodesvc.store.sqlite import database as sqlite  # noqa: PLC0415 - see above

        return sqlite.open_database(where, **options)
    try:
        from barcodesvc.store.postgres import database as postgres  # noqa: PLC0415 - see above
    except ModuleNotFoundError as missing:
        if missing.name != "asyncpg":
            raise
        install = "pip install 'barcodesvc[postgres]'"
        raise StartError(
            f"BARCODESVC_DATABASE: a PostgreSQL server needs asyncpg; install it with: {install}"
        ) from None
    return postgres.open_database(where.url, **options)
