"""Workbooks as programs save and read them, and the real catalogues."""

import csv
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment
from openpyxl.formatting.rule import Rule
from openpyxl.workbook.defined_name import DefinedName

from barcodesvc.spreadsheets.cells import CellProblem, SheetRow
from barcodesvc.spreadsheets.read import open_workbook
from barcodesvc.spreadsheets.tables import Column, Kind, TableDesign
from barcodesvc.spreadsheets.write import XlsxFile
from tests.spreadsheets.made_workbooks import SHEET, SPACE, first_sheet, made_xlsx

FILES = Path(__file__).parent / "files"
"""Saved by LibreOffice; its README.md says how."""
Convert = Callable[[Path, str], Path]


@pytest.mark.parametrize("name", ["libreoffice.xlsx", "libreoffice.xls"])
def test_a_catalogue_saved_by_libreoffice_is_read_as_it_looks(name: str) -> None:
    """Rich text, leading zeros, dates, booleans, results of formulas, merged and hidden cells are as on the screen."""
    title, header, *rows = first_sheet(FILES / name)
    assert title == SheetRow(1, ("Unser Katalog",))
    assert header.cells == ("SKU", "Name", "Qty", "Secret", "Counted", "Ready", "Sum")
    assert rows[0] == SheetRow(3, ("A-1", "Grüße 😀", "3", "x", "2024-05-06", "TRUE", "6"))
    assert rows[1].cells[:6] == ("0000000012345", "Red bold pen", "1.5", "x", "2024-05-06T13:30:00", "FALSE")
    assert rows[2:4] == [
        SheetRow(5, ("A-3", "hidden by a filter", "7", "", "", "", "text")),
        SheetRow(6, ("A-4", "", "8")),
    ]
    assert rows[4].cells[:3] == ("4012345678901", "number", "-2")
    problems = [row.cells[6] for row in (rows[1], rows[4])]
    assert [problem.message[:25] for problem in problems if isinstance(problem, CellProblem)] == [
        "contains the error #DIV/0",
        "contains the error #N/A: ",
    ]


@pytest.mark.parametrize("name", ["libreoffice.xlsx", "libreoffice.xls"])
def test_what_libreoffice_hides_is_known(name: str) -> None:
    """A hidden column and a hidden sheet are distinguished from what the person sees."""
    with open_workbook(FILES / name) as workbook:
        found = [(sheet.title, sheet.hidden, sheet.hidden_columns()) for sheet in workbook.sheets()]
    assert found == [("Katalog", False, {3}), ("Versteckt", True, frozenset())]


@pytest.mark.parametrize("name", ["libreoffice-1904.xlsx", "libreoffice-1904.xls"])
def test_dates_of_libreoffice_that_count_from_1904(name: str) -> None:
    """The epoch of the file decides which day a number is."""
    assert first_sheet(FILES / name)[1].cells == ("D-1", "2024-05-06")


def test_a_file_of_libreoffice_itself_is_read_whatever_its_name(tmp_path: Path) -> None:
    """An .ods renamed to .xlsx is recognised by its content."""
    renamed = tmp_path / "catalogue.xlsx"
    renamed.write_bytes((FILES / "libreoffice.ods").read_bytes())
    with open_workbook(renamed) as workbook:
        assert next(iter(workbook.sheets())).title == "Sheet"


EXCEL = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<worksheet xmlns="{space}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"
 xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" mc:Ignorable="x14ac xr"
 xmlns:x14ac="http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac" xmlns:xr="urn:x" xr:uid="0">
<sheetPr filterMode="1"/><dimension ref="A1:XFD1048576"/>
<sheetViews><sheetView tabSelected="1" workbookViewId="0"><pane ySplit="1" state="frozen"/></sheetView></sheetViews>
<sheetFormatPr baseColWidth="10" defaultRowHeight="15" x14ac:dyDescent="0.25"/>
<cols><col min="2" max="2" width="0" hidden="1" customWidth="1"/></cols>
<sheetData><row r="1" spans="1:3" x14ac:dyDescent="0.25"><c r="A1" s="1" t="s"><v>0</v></c>
<c r="C1" t="s"><v>1</v></c></row>
<row r="2" spans="1:3" hidden="1"><c r="A2" s="1"><v>4.0123456789010002E+12</v></c><c r="B2" s="3"><v>45370.5625</v></c>
<c r="C2" t="e"><f t="shared" ref="C2:C3" si="0">1/0</f><v>#DIV/0!</v></c></row></sheetData>
<autoFilter ref="A1:C2"/><mergeCells count="1"><mergeCell ref="A1:B1"/></mergeCells>
<extLst><ext uri="x"><x14:a xmlns:x14="urn:y"><x14:row><x14:c><x14:v>9</x14:v></x14:c></x14:row></x14:a></ext></extLst>
</worksheet>"""


def test_a_sheet_as_excel_writes_it(tmp_path: Path) -> None:
    """Spans, extensions, filters, shared formulas and numbers with an exponent are read correctly."""
    path = made_xlsx(tmp_path, parts={SHEET: EXCEL.format(space=SPACE)})
    with open_workbook(path) as workbook:
        [sheet] = workbook.sheets()
        header, row = sheet.rows()
        assert sheet.hidden_columns() == {1}
    assert header == SheetRow(1, ("shared", "", "rich"))
    assert (row.number, row.cells[:2]) == (2, ("4012345678901", "2024-03-19T13:30:00"))
    assert isinstance(row.cells[2], CellProblem)


GOOGLE = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<worksheet xmlns="{space}" xmlns:mx="http://schemas.microsoft.com/office/mac/excel/2008/main">
<sheetPr><outlinePr summaryBelow="0" summaryRight="0"/></sheetPr>
<sheetViews><sheetView workbookViewId="0"/></sheetViews>
<sheetFormatPr customHeight="1" defaultColWidth="12.63" defaultRowHeight="15.75"/>
<sheetData><row r="1"><c r="A1" s="1" t="s"><v>0</v></c><c r="B1" s="1" t="s"><v>1</v></c></row>
<row r="2"><c r="A2" s="1"><v>12345.0</v></c><c r="B2" s="0" t="b"><v>1</v></c>
<c r="C2" s="0" t="str"><f>"a"&amp;"b"</f><v>ab</v></c></row>
<row r="3"><c r="A3" s="3"><v>45370.0</v></c><c r="B3" t="e"><f>NA()</f><v>#N/A</v></c></row>
</sheetData><drawing xmlns:r="urn:z" r:id="rId1"/></worksheet>"""


def test_a_sheet_as_google_writes_it(tmp_path: Path) -> None:
    """Whole numbers with a decimal point, results of formulas and error cells are read as from any program."""
    header, first, second = first_sheet(made_xlsx(tmp_path, parts={SHEET: GOOGLE.format(space=SPACE)}))
    assert header.cells == ("shared", "rich")
    assert first.cells == ("0000000012345", "TRUE", "ab")
    assert second.cells[0] == "2024-03-19"
    assert isinstance(second.cells[1], CellProblem)


def test_groceries_are_read_as_people_see_them(catalogue_data: Path) -> None:
    """Every code, however the workbook stores it, and every name with its spaces, accents and scripts."""
    with (catalogue_data / "groceries.csv").open(encoding="utf-8", newline="") as file:
        promised = [(line["xlsx_code"], line["name"]) for line in csv.DictReader(file)]
    rows = first_sheet(catalogue_data / "groceries.xlsx")
    assert [(*row.cells, "")[:2] for row in rows[1:]] == promised


def test_xls_gives_the_same_rows_as_xlsx(catalogue_data: Path) -> None:
    """The same catalogue in both formats is read the same, row numbers included."""
    rows = first_sheet(catalogue_data / "catalogue.xls")
    assert rows == first_sheet(catalogue_data / "catalogue.xlsx")
    assert (len(rows), rows[-1].number) == (415, 415)


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


@pytest.mark.full_run
def test_libreoffice_shows_what_was_written(tmp_path: Path, convert: Convert) -> None:
    """Texts are unchanged, nothing is run, levels are numbers and timestamps dates."""
    kinds = {"code": Kind.CODE, "text": Kind.TEXT, "level": Kind.NUMBER, "minimum": Kind.NUMBER, "time": Kind.TIME}
    design = TableDesign("Stock", tuple(Column(name, kind, 20) for name, kind in kinds.items()), ("level", "minimum"))
    codes = ["0012", "=1+1", "#N/A", "1E5", "'x", "-5"]
    path = tmp_path / "stock.xlsx"
    with XlsxFile(path) as book:
        book.sheet(design)
        book.append([(code, f"a {code}", level, 3, "2026-01-31T12:00:00.250Z") for level, code in enumerate(codes)])
        book.finish()
    with convert(path, "csv:Text - txt - csv (StarCalc):44,34,76").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == list(kinds)
    assert [row[:2] for row in rows] == [[code, f"a {code}"] for code in codes]
    assert {(row[3], row[4][:19]) for row in rows} == {("3", "2026-01-31 12:00:00")}


@pytest.mark.full_run
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


@pytest.mark.full_run
def test_an_ods_of_libreoffice_is_read(tmp_path: Path, convert: Convert) -> None:
    """With its visible sheets first, wherever the table begins."""
    book, path = Workbook(), tmp_path / "made.xlsx"
    book.worksheets[0].sheet_state = "hidden"
    sheet = book.create_sheet("Stock")
    sheet["B3"], sheet["C3"], sheet["B5"], sheet["C5"] = "code", "qty", "0012", 3
    book.active = 1
    book.save(path)
    assert first_sheet(convert(path, "ods")) == [SheetRow(3, ("", "code", "qty")), SheetRow(5, ("", "0012", "3"))]
