"""An .xls workbook, BIFF2 to BIFF8 (Excel 2.0 to 2003), read by xlrd.

xlrd keeps all cells of a sheet and trusts its input: hostile bytes make it take any amount of memory and time, and
raise nearly any exception. So it runs in a process with limits (`catalogue.importing`), and its exceptions except
MemoryError become refusals here. Its output is discarded. A damaged sheet is refused only when it is read, so that the
sheets before it can be used.
"""

import io
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from struct import Struct
from types import MappingProxyType
from typing import IO, Any, NoReturn

import xlrd
from xlrd.biffh import XLRDError
from xlrd.compdoc import SIGNATURE, CompDoc

from barcodesvc.errors import InvalidFileFormat, ServiceError
from barcodesvc.spreadsheets.cells import (
    FALSE,
    MAX_COLUMNS,
    MAX_SHEETS,
    TRUE,
    Cell,
    SheetRow,
    Worksheet,
    error_cell,
    is_blank,
    kept_text,
)
from barcodesvc.spreadsheets.escapes import unguard
from barcodesvc.spreadsheets.number_formats import EPOCH_1900, EPOCH_1904, NumberFormatter, number_text, shown_as
from barcodesvc.spreadsheets.refusals import damaged, encrypted, not_a_workbook, too_large
from barcodesvc.spreadsheets.xls_records import needed_records

MAX_BYTES = 64 << 20
"""Bytes of an .xls file; it is held in memory."""

_WORKBOOK_STREAMS = ("Workbook", "Book")
# the streams of other kinds of OLE2 files, and their names
_OTHER_DOCUMENTS = MappingProxyType(
    {
        "WordDocument": "a text document",
        "PowerPoint Document": "a presentation",
        "__properties_version1.0": "a mail message",
    }
)
_SECTOR_SHIFT_AND_DIRECTORY = Struct("<30xH16xI")
_MOST_SHIFT = 20

_BIFF5 = 50
_VERY_HIDDEN = 2
_TEXT, _NUMBER, _DATE = xlrd.XL_CELL_TEXT, xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE
_BOOLEAN = xlrd.XL_CELL_BOOLEAN
_NO_CONTENT = bytes((xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK))
_CONTENT = re.compile(b"[^%b]" % re.escape(_NO_CONTENT))
"""The kinds of cells with content, one byte each."""


class _Nowhere(io.TextIOBase):
    """A text file that discards what is written to it."""

    def write(self, text: str, /) -> int:
        return len(text)


@contextmanager
def _xlrd_errors_translated() -> Iterator[None]:
    """Translate what xlrd raises inside the block to InvalidFileFormat."""
    try:
        yield
    except (MemoryError, ServiceError):
        raise
    except Exception as error:
        raise _refusal(error) from error


def _refusal(error: Exception) -> InvalidFileFormat:
    if isinstance(error, XLRDError) and "encrypted" in str(error):
        return encrypted()
    if type(error) is LookupError:
        return damaged("its texts are in an unknown code page")
    return _cut_short()


def _cut_short() -> InvalidFileFormat:
    return damaged("its .xls structure is cut short or broken")


class XlsWorkbook:
    """An open .xls workbook; raises InvalidFileFormat or FileTooLarge, also while it is read."""

    encoding = None

    def __init__(self, file: IO[bytes]) -> None:
        if file.seek(0, os.SEEK_END) > MAX_BYTES:
            raise too_large(f"an .xls file may have at most {MAX_BYTES} bytes")
        file.seek(0)
        stream = needed_records(_workbook_stream(file.read()))
        with _xlrd_errors_translated():
            self._book = xlrd.open_workbook(
                file_contents=stream,
                logfile=_Nowhere(),
                formatting_info=True,
                on_demand=True,
                ragged_rows=True,
            )
            if self._book.nsheets > MAX_SHEETS:
                raise damaged(f"it has more than {MAX_SHEETS} sheets")
            self._shown = _shown_by_style(self._book)

    def sheets(self) -> Iterator[Worksheet]:
        """Yield the worksheets in the order of their tabs, first the visible ones and then the hidden ones."""
        found = [self._sheet(number, title) for number, title in enumerate(self._book.sheet_names())]
        yield from sorted(filter(None, found), key=lambda sheet: sheet.hidden)

    def close(self) -> None:
        """Release the file's content."""
        self._book.release_resources()

    def _sheet(self, number: int, title: str) -> Worksheet | None:
        """Return a sheet, or None for one that is very hidden."""
        try:
            with _xlrd_errors_translated():
                sheet = self._book.sheet_by_index(number)
        except InvalidFileFormat as error:
            return Worksheet(title, hidden=False, hidden_columns=partial(_refuse, error), rows=partial(_refuse, error))
        if sheet.visibility == _VERY_HIDDEN:
            return None
        hidden = frozenset(column for column, info in sheet.colinfo_map.items() if info.hidden and column < MAX_COLUMNS)
        return Worksheet(title, sheet.visibility != 0, lambda: hidden, partial(_rows, sheet, self._shown))


def _refuse(error: InvalidFileFormat) -> NoReturn:
    raise error


def _rows(sheet: xlrd.sheet.Sheet, shown: list[NumberFormatter]) -> Iterator[SheetRow]:
    for number in range(sheet.nrows):
        cells = _cells(sheet, number, shown)
        if not is_blank(cells):
            yield SheetRow(number + 1, tuple(cells))


def _cells(sheet: xlrd.sheet.Sheet, row: int, shown: list[NumberFormatter]) -> list[Cell]:
    """Return the cells of a row up to its last one that is not blank."""
    kinds = bytes(sheet.row_types(row))
    values: Sequence[Any] = sheet.row_values(row)
    cells: list[Cell] = [""] * len(kinds.rstrip(_NO_CONTENT))
    for match in _CONTENT.finditer(kinds):
        column = match.start()
        kind, value = kinds[column], values[column]
        if kind == _TEXT:
            cells[column] = kept_text(unguard(value))
        elif kind in {_NUMBER, _DATE}:
            style = sheet.cell_xf_index(row, column)
            show = shown[style] if style < len(shown) else number_text
            cells[column] = show(str(int(value)) if value.is_integer() else repr(value))
        else:
            cells[column] = _other(kind, value)
    while cells and cells[-1] == "":
        cells.pop()
    return cells


def _other(kind: int, value: int) -> Cell:
    if kind == _BOOLEAN:
        return TRUE if value else FALSE
    return error_cell(xlrd.error_text_from_code.get(value, "#ERROR"))


def _shown_by_style(book: xlrd.book.Book) -> list[NumberFormatter]:
    """Return the function that formats numbers for each style of a cell."""
    epoch = EPOCH_1904 if book.datemode else EPOCH_1900
    keys = [style.format_key for style in book.xf_list]
    formats = {key: book.format_map[key].format_str for key in set(keys) if key in book.format_map}
    # before BIFF5 a key is only the number of the format in the file
    shown = {key: shown_as(key if book.biff_version >= _BIFF5 else 0, code, epoch) for key, code in formats.items()}
    return [shown.get(key, number_text) for key in keys]


def _workbook_stream(content: bytes) -> bytes:
    """Return the records of the workbook; a file that is not OLE2, as before BIFF5, has nothing else."""
    if not content.startswith(SIGNATURE):
        return content
    try:
        document = CompDoc(content, logfile=_Nowhere(), ignore_workbook_corruption=True)
        for name in _WORKBOOK_STREAMS:
            memory, start, _ = document.locate_named_stream(name)
            if memory:
                return bytes(memory[start:])  # beyond its declared end, too, because directories may declare too little
    except MemoryError:
        raise
    except Exception as error:
        raise _refusal_of_broken(content) from error
    raise _refusal_of_other(content)


def _refusal_of_broken(content: bytes) -> InvalidFileFormat:
    named = any(_names_stream(content, stream) for stream in _WORKBOOK_STREAMS)
    return _cut_short() if named or _lacks_its_directory(content) else _refusal_of_other(content)


def _refusal_of_other(content: bytes) -> InvalidFileFormat:
    """Return the refusal of another kind of OLE2 file."""
    if _names_stream(content, "EncryptedPackage"):
        return encrypted()
    for stream, document in _OTHER_DOCUMENTS.items():
        if _names_stream(content, stream):
            return not_a_workbook(document)
    return not_a_workbook("an OLE2 file without a workbook")


def _names_stream(content: bytes, name: str) -> bool:
    """Return whether the file contains the name of a stream, in UTF-16 and any case (MS-CFB 2.6.1)."""
    return f"{name}\0".encode("utf-16-le").lower() in content.lower()


def _lacks_its_directory(content: bytes) -> bool:
    """Return whether the sector that lists the streams is beyond the end of the file (MS-CFB 2.2)."""
    shift: int
    directory: int
    shift, directory = _SECTOR_SHIFT_AND_DIRECTORY.unpack_from(content.ljust(512, b"\0"))
    return (directory + 2) << min(shift, _MOST_SHIFT) > len(content)
