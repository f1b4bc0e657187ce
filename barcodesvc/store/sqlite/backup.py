"""Backup and restore of a database file: `Connection.backup` into a temporary file, a check, and a rename.

A backup sees a database as of one moment, even while it is served. A restore needs the service stopped; it keeps the
former file, with its log, under another name.

Rule: a failure leaves everything as it was, and its BackupError says why. The database itself, the log of any database,
and anything but a regular file are never overwritten.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path

from barcodesvc.errors import BackupError
from barcodesvc.store.migrations import OWN_TABLES, no_longer_known
from barcodesvc.store.sqlite import files
from barcodesvc.store.sqlite.connection import QUERIES
from barcodesvc.store.sqlite.failures import code_of
from barcodesvc.store.sqlite.migrations import migration_scripts

_PAGES = 1000
"""Pages copied in one step; an interrupt takes effect between steps."""
_WAIT = 15.0
"""Seconds to wait for a lock."""
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_READONLY)
"""Codes of a database that cannot be read; the last one means that its journal has to be rolled back first."""


def back_up(database: Path, target: Path, *, overwrite: bool, now: str) -> str:
    """Copy the database into the file `target` and return a summary of its content; raises BackupError.

    Print jobs that are not over are in doubt there, since `now`: the database goes on to print them.
    """
    with _translated(f"{database} cannot be copied to {target}"):
        files.require_file(database)
        target = _usable(target, source=database)
        files.require_no_log(target)
        if target.exists() and not overwrite:
            raise BackupError("it exists already; name another file, or overwrite it with --force")
        with _temporary_file(target.parent) as copy:
            summary = _checked_copy(database, copy, "rw")
            _doubt_jobs(copy, now)
            if not overwrite:
                target.touch(exist_ok=False)
            copy.replace(target)
            _synchronise(target.parent)
    return summary


def restore(backup: Path, database: Path, *, aside: Path, now: str) -> str:
    """Replace the database with a backup, keep the former file as `aside`, and return a summary; raises BackupError.

    Print jobs that were not over are in doubt then, since `now`.
    """
    with _translated(f"{database} cannot be replaced with {backup}"):
        files.require_file(backup)
        database = _usable(database, source=backup)
        with _temporary_file(database.parent) as copy:
            summary = _checked_copy(backup, copy, "ro")
            _doubt_jobs(copy, now)
            with _out_of_use(database), _kept(database, aside):
                _copy_permissions(database, copy)
                copy.replace(database)
            _synchronise(database.parent)
    return summary


def _checked_copy(source: Path, copy: Path, mode: str) -> str:
    with closing(_opened(source, mode)) as reading, closing(_opened(copy, "rw")) as writing:
        reading.execute(QUERIES["begin_reading"].sql)  # one snapshot for all steps
        reading.execute(QUERIES["tables"].sql).fetchall()
        reading.backup(writing, pages=_PAGES)
        writing.execute(QUERIES["leave_write_ahead"].sql).fetchall()
        summary = _checked(writing)
    _synchronise(copy)
    return summary


def _doubt_jobs(copy: Path, now: str) -> None:
    """Let no job be printed by itself, and no later one have an id that was given since the backup."""
    with closing(_opened(copy, "rw")) as connection:
        if ("print_jobs",) in connection.execute(QUERIES["tables"].sql).fetchall():  # an older release has none
            connection.execute(QUERIES["doubt_restored_jobs"].sql, {"now": now})
            _skip_ids(connection, "print_jobs", now)
    _synchronise(copy)


def _skip_ids(connection: sqlite3.Connection, table: str, now: str) -> None:
    """Go on with the seconds since 1970: they are ahead of all ids while there is less than one row a second."""
    [(last,)] = connection.execute(QUERIES["last_given_id"].sql, {"table": table})
    seconds = int(datetime.fromisoformat(now).timestamp())
    connection.execute(QUERIES["set_last_given_id"].sql, {"table": table, "last": max(last, seconds)}).fetchall()


def _checked(connection: sqlite3.Connection) -> str:
    [(damage,)] = connection.execute(QUERIES["damage"].sql)
    if damage != "ok":
        raise BackupError(f"the file is damaged: {damage}")
    if connection.execute(QUERIES["rows_without_their_product"].sql).fetchall():
        raise BackupError("the file is damaged: rows without their product")
    if not {name for (name,) in connection.execute(QUERIES["tables"].sql)} >= OWN_TABLES:
        raise BackupError("the file is not a database of this service")
    [(version,)] = connection.execute(QUERIES["schema_version"].sql)
    if version < min(migration_scripts()):
        raise BackupError(no_longer_known(version))
    if version > max(migration_scripts()):
        raise BackupError(f"the file has schema version {version}, which only a newer release of barcodesvc knows")
    [(products, last_change)] = connection.execute(QUERIES["content"].sql)
    return f"{products} products, last changed at {last_change or 'no time'}, checked"


@contextmanager
def _out_of_use(database: Path) -> Iterator[None]:
    """Lock the database, with its log merged into it; raises BackupError if it is in use."""
    if not database.exists() or _is_damaged(database):  # SQLite would change or remove its log
        yield
        return
    with closing(_opened(database, "rw", wait=0.0)) as connection:
        try:
            connection.execute(QUERIES["leave_write_ahead"].sql).fetchall()
            connection.execute(QUERIES["begin_alone"].sql)
        except sqlite3.OperationalError as error:
            if code_of(error) == sqlite3.SQLITE_BUSY:
                raise BackupError("the database is in use; stop the service first") from error
            raise
        yield


def _is_damaged(database: Path) -> bool:
    with closing(_opened(database, "ro")) as connection:
        try:
            connection.execute(QUERIES["tables"].sql).fetchall()
        except sqlite3.DatabaseError as error:
            if code_of(error) in _DAMAGED:
                return True
            raise
    return False


@contextmanager
def _kept(database: Path, aside: Path) -> Iterator[None]:
    """Keep the database and its log under another name, or undo that if the body fails."""
    for taken in (aside, *files.wal_files(aside)):
        if taken.exists():
            raise BackupError(f"{taken} exists already; move it away first")
    with ExitStack() as undoing:
        for file, kept in zip(files.wal_files(database), files.wal_files(aside), strict=True):
            if file.exists():
                file.rename(kept)
                undoing.callback(kept.rename, file)
        if database.exists():
            undoing.callback(aside.unlink, missing_ok=True)
            _link(database, aside)
            undoing.callback(aside.replace, database)
        _synchronise(aside.parent)
        yield
        undoing.pop_all()


def _link(file: Path, other: Path) -> None:
    """Give the file a second name, or copy it on file systems without hard links, such as FAT."""
    try:
        other.hardlink_to(file)
    except OSError:
        shutil.copy2(file, other)
        _synchronise(other)


def _copy_permissions(former: Path, copy: Path) -> None:
    """Give the copy the permissions of the former file, if there is one, and its owner if the system allows it."""
    if former.exists():
        found = former.stat()
        copy.chmod(files.without_others(found.st_mode))
        with suppress(PermissionError):
            os.chown(copy, found.st_uid, found.st_gid)


@contextmanager
def _temporary_file(folder: Path) -> Iterator[Path]:
    """Create an empty file on the same file system as the target, and remove it and its log at the end."""
    with tempfile.TemporaryDirectory(prefix="barcodesvc-", suffix=".part", dir=folder) as own_folder:
        copy = Path(own_folder, "copy.part")
        copy.touch(mode=files.OWNER_ALONE)
        yield copy


def _opened(path: Path, mode: str, wait: float = _WAIT) -> sqlite3.Connection:
    return sqlite3.connect(f"{files.file_uri(path)}?mode={mode}", uri=True, timeout=wait, isolation_level=None)


def _usable(target: Path, *, source: Path) -> Path:
    """Return the target without links; raises BackupError if it is the source, or no database can have its name.

    Raises OSError for a name that is too long, and for a loop of links.
    """
    file = files.followed(target)
    files.require_own_name(file)
    if why := files.why_not_created(file.parent):
        raise BackupError(f"{why}, or name another file")
    for existing in (file, *files.wal_files(file)):
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(existing.stat().st_mode):
                raise BackupError(f"{existing} is not a regular file; name another file")
    if file.exists() and file.samefile(source):
        raise BackupError("the backup is the database itself; name another file")
    return file


def _synchronise(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _translated(what: str) -> Iterator[None]:
    try:
        yield
    except (BackupError, sqlite3.Error) as error:
        raise BackupError(f"{what}: {error}") from error
    except OSError as error:  # it may name a temporary file
        raise BackupError(f"{what}: {error.strerror or error}") from error
