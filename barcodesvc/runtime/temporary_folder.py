"""A temporary folder for each process, so that the files of a killed one can be found and removed.

The folder's name contains the process id. A start removes the folders of this user whose process no longer exists.
Containers see only their own process ids, so each of them needs a separate parent folder. A lock on the folder keeps
`systemd-tmpfiles` from removing it when it has not been used for days.
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
    """Direct the temporary files of this process and its children into a folder that is removed at the end.

    It is created in `parent`, by default in the system's temporary folder. If that one takes no files, the service runs
    without, because scans and sales need none. Raises StartError if `parent` is given and takes no files.
    """
    before = tempfile.tempdir, os.environ.get("TMPDIR")
    try:
        place = (parent or Path(tempfile.gettempdir())).absolute()
        _remove_abandoned(place)
        folder = tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=place)
    except OSError as error:
        if parent:
            raise StartError(f"no temporary files can be created in {parent}: {error.strerror}") from error
        _LOG.exception("no folder for temporary files could be created")
        yield
        return
    lock = os.open(folder, os.O_RDONLY)
    with suppress(OSError):  # not every file system has locks
        fcntl.flock(lock, fcntl.LOCK_SH)
    tempfile.tempdir = os.environ["TMPDIR"] = folder
    try:
        yield
    finally:
        tempfile.tempdir = before[0]
        _restore("TMPDIR", before[1])
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _restore(variable: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(variable, None)
    else:
        os.environ[variable] = value


def _remove_abandoned(parent: Path) -> None:
    for folder in parent.glob(f"{PREFIX}*-*"):
        with suppress(OSError, ValueError):  # a link, a file, or a name without a process id
            process = int(folder.name.removeprefix(PREFIX).partition("-")[0])
            if folder.lstat().st_uid == os.getuid() and not _is_another_running(process):
                shutil.rmtree(folder)


def _is_another_running(process: int) -> bool:
    """Return whether another process has this id; a container's service has the same id at each start."""
    if process == os.getpid():
        return False
    try:
        os.kill(process, 0)
    except OSError as error:
        return not isinstance(error, ProcessLookupError)
    return True
