"""The database file as it was opened: one lane for changes, some for reads, and the watch over commits.

    writer        the only connection that changes anything
    scan reader   kept for scans, and for the question whether the service is well
    readers       all other reads, by turns

When the file at the path is another one, all of this is closed and opened anew as a whole. Rule: an empty file is made
at the start of the service and never again, so that one that was deleted is missed.
"""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
from dataclasses import dataclass, replace

import aiosqlite

from barcodesvc.errors import StartError
from barcodesvc.store.commit_watch import CommitWatch
from barcodesvc.store.condition import Condition
from barcodesvc.store.connection import Connection, Terms, connect, connect_raw, file_uri
from barcodesvc.store.lane import Lane
from barcodesvc.store.migrations import migrate
from barcodesvc.store.queries import QUERIES

READERS = 3
"""Connections that only read; the first one is kept for scans."""
LEAVE_WAIT = 2.0
"""Seconds within which a file that was moved is let go, and one that hangs when the service ends."""
_SWITCH_PAUSE = 0.01
_LEAST_SQLITE = (3, 35, 0)
_TEXT_INDEX = "fts5"


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """The open connections; made by `open_file`."""

    terms: Terms
    writer: Lane
    scan_reader: Lane
    readers: itertools.cycle[Lane]
    watch: CommitWatch
    reading: tuple[Lane, ...]

    async def leave_reading(self, seconds: float) -> bool:
        """Read nothing any more, and tell whether all that was read has ended within so long."""
        self.watch.close()
        for lane in self.reading:
            lane.end()
        return await self.terms.leaving.are_gone(seconds)

    async def leave(self, seconds: float) -> bool:
        """Close everything, and tell whether that has ended in twice as long; what hangs is left to itself.

        The writer goes last and alone: it takes the log with it, which two that go together would leave to each other.
        """
        await self.leave_reading(seconds)
        self.writer.end()
        return await self.terms.leaving.are_gone(seconds)


async def open_file(terms: Terms, condition: Condition, mode: str) -> OpenedFile:
    """Open the file in SQLite's mode `rw` or `rwc`, and migrate it if need be.

    Raises StartError, DatabaseFailure, sqlite3.Error and OSError.
    """
    reading = replace(terms, failed=condition.read_failed)
    writing = replace(terms, failed=condition.write_failed)
    raw = await connect_raw(writing, mode)
    try:
        await _require_text_index(raw)
        await prepare(raw, terms.bounds.busy_timeout)
        await asyncio.to_thread(terms.identity.note)
        watch = await _watch(f"{file_uri(terms.identity.path)}?mode=ro")
    except BaseException:
        await asyncio.wait([terms.leaving.add(raw.close())], timeout=LEAVE_WAIT)
        raise
    writer = Lane(lambda: connect(writing, "rw", _set_up), Connection(raw, writing))
    readers = tuple(Lane(lambda: connect(reading, "ro", open_log)) for _ in range(READERS))
    opened = OpenedFile(reading, writer, readers[0], itertools.cycle(readers[1:]), watch, readers)
    try:
        for lane in readers:
            await lane.connection()
    except BaseException:
        await asyncio.shield(opened.leave(LEAVE_WAIT))
        raise
    return opened


async def _watch(uri: str) -> CommitWatch:
    """Open the watch in a thread; one that comes too late is closed."""
    opening = asyncio.ensure_future(asyncio.to_thread(CommitWatch, uri))
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        opening.add_done_callback(_close_late)
        raise


def _close_late(opening: asyncio.Future[CommitWatch]) -> None:
    if not opening.cancelled() and not opening.exception():
        opening.result().close()


def require_sqlite() -> None:
    """Raise StartError if the SQLite at hand is too old."""
    if sqlite3.sqlite_version_info < _LEAST_SQLITE:
        raise StartError(f"SQLite {sqlite3.sqlite_version} is too old; 3.35 or newer is needed")


async def prepare(writer: aiosqlite.Connection, busy_timeout: float) -> None:
    """Make the connection the one that changes the file, migrated and with a write-ahead log; raises StartError."""
    await _set_up(writer)
    await migrate(writer)
    # the journal mode stands in the file: it is set only once the file is known to be ours
    if await log_ahead(writer, busy_timeout) != "wal":
        raise StartError("the database cannot use write-ahead logging here; name a file on a local disk")
    await open_log(writer)


async def log_ahead(writer: aiosqlite.Connection, busy_timeout: float) -> str:
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
            return str(mode)


async def open_log(connection: aiosqlite.Connection) -> None:
    """Read for the first time, which makes and opens the log: later there may be no file descriptor left for it."""
    await connection.execute_fetchall(QUERIES["ping"].sql)


async def _set_up(writer: aiosqlite.Connection) -> None:
    await writer.execute_fetchall(QUERIES["synchronise_fully"].sql)
    await writer.execute_fetchall(QUERIES["enforce_references"].sql)
    await writer.execute_fetchall(QUERIES["keep_pages"].sql)
    await writer.execute_fetchall(QUERIES["cut_log"].sql)


async def _require_text_index(connection: aiosqlite.Connection) -> None:
    if not await connection.execute_fetchall(QUERIES["text_index"].sql, {"name": _TEXT_INDEX}):
        raise StartError(
            f"SQLite {sqlite3.sqlite_version} was built without its module {_TEXT_INDEX}, which searching needs; "
            "start with a Python whose sqlite3 has it"
        )
