"""Everything of an .xlsx workbook but its rows: openpyxl makes it, around sheets that hold their header alone.

A sheet's part is what openpyxl writes for the header, with the rows let in where the data of the sheet end. Nothing in
it says when it was made, so that the same rows are the same bytes.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from io import BytesIO
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

from barcodesvc.spreadsheets.sheet_xml import CellStyles, RowsXml
from barcodesvc.spreadsheets.tables import Kind, TableDesign

_TIME_FORMAT = 'yyyy-mm-dd hh:mm:ss" UTC"'
_BESIDE_A_NUMBER = Alignment(horizontal="left", indent=1)
"""Codes often stand behind numbers, which end where a code would begin."""
_HEADER_FONT = Font(name="Calibri", size=11, bold=True)
_HEADER_ALIGNMENTS = {
    Kind.CODE: _BESIDE_A_NUMBER,
    Kind.TEXT: Alignment(horizontal="left"),
    Kind.NUMBER: Alignment(horizontal="right"),
    Kind.TIME: Alignment(horizontal="center"),
}
"""A name stands where the values below it stand."""
_MARK = PatternFill("solid", start_color="FFFCE4D6", end_color="FFFCE4D6")
_UNDATED = datetime(1980, 1, 1, tzinfo=UTC)
_END_OF_DATA = b"</sheetData>"
_DIMENSION = re.compile(rb"<dimension [^>]*/>")
"""How far a sheet reaches; optional (ECMA-376-1, 18.3.1.35), and here it would cover the header alone."""


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
        text.alignment = quoted.alignment = _BESIDE_A_NUMBER
        time.number_format, time.alignment = _TIME_FORMAT, Alignment(horizontal="center")
        self._styles = CellStyles(text.style_id, quoted.style_id, time.style_id)
        self._book.remove(sheet)

    def begin(self, title: str, table: TableDesign) -> tuple[str, bytes]:
        """Add a sheet; return the name of its part, and what stands there in front of the rows below the header."""
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
        """Return what writes the rows of a table in the styles of this workbook."""
        return RowsXml(table.columns, self._styles)

    def end(self, table: TableDesign, rows: int) -> bytes:
        """Return what stands behind the rows of the last sheet, which are `rows` with the header."""
        sheet = self._book.worksheets[-1]
        sheet.auto_filter.ref = f"A1:{get_column_letter(len(table.columns))}{rows}"
        if table.marked and rows > 1:
            _mark(sheet, table, rows)
        found = self._parts()[f"xl/worksheets/sheet{len(self._book.worksheets)}.xml"].partition(_END_OF_DATA)
        return b"".join(found[1:])

    def other_parts(self) -> dict[str, bytes]:
        """Return the parts beside the sheets, by name."""
        return {name: part for name, part in self._parts().items() if not name.startswith("xl/worksheets/")}

    def _parts(self) -> dict[str, bytes]:
        file = BytesIO()
        with ZipFile(file, "w") as archive:
            ExcelWriter(self._book, archive).write_data()
        with ZipFile(file) as archive:
            return {name: archive.read(name) for name in archive.namelist()}


def _fit_to_page_width(sheet: Worksheet) -> None:
    """Let a print be as wide as a page, as long as it gets, with the header on top of each."""
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    sheet.page_setup.orientation, sheet.page_setup.fitToHeight = "landscape", 0
    sheet.print_title_rows = "1:1"


def _mark(sheet: Worksheet, table: TableDesign, rows: int) -> None:
    """Let a formula colour the rows: one rule instead of a style for each cell, and it follows what people edit."""
    first, second = (get_column_letter(table.header.index(name) + 1) for name in table.marked or ())
    last = get_column_letter(len(table.columns))
    rule = Rule("expression", dxf=DifferentialStyle(fill=_MARK), formula=[f"${first}2<=${second}2"])
    sheet.conditional_formatting.add(f"A2:{last}{rows}", rule)
