"""The files of a database: their names, their permissions, and why one cannot be opened or created.

Next to a database SQLite keeps its write-ahead log, the index of the log, and the journal. They hold committed changes,
so no database, backup or copy may have such a name, or be created next to such a file.
"""

import logging
import os
import re
import shlex
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

import psutil

from barcodesvc.errors import BackupError, StartError

_LOG = logging.getLogger(__name__)

OWNER_ALONE = 0o600
"""Permissions of a new file."""
_ENDINGS = ("-wal", "-shm", "-journal")
_INDEX_BYTES = 32 * 1024
"""Of the index of a log, which even a reader creates (https://www.sqlite.org/walformat.html)."""
_OVER_THE_NETWORK = re.compile(
    r"9p|afpfs|afs|ceph|cifs|davfs|fuse\.(davfs2|glusterfs|rclone|s3fs|sshfs)|macfuse|nfs4?|osxfuse|smb(2|3|fs)|webdav"
)
"""Types of file systems whose locks and shared memory SQLite cannot rely on (sqlite.org/useovernet.html)."""
_ANOTHER = ", or name another file in BARCODESVC_DATABASE"


def file_uri(path: Path, mode: str) -> str:
    """Return the URI that opens a file in SQLite's mode, with special characters of its name escaped."""
    return f"{path.absolute().as_uri()}?mode={mode}"


def followed(path: Path) -> Path:
    """Return the target of a path's links, as SQLite resolves them; a loop of links is returned as it is."""
    return Path(os.path.realpath(path))


def wal_files(database: Path) -> list[Path]:
    """Return the paths of the files that SQLite keeps next to a database, whether they exist or not."""
    return [Path(f"{database}{ending}") for ending in _ENDINGS]


def keep_from_others(database: Path) -> None:
    """Let only the owner read a database that every user may read, with its log; warn if that is not possible."""
    try:
        for file in (database, *wal_files(followed(database))):
            if file.exists() and (mode := file.stat().st_mode) & stat.S_IRWXO:
                file.chmod(mode & stat.S_IRWXU)
    except OSError:
        _LOG.warning(
            "every user of this machine may read %s, with the secret of the web app's sessions; run: chmod 600 %s*",
            *(database, shlex.quote(str(database))),
        )


def require_own_name(path: Path) -> None:
    """Raise StartError if SQLite reserves the name for the log of a database."""
    file = followed(path)
    if file.name.endswith(_ENDINGS) and file.name not in _ENDINGS:
        raise StartError(f"SQLite reserves the name {file} for the log of a database; name another file, or rename it")


def why_not_created_anew(path: Path) -> str:
    """Return why no new database may begin at this path, or "": SQLite would delete a log that is left there."""
    file = followed(path)
    log, _, _ = wal_files(file)
    if not log.is_file() or not log.stat().st_size or (file.exists() and file.stat().st_size):
        return ""
    return (
        f"{file} is missing or empty, but its log {log} is there, and may hold changes that are nowhere else; "
        f"put the file back, or move the log away{_ANOTHER}"
    )


def why_not_opened(path: Path) -> str:
    """Return why the database at this path cannot be opened for writing, or "": SQLite itself gives no reason."""
    file = followed(path)
    try:
        for opened in (file, *wal_files(file)):
            with suppress(FileNotFoundError, NotADirectoryError):
                os.close(os.open(opened, os.O_RDWR))
    except OSError as error:
        return f"{error.filename}: {error.strerror}; change that{_ANOTHER}"
    why = why_not_created(file.parent)
    return why and f"{why}; change that{_ANOTHER}"


def why_not_created(folder: Path) -> str:
    """Return why no file can be created in a folder, or "" if one can, with as many bytes as a log's index has."""
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            file.write(bytes(_INDEX_BYTES))
            return ""
    except OSError as error:
        return f"no file can be created in the folder {folder}: {error.strerror}"


def why_not_safe(path: Path) -> str:
    """Return why a database at this path may be damaged, or "": it is on a file system of another machine."""
    folder = followed(path).parent
    mounted = [place for place in psutil.disk_partitions(all=True) if folder.is_relative_to(place.mountpoint)]
    # a later mount hides an earlier one at the same place
    kind = max(reversed(mounted), key=lambda place: len(place.mountpoint)).fstype if mounted else ""
    if not _OVER_THE_NETWORK.fullmatch(kind):
        return ""
    return f"{path} is on a network file system ({kind}), where SQLite may damage it; use a local disk or PostgreSQL"


def require_file(path: Path) -> None:
    """Raise BackupError unless a file is at this path."""
    if not path.is_file():
        raise BackupError(f"there is no file {path}")


def require_no_log(file: Path) -> None:
    """Raise BackupError if a log of this name is left, because SQLite would apply it to a new database."""
    for left in wal_files(file):
        if left.exists():
            raise BackupError(f"{left} is left over from an old {file.name}; move it away first, or name another file")
