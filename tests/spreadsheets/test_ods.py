"""Workbooks of OpenDocument."""

import zipfile
from pathlib import Path

import pytest

from barcodesvc.errors import InvalidFileFormat, ServiceError
from barcodesvc.spreadsheets.cells import SheetRow, TypedText
from tests.spreadsheets.made_workbooks import first_sheet
from tests.sweeps import sweep

KIND = "application/vnd.oasis.opendocument.spreadsheet"
_NAMES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text", "style")
)
_TABLE = '<table:table table:name="Stock">{}</table:table>'
_CONTENT = (
    f"<office:document-content {_NAMES} "
    'xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0">'
    "<office:body><office:spreadsheet>{}</office:spreadsheet></office:body></office:document-content>"
)
_MANIFEST = (
    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
    f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{KIND}"/></manifest:manifest>'
)


def made_ods(folder: Path, rows: str = "") -> Path:
    """Write a workbook of one sheet with these rows in XML."""
    path = folder / "made.ods"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", KIND)
        archive.writestr("content.xml", _CONTENT.format(_TABLE.format(rows)))
        archive.writestr("META-INF/manifest.xml", _MANIFEST)
    return path


def cell(attributes: str, shown: str) -> str:
    """Return a cell that shows a text."""
    return f"<table:table-cell {attributes}><text:p>{shown}</text:p></table:table-cell>"


def number(value: str, shown: str, kind: str = "float") -> str:
    """Return a cell with a number."""
    return cell(f'office:value-type="{kind}" office:value="{value}"', shown)


def text(shown: str) -> str:
    """Return a cell with a text."""
    return cell('office:value-type="string"', shown)


def row(*cells: str) -> str:
    """Return a row."""
    return f"<table:table-row>{''.join(cells)}</table:table-row>"


def test_an_ods_is_read(tmp_path: Path) -> None:
    """Texts with their zeros, numbers as their digits, rows by their numbers."""
    day = cell('office:value-type="date" office:date-value="2026-03-03"', "MAR 3")
    path = made_ods(
        tmp_path,
        row(text("SKU"), text("Qty"))
        + '<table:table-row table:number-rows-repeated="2"><table:table-cell/></table:table-row>'
        + row(text("0012"), number("1234.5", "1,234.50"), number("5", "5 Stk"))
        + row(number("4006381333931", "4.0E+12"), number("4.1", "4,10 €", "currency"), day),
    )
    rows = first_sheet(path)
    assert rows == [
        SheetRow(1, ("SKU", "Qty")),
        SheetRow(4, ("0012", "1234.5", "5")),
        SheetRow(5, ("4006381333931", "4.1", "2026-03-03")),
    ]
    date = rows[2].cells[2]
    assert isinstance(date, TypedText)
    assert date.kind == "date"


@sweep(
    ("content", "what"),
    [
        (number("12", "00012"), "zeros or letters"),
        (number("5", "SKU-5"), "letters"),
        ('<table:table-cell office:value-type="boolean" office:boolean-value="true"/>', "truth values"),
        ('<table:table-cell office:value-type="string" calcext:value-type="error"/>', "errors"),
    ],
)
def test_what_would_be_read_as_something_else_is_refused(tmp_path: Path, content: str, what: str) -> None:
    """The message says how to import it."""
    with pytest.raises(InvalidFileFormat, match=f"{what}.*save it as .xlsx"):
        first_sheet(made_ods(tmp_path, row(text("SKU"), content)))


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    """A row of 16,384 cells, a million times."""
    repeated = text("x").replace("cell ", 'cell table:number-columns-repeated="16384" ')
    with pytest.raises(ServiceError):
        first_sheet(made_ods(tmp_path, row(repeated).replace("row>", 'row table:number-rows-repeated="1048576">', 1)))


@sweep("content", [b"", b"<a/>", b"<office"])
def test_a_damaged_ods_is_refused(tmp_path: Path, content: bytes) -> None:
    """As any damaged workbook."""
    path = made_ods(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"<office:document", content.ljust(16), 1))
    with pytest.raises(InvalidFileFormat):
        first_sheet(path)
