from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from barcodesvc.errors import FileTooLarge, InvalidFileFormat
from barcodesvc.spreadsheets import html_tables
from barcodesvc.spreadsheets.cells import MAX_COLUMNS, Cell
from barcodesvc.spreadsheets.read import open_workbook

ReadPage = Callable[..., list[dict[int, tuple[Cell, ...]]]]


@pytest.fixture
def read_page(tmp_path: Path) -> ReadPage:
    """Return a function that reads a web page: the cells of each table's rows by number."""

    def read(content: bytes | str, encoding: str | None = None) -> list[dict[int, tuple[Cell, ...]]]:
        path = tmp_path / "made.xls"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        with open_workbook(path, None, encoding) as workbook:
            return [{row.number: row.cells for row in sheet.rows()} for sheet in workbook.sheets()]

    return read


OF_A_PROGRAM = """<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><meta charset="windows-1252">
<style>td { mso-number-format:"\\@" }</style>
<!--[if gte mso 9]><xml><x:ExcelWorkbook><x:Name>Stock</x:Name></x:ExcelWorkbook></xml><![endif]--></head>
<body><table border=1><thead><tr><th>SKU</th><th>Größe &amp; Name</th></tr></thead>
<tr><td x:str>0012</td><td>Rote
   Kanne<br>mit Deckel</td></tr>
<tr><td>&nbsp;</td></tr>
<tr><td>="0013"<td><b>Blaue</b> Kanne</table></body></html>"""


def test_the_table_of_a_program_is_read(read_page: ReadPage) -> None:
    """As a browser shows it: entities, line breaks, and cells without an end."""
    assert read_page(OF_A_PROGRAM.encode("cp1252")) == [
        {1: ("SKU", "Größe & Name"), 2: ("0012", "Rote Kanne\nmit Deckel"), 4: ("0013", "Blaue Kanne")}
    ]


def test_a_spanning_cell_belongs_to_its_first_column_and_row(read_page: ReadPage) -> None:
    """The others are blank, as those of a merged cell."""
    page = (
        "<table><tr><td>a<td colspan=2>b<td>c<tr><td rowspan=2>d<td>e<td>f<td>g"
        "<tr><td>h<td>i<td>j<tr><td>k<td>l</table>"
    )
    assert read_page(page) == [{1: ("a", "b", "", "c"), 2: ("d", "e", "f", "g"), 3: ("", "h", "i", "j"), 4: ("k", "l")}]


def test_each_table_is_a_sheet(read_page: ReadPage) -> None:
    """One within another, too; text outside of tables is not read."""
    page = "<html>x<table><tr><td>a<table><tr><td>b</td></tr></table></td><td>c</td></tr></table><table></table>"
    assert read_page(page) == [{1: ("a", "c")}, {1: ("b",)}]


@pytest.mark.parametrize(
    ("encoding", "meta", "given"),
    [
        ("utf-8", "", None),
        ("utf-16", "", None),
        ("cp1251", '<meta http-equiv=Content-Type content="text/html; charset=windows-1251">', None),
        ("cp1251", "", "cp1251"),
        ("utf-8", '<meta charset="klingon">', None),
    ],
)
def test_a_page_has_the_encoding_that_it_names(
    read_page: ReadPage, encoding: str, meta: str, given: str | None
) -> None:
    """Otherwise it is found as in CSV."""
    page = f"<html>{meta}<table><tr><td>Болт</td></tr></table>"
    assert read_page(page.encode(encoding), given) == [{1: ("Болт",)}]


@pytest.mark.parametrize("span", ["0", "-1", "x", "9" * 30])
def test_wrong_and_huge_spans_are_bounded(read_page: ReadPage, span: str) -> None:
    """As browsers bound them."""
    assert read_page(f"<table><tr><td colspan={span} rowspan={span}>a<td>b</table>") == [{1: ("a", "b")}]


def test_a_page_is_bounded(read_page: ReadPage, monkeypatch: pytest.MonkeyPatch) -> None:
    """In bytes, tables, and columns that are read."""
    assert read_page("<table><tr>" + "<td>a" * (MAX_COLUMNS + 9)) == [{1: ("a",) * MAX_COLUMNS}]
    with pytest.raises(FileTooLarge, match="tables"):
        read_page("<table><tr><td>a</table>" * 300)
    monkeypatch.setattr(html_tables, "MAX_BYTES", 10)
    with pytest.raises(FileTooLarge, match="10 bytes"):
        read_page("<table><tr><td>a</table>")


@pytest.mark.parametrize("damage", ["<![x", "<![endif", "<!DOCTYPE [", "<td", "&#99999999999;", "<table" * 1000])
def test_a_damaged_page_is_read_or_refused(read_page: ReadPage, damage: str) -> None:
    """It raises nothing else."""
    with suppress(InvalidFileFormat):
        assert read_page(f"<table><tr><td>a</td>{damage}")
