"""Start-up of a database file and its connections: one service, migrations, the log, settings for power cuts.

Rule: only its owner may read a new file, because it holds the secret of the web app's sessions; SQLite gives its log
the same permissions. A file that every user of the machine may read loses that. Any other permissions were chosen on
purpose, and stay.
"""

import fcntl
import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path

from barcodesvc.errors import StartError
from barcodesvc.store.sqlite import files
from barcodesvc.store.sqlite.connection import QUERIES, connect
from barcodesvc.store.sqlite.migrations import bring_to_newest

_LOG = logging.getLogger(__name__)

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


@contextmanager
def only_service(database: Path) -> Iterator[None]:
    """Keep other services from a database within the block; raises StartError if there is one.

    Two services would print each label twice. The lock is on a file next to the database, because closing the database
    would release SQLite's own locks; that file stays, because another process may be about to lock it. Where no lock is
    possible, as on a read-only disk, the block runs without it.
    """
    file = files.followed(database)
    with ExitStack() as held:
        try:
            path, owned = file.with_name(f".{file.name}-lock"), partial(os.open, mode=files.OWNER_ALONE)
            lock = held.enter_context(open(path, "ab", opener=owned))
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = "is served by another process, and SQLite allows one; stop that, or name another file"
            raise StartError(f"the database {database} {message} in BARCODESVC_DATABASE") from None
        except OSError:
            pass
        yield


def prepare(path: Path, busy_timeout: float) -> None:
    """Create the file if needed, migrate it and switch to its log; raises StartError, sqlite3.Error and OSError."""
    files.require_own_name(path)
    if why := files.why_not_created_anew(path):
        raise StartError(why)
    if why := files.why_not_safe(path):
        _LOG.warning("%s", why)
    if not path.exists():
        with suppress(OSError):  # SQLite fails for the same reason, and reports it
            os.close(os.open(files.followed(path), os.O_CREAT | os.O_EXCL | os.O_WRONLY, files.OWNER_ALONE))
            _LOG.info("there was no database %s; a new one is created", path)
    with closing(connect(path, "rwc", busy_timeout)) as connection:
        set_up_writer(connection)
        connection.execute(QUERIES["begin_change"].sql)
        bring_to_newest(connection)
        connection.commit()
        # now the file is known to be ours: its permissions change, and its journal mode, which is stored in it
        files.keep_from_others(path)
        log_ahead(connection)


def log_ahead(writer: sqlite3.Connection) -> None:
    """Switch to the write-ahead log; raises StartError where SQLite cannot keep one."""
    [(mode,)] = writer.execute(QUERIES["write_ahead"].sql)
    if mode != "wal":
        raise StartError("the database cannot use write-ahead logging here; name a file on a local disk")


def open_log(connection: sqlite3.Connection) -> None:
    """Read once, which opens the log: later there may be no file descriptor left for it."""
    connection.execute(QUERIES["ping"].sql).fetchall()


def set_up_writer(connection: sqlite3.Connection) -> None:
    """Set up a connection that changes the file."""
    for query in (
        QUERIES["synchronise_fully"],
        QUERIES["enforce_references"],
        QUERIES["keep_pages"],
        QUERIES["cut_log"],
    ):
        connection.execute(query.sql).fetchall()
