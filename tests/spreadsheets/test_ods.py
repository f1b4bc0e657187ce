import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from barcodesvc.errors import InvalidFileFormat, ServiceError
from barcodesvc.spreadsheets.cells import SheetRow, TypedText
from barcodesvc.spreadsheets.read import is_held_in_memory, open_workbook

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
    f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{KIND}"/>{{}}</manifest:manifest>'
)

MakeOds = Callable[..., Path]


@pytest.fixture
def make_ods(tmp_path: Path) -> MakeOds:
    """Return a function that writes a workbook of one sheet with these rows in XML."""

    def make(rows: str = "", entries: str = "") -> Path:
        path = tmp_path / "made.ods"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("mimetype", KIND)
            archive.writestr("content.xml", _CONTENT.format(_TABLE.format(rows)))
            archive.writestr("META-INF/manifest.xml", _MANIFEST.format(entries))
        return path

    return make


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


def rows_of(path: Path) -> list[SheetRow]:
    """Return the rows of the only sheet."""
    with open_workbook(path) as workbook:
        (sheet,) = workbook.sheets()
        return list(sheet.rows())


def test_an_ods_is_read(make_ods: MakeOds) -> None:
    """Texts with their zeros, numbers as their digits, rows by their numbers."""
    day = cell('office:value-type="date" office:date-value="2026-03-03"', "MAR 3")
    path = make_ods(
        row(text("SKU"), text("Qty"))
        + '<table:table-row table:number-rows-repeated="2"><table:table-cell/></table:table-row>'
        + row(text("0012"), number("1234.5", "1,234.50"), number("5", "5 Stk"))
        + row(number("4006381333931", "4.0E+12"), number("4.1", "4,10 €", "currency"), day)
    )
    rows = rows_of(path)
    assert rows == [
        SheetRow(1, ("SKU", "Qty")),
        SheetRow(4, ("0012", "1234.5", "5")),
        SheetRow(5, ("4006381333931", "4.1", "2026-03-03")),
    ]
    date = rows[2].cells[2]
    assert isinstance(date, TypedText)
    assert date.kind == "date"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (number("12", "00012"), "zeros or letters"),
        (number("5", "SKU-5"), "letters"),
        (number("1", "TRUE"), "letters"),
        ('<table:table-cell office:value-type="boolean" office:boolean-value="true"/>', "truth values"),
        ('<table:table-cell office:value-type="string" calcext:value-type="error"/>', "errors"),
    ],
)
def test_what_would_be_read_as_something_else_is_refused(make_ods: MakeOds, content: str, what: str) -> None:
    """The message says how to import it."""
    with pytest.raises(InvalidFileFormat, match=f"{what}.*save it as .xlsx"):
        rows_of(make_ods(row(text("SKU"), content)))


def test_a_bomb_is_refused(make_ods: MakeOds) -> None:
    """A row of 16,384 cells, a million times."""
    repeated = text("x").replace("cell ", 'cell table:number-columns-repeated="16384" ')
    with pytest.raises(ServiceError):
        rows_of(make_ods(row(repeated).replace("row>", 'row table:number-rows-repeated="1048576">', 1)))


@pytest.mark.parametrize("content", [b"", b"<a/>", b"<office"])
def test_a_damaged_ods_is_refused(make_ods: MakeOds, content: bytes) -> None:
    """As any damaged workbook."""
    path = make_ods()
    path.write_bytes(path.read_bytes().replace(b"<office:document", content.ljust(16), 1))
    with pytest.raises(InvalidFileFormat):
        rows_of(path)


def test_an_ods_is_read_in_a_process(make_ods: MakeOds) -> None:
    """The library that reads it has no limits."""
    assert is_held_in_memory(make_ods(), None)
