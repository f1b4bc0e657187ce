"""The parts of an .xlsx workbook that is written: the design by openpyxl, the rows of its sheets as text.

openpyxl writes a workbook whose sheets have only a header. Rows are formatted as XML (ECMA-376-1, 18.3.1) at a fraction
of the cost of an object for each of a million cells, and inserted into a sheet's part at the end of its data. Text is
an inline string, so that no table of texts grows in memory. The file contains no date, so that the same rows always
give the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from io import BytesIO
from xml.sax.saxutils import escape as escape_markup
from zipfile import ZipFile

from openpyxl import Workbook
from openpyxl.cell import Cell
from openpyxl.formatting.rule import Rule
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.styles.numbers import FORMAT_TEXT
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet
from openpyxl.writer.excel import ExcelWriter

from barcodesvc.spreadsheets.escapes import escape, guard_xlsx
from barcodesvc.spreadsheets.tables import Column, Kind, TableDesign, Values

_TIME_FORMAT = 'yyyy-mm-dd hh:mm:ss" UTC"'
_AFTER_NUMBERS = Alignment(horizontal="left", indent=1)
"""Codes often follow a column of numbers, which are aligned to the right, next to where a code begins."""
_HEADER_FONT = Font(name="Calibri", size=11, bold=True)
_HEADER_ALIGNMENTS = {
    Kind.CODE: _AFTER_NUMBERS,
    Kind.TEXT: Alignment(horizontal="left"),
    Kind.NUMBER: Alignment(horizontal="right"),
    Kind.TIME: Alignment(horizontal="center"),
}
"""A header is aligned as the values below it."""
_MARK = PatternFill("solid", start_color="FFFCE4D6", end_color="FFFCE4D6")
_UNDATED = datetime(1980, 1, 1, tzinfo=UTC)
_END_OF_DATA = b"</sheetData>"
_DIMENSION = re.compile(rb"<dimension [^>]*/>")
"""The range of a sheet; optional (ECMA-376-1, 18.3.1.35), and here it would only cover the header."""
_DAY_0 = datetime.fromisoformat("1899-12-30T00:00:00Z")
"""Day 0 of dates from March 1900 on (18.17.4.1)."""
_DAY = timedelta(days=1)
_LIKE_A_FORMULA = re.compile(r"[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]")
_LIKE_A_VALUE = re.compile(r"[#0-9.]")
_NEEDS_CARE = re.compile(r"\A[=+\-@#0-9.\s\uff1d\uff0b\uff0d\uff20]|[&<>_'\x00-\x1f\ud800-\udfff\ufffe\uffff]|\s\Z")

_CellXml = Callable[[str, str | int], str]


@dataclass(frozen=True, slots=True)
class CellStyles:
    """The styles of cells in the workbook, as the attributes of a cell."""

    text: str
    """Formatted as text, so that leading zeros remain when somebody types the value again."""
    quoted: str
    """The same with a quote prefix, for text that looks like a formula."""
    time: str


class SheetDesign:
    """A workbook of headers; `begin` adds a sheet, `end` finishes the last one."""

    def __init__(self) -> None:
        self._book = Workbook()
        self._book.properties.creator = "barcodesvc"
        self._book.properties.created = self._book.properties.modified = _UNDATED
        sheet = self._book.worksheets[0]
        text, quoted, time = (Cell(sheet, row=1, column=1) for _ in range(3))
        text.number_format = quoted.number_format = FORMAT_TEXT
        quoted.quotePrefix = True
        text.alignment = quoted.alignment = _AFTER_NUMBERS
        time.number_format, time.alignment = _TIME_FORMAT, Alignment(horizontal="center")
        self._styles = CellStyles(*(f' s="{cell.style_id}"' for cell in (text, quoted, time)))
        self._book.remove(sheet)

    def begin(self, title: str, table: TableDesign) -> tuple[str, bytes]:
        """Add a sheet; return the name of its part, and the XML that precedes the rows below the header."""
        sheet = self._book.create_sheet(title)
        sheet.append(list(table.header))
        sheet.freeze_panes = "A2"
        _fit_to_page_width(sheet)
        for cell, column in zip(sheet[1], table.columns, strict=True):
            cell.data_type, cell.font, cell.alignment = "s", _HEADER_FONT, _HEADER_ALIGNMENTS[column.kind]
            dimension = sheet.column_dimensions[cell.column_letter]
            dimension.width = column.width
            if column.kind is Kind.CODE:
                dimension.number_format = FORMAT_TEXT
        part = f"xl/worksheets/sheet{len(self._book.worksheets)}.xml"
        return part, _DIMENSION.sub(b"", self._parts()[part].partition(_END_OF_DATA)[0])

    def rows(self, table: TableDesign) -> RowsXml:
        """Return a writer for the rows of a table in the styles of this workbook."""
        return RowsXml(table.columns, self._styles)

    def end(self, table: TableDesign, rows: int) -> bytes:
        """Return the XML that follows the rows of the last sheet; `rows` is their number, including the header."""
        sheet = self._book.worksheets[-1]
        sheet.auto_filter.ref = f"A1:{get_column_letter(len(table.columns))}{rows}"
        if table.marked and rows > 1:
            _mark(sheet, table, rows)
        found = self._parts()[f"xl/worksheets/sheet{len(self._book.worksheets)}.xml"].partition(_END_OF_DATA)
        return b"".join(found[1:])

    def other_parts(self) -> dict[str, bytes]:
        """Return all parts except the sheets, by name."""
        return {name: part for name, part in self._parts().items() if not name.startswith("xl/worksheets/")}

    def _parts(self) -> dict[str, bytes]:
        file = BytesIO()
        with ZipFile(file, "w") as archive:
            ExcelWriter(self._book, archive).write_data()
        with ZipFile(file) as archive:
            return {name: archive.read(name) for name in archive.namelist()}


def _fit_to_page_width(sheet: Worksheet) -> None:
    """Fit a print to the width of a page, and repeat the header on each page."""
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    sheet.page_setup.orientation, sheet.page_setup.fitToHeight = "landscape", 0
    sheet.print_title_rows = "1:1"


def _mark(sheet: Worksheet, table: TableDesign, rows: int) -> None:
    """Colour rows by one conditional format instead of a style for each cell, so that it follows edits."""
    first, second = (get_column_letter(table.header.index(name) + 1) for name in table.marked or ())
    last = get_column_letter(len(table.columns))
    rule = Rule("expression", dxf=DifferentialStyle(fill=_MARK), formula=[f"${first}2<=${second}2"])
    sheet.conditional_formatting.add(f"A2:{last}{rows}", rule)


class RowsXml:
    """Formats the rows of one table as XML, with the styles of the workbook."""

    def __init__(self, columns: Sequence[Column], styles: CellStyles) -> None:
        self._styles = styles
        kinds: dict[Kind, _CellXml] = {
            Kind.CODE: partial(self._string_cell, styles.text),
            Kind.TEXT: partial(self._string_cell, ""),
            Kind.NUMBER: _number_cell,
            Kind.TIME: self._time_cell,
        }
        self._cells = [(get_column_letter(number), kinds[column.kind]) for number, column in enumerate(columns, 1)]

    def write(self, rows: Iterable[Values], first_number: int) -> bytes:
        """Return the rows, numbered from `first_number`; raises ValueError for a row with another number of cells."""
        return "".join([self._row(number, values) for number, values in enumerate(rows, first_number)]).encode()

    def _row(self, number: int, values: Values) -> str:
        cells = [
            cell_xml(f"{letter}{number}", value)
            for (letter, cell_xml), value in zip(self._cells, values, strict=True)
            if value is not None and value != ""
        ]
        return f'<row r="{number}">{"".join(cells)}</row>'

    def _string_cell(self, style: str, reference: str, value: str | int) -> str:
        text = str(value)
        if not _NEEDS_CARE.search(text):
            return f'<c r="{reference}"{style} t="inlineStr"><is><t>{text}</t></is></c>'
        if _LIKE_A_FORMULA.match(text):
            style = self._styles.quoted
        elif _LIKE_A_VALUE.match(text):
            style = self._styles.text
        written = escape_markup(escape(guard_xlsx(text)))
        return f'<c r="{reference}"{style} t="inlineStr"><is><t xml:space="preserve">{written}</t></is></c>'

    def _time_cell(self, reference: str, value: str | int) -> str:
        day = (datetime.fromisoformat(str(value)) - _DAY_0) / _DAY
        return f'<c r="{reference}"{self._styles.time}><v>{day}</v></c>'


def _number_cell(reference: str, value: str | int) -> str:
    return f'<c r="{reference}"><v>{value}</v></c>'
