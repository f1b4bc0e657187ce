import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from openpyxl.chart import BarChart

from barcodesvc.spreadsheets.cells import CellProblem, SheetRow
from barcodesvc.spreadsheets.read import open_workbook
from tests.workbooks import xlsx, xlsx_book

MakeXlsx = Callable[..., Path]
FirstSheet = Callable[[Path], list[SheetRow]]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ('<c t="s"><v>0</v></c>', "shared"),
        ('<c t="s"><v>1</v></c>', "rich"),
        ('<c t="inlineStr"><is><t> as is </t></is></c>', " as is "),
        ('<c t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r><rPh><t>c</t></rPh></is></c>', "ab"),
        ('<c t="inlineStr"><is><t>a_x000D_b_x005F_x000D_</t></is></c>', "a\rb_x000D_"),
        ('<c t="inlineStr"><is><t>_xD83D__xDE00_</t></is></c>', "😀"),
        ('<c t="inlineStr"><is><t>\'=1+1</t></is></c>', "=1+1"),
        ('<c t="inlineStr"><is><t>1.</t></is><v>01.</v></c>', "1."),
        ('<c t="inlineStr"><v>01.</v><is><t>1.</t></is></c>', "1."),
        ('<c t="inlineStr"><v>1.</v></c>', "1."),
        ('<c t="inlineStr"><is><t>a</t><t>b</t><r><t>c</t></r></is></c>', "abc"),
        ('<c t="inlineStr"><is><t>1.</t></is><t>5</t></c>', "1."),
        ('<c t="str"><is><t>5</t></is><v>1.</v></c>', "1."),
        ('<c t="str"><v>1.</v><t>5</t></c>', "1."),
        ('<c t="str"><is><t>1.</t></is></c>', "1."),
        ('<c t="s"><v>0</v><is><t>5</t></is></c>', "shared"),
        ("<c><v>1</v><is><t>5</t></is></c>", "1"),
        ("<c><is><t>5</t></is><v>1</v></c>", "1"),
        ('<c t="b"><is><t>0</t></is><v>1</v></c>', "TRUE"),
        ('<c t="str"><f>A1</f><v>result</v></c>', "result"),
        ("<c><f>1+1</f><v>2</v></c>", "2"),
        ('<c t="n" s="0"><v>4012345678901</v></c>', "4012345678901"),
        ('<c s="1"><v>12345</v></c>', "0000000012345"),
        ('<c s="2"><v>1234.5</v></c>', "1234.5"),
        ('<c s="3"><v>45370</v></c>', "2024-03-19"),
        ('<c s="4"><v>1.5</v></c>', "36:00:00"),
        ('<c s="99"><v>7</v></c>', "7"),
        ('<c t="b"><v>1</v></c>', "TRUE"),
        ('<c t="b"><v>0</v></c>', "FALSE"),
        ('<c t="d"><v>2024-03-19T00:00:00</v></c>', "2024-03-19"),
        ('<c t="d"><v>2024-03-19T13:30:00</v></c>', "2024-03-19T13:30:00"),
    ],
)
def test_a_cell_is_text_as_the_person_sees_it(
    make_xlsx: MakeXlsx, first_sheet: FirstSheet, cell: str, text: str
) -> None:
    """Every cell type of the format becomes the text on the screen."""
    assert first_sheet(make_xlsx(f"<row>{cell}</row>")) == [SheetRow(1, (text,))]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("<c><f>1+1</f></c>", "formula without a saved value"),
        ("<c><f>1+1</f><v/></c>", "formula without a saved value"),
        ('<c t="str"><f>A1</f></c>', "formula without a saved value"),
        ('<c t="e"><f>1/0</f><v>#DIV/0!</v></c>', "#DIV/0!"),
        ('<c t="e"><v>#N/A</v></c>', "#N/A"),
        ("<c><v>NaN</v></c>", "damaged number"),
        ("<c><v>1</v><v>2</v></c>", "two values"),
        ('<c t="str"><v>a</v><v/></c>', "two values"),
        ('<c t="inlineStr"><is><t>a</t></is><is><t>b</t></is></c>', "two values"),
    ],
)
def test_a_cell_that_cannot_be_taken_says_why(
    make_xlsx: MakeXlsx, first_sheet: FirstSheet, cell: str, message: str
) -> None:
    """Errors and formulas without a saved value are problems of their cell, not of the file."""
    [row] = first_sheet(make_xlsx(f"<row>{cell}</row>"))
    [problem] = row.cells
    assert isinstance(problem, CellProblem)
    assert message in problem.message


@pytest.mark.parametrize(
    "cell",
    [
        f'<c t="inlineStr"><is><t>{"xy" * 20_000}</t></is></c>',
        f'<c t="str"><f>A1</f><v>{"xy" * 1_000}</v></c>',
        f'<c t="d"><v>{"xy" * 1_000}</v></c>',
        '<c t="s"><v>2</v></c>',
    ],
)
def test_a_long_text_is_kept_as_its_beginning(
    make_xlsx: MakeXlsx, first_sheet: FirstSheet, standard_parts: Mapping[str, str], cell: str
) -> None:
    """In any place, a cell has a thousand characters at most."""
    endless = f"<si><t>{'xy' * 20_000}</t></si></sst>"
    texts = standard_parts["xl/sharedStrings.xml"].replace("</sst>", endless)
    assert first_sheet(make_xlsx(f"<row>{cell}</row>", {"xl/sharedStrings.xml": texts})) == [
        SheetRow(1, ("xy" * 200 + "\u2026" * 600,))
    ]


def test_a_text_is_measured_without_its_escapes(make_xlsx: MakeXlsx, first_sheet: FirstSheet) -> None:
    """A text that a program wrote with seven characters for each one is not long."""
    cell = f'<c t="inlineStr"><is><t>a{"_x0009_" * 900}b</t></is></c>'
    assert first_sheet(make_xlsx(f"<row>{cell}</row>")) == [SheetRow(1, ("a" + "\t" * 900 + "b",))]


def test_a_formula_that_gave_nothing_is_blank(make_xlsx: MakeXlsx, first_sheet: FirstSheet) -> None:
    """An empty text saved as a formula's result is a blank cell, and no problem."""
    row = '<row><c t="str"><f>""</f><v></v></c><c><v>1</v></c></row>'
    assert first_sheet(make_xlsx(row)) == [SheetRow(1, ("", "1"))]


def test_a_formula_as_openpyxl_writes_it_has_no_saved_value(tmp_path: Path, first_sheet: FirstSheet) -> None:
    """A workbook that no spreadsheet program has calculated yet is reported as such."""
    (tmp_path / "made.xlsx").write_bytes(xlsx([("=1+1", "x")]))
    problem, text = first_sheet(tmp_path / "made.xlsx")[0].cells
    assert isinstance(problem, CellProblem)
    assert text == "x"


def test_row_numbers_are_those_next_to_the_rows(make_xlsx: MakeXlsx, first_sheet: FirstSheet) -> None:
    """Rows left out of the file and rows that look blank count, but are not returned."""
    data = (
        '<row r="2"><c r="A2"><v>1</v></c></row><row r="3"><c r="A3" s="1"/></row>'
        '<row><c t="inlineStr"><is><t>  </t></is></c></row><row r="9"/><row><c r="C10"><v>2</v></c></row>'
    )
    assert first_sheet(make_xlsx(data)) == [SheetRow(2, ("1",)), SheetRow(10, ("", "", "2"))]


def test_cells_stand_where_their_address_says(make_xlsx: MakeXlsx, first_sheet: FirstSheet) -> None:
    """Gaps are blank, later cells win, and trailing blanks and cells beyond column IV are left out."""
    data = (
        '<row><c r="C1"><v>3</v></c><c r="A1"><v>1</v></c><c><v>2</v></c><c r="E1" s="1"/>'
        '<c r="IW1"><v>9</v></c><c r="XFD1"><v>9</v></c></row><row><c r="IV2"><v>8</v></c></row>'
    )
    first, second = first_sheet(make_xlsx(data))
    assert first.cells == ("1", "2", "3")
    assert (len(second.cells), second.cells[-1]) == (256, "8")


def test_a_sheet_may_begin_with_a_long_tag(
    make_xlsx: MakeXlsx, first_sheet: FirstSheet, standard_parts: Mapping[str, str]
) -> None:
    """As long as the rest of the sheet, so that some versions of expat parse all of it at its end."""
    space = standard_parts["xl/styles.xml"].split('"')[1]
    sheet = (
        f'<worksheet xmlns="{space}" a="{"x" * 5_000}"><sheetData><row><c><v>1</v></c></row></sheetData></worksheet>'
    )
    assert first_sheet(make_xlsx(parts={"xl/worksheets/sheet1.xml": sheet})) == [SheetRow(1, ("1",))]


def test_a_declared_dimension_is_not_believed(
    make_xlsx: MakeXlsx, first_sheet: FirstSheet, standard_parts: Mapping[str, str]
) -> None:
    """A sheet that claims to fill every cell is read for its content."""
    space = standard_parts["xl/styles.xml"].split('"')[1]
    sheet = (
        f'<worksheet xmlns="{space}"><dimension ref="A1:XFD1048576"/><sheetData><row r="1"><c><v>1</v></c></row>'
        '<row r="1048576"><c><v>2</v></c></row></sheetData></worksheet>'
    )
    rows = first_sheet(make_xlsx(parts={"xl/worksheets/sheet1.xml": sheet}))
    assert [row.number for row in rows] == [1, 1_048_576]


def test_strict_workbooks_are_read(
    make_xlsx: MakeXlsx, first_sheet: FirstSheet, standard_parts: Mapping[str, str]
) -> None:
    """A workbook saved as Strict Open XML has other namespaces and the same rows."""
    sheet = (
        '<x:worksheet xmlns:x="main"><x:sheetData><x:row><x:c><x:v>1</x:v></x:c></x:row></x:sheetData></x:worksheet>'
    )
    strict = {
        name: part.replace(
            "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
            "http://purl.oclc.org/ooxml/spreadsheetml/main",
        ).replace(
            "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
            "http://purl.oclc.org/ooxml/officeDocument/relationships",
        )
        for name, part in standard_parts.items()
    }
    strict["xl/worksheets/sheet1.xml"] = sheet.replace("main", "http://purl.oclc.org/ooxml/spreadsheetml/main", 1)
    assert first_sheet(make_xlsx(parts=strict)) == [SheetRow(1, ("1",))]


def test_the_workbook_may_have_its_type_by_extension(
    make_xlsx: MakeXlsx, first_sheet: FirstSheet, standard_parts: Mapping[str, str]
) -> None:
    """A content type for an extension applies to parts without their own, in any case."""
    types = standard_parts["[Content_Types].xml"]
    main = types.partition('workbook.xml" ContentType="')[2].partition('"')[0]
    space = types.split('"')[1]
    by_default = f'<Types xmlns="{space}"><Default Extension="XML" ContentType="{main.upper()}"/></Types>'
    row = "<row><c><v>1</v></c></row>"
    assert first_sheet(make_xlsx(row, {"[Content_Types].xml": by_default})) == [SheetRow(1, ("1",))]


def test_prefixes_and_absolute_targets_are_read(
    make_xlsx: MakeXlsx, first_sheet: FirstSheet, standard_parts: Mapping[str, str]
) -> None:
    """Some libraries name elements and parts differently; the meaning is the same."""
    parts = {
        name: re.sub(r"<(/?)(?=\w)", r"<\1x:", part).replace("xmlns=", "xmlns:x=")
        for name, part in standard_parts.items()
    }
    parts["_rels/.rels"] = parts["_rels/.rels"].replace('Target="', 'Target="/')
    links = "xl/_rels/workbook.xml.rels"
    parts[links] = parts[links].replace('Target="worksheets', 'Target="/xl/./worksheets')
    space = standard_parts["xl/styles.xml"].split('"')[1]
    row = '<x:row r="1"><x:c r="A1" t="s"><x:v>1</x:v></x:c><x:c r="B1" s="1"><x:v>5</x:v></x:c></x:row>'
    sheet = f'<x:worksheet xmlns:x="{space}"><x:sheetData>{row}</x:sheetData></x:worksheet>'
    assert first_sheet(make_xlsx(parts={**parts, "xl/worksheets/sheet1.xml": sheet})) == [
        SheetRow(1, ("rich", "0000000000005"))
    ]


def test_dates_of_a_1904_workbook_count_from_there(
    make_xlsx: MakeXlsx, first_sheet: FirstSheet, standard_parts: Mapping[str, str]
) -> None:
    """The workbook defines the day from which its dates count."""
    workbook = standard_parts["xl/workbook.xml"].replace("<sheets>", '<workbookPr date1904="1"/><sheets>')
    path = make_xlsx('<row><c s="3"><v>1</v></c></row>', {"xl/workbook.xml": workbook})
    assert first_sheet(path) == [SheetRow(1, ("1904-01-02",))]


def test_visible_worksheets_are_offered_before_hidden_ones(tmp_path: Path) -> None:
    """They come in the order of their tabs, without chart sheets and sheets that only a macro can show."""
    book = xlsx_book([["hidden"]])
    book.worksheets[0].sheet_state = "hidden"
    book.create_sheet("Never").sheet_state = "veryHidden"
    book.create_chartsheet("Chart").add_chart(BarChart())
    for name in ("Second", "Third"):
        book.create_sheet(name).append([name])
    book.save(tmp_path / "made.xlsx")
    with open_workbook(tmp_path / "made.xlsx") as workbook:
        read = [(sheet.title, sheet.hidden, list(sheet.rows())) for sheet in workbook.sheets()]
    assert read[:2] == [("Second", False, [SheetRow(1, ("Second",))]), ("Third", False, [SheetRow(1, ("Third",))])]
    assert read[2:] == [("Sheet", True, [SheetRow(1, ("hidden",))])]


def test_hidden_columns_are_known_before_the_rows(make_xlsx: MakeXlsx, standard_parts: Mapping[str, str]) -> None:
    """Ranges of columns count; ranges beyond the last column or malformed ones do not."""
    space = standard_parts["xl/styles.xml"].split('"')[1]
    columns = (
        '<cols><col min="1" max="1" width="9"/><col min="2" max="3" hidden="1"/><col min="5" max="5" hidden="true"/>'
        '<col min="256" max="16384" hidden="1"/><col min="x" max="9" hidden="1"/>'
        '<col min="0" max="0" hidden="1"/><col min="7" max="6" hidden="1"/>'
        '<col min="999999998" max="999999999" hidden="1"/></cols>'
    )
    row = '<row hidden="1"><c><v>1</v></c></row>'
    sheet = f'<worksheet xmlns="{space}">{columns}<sheetData>{row}</sheetData></worksheet>'
    with open_workbook(make_xlsx(parts={"xl/worksheets/sheet1.xml": sheet})) as workbook:
        [found] = workbook.sheets()
        assert found.hidden_columns() == {1, 2, 4, 255}
        assert list(found.rows()) == [SheetRow(1, ("1",))]


def test_columns_are_visible_where_nothing_is_said_of_them(make_xlsx: MakeXlsx) -> None:
    """A sheet without column definitions has no hidden columns."""
    with open_workbook(make_xlsx()) as workbook:
        assert next(iter(workbook.sheets())).hidden_columns() == frozenset()


def test_a_workbook_needs_neither_styles_nor_shared_strings(
    make_xlsx: MakeXlsx, first_sheet: FirstSheet, standard_parts: Mapping[str, str]
) -> None:
    """Minimal workbooks of other programs are read."""
    links = standard_parts["xl/_rels/workbook.xml.rels"]
    start, end = links.index('<Relationship Id="rId2"'), links.index("</Relationships>")
    parts = {"xl/_rels/workbook.xml.rels": links[:start] + links[end:], "xl/styles.xml": None}
    assert first_sheet(make_xlsx('<row><c s="1"><v>5</v></c></row>', parts)) == [SheetRow(1, ("5",))]


def test_rows_can_be_read_twice_and_partly(make_xlsx: MakeXlsx) -> None:
    """Each reading of a sheet starts anew, even after one that was abandoned early."""
    with open_workbook(make_xlsx("<row><c><v>1</v></c></row>" * 3)) as workbook:
        sheet = next(iter(workbook.sheets()))
        assert next(sheet.rows()) == SheetRow(1, ("1",))
        assert [row.number for row in sheet.rows()] == [1, 2, 3]
