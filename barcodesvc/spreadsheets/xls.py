"""An .xls workbook: the records of BIFF5 or BIFF8 (Excel 5.0 to 2003) inside an OLE2 file.

xlrd finds the stream in the file; its records are read here, because xlrd keeps every cell of a sheet, however sparse
it is, and takes several times as long. xlrd trusts what it reads: hostile bytes make it raise nearly anything, so the
call into it is translated; what it prints goes nowhere. Sheets that share their bytes, which multiplies the work, are
refused.
"""

from __future__ import annotations

import io
import os
import struct
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from types import MappingProxyType
from typing import IO

from xlrd.compdoc import CompDoc

from barcodesvc.spreadsheets.biff import cut_short
from barcodesvc.spreadsheets.biff_globals import BiffGlobals, Tab
from barcodesvc.spreadsheets.biff_sheet import SheetSurvey, read_rows, survey_sheet
from barcodesvc.spreadsheets.refusals import damaged, encrypted, not_a_workbook, too_large
from barcodesvc.spreadsheets.rows import Row, Sheet
from barcodesvc.spreadsheets.text_table import TextTable

MAX_BYTES = 64 << 20
"""Bytes of an .xls file; it is held in memory."""

_WORKBOOK_STREAMS = ("Workbook", "Book")
# the streams of other documents that are OLE2 files, and what to call them
_OTHER_DOCUMENTS = MappingProxyType(
    {
        "WordDocument": "a text document",
        "PowerPoint Document": "a presentation",
        "__properties_version1.0": "a mail message",
    }
)
_SECTOR_SHIFT_AND_DIRECTORY = struct.Struct("<30xH16xI")
_MOST_SHIFT = 20


class _Nowhere(io.TextIOBase):
    """A text file that forgets what is written to it."""

    def write(self, text: str, /) -> int:
        return len(text)


@contextmanager
def _broken_records_told() -> Iterator[None]:
    try:
        yield
    except (struct.error, IndexError) as error:
        raise cut_short() from error


class XlsWorkbook:
    """An open .xls workbook; raises InvalidFileFormat or FileTooLarge, also while it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        if file.seek(0, os.SEEK_END) > MAX_BYTES:
            raise too_large(f"an .xls file may have {MAX_BYTES} bytes")
        file.seek(0)
        content = file.read()
        _refuse_other_documents(content)
        stream = _workbook_stream(content)
        with ExitStack() as undone, _broken_records_told():
            self._texts = undone.enter_context(closing(TextTable()))
            self._book = BiffGlobals(stream, self._texts)
            self._surveys = self._survey_sheets()
            undone.pop_all()

    def sheets(self) -> Iterator[Sheet]:
        """Yield the worksheets in the order of their tabs, the visible ones first and then the hidden ones."""
        for tab, survey in sorted(self._surveys, key=lambda found: found[0].hidden):
            rows = partial(self._rows, tab.start, survey)
            yield Sheet(tab.title, tab.hidden, survey.hidden_columns.copy, rows)

    def close(self) -> None:
        """Let go of the file's content."""
        self._texts.close()

    def _survey_sheets(self) -> list[tuple[Tab, SheetSurvey]]:
        surveys = []
        left = len(self._book.stream)
        for tab in self._book.tabs:
            survey = survey_sheet(self._book.stream, tab.start)
            left -= survey.size
            if left < 0:
                raise damaged("its sheets overlap")
            surveys.append((tab, survey))
        return surveys

    def _rows(self, start: int, survey: SheetSurvey) -> Iterator[Row]:
        with _broken_records_told():
            yield from read_rows(self._book, start, survey)


def _refuse_other_documents(content: bytes) -> None:
    """Refuse what is kept in an OLE2 file too; stream names are UTF-16 (MS-CFB 2.6.1)."""
    if any(_names_stream(content, stream) for stream in _WORKBOOK_STREAMS):
        return
    if _names_stream(content, "EncryptedPackage"):
        raise encrypted()
    for stream, document in _OTHER_DOCUMENTS.items():
        if _names_stream(content, stream):
            raise not_a_workbook(document)
    if _lacks_its_directory(content):
        raise cut_short()
    raise not_a_workbook("an OLE2 file without a workbook")


def _names_stream(content: bytes, name: str) -> bool:
    return f"{name}\0".encode("utf-16-le") in content


def _lacks_its_directory(content: bytes) -> bool:
    """Tell whether the sector that lists the streams lies behind the end of the file (MS-CFB 2.2)."""
    shift: int
    directory: int
    shift, directory = _SECTOR_SHIFT_AND_DIRECTORY.unpack_from(content.ljust(512, b"\0"))
    return (directory + 2) << min(shift, _MOST_SHIFT) > len(content)


def _workbook_stream(content: bytes) -> bytes:
    try:
        document = CompDoc(content, logfile=_Nowhere())
        for name in _WORKBOOK_STREAMS:
            memory, start, size = document.locate_named_stream(name)
            if memory:
                return bytes(memory[start : start + size])
    except MemoryError:
        raise
    except Exception as error:  # xlrd raises nearly anything: struct.error, AssertionError, IndexError, ...
        raise cut_short() from error
    raise cut_short()
