"""An .ods workbook of LibreOffice and others (OpenDocument 1.3), read by python-calamine.

The library returns values, not what a person sees. So a workbook is refused in which these differ: numbers that are
shown with leading zeros or letters, truth values, errors. Columns that are hidden are not known either. It trusts its
input like xlrd, and runs in a process with the same limits (`catalogue.importing`).
"""

import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, PasswordError, SheetVisibleEnum

from barcodesvc.errors import InvalidFileFormat
from barcodesvc.spreadsheets.cells import (
    FALSE,
    MAX_COLUMNS,
    MAX_ROWS,
    MAX_SHEETS,
    TRUE,
    Cell,
    SheetRow,
    TypedText,
    Worksheet,
    is_blank,
    kept_text,
)
from barcodesvc.spreadsheets.escapes import unguard
from barcodesvc.spreadsheets.number_formats import number_text
from barcodesvc.spreadsheets.refusals import SAVE_AS, damaged, encrypted, too_large

MAX_BYTES = 64 << 20
"""Bytes of an .ods file; it is held in memory."""
MAX_UNPACKED = 1 << 30
"""Bytes of its content, which is searched for what the library does not return."""

_CONTENT = "content.xml"
_CHUNK = 1 << 20
_OVERLAP = 2_000
"""Characters of the beginning of a cell that are searched at once."""
_UNREADABLE = {
    rb'value-type="error"': "errors such as #N/A",
    rb'value-type="boolean"': "truth values",
    rb'value-type="float"[^>]{0,999}><text:p[^>]{0,99}>(?:0\d|[A-Za-z])': "numbers shown after zeros or letters",
}
"""What the library returns as something else, as patterns of a cell and in words."""
_SEARCHED = re.compile(b"|".join(b"(%b)" % pattern for pattern in _UNREADABLE))
_DURATION = re.compile(r"PT(\d+)H(\d\d)M(\d\d)(?:[.,]\d+)?S")


class OdsWorkbook:
    """An open .ods workbook; raises InvalidFileFormat or FileTooLarge, also while it is read."""

    encoding = None

    def __init__(self, path: Path) -> None:
        if path.stat().st_size > MAX_BYTES:
            raise too_large(f"an .ods file may have at most {MAX_BYTES} bytes")
        _require_readable(path)
        try:
            self._book = CalamineWorkbook.from_filelike(BytesIO(path.read_bytes()))  # whatever the file is called
        except PasswordError as error:
            raise encrypted() from error
        except CalamineError as error:
            raise damaged("its content cannot be read") from error
        if len(self._book.sheet_names) > MAX_SHEETS:
            raise damaged(f"it has more than {MAX_SHEETS} sheets")

    def sheets(self) -> Iterator[Worksheet]:
        """Yield the worksheets in the order of their tabs, first the visible ones and then the hidden ones."""
        tabs = [(tab.name, tab.visible != SheetVisibleEnum.Visible) for tab in self._book.sheets_metadata]
        for name, hidden in sorted(tabs, key=lambda tab: tab[1]):
            yield Worksheet(name, hidden, hidden_columns=frozenset, rows=partial(self._rows, name))

    def close(self) -> None:
        """Release the content."""
        self._book.close()

    def _rows(self, name: str) -> Iterator[SheetRow]:
        try:
            sheet = self._book.get_sheet_by_name(name)
        except CalamineError as error:
            raise damaged(f"its sheet {name[:40]!r} cannot be read") from error
        return _sheet_rows(sheet)


def _sheet_rows(sheet: CalamineSheet) -> Iterator[SheetRow]:
    first = sheet.start[1] if sheet.start else 0
    for number, values in enumerate(sheet.iter_rows(), 1):
        if number > MAX_ROWS:
            raise too_large(f"it has more than {MAX_ROWS} rows")
        cells = [*[""] * first, *map(_cell, values)][:MAX_COLUMNS]
        while cells and cells[-1] == "":
            cells.pop()
        if not is_blank(cells):
            yield SheetRow(number, tuple(cells))


def _cell(value: Any) -> Cell:
    if isinstance(value, str):
        duration = _DURATION.fullmatch(value)
        return TypedText(":".join(duration.groups()), "time") if duration else kept_text(unguard(value))
    if isinstance(value, bool):
        return TRUE if value else FALSE
    if isinstance(value, datetime) and value.time() == time():
        return TypedText(value.date().isoformat(), "date")
    if isinstance(value, date):
        return TypedText(value.isoformat(), "date")
    return TypedText(str(value), "time") if isinstance(value, time | timedelta) else number_text(repr(value))


def _require_readable(path: Path) -> None:
    """Refuse a workbook with content that the library does not return as a person sees it."""
    try:
        with ZipFile(path) as archive, archive.open(_CONTENT) as content:
            before, size = b"", 0
            while chunk := content.read(_CHUNK):
                size += len(chunk)
                if size > MAX_UNPACKED:
                    raise too_large(f"its content has more than {MAX_UNPACKED} bytes")
                if found := _SEARCHED.search(before + chunk):
                    what = tuple(_UNREADABLE.values())[(found.lastindex or 1) - 1]
                    raise InvalidFileFormat(
                        f"The .ods workbook has {what}, which can only be read from .xlsx: {SAVE_AS}."
                    )
                before = chunk[-_OVERLAP:]
    except (BadZipFile, KeyError, EOFError, OSError, RuntimeError) as error:
        raise damaged("its content cannot be read") from error
