"""Backup and restore: copies of the database, taken while it is in use, and put back where nobody uses it.

A copy is made page by page inside one read transaction, which in the write-ahead log holds up no change; it is checked
before it gets its name. What is put back is checked first, replaces the database in one step, and the former file stays
beside it. (Where the file system knows no hard links the former file is renamed first, which makes two steps.)

Rule: whatever fails leaves everything as it was, and says why in a BackupError. Neither the database, nor what
SQLite keeps beside any database, nor what is no regular file is ever written over.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from barcodesvc.errors import BackupError
from barcodesvc.store.queries import Query
from barcodesvc.store.sqlite.beside import beside, database_of, followed
from barcodesvc.store.sqlite.connection import file_uri
from barcodesvc.store.sqlite.failures import code_of
from barcodesvc.store.sqlite.migrations import OWN_TABLES, migration_scripts
from barcodesvc.store.sqlite.openable import why_not_made
from barcodesvc.store.sqlite.queries import QUERIES

_PAGES = 1000
"""Pages that are copied in one step, between which an interrupt is heard."""
_WAIT = 15.0
"""Seconds that a copy waits for a lock."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a database holds: its schema version, its last change ("" for none), how many products and changes.

    `made` is how many rows of either were ever made, those that were deleted included.
    """

    version: int
    last_change: str
    products: int
    changes: int
    made: int


def back_up(database: Path, target: Path, *, overwrite: bool) -> Contents:
    """Copy the database into the file `target`, and return what the copy holds; raises BackupError."""
    with _failures(f"{database} cannot be copied to {target}"):
        _require_file(database)
        target = followed(target)
        _require_free_name(target)
        _require_another(target, database)
        _require_nothing_beside(target)
        if target.exists() and not overwrite:
            raise BackupError("it is there already; name another file, or overwrite it with --force")
        with _unfinished(target) as copy:
            _copy(database, copy, "rw")
            contents = _checked(copy)
            _synchronise(copy)
            _give_name(copy, target, overwrite=overwrite)
    return contents


def restore(backup: Path, database: Path, *, overwrite: bool, aside: Path) -> Contents:
    """Replace the database by a backup, the former file becoming `aside` beside it; return what it holds.

    Raises BackupError where the backup is not whole or of a newer release, where the database is in use, and, unless
    `overwrite` is said, where it holds what the backup does not.
    """
    with _failures(f"{backup} cannot be put in the place of {database}"):
        _require_file(backup)
        _require_no_part(backup)
        database = followed(database)
        _require_free_name(database)
        _require_another(backup, database)
        with _unfinished(database) as copy:
            _copy(backup, copy, "ro")
            contents = _checked(copy)
            _synchronise(copy)
            _put(copy, contents, database, overwrite=overwrite, aside=aside)
    return contents


def _put(copy: Path, contents: Contents, database: Path, *, overwrite: bool, aside: Path) -> None:
    """Let the copy take the name of the database, and what bears that now, the name `aside`."""
    if not database.exists():
        with _set_aside(database, aside):
            _give_name(copy, database, overwrite=False)
        return
    with _out_of_use(database, overwrite=overwrite) as former:
        if not overwrite:
            _require_older(former, contents)
        _like(database, copy)
        with _set_aside(database, aside):
            _give_name(copy, database, overwrite=True)


def _copy(source: Path, target: Path, mode: str) -> None:
    with closing(_opened(source, mode)) as reading, closing(_opened(target, "rw")) as writing:
        reading.execute(QUERIES["begin_reading"].sql)  # one moment, however long the copying takes
        reading.execute(QUERIES["tables"].sql).fetchall()
        reading.backup(writing, pages=_PAGES)
        # one file, which needs no log beside it
        writing.execute(QUERIES["leave_write_ahead"].sql).fetchall()


def _checked(copy: Path) -> Contents:
    with closing(_opened(copy, "rw")) as connection:
        wrong = connection.execute(QUERIES["damage"].sql).fetchall()
        if wrong != [("ok",)]:
            raise BackupError(f"the file is damaged: {wrong[0][0]}")
        if connection.execute(QUERIES["rows_without_their_product"].sql).fetchall():
            raise BackupError("the file is damaged: rows without their product")
        return _contents(connection)


def _contents(connection: sqlite3.Connection) -> Contents:
    tables = {name for (name,) in connection.execute(QUERIES["tables"].sql)}
    if not tables >= OWN_TABLES:
        raise BackupError("the file is no database of this service")
    [(version,)] = connection.execute(QUERIES["schema_version"].sql)
    if version > max(migration_scripts()):
        raise BackupError(f"the file has schema version {version}, which only a newer release of barcodesvc knows")
    [(made,)] = connection.execute(QUERIES["rows_made"].sql)
    [(last_change, products, changes)] = connection.execute(QUERIES["last_change"].sql)
    return Contents(version, last_change, products, changes, made)


def _require_older(former: sqlite3.Connection, contents: Contents) -> None:
    present = _contents(former)
    if present == contents or not present.made:
        return
    if present.made <= contents.made and present.last_change < contents.last_change:
        return
    raise BackupError(
        f"the database is newer: it was last changed at {present.last_change or 'an unknown time'} and has "
        f"{present.products} products and {present.changes} changes of levels, the backup {contents.last_change}, "
        f"{contents.products} and {contents.changes}; --force replaces it all the same"
    )


@contextmanager
def _out_of_use(database: Path, *, overwrite: bool) -> Iterator[sqlite3.Connection]:
    """Keep everybody else away from the database, whose log is brought into it; raises BackupError if it is used."""
    # what cannot be read is not opened for changes: SQLite would remove the log beside it
    with closing(_opened(database, "ro", wait=0.0)) as looking:
        error = _failure(looking, QUERIES["tables"])
    with closing(_opened(database, "ro" if error else "rw", wait=0.0)) as connection:
        error = error or _failure(connection, QUERIES["leave_write_ahead"], QUERIES["begin_alone"])
        if error and code_of(error) == sqlite3.SQLITE_BUSY:
            raise BackupError("the database is in use; stop the service first") from error
        if error and not overwrite:
            raise BackupError(f"the database cannot be read ({error}); --force replaces it all the same") from error
        yield connection


def _failure(connection: sqlite3.Connection, *queries: Query) -> sqlite3.DatabaseError | None:
    """Run queries, and return what the first one fails with."""
    try:
        for query in queries:
            connection.execute(query.sql).fetchall()
    except sqlite3.DatabaseError as error:
        return error
    return None


@contextmanager
def _set_aside(database: Path, aside: Path) -> Iterator[None]:
    """Give the database a second name, and move what lies beside it to that; take both back where the body fails."""
    for taken in (aside, *beside(aside)):
        if taken.exists():
            raise BackupError(f"{taken} is there already; move it away first")
    with ExitStack() as undoing:
        for file, other in zip(beside(database), beside(aside), strict=True):
            if file.exists():
                file.rename(other)
                undoing.callback(other.rename, file)
        if database.exists():
            undoing.callback(_give_second_name(database, aside))
        _synchronise(aside.parent)
        yield
        undoing.pop_all()


def _give_second_name(file: Path, other: Path) -> Callable[[], object]:
    """Let the file be found under another name too, or, where that is not possible, instead; return what undoes it."""
    try:
        other.hardlink_to(file)
    except OSError:  # as on FAT and exFAT
        file.rename(other)
        return partial(other.rename, file)
    return other.unlink


def _like(former: Path, copy: Path) -> None:
    """Give the copy the permissions of the former file, and its owner where that is possible."""
    found = former.stat()
    copy.chmod(found.st_mode & 0o7777)
    with suppress(PermissionError):
        os.chown(copy, found.st_uid, found.st_gid)


def _give_name(copy: Path, target: Path, *, overwrite: bool) -> None:
    if overwrite:
        copy.replace(target)
    else:
        _give_new_name(copy, target)
    _synchronise(target.parent)


def _give_new_name(copy: Path, target: Path) -> None:
    """Name the copy, or raise FileExistsError where something is there by now."""
    try:
        target.hardlink_to(copy)
    except FileExistsError:
        raise
    except OSError:  # as on FAT and exFAT
        target.touch(exist_ok=False)
        copy.replace(target)


@contextmanager
def _unfinished(target: Path) -> Iterator[Path]:
    """Make an empty file beside the target, and leave nothing under its name at the end."""
    # not named after the target, whose name may be as long as names can be
    descriptor, name = tempfile.mkstemp(prefix="barcodesvc-", suffix=".part", dir=target.absolute().parent)
    os.close(descriptor)
    copy = Path(name)
    try:
        yield copy
    finally:
        for file in (copy, *beside(copy)):
            file.unlink(missing_ok=True)


def _opened(path: Path, mode: str, wait: float = _WAIT) -> sqlite3.Connection:
    return sqlite3.connect(f"{file_uri(path)}?mode={mode}", uri=True, timeout=wait, isolation_level=None)


def _require_file(path: Path) -> None:
    if not path.is_file():
        raise BackupError(f"there is no file {path}")


def _require_free_name(file: Path) -> None:
    """Raise BackupError where no database can get this name; OSError where that is too long or a loop of links."""
    if why := why_not_made(file.parent):
        raise BackupError(f"{why}, or name another file")
    _require_no_part(file)
    for there in (file, *beside(file)):
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(there.stat().st_mode):
                raise BackupError(f"{there} is no regular file; name another file")


def _require_no_part(file: Path) -> None:
    """Raise BackupError where SQLite keeps, or would make, a file of this name beside a database."""
    if database := database_of(file):
        raise BackupError(f"{file} is a part of the database {database}; name another file")


def _require_another(file: Path, database: Path) -> None:
    """Raise BackupError where the file is the database, under whatever name; their folders have to be there."""
    if _is_same(followed(file), followed(database)):
        raise BackupError(f"{file} is the database itself; name another file")


def _is_same(file: Path, database: Path) -> bool:
    """Return whether both paths are those of one file, or will be where the case of a name makes no difference.

    The names are compared as well, because a file that is not there yet has no identity, and exFAT in user space gives
    each way of writing a name another one.
    """
    if str(file).casefold() == str(database).casefold():
        return True
    if file.exists() and database.exists() and file.samefile(database):
        return True
    return file.name.casefold() == database.name.casefold() and file.parent.samefile(database.parent)


def _require_nothing_beside(target: Path) -> None:
    """Raise BackupError where a log is left of another file of that name: SQLite would take it for the copy's."""
    for left in beside(target):
        if left.exists():
            raise BackupError(f"{left} is left of a former {target.name}; move it away first, or name another file")


def _synchronise(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _failures(what: str) -> Iterator[None]:
    try:
        yield
    except (BackupError, sqlite3.Error) as error:
        raise BackupError(f"{what}: {error}") from error
    except OSError as error:  # the files that it names may be ours, and gone
        raise BackupError(f"{what}: {error.strerror or error}") from error
