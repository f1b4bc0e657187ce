"""Backup and restore of a database file: `Connection.backup` into a temporary file, a check, and a rename.

A backup sees a database as of one moment, even while it is served. A restore needs the service stopped; it keeps the
former file under another name.

Rule: a failure leaves everything as it was, and its BackupError says why. The database itself and the log of any
database are never overwritten.
"""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path

from barcodesvc.errors import BackupError, StartError
from barcodesvc.store.migrations import known_version, scripts_of
from barcodesvc.store.script import play
from barcodesvc.store.sqlite import files
from barcodesvc.store.sqlite.connection import QUERIES, connect
from barcodesvc.store.sqlite.failures import code_of
from barcodesvc.store.sqlite.migrations import result_of


def back_up(database: Path, target: Path, *, overwrite: bool, now: str) -> str:
    """Copy the database into the file `target` and return a summary of its content; raises BackupError.

    Print jobs that are not over are in doubt there, since `now`: the database itself will still print them.
    """
    with _translated(f"{database} cannot be copied to {target}", database):
        target = _usable(target, source=database)
        files.require_no_log(target)
        if target.exists() and not overwrite:
            raise BackupError("it already exists; name another file, or overwrite it with --force")
        with _checked_copy(database, "rw", target.parent, now) as (copy, summary):
            if not overwrite:
                target.touch(exist_ok=False)  # another program may have made it meanwhile
            copy.replace(target)
    return summary


def restore(backup: Path, database: Path, *, aside: Path, now: str) -> str:
    """Replace the database with a backup, keep the old file as `aside`, and return a summary; raises BackupError.

    Print jobs that were not over are in doubt then, since `now`.
    """
    with _translated(f"{database} cannot be replaced with {backup}", backup):
        database = _usable(database, source=backup)
        with _checked_copy(backup, "ro", database.parent, now) as (copy, summary), _out_of_use(database):
            files.require_no_log(aside)
            if database.exists():
                _copy_permissions(database, copy)
                aside.hardlink_to(database)  # so that there is a database at any time
            try:
                copy.replace(database)
            except OSError:
                aside.unlink(missing_ok=True)
                raise
    return summary


def _usable(target: Path, *, source: Path) -> Path:
    """Return the target without links; raises BackupError if no file can be created there, or it is the source."""
    files.require_file(source)
    file = files.followed(target)
    files.require_own_name(file)
    if why := files.why_not_created(file.parent):
        raise BackupError(why)
    if file.exists() and file.samefile(source):
        raise BackupError("the backup is the database itself; name another file")
    return file


@contextmanager
def _checked_copy(source: Path, mode: str, folder: Path, now: str) -> Iterator[tuple[Path, str]]:
    """Copy a database into a temporary file of the folder, and yield that with the summary of its content.

    The block moves it to its place.
    """
    with tempfile.TemporaryDirectory(prefix="barcodesvc-", suffix=".part", dir=folder) as own_folder:
        copy = Path(own_folder, "copy.part")
        copy.touch(mode=files.OWNER_ALONE)
        with closing(connect(source, mode)) as reading, closing(connect(copy, "rw")) as writing:
            reading.execute(QUERIES["begin_reading"].sql)
            reading.execute(QUERIES["tables"].sql).fetchall()  # `backup` itself would wait for a lock without end
            reading.backup(writing)
            writing.execute(QUERIES["leave_write_ahead"].sql).fetchall()
            summary = _checked(writing)
            _mark_jobs_in_doubt(writing, now)
        _synchronise(copy)
        yield copy, summary
        _synchronise(folder)


def _checked(connection: sqlite3.Connection) -> str:
    [(damage,)] = connection.execute(QUERIES["damage"].sql)
    if damage != "ok":
        raise BackupError(f"the file is damaged: {damage}")
    if connection.execute(QUERIES["rows_without_their_product"].sql).fetchall():
        raise BackupError("the file is damaged: rows without their product")
    if not play(known_version(scripts_of("sqlite")), partial(result_of, connection)):
        raise BackupError("the file is an empty database")
    [(products, last_change)] = connection.execute(QUERIES["content"].sql)
    return f"{products} products, last changed at {last_change or 'no time'}, checked"


def _mark_jobs_in_doubt(copy: sqlite3.Connection, now: str) -> None:
    """Let no job be printed by itself, and no later one have an id that was given since the backup.

    Ids continue with the seconds since 1970, which are ahead of all ids while there is less than one job a second.
    """
    copy.execute(QUERIES["doubt_restored_jobs"].sql, {"now": now})
    table, seconds = "print_jobs", int(datetime.fromisoformat(now).timestamp())
    [(last,)] = copy.execute(QUERIES["last_given_id"].sql, {"table": table})
    copy.execute(QUERIES["set_last_given_id"].sql, {"table": table, "last": max(last, seconds)}).fetchall()


@contextmanager
def _out_of_use(database: Path) -> Iterator[None]:
    """Lock the database, with its log merged into it; raises BackupError if it is in use, or cannot be read."""
    if not database.exists():
        files.require_no_log(database)
        yield
        return
    try:
        with closing(connect(database, "ro", 0.0)) as reading:  # of a damaged one this leaves the log as it is
            reading.execute(QUERIES["tables"].sql).fetchall()
        with closing(connect(database, "rw", 0.0)) as locking:
            locking.execute(QUERIES["leave_write_ahead"].sql).fetchall()
            locking.execute(QUERIES["begin_alone"].sql)
            yield
    except sqlite3.Error as error:
        if code_of(error) == sqlite3.SQLITE_BUSY:
            raise BackupError("the database is in use; stop the service first") from error
        raise BackupError(f"{error}; move the previous database away first, with the files of its log") from error


def _copy_permissions(former: Path, copy: Path) -> None:
    """Let the account of the service open what root restores."""
    shutil.copymode(former, copy)
    files.keep_from_others(copy)
    with suppress(PermissionError):
        os.chown(copy, former.stat().st_uid, former.stat().st_gid)


def _synchronise(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _translated(what: str, read: Path) -> Iterator[None]:
    try:
        yield
    except (BackupError, StartError, sqlite3.Error, OSError) as error:
        why = files.why_not_opened(read) if isinstance(error, sqlite3.Error) else ""
        raise BackupError(f"{what}: {error}{why and f'; {why}'}") from error
