"""Diagnosis of a file that cannot be opened or made: SQLite itself says no more than "unable to open database file".

Rule: nothing is left behind by looking, and the message names the folder or the file, and what to do.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from barcodesvc.store.sqlite.beside import beside, followed

_ANOTHER = ", or name another file in BARCODESVC_DATABASE"


def why_not_opened(path: Path) -> str:
    """Return what keeps the database at this path from being opened for changes, or "" where nothing is found."""
    file = followed(path)
    why = _why_not_changed(file) or why_not_made(file.parent)
    return why and why + _ANOTHER


def why_not_made(folder: Path) -> str:
    """Return why no file can be made in a folder, or "" where one can: the one that is tried is gone at once."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except NotADirectoryError:
        return f"{folder} is no folder; move it away"
    except OSError as error:
        # a folder may be there and still answer so, as /proc does
        if isinstance(error, FileNotFoundError) and not folder.exists():
            return f"there is no folder {folder}; make it"
        return f"nothing can be made in the folder {folder}: {error.strerror}; change that"


def _why_not_changed(database: Path) -> str:
    """Return why one of the files that are there already cannot be opened for changes; they stay as they are."""
    try:
        for file in (database, *beside(database)):
            with suppress(FileNotFoundError, NotADirectoryError):
                os.close(os.open(file, os.O_RDWR))
    except IsADirectoryError as error:
        return f"{error.filename} is a folder; move it away"
    except OSError as error:
        return f"{error.filename}: {error.strerror}; change that"
    return ""
