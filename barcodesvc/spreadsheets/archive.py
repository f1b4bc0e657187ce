"""Protection against zip bombs: a stranger's archive is held to bounds before anything of it is unpacked.

Rule: everything is judged from the central directory first: how many parts, how large they say they are, how
well they are packed. zipfile never yields more bytes of a part than the directory declares, and checks their
CRC, so the declared sizes are the bounds of all later work. Nothing is ever written to disk.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, LargeZipFile, ZipFile, ZipInfo

from barcodesvc.spreadsheets.parse_budget import ParseBudget
from barcodesvc.spreadsheets.refusals import damaged, encrypted, too_large
from barcodesvc.spreadsheets.xml_events import check_prolog

MAX_PARTS = 10_000
"""Members of one workbook."""

MAX_UNPACKED = 512 << 20
"""Declared bytes of all parts together: about two million rows of six cells."""

MAX_PROLOGS = 32 << 20
"""Bytes that stand before the root elements of all parts."""

CHUNK = 1 << 16
"""Bytes that are unpacked and parsed at a time."""

MAX_RATIO = 250
"""Unpacked to packed bytes of a part over `RATIO_FROM`; deflate itself reaches 1,032."""

RATIO_FROM = 8 << 20
"""Declared bytes above which a part's ratio is looked at."""

_ENCRYPTED = 0x1
# what zipfile raises on hostile bytes, found by reading it and by fuzzing
_ZIP_ERRORS = (
    BadZipFile,
    LargeZipFile,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
    EOFError,
    OSError,
    struct.error,
    zlib.error,
)


@contextmanager
def zip_errors_translated(what: str) -> Iterator[None]:
    """Translate what zipfile raises inside the block into InvalidFileFormat naming `what`."""
    try:
        yield
    except _ZIP_ERRORS as error:
        raise damaged(f"{what} cannot be unpacked") from error


class Archive:
    """The parts of one workbook by name, without regard to case (ISO/IEC 29500-2, 6.2.2.3).

    Raises FileTooLarge for bombs and InvalidFileFormat for everything else that is wrong.
    """

    def __init__(self, file: IO[bytes]) -> None:
        with zip_errors_translated("its zip archive is cut short or broken and"):
            self._zip = ZipFile(file)
        self.budget = ParseBudget()
        self._parts = _by_name(self._zip.infolist())
        _check_sizes(list(self._parts.values()))
        self._check_prologs()

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._parts

    def chunks(self, name: str, limit: int = MAX_UNPACKED) -> Generator[bytes]:
        """Yield a part piece by piece, and an empty piece at its end; `limit` is the most bytes it may declare."""
        size = self.size(name)
        if size > limit:
            raise too_large(f"its part {name} unpacks to {size} bytes, {limit} are allowed")
        with zip_errors_translated(f"its part {name}"), self._zip.open(self._parts[name.lower()]) as stream:
            while chunk := stream.read(CHUNK):
                self.budget.spend(chunk)
                yield chunk
        yield b""

    def size(self, name: str) -> int:
        """Return how many bytes a part unpacks to."""
        info = self._parts.get(name.lower())
        if info is None:
            raise damaged(f"its part {name} is missing")
        return info.file_size

    def close(self) -> None:
        """Let go of the archive; the file stays open."""
        self._zip.close()

    def _check_prologs(self) -> None:
        read = 0
        for name, info in self._parts.items():
            if name.endswith((".xml", ".rels", ".vml")):
                with zip_errors_translated(f"its part {name}"), self._zip.open(info) as stream:
                    read += check_prolog(info.filename, stream)
            if read > MAX_PROLOGS:
                raise too_large(f"its parts begin with more than {MAX_PROLOGS} bytes of comments")


def _by_name(infos: list[ZipInfo]) -> dict[str, ZipInfo]:
    if len(infos) > MAX_PARTS:
        raise too_large(f"it has {len(infos)} parts, {MAX_PARTS} are allowed")
    parts: dict[str, ZipInfo] = {}
    for info in infos:
        name = info.filename.replace("\\", "/").lower()
        if name in parts:
            raise damaged(f"its part {info.filename} is there twice")
        if ".." in name.split("/") or name.startswith("/"):
            raise damaged(f"it has a part with the impossible name {info.filename[:80]!r}")
        parts[name] = info
    return parts


def _check_sizes(infos: list[ZipInfo]) -> None:
    for info in infos:
        if info.flag_bits & _ENCRYPTED:
            raise encrypted()
        if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise damaged(f"its part {info.filename} is packed in a way that no spreadsheet program uses")
        if info.file_size > RATIO_FROM and info.file_size > MAX_RATIO * info.compress_size:
            raise too_large(f"its part {info.filename} unpacks to {info.file_size} bytes, like a zip bomb")
    total = sum(info.file_size for info in infos)
    if total > MAX_UNPACKED:
        raise too_large(f"it unpacks to {total} bytes, {MAX_UNPACKED} are allowed")
