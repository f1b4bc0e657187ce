"""A temporary folder of the process's own, in which whatever it or a library leaves behind can be found and removed.

A process that is killed removes nothing. So its files lie in one folder, on which it holds a lock (flock) that the
system gives back with the process, however that ends: who starts next removes the folders that nobody locks.

Rule: between making and locking a folder another process may find and remove it; so it counts only once it is locked
and still there. What does not belong to this user, or is no plain folder, is left alone.
"""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from barcodesvc.errors import StartError

_LOG = logging.getLogger(__name__)

PREFIX = "barcodesvc-files-"


@contextmanager
def temporary_folder(parent: Path | None = None) -> Iterator[None]:
    """Let the temporary files of this process and its children lie in a folder that is gone at the end.

    It lies in `parent`, or where the system keeps such files. Folders that killed processes have left there are removed
    first. Where the system's folder takes none, files lie where they otherwise would: scans and sales need none.

    Raises StartError where a parent that was named takes none.
    """
    before = tempfile.tempdir, os.environ.get("TMPDIR")
    try:
        folder, lock = _begun(parent or Path(tempfile.gettempdir()))
    except OSError as error:
        if parent:
            raise StartError(f"no temporary files can lie in {parent}: {error.strerror}") from error
        _LOG.exception("no folder for temporary files could be made")
        yield
        return
    tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
    try:
        yield
    finally:
        tempfile.tempdir = before[0]
        _restore("TMPDIR", before[1])
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _begun(parent: Path) -> tuple[Path, int]:
    _remove_abandoned(parent)
    return _locked_folder(parent.absolute())


def _restore(variable: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(variable, None)
    else:
        os.environ[variable] = value


def _locked_folder(parent: Path) -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        with suppress(FileNotFoundError):
            lock = os.open(folder, os.O_RDONLY)
            if _is_kept(folder, lock):
                return folder, lock
            os.close(lock)


def _is_kept(folder: Path, lock: int) -> bool:
    """Lock the folder, and return whether it is still there then; without locks nobody removes it."""
    with suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_EX)
    return folder.exists()


def _remove_abandoned(parent: Path) -> None:
    for folder in parent.glob(f"{PREFIX}*"):
        with suppress(OSError):
            _remove_if_abandoned(folder)


def _remove_if_abandoned(folder: Path) -> None:
    """Remove the folder; raises OSError where it is locked, another user's, or no folder."""
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if os.fstat(lock).st_uid != os.getuid():
            return
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder)
    finally:
        os.close(lock)
