"""Workbooks for the tests: made by hand part by part, or the real catalogues of the test data folder."""

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from barcodesvc.spreadsheets.cells import SheetRow
from barcodesvc.spreadsheets.read import open_workbook

_SPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"

_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_SPACE}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{_OFFICE}/sharedStrings" Target="sharedStrings.xml"/>'
    f'<Relationship Id="rId3" Type="{_OFFICE}/styles" Target="/xl/styles.xml"/></Relationships>',
    "xl/sharedStrings.xml": f'<sst xmlns="{_SPACE}"><si><t>shared</t></si>'
    "<si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>hint</t></rPh></si></sst>",
    "xl/styles.xml": f'<styleSheet xmlns="{_SPACE}"><numFmts>'
    '<numFmt numFmtId="164" formatCode="0000000000000"/><numFmt numFmtId="165" formatCode="#,##0.00"/></numFmts>'
    '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>'
    '<cellXfs><xf/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="14"/><xf numFmtId="46"/></cellXfs>'
    "</styleSheet>",
}

MakeXlsx = Callable[..., Path]


def _sheet(data: str) -> str:
    return f'<worksheet xmlns="{_SPACE}"><sheetData>{data}</sheetData></worksheet>'


@pytest.fixture
def make_xlsx(tmp_path: Path) -> MakeXlsx:
    """Return a function that writes a workbook of one sheet, with some parts replaced or, if None, left out."""

    def make(data: str = "", parts: Mapping[str, str | bytes | None] | None = None) -> Path:
        path = tmp_path / "made.xlsx"
        message = {**_PARTS, "xl/worksheets/sheet1.xml": _sheet(data), **(parts or {})}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in message.items():
                if content is not None:
                    archive.writestr(name, content)
        return path

    return make


@pytest.fixture
def standard_parts() -> Mapping[str, str]:
    """Return the parts of a hand-made workbook, to be changed and given to `make_xlsx`."""
    return dict(_PARTS)


@pytest.fixture
def first_sheet() -> Callable[[Path], list[SheetRow]]:
    """Return a function that reads all rows of a workbook's first sheet."""

    def read(path: Path) -> list[SheetRow]:
        with open_workbook(path) as workbook:
            return list(next(iter(workbook.sheets())).rows())

    return read
