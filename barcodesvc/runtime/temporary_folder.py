"""A temporary folder of the process's own, in which whatever it or a library leaves behind can be found and removed.

A process that is killed removes nothing. So its files lie in one folder, on which it holds a lock (flock) that the
system gives back with the process, however that ends: who starts next removes the folders that nobody locks.

Rule: between making and locking a folder another process may find and remove it; so it counts only once it is locked
and still there. What does not belong to this user, or is no plain folder, is left alone. Files are made through
`kept`, which makes the folder anew where it was removed under the process, and looks for it only then.
"""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

_LOG = logging.getLogger(__name__)

PREFIX = "barcodesvc-files-"


T = TypeVar("T")


@dataclass(slots=True)
class _Kept:
    """The folder of this process as long as it has one, the file that locks it, and the folder in which it lies."""

    parent: Path | None = None
    folder: Path | None = None
    lock: int = -1
    renewing: threading.Lock = field(default_factory=threading.Lock)

    def begin(self) -> bool:
        """Make the folder, and tell whether that was possible."""
        try:
            parent = Path(tempfile.gettempdir())
            _remove_abandoned(parent)
            self._make(parent)
        except OSError:
            _LOG.exception("no folder for temporary files could be made")
            return False
        self.parent = parent
        return True

    def renew(self) -> bool:
        """Make the folder anew if it is missing, and tell whether there is one now; raises OSError."""
        with self.renewing:
            if self.parent is None or self.folder is None:
                return False
            if not self.folder.exists():
                former = self.lock
                self._make(self.parent)
                os.close(former)
                _LOG.warning("the folder for temporary files was removed, and is made anew")
            return True

    def end(self) -> None:
        """Remove the folder."""
        with self.renewing:
            if self.folder is not None:
                shutil.rmtree(self.folder, ignore_errors=True)
                os.close(self.lock)
            self.parent = self.folder = None

    def _make(self, parent: Path) -> None:
        self.folder, self.lock = _locked_folder(parent)
        tempfile.tempdir = os.environ["TMPDIR"] = str(self.folder)


_KEPT = _Kept()


@contextmanager
def temporary_folder() -> Iterator[None]:
    """Let the temporary files of this process and its children lie in a folder that is gone at the end.

    Folders that killed processes have left in the same place are removed first. Where none can be made, files lie where
    they otherwise would: scans and sales need none.
    """
    before = tempfile.tempdir, os.environ.get("TMPDIR")
    if not _KEPT.begin():
        yield
        return
    try:
        yield
    finally:
        tempfile.tempdir = before[0]
        _restore("TMPDIR", before[1])
        _KEPT.end()


def kept(make: Callable[[], T]) -> T:
    """Return the temporary file or folder that `make` makes, the process's folder being made anew if it was removed.

    Raises OSError where nothing can be made.
    """
    try:
        return make()
    except FileNotFoundError:
        if not _KEPT.renew():
            raise
    return make()


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
    """Lock the folder, and tell whether it is still there then; without locks nobody removes it."""
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
