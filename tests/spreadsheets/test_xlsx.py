"""The cells, rows and sheets of an .xlsx workbook."""

import re
from pathlib import Path

from openpyxl.chart import BarChart

from barcodesvc.spreadsheets.cells import CellProblem, SheetRow
from barcodesvc.spreadsheets.read import open_workbook
from tests.spreadsheets.made_workbooks import PARTS, SHEET, SPACE, first_sheet, made_xlsx, sheet_xml
from tests.sweeps import sweep
from tests.workbooks import xlsx_book

ROW = "<row><c><v>1</v></c></row>"
LINKS = "xl/_rels/workbook.xml.rels"


@sweep(
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
        ('<c t="inlineStr"><v>1.</v></c>', "1."),
        ('<c t="inlineStr"><is><t>a</t><t>b</t><r><t>c</t></r></is></c>', "abc"),
        ('<c t="inlineStr"><is><t>1.</t></is><t>5</t></c>', "1."),
        ('<c t="str"><is><t>5</t></is><v>1.</v></c>', "1."),
        ('<c t="str"><is><t>1.</t></is></c>', "1."),
        ('<c t="s"><v>0</v><is><t>5</t></is></c>', "shared"),
        ("<c><v>1</v><is><t>5</t></is></c>", "1"),
        ('<c t="b"><is><t>0</t></is><v>1</v></c>', "TRUE"),
        ('<c t="str"><f>A1</f><v>result</v></c>', "result"),
        ("<c><f>1+1</f><v>2</v></c>", "2"),
        ('<c s="1"><v>12345</v></c>', "0000000012345"),
        ('<c s="2"><v>1234.5</v></c>', "1234.5"),
        ('<c s="3"><v>45370</v></c>', "2024-03-19"),
        ('<c s="99"><v>7</v></c>', "7"),
        ('<c t="b"><v>1</v></c>', "TRUE"),
        ('<c t="b"><v>0</v></c>', "FALSE"),
        ('<c t="d"><v>2024-03-19T00:00:00</v></c>', "2024-03-19"),
        ('<c t="d"><v>2024-03-19T13:30:00</v></c>', "2024-03-19T13:30:00"),
    ],
)
def test_a_cell_is_text_as_the_person_sees_it(tmp_path: Path, cell: str, text: str) -> None:
    """Every cell type of the format becomes the text on the screen."""
    assert first_sheet(made_xlsx(tmp_path, f"<row>{cell}</row>")) == [SheetRow(1, (text,))]


@sweep(
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
def test_a_cell_that_cannot_be_taken_says_why(tmp_path: Path, cell: str, message: str) -> None:
    """Errors and formulas without a saved value are problems of their cell, not of the file."""
    [row] = first_sheet(made_xlsx(tmp_path, f"<row>{cell}</row>"))
    [problem] = row.cells
    assert isinstance(problem, CellProblem)
    assert message in problem.message


@sweep(
    "cell",
    [
        f'<c t="inlineStr"><is><t>{"xy" * 20_000}</t></is></c>',
        f'<c t="str"><f>A1</f><v>{"xy" * 1_000}</v></c>',
        f'<c t="d"><v>{"xy" * 1_000}</v></c>',
        '<c t="s"><v>2</v></c>',
    ],
)
def test_a_long_text_is_kept_as_its_beginning(tmp_path: Path, cell: str) -> None:
    """In any place, a cell has a thousand characters at most."""
    endless = f"<si><t>{'xy' * 20_000}</t></si></sst>"
    texts = PARTS["xl/sharedStrings.xml"].replace("</sst>", endless)
    assert first_sheet(made_xlsx(tmp_path, f"<row>{cell}</row>", {"xl/sharedStrings.xml": texts})) == [
        SheetRow(1, ("xy" * 200 + "\u2026" * 600,))
    ]


def test_a_text_is_measured_without_its_escapes(tmp_path: Path) -> None:
    """A text that a program wrote with seven characters for each one is not long."""
    cell = f'<c t="inlineStr"><is><t>a{"_x0009_" * 900}b</t></is></c>'
    assert first_sheet(made_xlsx(tmp_path, f"<row>{cell}</row>")) == [SheetRow(1, ("a" + "\t" * 900 + "b",))]


def test_a_formula_that_gave_nothing_is_blank(tmp_path: Path) -> None:
    """An empty text saved as a formula's result is a blank cell, and no problem."""
    row = '<row><c t="str"><f>""</f><v></v></c><c><v>1</v></c></row>'
    assert first_sheet(made_xlsx(tmp_path, row)) == [SheetRow(1, ("", "1"))]


def test_row_numbers_are_those_next_to_the_rows(tmp_path: Path) -> None:
    """Rows left out of the file and rows that look blank count, but are not returned."""
    data = (
        '<row r="2"><c r="A2"><v>1</v></c></row><row r="3"><c r="A3" s="1"/></row>'
        '<row><c t="inlineStr"><is><t>  </t></is></c></row><row r="9"/><row><c r="C10"><v>2</v></c></row>'
    )
    assert first_sheet(made_xlsx(tmp_path, data)) == [SheetRow(2, ("1",)), SheetRow(10, ("", "", "2"))]


def test_cells_stand_where_their_address_says(tmp_path: Path) -> None:
    """Gaps are blank, later cells win, and trailing blanks and cells beyond column IV are left out."""
    data = (
        '<row><c r="C1"><v>3</v></c><c r="A1"><v>1</v></c><c><v>2</v></c><c r="E1" s="1"/>'
        '<c r="IW1"><v>9</v></c><c r="XFD1"><v>9</v></c></row><row><c r="IV2"><v>8</v></c></row>'
    )
    first, second = first_sheet(made_xlsx(tmp_path, data))
    assert first.cells == ("1", "2", "3")
    assert (len(second.cells), second.cells[-1]) == (256, "8")


def test_a_sheet_may_begin_with_a_long_tag(tmp_path: Path) -> None:
    """As long as the rest of the sheet, so that some versions of expat parse all of it at its end."""
    sheet = sheet_xml(ROW).replace("<worksheet", f'<worksheet a="{"x" * 5_000}"')
    assert first_sheet(made_xlsx(tmp_path, parts={SHEET: sheet})) == [SheetRow(1, ("1",))]


def test_a_declared_dimension_is_not_believed(tmp_path: Path) -> None:
    """A sheet that claims to fill every cell is read for its content."""
    rows = '<row r="1"><c><v>1</v></c></row><row r="1048576"><c><v>2</v></c></row>'
    sheet = sheet_xml(rows, '<dimension ref="A1:XFD1048576"/>')
    assert [row.number for row in first_sheet(made_xlsx(tmp_path, parts={SHEET: sheet}))] == [1, 1_048_576]


def test_strict_workbooks_are_read(tmp_path: Path) -> None:
    """A workbook saved as Strict Open XML has other namespaces and the same rows."""
    strict = {
        name: part.replace(SPACE, "http://purl.oclc.org/ooxml/spreadsheetml/main").replace(
            "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
            "http://purl.oclc.org/ooxml/officeDocument/relationships",
        )
        for name, part in {**PARTS, SHEET: sheet_xml(ROW)}.items()
    }
    assert first_sheet(made_xlsx(tmp_path, parts=strict)) == [SheetRow(1, ("1",))]


def test_the_workbook_may_have_its_type_by_extension(tmp_path: Path) -> None:
    """A content type for an extension applies to parts without their own, in any case."""
    types = PARTS["[Content_Types].xml"]
    main = types.partition('workbook.xml" ContentType="')[2].partition('"')[0]
    space = types.split('"')[1]
    by_default = f'<Types xmlns="{space}"><Default Extension="XML" ContentType="{main.upper()}"/></Types>'
    assert first_sheet(made_xlsx(tmp_path, ROW, {"[Content_Types].xml": by_default})) == [SheetRow(1, ("1",))]


def test_prefixes_and_absolute_targets_are_read(tmp_path: Path) -> None:
    """Some libraries name elements and parts differently; the meaning is the same."""
    parts = {name: re.sub(r"<(/?)(?=\w)", r"<\1x:", part).replace("xmlns=", "xmlns:x=") for name, part in PARTS.items()}
    parts["_rels/.rels"] = parts["_rels/.rels"].replace('Target="', 'Target="/')
    parts[LINKS] = parts[LINKS].replace('Target="worksheets', 'Target="/xl/./worksheets')
    row = '<x:row r="1"><x:c r="A1" t="s"><x:v>1</x:v></x:c><x:c r="B1" s="1"><x:v>5</x:v></x:c></x:row>'
    sheet = f'<x:worksheet xmlns:x="{SPACE}"><x:sheetData>{row}</x:sheetData></x:worksheet>'
    assert first_sheet(made_xlsx(tmp_path, parts={**parts, SHEET: sheet})) == [SheetRow(1, ("rich", "0000000000005"))]


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


def test_hidden_columns_are_known_before_the_rows(tmp_path: Path) -> None:
    """Ranges of columns count; ranges beyond the last column or malformed ones do not."""
    columns = (
        '<cols><col min="1" max="1" width="9"/><col min="2" max="3" hidden="1"/><col min="5" max="5" hidden="true"/>'
        '<col min="256" max="16384" hidden="1"/><col min="x" max="9" hidden="1"/>'
        '<col min="0" max="0" hidden="1"/><col min="7" max="6" hidden="1"/>'
        '<col min="999999998" max="999999999" hidden="1"/></cols>'
    )
    sheet = sheet_xml('<row hidden="1"><c><v>1</v></c></row>', columns)
    with open_workbook(made_xlsx(tmp_path, parts={SHEET: sheet})) as workbook:
        [found] = workbook.sheets()
        assert found.hidden_columns() == {1, 2, 4, 255}
        assert list(found.rows()) == [SheetRow(1, ("1",))]


def test_a_workbook_needs_neither_styles_nor_shared_strings(tmp_path: Path) -> None:
    """Minimal workbooks of other programs are read."""
    links = PARTS[LINKS]
    start, end = links.index('<Relationship Id="rId2"'), links.index("</Relationships>")
    parts = {LINKS: links[:start] + links[end:], "xl/styles.xml": None}
    assert first_sheet(made_xlsx(tmp_path, '<row><c s="1"><v>5</v></c></row>', parts)) == [SheetRow(1, ("5",))]


def test_rows_can_be_read_twice_and_partly(tmp_path: Path) -> None:
    """Each reading of a sheet starts anew, even after one that was abandoned early."""
    with open_workbook(made_xlsx(tmp_path, ROW * 3)) as workbook:
        sheet = next(iter(workbook.sheets()))
        assert next(sheet.rows()) == SheetRow(1, ("1",))
        assert [row.number for row in sheet.rows()] == [1, 2, 3]
