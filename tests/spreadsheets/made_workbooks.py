"""Workbooks made by hand part by part, and how tests read any."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

from barcodesvc.runtime.processes import Report
from barcodesvc.spreadsheets.cells import SheetRow
from barcodesvc.spreadsheets.read import open_workbook

SPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
SHEET = "xl/worksheets/sheet1.xml"

PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{SPACE}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{_OFFICE}/sharedStrings" Target="sharedStrings.xml"/>'
    f'<Relationship Id="rId3" Type="{_OFFICE}/styles" Target="/xl/styles.xml"/></Relationships>',
    "xl/sharedStrings.xml": f'<sst xmlns="{SPACE}"><si><t>shared</t></si>'
    "<si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>hint</t></rPh></si></sst>",
    "xl/styles.xml": f'<styleSheet xmlns="{SPACE}"><numFmts>'
    '<numFmt numFmtId="164" formatCode="0000000000000"/><numFmt numFmtId="165" formatCode="#,##0.00"/></numFmts>'
    '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>'
    '<cellXfs><xf/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="14"/><xf numFmtId="46"/></cellXfs>'
    "</styleSheet>",
}
"""The parts of a workbook but for its only sheet."""


def sheet_xml(data: str, before: str = "") -> str:
    """Return the part of a sheet with these rows, and what is before them."""
    return f'<worksheet xmlns="{SPACE}">{before}<sheetData>{data}</sheetData></worksheet>'


def made_xlsx(folder: Path, data: str = "", parts: Mapping[str, str | bytes | None] | None = None) -> Path:
    """Write a workbook of one sheet, with some parts replaced or, if None, left out."""
    path = folder / "made.xlsx"
    written = {**PARTS, SHEET: sheet_xml(data), **(parts or {})}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in written.items():
            if content is not None:
                archive.writestr(name, content)
    return path


def first_sheet(path: Path) -> list[SheetRow]:
    """Return all rows of a workbook's first sheet."""
    with open_workbook(path) as workbook:
        return list(next(iter(workbook.sheets())).rows())


def read_all(path: Path) -> int:
    """Read every row of every sheet and return their number."""
    with open_workbook(path) as workbook:
        return sum(1 for sheet in workbook.sheets() for _ in sheet.rows())


def count_rows(_: Report, path: Path) -> int:
    """Do the same in a process."""
    return read_all(path)
