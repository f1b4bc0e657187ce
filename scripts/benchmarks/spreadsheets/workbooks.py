"""The workbooks to import: .xlsx with shared strings as Excel writes them, or with inline ones, and .xls.

The parts of an .xlsx are written by hand, because openpyxl writes inline strings only; a row, including its `spans` and
`x14ac:dyDescent`, is as Excel saves it. Each file is a megabyte or several.
"""

import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import xlwt

from scripts.benchmarks.spreadsheets.catalogue import COLUMNS, cells

ROWS = 100_000
XLS_ROWS = 65_000
"""A BIFF8 sheet ends at row 65,536."""
NEW = 10_000_000
"""Number of the first product in a file; no server has it yet."""

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_AC = "http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/>'
    f'<Override PartName="/xl/sharedStrings.xml" ContentType="{_TYPE}.sharedStrings+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{_OFFICE}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
}

Line = Iterable[str | int]
TextCell = Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class Workbook:
    """A file of new products, and how many they are."""

    path: Path
    rows: int


def shared_xlsx(folder: Path, rows: int = ROWS, first: int = NEW) -> Workbook:
    """Write an .xlsx with its texts in a table of strings."""
    places: dict[str, int] = {}

    def cell(reference: str, text: str) -> str:
        return f'<c r="{reference}" t="s"><v>{places.setdefault(text, len(places))}</v></c>'

    return _write_xlsx(folder / f"shared-{rows}.xlsx", range(first, first + rows), cell, places)


def inline_xlsx(folder: Path) -> Workbook:
    """Write an .xlsx with its texts in their cells."""

    def cell(reference: str, text: str) -> str:
        return f'<c r="{reference}" t="inlineStr"><is><t>{escape(text)}</t></is></c>'

    return _write_xlsx(folder / "inline.xlsx", range(NEW, NEW + ROWS), cell, {})


def xls(folder: Path) -> Workbook:
    """Write an .xls of BIFF8."""
    book = xlwt.Workbook(encoding="utf-8")
    sheet = book.add_sheet("Sheet1")
    for index, line in enumerate(_lines(range(NEW, NEW + XLS_ROWS))):
        for column, value in enumerate(line):
            sheet.write(index, column, value)
    path = folder / "catalogue.xls"
    book.save(str(path))
    return Workbook(path, XLS_ROWS)


def _lines(numbers: range) -> Iterable[Line]:
    yield COLUMNS
    yield from map(cells, numbers)


def _write_xlsx(path: Path, numbers: range, cell: TextCell, places: dict[str, int]) -> Workbook:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in _PARTS.items():
            archive.writestr(name, _HEAD + content)
        with archive.open("xl/worksheets/sheet1.xml", "w") as part:
            spaces = f'xmlns="{_MAIN}" xmlns:x14ac="{_AC}"'
            part.write(f'{_HEAD}<worksheet {spaces}><dimension ref="A1:G{len(numbers) + 1}"/><sheetData>'.encode())
            part.writelines(_row(number, line, cell) for number, line in enumerate(_lines(numbers), 1))
            part.write(b"</sheetData></worksheet>")
        with archive.open("xl/sharedStrings.xml", "w") as part:
            part.write(f'{_HEAD}<sst xmlns="{_MAIN}" uniqueCount="{len(places)}">'.encode())
            part.writelines(f"<si><t>{escape(text)}</t></si>".encode() for text in places)
            part.write(b"</sst>")
    return Workbook(path, len(numbers))


def _row(number: int, line: Line, text_cell: TextCell) -> bytes:
    inside = [
        text_cell(f"{letter}{number}", value)
        if isinstance(value, str)
        else f'<c r="{letter}{number}"><v>{value}</v></c>'
        for letter, value in zip("ABCDEFG", line, strict=True)
    ]
    return f'<row r="{number}" spans="1:7" x14ac:dyDescent="0.25">{"".join(inside)}</row>'.encode()
