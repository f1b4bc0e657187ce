"""The files that SQLite keeps beside a database, named after it: its log, the index of that, and its journal.

They hold changes that are confirmed, so nothing else may ever be written there.
"""

from __future__ import annotations

import os
from pathlib import Path

_ENDINGS = ("-wal", "-shm", "-journal")


def beside(database: Path) -> list[Path]:
    """Return the files that SQLite keeps beside a database, whether they are there or not."""
    return [Path(f"{database}{ending}") for ending in _ENDINGS]


def followed(path: Path) -> Path:
    """Return where a path leads: SQLite, too, follows links before it names a log. A loop of links leads to itself."""
    return Path(os.path.realpath(path))


def database_of(file: Path) -> Path | None:
    """Return the database beside which SQLite keeps, or would make, a file of this name; None where there is none.

    The case of a name makes no difference, as on some file systems. Raises OSError where the folder cannot be read.
    """
    file = followed(file)
    name = file.name.casefold()
    names = {name.removesuffix(ending) for ending in _ENDINGS} - {name}
    if not names:
        return None
    return next((other for other in file.parent.iterdir() if other.name.casefold() in names and other.is_file()), None)
