"""A temporary folder for each process: without it, the files of killed ones would fill the disk.

The folder's name contains the process id. A start removes the folders of this user whose process no longer exists.
Containers see only their own process ids, so each of them needs a separate parent folder.
"""

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

    It is created in `parent`, by default in the system's temporary folder. If nothing can be created there, the service
    runs without one, because scans and sales need none. Raises StartError if nothing can be created in `parent`.
    """
    try:
        systems = tempfile.gettempdir()
        place = (parent or Path(systems)).absolute()
        _remove_abandoned(place)
        prefix = f"{PREFIX}{os.getpid()}-"
        folder = tempfile.TemporaryDirectory(prefix=prefix, dir=place, ignore_cleanup_errors=True)
    except OSError as error:
        if parent:
            problem = f"no temporary files can be created in {parent}: {error.strerror}"
            raise StartError(f"{problem}; name another folder in BARCODESVC_TEMPORARY_FOLDER") from error
        _LOG.exception("no folder for temporary files could be created")
        yield
        return
    with folder as name:
        tempfile.tempdir = os.environ["TMPDIR"] = name
        try:
            yield
        finally:
            tempfile.tempdir = os.environ["TMPDIR"] = systems


def _remove_abandoned(parent: Path) -> None:
    for folder in parent.glob(f"{PREFIX}*-*"):
        with suppress(OSError, ValueError):  # a link, a file, or a name without a process id
            process = int(folder.name.removeprefix(PREFIX).partition("-")[0])
            if folder.lstat().st_uid == os.getuid() and not _is_another_running(process):
                shutil.rmtree(folder)


def _is_another_running(process: int) -> bool:
    """Return whether another process has this id; a container's service has the same id at each start."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return process != os.getpid()
