"""Protection against zip bombs: limits of size before an untrusted archive is unpacked, and a parse budget after.

The central directory is checked first: the number of parts, their declared sizes, and their compression ratios. zipfile
never yields more bytes of a part than declared, and checks their CRC. Nothing is written to disk.

The parse budget limits how much work a workbook may cause in proportion to its rows: a megabyte can unpack to a hundred
megabytes of blank cells, unknown elements or comments, which take minutes and yield nothing. Work is counted, and rows
extend the budget. A file with many rows has all it needs; one without is refused after a second or two.

Rule: markup and bytes are counted, never time, so that the result for a file is always the same.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, LargeZipFile, ZipFile, ZipInfo

from barcodesvc.errors import InvalidFileFormat
from barcodesvc.spreadsheets.refusals import damaged, encrypted, too_large
from barcodesvc.spreadsheets.xml_events import check_prolog

MAX_PARTS = 10_000
"""Parts of one workbook."""

MAX_UNPACKED = 512 << 20
"""Declared bytes of all parts together: about two million rows of six cells."""

MAX_PROLOGS = 32 << 20
"""Bytes before the root elements of all parts."""

CHUNK = 1 << 16
"""Bytes that are unpacked and parsed at a time."""

MAX_RATIO = 250
"""Greatest compression ratio of a part over `RATIO_FROM`; deflate can reach 1,032."""

RATIO_FROM = 8 << 20
"""Declared bytes above which a part's ratio is checked."""

FREE_MARKS = 2_000_000
"""Marks without any row: half a million blank cells with a style, about a second's work."""

MARKS_PER_ROW = 1_024
MARKS_PER_CELL = 32
MARKS_PER_TEXT = 256
FREE_BYTES = 64 << 20
BYTES_PER_ROW = 1 << 20
BYTES_PER_TEXT = 1 << 15
"""What a row, a cell that is not blank, and a shared text add to the budget."""

_ENCRYPTED = 0x1
# what zipfile raises on hostile bytes
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


def unpacked_size(path: Path) -> int:
    """Return the bytes that all parts of a zip archive declare together, or the size of any other file."""
    try:
        with zip_errors_translated("its zip archive"), ZipFile(path) as archive:
            return sum(info.file_size for info in archive.infolist())
    except InvalidFileFormat:
        return path.stat().st_size


class ParseBudget:
    """The budget of one workbook; a mark is half of a tag, or one attribute."""

    def __init__(self) -> None:
        self._marks = FREE_MARKS
        self._bytes = FREE_BYTES

    def spend(self, chunk: bytes) -> None:
        """Count a piece of XML before it is parsed; raises FileTooLarge when the budget is exhausted."""
        self._marks -= 2 * chunk.count(b"<") + chunk.count(b"=")
        self._bytes -= len(chunk)
        if self._marks < 0 or self._bytes < 0:
            raise too_large(
                "it consists almost entirely of blank cells (such as emptied rows that keep their format; delete them) "
                "or of parts without data"
            )

    def earn_rows(self, count: int, cells: int) -> None:
        """Add the allowance of rows and cells that are not blank."""
        self._marks += count * MARKS_PER_ROW + cells * MARKS_PER_CELL
        self._bytes += count * BYTES_PER_ROW

    def earn_texts(self, count: int) -> None:
        """Count texts of the shared table."""
        self._marks += count * MARKS_PER_TEXT
        self._bytes += count * BYTES_PER_TEXT


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
        """Yield a part in pieces, and an empty piece at its end; `limit` is the most bytes that it may declare."""
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
        """Close the archive; the file stays open."""
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
            raise damaged(f"its part {info.filename} occurs twice")
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
