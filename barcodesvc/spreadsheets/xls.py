"""An .xls workbook (BIFF5 and BIFF8 inside an OLE2 file), read with xlrd.

xlrd trusts what it reads: hostile bytes make it raise nearly anything, so every call into it is translated.
It loads one sheet at a time here, and lets go of it before the next. Sheets that share their bytes, which
multiplies the work, are refused. What it prints goes nowhere.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from types import MappingProxyType
from typing import IO, Any

import xlrd
from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH

from barcodesvc.spreadsheets.biff import substream_bytes
from barcodesvc.spreadsheets.formula_text import unguard
from barcodesvc.spreadsheets.number_formats import Shown, shown_as
from barcodesvc.spreadsheets.refusals import damaged, encrypted, not_a_workbook, too_large
from barcodesvc.spreadsheets.rows import MAX_SHEETS, Cell, Row, Sheet, error_cell, is_blank, place_cell

MAX_BYTES = 64 << 20
"""Bytes of an .xls file; it is held in memory, and its cells take several times as much."""

# the streams of other documents that are OLE2 files, and what to call them
_OTHER_DOCUMENTS = MappingProxyType(
    {
        "WordDocument": "a text document",
        "PowerPoint Document": "a presentation",
        "__properties_version1.0": "a mail message",
    }
)


class _Nowhere(io.TextIOBase):
    """A text file that forgets what is written to it."""

    def write(self, text: str, /) -> int:
        return len(text)


@contextmanager
def _xlrd_errors_told() -> Iterator[None]:
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:  # xlrd raises nearly anything: struct.error, AssertionError, IndexError, ...
        if "encrypted" in str(error):
            raise encrypted() from error
        raise damaged("its .xls structure is cut short or broken") from error


class XlsWorkbook:
    """An open .xls workbook; raises InvalidFileFormat or FileTooLarge, also while it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise too_large(f"an .xls file may have {MAX_BYTES} bytes")
        _refuse_other_documents(content)
        with _xlrd_errors_told():
            self._book = xlrd.open_workbook(
                file_contents=content,
                logfile=_Nowhere(),
                formatting_info=True,
                on_demand=True,
                ragged_rows=True,
            )
        if self._book.nsheets > MAX_SHEETS:
            raise damaged(f"it has more than {MAX_SHEETS} sheets")
        self._epoch = MAC_EPOCH if self._book.datemode else WINDOWS_EPOCH
        self._shown: dict[int, Shown] = {}
        self._refuse_overlapping_sheets()

    def sheets(self) -> Iterator[Sheet]:
        """Yield the visible worksheets in the order of their tabs."""
        for index in range(self._book.nsheets):
            sheet = self._load(index)
            if sheet.visibility == 0:
                yield Sheet(sheet.name, partial(self._rows, sheet))
            self._book.unload_sheet(index)

    def close(self) -> None:
        """Let go of the file's content."""
        self._book.release_resources()

    def _load(self, index: int) -> xlrd.sheet.Sheet:
        with _xlrd_errors_told():
            return self._book.sheet_by_index(index)

    def _refuse_overlapping_sheets(self) -> None:
        starts = vars(self._book)["_sh_abs_posn"]  # xlrd has no public name for where sheets begin
        stream = self._book.mem or b""
        left = len(stream)
        for start in starts:
            left -= substream_bytes(stream, start)
            if left < 0:
                raise damaged("its sheets overlap")

    def _rows(self, sheet: xlrd.sheet.Sheet) -> Iterator[Row]:
        for index in range(sheet.nrows):
            with _xlrd_errors_told():
                cells = self._read_cells(sheet, index)
            if not is_blank(cells):
                yield Row(index + 1, tuple(cells))

    def _read_cells(self, sheet: xlrd.sheet.Sheet, row: int) -> list[Cell]:
        cells: list[Cell] = []
        pairs = zip(sheet.row_types(row), sheet.row_values(row), strict=True)
        for column, (kind, value) in enumerate(pairs):
            if kind in _NUMBERS:
                cell = self._show(sheet.cell_xf_index(row, column))(repr(value))
            else:
                cell = _READERS[kind](value)
            if cell != "":
                place_cell(cells, column, cell)
        return cells

    def _show(self, style: int) -> Shown:
        if style not in self._shown:
            number_format = self._book.format_map[self._book.xf_list[style].format_key]
            self._shown[style] = shown_as(number_format.format_key, number_format.format_str, self._epoch)
        return self._shown[style]


def _refuse_other_documents(content: bytes) -> None:
    """Refuse what is kept in an OLE2 file too; stream names are UTF-16 (MS-CFB 2.6.1)."""
    if _names_stream(content, "Workbook") or _names_stream(content, "Book"):
        return
    if _names_stream(content, "EncryptedPackage"):
        raise encrypted()
    for stream, document in _OTHER_DOCUMENTS.items():
        if _names_stream(content, stream):
            raise not_a_workbook(document)
    raise not_a_workbook("an OLE2 file without a workbook")


def _names_stream(content: bytes, name: str) -> bool:
    return f"{name}\0".encode("utf-16-le") in content


def _text_cell(value: Any) -> Cell:
    return unguard(value)


def _boolean_cell(value: Any) -> Cell:
    return "TRUE" if value else "FALSE"


def _error_cell(value: Any) -> Cell:
    return error_cell(xlrd.error_text_from_code.get(value, "#ERROR"))


def _blank_cell(_: Any) -> Cell:
    return ""


_NUMBERS = (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE)
_READERS: Mapping[int, Callable[[Any], Cell]] = MappingProxyType(
    {
        xlrd.XL_CELL_TEXT: _text_cell,
        xlrd.XL_CELL_BOOLEAN: _boolean_cell,
        xlrd.XL_CELL_ERROR: _error_cell,
        xlrd.XL_CELL_EMPTY: _blank_cell,
        xlrd.XL_CELL_BLANK: _blank_cell,
    }
)
