"""One service for each database file, held by a lock on a file next to it.

Sessions of the web app and the queues of printers assume that no other process serves the file: two services would
print each label twice. `check`, `backup` and `copy` take no lock, and work while it is served.

Rule: the database itself is not opened here, because closing it would release SQLite's own locks. The file of the lock
stays, because another process may be about to lock it.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from barcodesvc.errors import StartError
from barcodesvc.store.sqlite.files import OWNER_ALONE, followed


@contextmanager
def only_service(database: Path) -> Iterator[None]:
    """Keep other services from a database within the block; raises StartError if there is one.

    Where no lock is possible, as on a disk that is read-only, the block runs without it.
    """
    file, descriptor = followed(database), -1
    with suppress(OSError):
        descriptor = os.open(file.with_name(f".{file.name}-lock"), os.O_RDWR | os.O_CREAT, OWNER_ALONE)
    if descriptor < 0:
        yield
        return
    try:
        _lock(descriptor, database)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, database: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        message = "is served by another process, and SQLite allows one; stop that, or name another file"
        raise StartError(f"the database {database} {message} in BARCODESVC_DATABASE") from None
    except OSError:  # a file system without such locks
        return
