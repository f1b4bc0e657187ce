"""Workbooks as LibreOffice reads them; skipped without it."""

import csv
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pypdfium2
import pytest
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment
from openpyxl.formatting.rule import Rule
from openpyxl.workbook.defined_name import DefinedName

from barcodesvc.spreadsheets.cells import SheetRow
from barcodesvc.spreadsheets.tables import Column, Kind, TableDesign
from barcodesvc.spreadsheets.write import XlsxFile
from tests.spreadsheets.made_workbooks import first_sheet

pytestmark = pytest.mark.full_run

CODES = ("0012", "=1+1", "#N/A", "1E5", "'x", "-5")
COLUMNS = (
    Column("code", Kind.CODE, 20),
    Column("text", Kind.TEXT, 20),
    Column("level", Kind.NUMBER, 10),
    Column("minimum", Kind.NUMBER, 10),
    Column("time", Kind.TIME, 25),
)
STOCK = TableDesign("Stock", COLUMNS, marked=("level", "minimum"))
MARK = (0xFC, 0xE4, 0xD6)
Convert = Callable[[Path, str], Path]


@pytest.fixture(scope="session")
def convert(tmp_path_factory: pytest.TempPathFactory) -> Convert:
    """Return a function that has LibreOffice open a file, without repair, and save it in another format."""
    program = shutil.which("soffice")
    if program is None:
        pytest.skip("LibreOffice is not installed")
    profile = tmp_path_factory.mktemp("profile").as_uri()

    def run(path: Path, kind: str) -> Path:
        options = [f"-env:UserInstallation={profile}", "--headless", "--convert-to", kind, "--outdir", str(path.parent)]
        subprocess.run([program, *options, str(path)], check=True, capture_output=True, timeout=120)  # noqa: S603 - LibreOffice
        return path.with_suffix(f".{kind.partition(':')[0]}")

    return run


@pytest.fixture
def workbook(tmp_path: Path) -> Path:
    """Return a workbook of hard codes."""
    path = tmp_path / "stock.xlsx"
    with XlsxFile(path) as book:
        book.sheet(STOCK)
        book.append([(code, f"a {code}", level, 3, "2026-01-31T12:00:00.250Z") for level, code in enumerate(CODES)])
        book.finish()
    return path


def test_libreoffice_shows_what_was_written(workbook: Path, convert: Convert) -> None:
    """Texts are unchanged, nothing is run, levels are numbers and timestamps dates."""
    with convert(workbook, "csv:Text - txt - csv (StarCalc):44,34,76").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == [column.name for column in COLUMNS]
    assert [row[0] for row in rows] == list(CODES)
    assert [row[1] for row in rows] == [f"a {code}" for code in CODES]
    assert {(row[3], row[4][:19]) for row in rows} == {("3", "2026-01-31 12:00:00")}


def test_an_xls_of_libreoffice_is_read_whatever_is_in_it_but_cells(tmp_path: Path, convert: Convert) -> None:
    """Defined names, comments, rich texts, links, merged cells, filters and rules of colour do not disturb."""
    book, path = Workbook(), tmp_path / "made.xlsx"
    sheet = book.worksheets[0]
    sheet.append(["code", CellRichText("Blue ", TextBlock(InlineFont(b=True), "pen")), 5])
    sheet.append(["0012", "Red pen", 3])
    for cell in sheet[1]:
        cell.comment = Comment("look here", "somebody")
    sheet["B2"].hyperlink = "https://shop.example/pen"
    sheet.merge_cells("D1:E2")
    sheet.auto_filter.ref = "A1:C2"
    sheet.conditional_formatting.add("C1:C2", Rule(type="cellIs", operator="lessThan", formula=["4"]))
    for name, target in (("Codes", "Sheet!$A$1:$A$2"), ("Odd", "OFFSET(Sheet!$A$1,0,0,COUNTA(Sheet!$A:$A),1)")):
        book.defined_names[name] = DefinedName(name, attr_text=target)
    book.save(path)
    rows = [row.cells for row in first_sheet(convert(path, "xls:MS Excel 97"))]
    assert rows == [("code", "Blue pen", "5"), ("0012", "Red pen", "3")]


def test_an_ods_of_libreoffice_is_read(tmp_path: Path, convert: Convert) -> None:
    """With its visible sheets first, wherever the table begins."""
    book, path = Workbook(), tmp_path / "made.xlsx"
    book.worksheets[0].sheet_state = "hidden"
    sheet = book.create_sheet("Stock")
    sheet["B3"], sheet["C3"], sheet["B5"], sheet["C5"] = "code", "qty", "0012", 3
    book.active = 1
    book.save(path)
    assert first_sheet(convert(path, "ods")) == [SheetRow(3, ("", "code", "qty")), SheetRow(5, ("", "0012", "3"))]


def coloured_rows(pdf: Path) -> int:
    """Return how many rows of the page have a coloured background."""
    page = pypdfium2.PdfDocument(pdf)[0].render(scale=2).to_pil().convert("RGB")
    ground = [any(page.getpixel((x, y)) == MARK for x in range(0, page.width, 5)) for y in range(page.height)]
    edges = [y for y in range(1, page.height) if ground[y] != ground[y - 1]]
    return len(edges) // 2


def test_libreoffice_colours_the_marked_rows(tmp_path: Path, convert: Convert) -> None:
    """The rows at or below the minimum are coloured on the page, the others are not."""
    path = tmp_path / "stock.xlsx"
    with XlsxFile(path) as book:
        book.sheet(STOCK)
        book.append([(f"C{level}", "x", level, minimum, None) for level, minimum in ((1, 2), (3, 2), (2, 2), (9, 0))])
        book.finish()
    assert coloured_rows(convert(path, "pdf")) == 2
