"""Why a database file cannot be opened: SQLite says "unable to open database file" of whatever the system refuses.

Rule: nothing is left behind by looking, and what is told names the folder or the file, and what to do.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

_BESIDE = ("", "-wal", "-shm", "-journal")
"""What SQLite adds to the name of a database for the files that it opens with it."""
_ANOTHER = "or name another file in BARCODESVC_DATABASE"


def why_not_opened(path: Path) -> str:
    """Return what keeps the file at this path from being opened for changes, or "" where nothing is found."""
    file = Path(os.path.realpath(path))
    try:
        for name in _BESIDE:
            _try_file(file.with_name(file.name + name))
        return _refused(file.parent)
    except IsADirectoryError as error:
        return f"{error.filename} is a folder; move it away, {_ANOTHER}"
    except OSError as error:
        return f"{error.filename}: {error.strerror}; change that, {_ANOTHER}"


def _try_file(file: Path) -> None:
    """Open a file for changes, if it is there, and leave it as it is."""
    if file.exists():
        os.close(os.open(file, os.O_RDWR))


def _refused(folder: Path) -> str:
    """Tell why no file can be made in a folder, as SQLite has to for its log; the one that is tried is gone at once."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except FileNotFoundError:
        return f"there is no folder {folder}; make it, {_ANOTHER}"
    except NotADirectoryError:
        return f"{folder} is no folder; move it away, {_ANOTHER}"
    except OSError as error:
        return f"nothing can be made in the folder {folder}: {error.strerror}; change that, {_ANOTHER}"
