"""Start-up of a database file and its connections: migrations, the write-ahead log, and settings for power cuts.

Rule: only its owner may read a new file, because it holds the secret of the web app's sessions; SQLite gives its log
the same permissions. A file that every user of the machine may read is from an earlier release, and others lose access
to it. Any other permissions were chosen on purpose, and stay.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import aiosqlite

from barcodesvc.errors import StartError
from barcodesvc.store.sqlite.connection import DatabaseFile, connect
from barcodesvc.store.sqlite.files import (
    OWNER_ALONE,
    followed,
    keep_from_others,
    why_not_created_anew,
    why_not_safe,
    why_reserved,
)
from barcodesvc.store.sqlite.migrations import migrate
from barcodesvc.store.sqlite.queries import QUERIES

_LOG = logging.getLogger(__name__)

_SWITCH_PAUSE = 0.01
LEAST_SQLITE = (3, 35, 0)
TEXT_INDEX = "fts5"


def require_sqlite() -> None:
    """Raise StartError if SQLite is too old, or lacks its index of texts."""
    if sqlite3.sqlite_version_info < LEAST_SQLITE:
        raise StartError(f"SQLite {sqlite3.sqlite_version} is too old; 3.35 or newer is needed")
    with closing(sqlite3.connect(":memory:")) as connection:
        if not connection.execute(QUERIES["text_index"].sql, {"name": TEXT_INDEX}).fetchall():
            raise StartError(
                f"SQLite {sqlite3.sqlite_version} was built without its module {TEXT_INDEX}, which searching needs; "
                "start with a Python whose sqlite3 has it"
            )


async def prepare(file: DatabaseFile) -> None:
    """Create the file if needed, migrate it and switch to its log; raises StartError, sqlite3.Error and OSError."""
    if why := why_reserved(file.path):
        raise StartError(f"{why}; name another file in BARCODESVC_DATABASE, or rename it")
    if why := why_not_created_anew(file.path):
        raise StartError(why)
    if why := why_not_safe(file.path):
        _LOG.warning("%s", why)
    _create(file.path)
    connection = await connect(file.path, "rwc", file.limits.busy_timeout)
    try:
        await set_up_writer(connection)
        await migrate(connection)
        # now the file is known to be ours: its permissions change, and its journal mode, which is stored in it
        keep_from_others(file.path)
        await log_ahead(connection, file.limits.busy_timeout)
    finally:
        await connection.close()


def _create(path: Path) -> None:
    """Create the file if it does not exist; SQLite fails for the same reasons, and reports them."""
    if path.exists():
        return
    with suppress(OSError):
        os.close(os.open(followed(path), os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_ALONE))
        _LOG.info("there was no database %s; a new one is created", path)


async def log_ahead(writer: aiosqlite.Connection, busy_timeout: float) -> None:
    """Switch to the write-ahead log; SQLite itself does not wait for another process that is doing so."""
    waited = 0.0
    while True:
        try:
            [(mode,)] = await writer.execute_fetchall(QUERIES["write_ahead"].sql)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or waited >= busy_timeout:
                raise
            await asyncio.sleep(_SWITCH_PAUSE)
            waited += _SWITCH_PAUSE
        else:
            break
    if mode != "wal":
        raise StartError("the database cannot use write-ahead logging here; name a file on a local disk")


async def open_log(connection: aiosqlite.Connection) -> None:
    """Read once, which opens the log: later there may be no file descriptor left for it."""
    await connection.execute_fetchall(QUERIES["ping"].sql)


async def set_up_writer(connection: aiosqlite.Connection) -> None:
    """Set up a connection that changes the file."""
    await connection.execute_fetchall(QUERIES["synchronise_fully"].sql)
    await connection.execute_fetchall(QUERIES["enforce_references"].sql)
    await connection.execute_fetchall(QUERIES["keep_pages"].sql)
    await connection.execute_fetchall(QUERIES["cut_log"].sql)
