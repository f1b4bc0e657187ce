"""Start-up of the file and its connections: migrated, in the write-ahead log, and safe against a power cut."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing

import aiosqlite

from barcodesvc.errors import StartError
from barcodesvc.store.sqlite.beside import database_of
from barcodesvc.store.sqlite.connection import DatabaseFile, connect
from barcodesvc.store.sqlite.migrations import migrate
from barcodesvc.store.sqlite.queries import QUERIES

_SWITCH_PAUSE = 0.01
LEAST_SQLITE = (3, 35, 0)
TEXT_INDEX = "fts5"


def require_sqlite() -> None:
    """Raise StartError if the SQLite at hand is too old, or lacks its index of texts."""
    if sqlite3.sqlite_version_info < LEAST_SQLITE:
        raise StartError(f"SQLite {sqlite3.sqlite_version} is too old; 3.35 or newer is needed")
    with closing(sqlite3.connect(":memory:")) as connection:
        if not connection.execute(QUERIES["text_index"].sql, {"name": TEXT_INDEX}).fetchall():
            raise StartError(
                f"SQLite {sqlite3.sqlite_version} was built without its module {TEXT_INDEX}, which searching needs; "
                "start with a Python whose sqlite3 has it"
            )


async def prepare(file: DatabaseFile) -> None:
    """Make the file if need be, migrate it and switch to its log; raises StartError, sqlite3.Error and OSError."""
    if database := database_of(file.path):
        raise StartError(f"{file.path} is a part of the database {database}; name another file in BARCODESVC_DATABASE")
    connection = await connect(file.path, "rwc", file.bounds.busy_timeout)
    try:
        await set_up_writer(connection)
        await migrate(connection)
        # the journal mode stands in the file: it is set only once the file is known to be ours
        await log_ahead(connection, file.bounds.busy_timeout)
    finally:
        await connection.close()


async def log_ahead(writer: aiosqlite.Connection, busy_timeout: float) -> None:
    """Switch to the write-ahead log; SQLite itself does not wait while another process is just doing so."""
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
    """Read for the first time, which makes and opens the log: later there may be no file descriptor left for it."""
    await connection.execute_fetchall(QUERIES["ping"].sql)


async def set_up_writer(connection: aiosqlite.Connection) -> None:
    """Make the connection one that changes the file."""
    await connection.execute_fetchall(QUERIES["synchronise_fully"].sql)
    await connection.execute_fetchall(QUERIES["enforce_references"].sql)
    await connection.execute_fetchall(QUERIES["keep_pages"].sql)
    await connection.execute_fetchall(QUERIES["cut_log"].sql)
