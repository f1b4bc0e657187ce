"""Whether the open files still stand at their path: a database that was deleted, moved or replaced is not written to.

SQLite goes on with the files that it has opened, wherever they are by now. What it writes to a file that nobody finds
any more is lost, and a log that belongs to another file breaks that file. So each connection looks after the files in
its own thread: four times a second while it reads, and on both sides of a commit, before that is answered.

Rule: looking never happens in the event loop, because a disk that hangs would hold up everything.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from barcodesvc.store.queries import QUERIES

LOOK_INTERVAL = 0.25
"""Seconds after which a read looks again."""
TRUSTED = 1.0
"""Seconds for which a look, and a read that succeeded with it, vouch for what is remembered."""

LAST_STATEMENT = QUERIES["empty_log"].sql
"""What may still run on files that have moved: it empties their log."""

_Identity = tuple[int, int]


class MovedFileError(sqlite3.OperationalError):
    """A file of the database is no longer where it was opened."""


class UnconfirmedError(MovedFileError):
    """A file was not where it was opened when a change had been committed: nobody knows whether that is lost."""


class FileIdentity:
    """The database file with its log and the index of that, as they were when `note` was called; for any thread."""

    def __init__(self, path: Path, steady: Callable[[], float]) -> None:
        self.path = path
        self._beside = [Path(f"{path.resolve()}{ending}") for ending in ("-wal", "-shm")]
        self._steady = steady
        self._foreseen: _Identity | None = None
        self._noted: list[_Identity] = []
        self._looked = self._seen = float("-inf")
        self.is_moved = False

    def anew(self) -> FileIdentity:
        """Return an identity for whatever stands at the path now."""
        return FileIdentity(self.path, self._steady)

    def foresee(self) -> None:
        """Remember which file is about to be opened first, if there is one."""
        if not self._noted and self.path.exists():
            self._foreseen = _identity(self.path)

    def note(self) -> None:
        """Remember the files as they are now; raises MovedFileError where one is missing, or was replaced meanwhile."""
        found = self._found()
        if self._foreseen not in {None, found[0]}:
            raise MovedFileError("another file has come to the path of the database")
        self._noted = found

    def is_due(self) -> bool:
        """Tell whether nobody has looked for a while."""
        return bool(self._noted) and not self.is_moved and self._steady() - self._looked >= LOOK_INTERVAL

    def look(self) -> None:
        """Raise MovedFileError unless the files are those that were noted, if any were."""
        if not self._noted:
            return
        self._looked = self._steady()
        try:
            self._require_noted()
        except MovedFileError:
            self.is_moved = True
            raise

    def give_up(self) -> None:
        """Treat the files as moved: something about how they were opened has to be done anew."""
        self.is_moved = True

    def vouch(self) -> None:
        """Say that a read has succeeded after the last look."""
        self._seen = self._looked

    @property
    def is_trusted(self) -> bool:
        """Whether the files were in their place a moment ago, and could be read."""
        return not self.is_moved and self._steady() - self._seen < TRUSTED

    def can_be_written(self) -> bool:
        """Tell whether the system lets this process write to the files, and make others beside them.

        It is asked without opening any: to close one would take from SQLite all the locks that it has on that file.
        """
        written = (self.path, *self._beside, self.path.resolve().parent)
        return all(os.access(file, os.W_OK, effective_ids=True) for file in written)

    def leaves_a_log(self) -> bool:
        """Tell whether the log that was noted stands, with something in it, beside another database by now."""
        log = self._beside[0]
        if self.path.exists() and _identity(self.path) == self._noted[0]:
            return False
        return log.exists() and _identity(log) in self._noted and log.stat().st_size > 0

    def _require_noted(self) -> None:
        if self._found() != self._noted:
            raise MovedFileError("another file stands at the path of the database or of its log")

    def _found(self) -> list[_Identity]:
        try:
            return [_identity(file) for file in (self.path, *self._beside)]
        except FileNotFoundError as error:
            raise MovedFileError(f"{Path(error.filename).name} is gone") from None
        except OSError as error:
            # whatever hides a file, it has to be opened anew to be sure of it
            raise MovedFileError(f"{Path(error.filename).name} cannot be looked at: {error.strerror}") from error


class LookingConnection(sqlite3.Connection):
    """A connection that looks after its files while it runs statements; made by sqlite3 with the `identity` bound."""

    def __init__(self, *arguments: Any, identity: FileIdentity, **options: Any) -> None:
        identity.foresee()
        super().__init__(*arguments, **options)
        self._identity = identity

    def execute(self, statement: str, *parameters: Any) -> sqlite3.Cursor:
        """Look if that is due, and run the statement; raises MovedFileError, but for what ends a moved file."""
        if self._identity.is_moved and statement != LAST_STATEMENT:
            raise MovedFileError("the files of the database have moved")
        if not self._identity.is_due():
            return super().execute(statement, *parameters)
        self._identity.look()
        cursor = super().execute(statement, *parameters)
        self._identity.vouch()
        return cursor

    def commit(self) -> None:
        """Commit, and look before and after; raises MovedFileError if it was not made, UnconfirmedError if it was."""
        self._identity.look()
        super().commit()
        try:
            self._identity.look()
        except MovedFileError as error:
            raise UnconfirmedError(str(error)) from error


def _identity(file: Path) -> _Identity:
    found = os.stat(file)  # noqa: PTH116 - half the time of Path.stat, at each commit
    return found.st_dev, found.st_ino
