from collections.abc import Callable
from datetime import date, time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, strategies as st

from barcodesvc.catalogue.rows import CatalogueRow, RowDraft, WrongCell, WrongRow, open_catalogue
from barcodesvc.catalogue.table import Selection
from barcodesvc.errors import InvalidFileFormat, InvalidInput
from barcodesvc.models import MAX_LEVEL, ProductDraft
from tests.properties import examples
from tests.workbooks import xlsx, xlsx_book

HEADER = ("product_code", "description", "qty", "min", "max")

WHAT_TO_TYPE = "type one such as 10, or leave the cell blank"

AS_FOUND = Selection()

Read = Callable[..., list[CatalogueRow]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Return a function that reads a workbook whose sheets have these rows."""

    def rows_of(*sheets: list[tuple[Any, ...]]) -> list[CatalogueRow]:
        (tmp_path / "made.xlsx").write_bytes(xlsx(*sheets))
        return rows_in(tmp_path / "made.xlsx")

    return rows_of


def rows_in(path: Path, selection: Selection = AS_FOUND) -> list[CatalogueRow]:
    """Return all rows of the catalogue in a file."""
    with open_catalogue(path, selection) as table:
        return list(table.rows)


def codes(rows: list[CatalogueRow]) -> list[str]:
    """Return the product codes of the valid rows."""
    return [row.draft.product_code for row in rows if isinstance(row, RowDraft)]


def problem(row: CatalogueRow) -> str:
    """Return what is wrong with a row."""
    assert isinstance(row, WrongRow)
    return row.error


def test_a_row_becomes_a_product(read: Read) -> None:
    """Cells go to the fields of their columns; the level of the file is the initial level."""
    header = ("Max", "SKU", "Colour", "Name", "Group", "UoM", "Stock", "Min")
    [row] = read([header, (9, "A-1", "red", "A bolt", "Bolts", "box", 5, 2)])
    draft = ProductDraft(
        product_code="A-1",
        description="A bolt",
        category="Bolts",
        unit_of_measure="box",
        initial_level=5,
        minimum_level=2,
        maximum_level=9,
    )
    assert row == RowDraft(
        2, draft, frozenset({*ProductDraft.model_fields} - {"attributes", "updated_by", "idempotency_key"})
    )


@pytest.mark.parametrize("code", ["4.00E+12", "4,00638E+12", "4e+12", "1.2E+11"])
def test_a_code_that_a_spreadsheet_has_shortened_is_refused(read: Read, code: str) -> None:
    """Its last digits are lost, and a product with such a code would never be found by a scan."""
    [row] = read([HEADER, (code, "Pen", 1)])
    assert isinstance(row, WrongRow)
    [wrong] = row.problems
    assert (wrong.column, wrong.value, wrong.rule) == ("product_code", code, "lost digits")


def test_codes_that_only_look_like_numbers_are_kept(read: Read) -> None:
    """Such as those of parts; a number cell has all of its digits, however it is displayed."""
    kept = ["4E12", "1.25E+1", "4.00E-12", "40E+12"]
    assert codes(read([HEADER, *((code, "Pen") for code in kept), (4006381333931, "Pen")])) == [*kept, "4006381333931"]


def test_blank_cells_are_not_filled_in(read: Read) -> None:
    """Empty cells, white space, and cells beyond the end of a row leave their default."""
    [row] = read([("code", "name", "group", "unit", "qty"), ("A-1", "x", "  ", None)])
    assert row == RowDraft(
        2, ProductDraft(product_code="A-1", description="x"), frozenset({"product_code", "description"})
    )


def test_cells_in_which_nothing_is_seen_are_blank(read: Read) -> None:
    """Zero-width characters fill in no field, make no row, and are neither a description nor a code."""
    header = ("code", "name", "group", "unit", "qty")
    zero = "\u200b \ufeff"
    rows = read([header, ("A-1", "x", zero, zero, zero), (zero, zero), ("A-2", zero), (zero, "x")])
    draft = ProductDraft(product_code="A-1", description="x")
    assert rows[0] == RowDraft(2, draft, frozenset({"product_code", "description"}))
    assert [(row.row, problem(row)) for row in rows[1:]] == [
        (4, "description: required"),
        (5, "product_code: required"),
    ]


def test_an_invisible_character_hides_no_column(read: Read) -> None:
    """A byte order mark or a web page's zero-width space is in no name, and a header of them alone is blank."""
    header = ("\ufeffCode", "Na\u200bme ", "\u200b", "\u2060qty", "\U000e0001 Group")
    [row] = read([header, ("A-1", "x", "y", "5", "G")])
    assert isinstance(row, RowDraft)
    assert row.draft == ProductDraft(product_code="A-1", description="x", category="G", initial_level=5)


def test_a_level_with_invisible_characters_within_is_reported(read: Read) -> None:
    """Characters between digits are not part of a number, which is not guessed."""
    [row] = read([HEADER, ("A-1", "x", "1\u200b2")])
    assert problem(row) == "current_level: '1\\u200b2' is not a whole number from 0; " + WHAT_TO_TYPE


def test_codes_are_taken_as_people_see_them(read: Read) -> None:
    """A whole number is its digits, text keeps its zeros."""
    rows = read([HEADER, (12345.0, "x"), ("0042", "x"), (9300000000000, "x")])
    assert codes(rows) == ["12345", "0042", "9300000000000"]


@pytest.mark.parametrize("code", [" A-1", "A-1\xa0", "A-1\t", "\nA-1\r\n", "\u3000A-1\u3000"])
def test_codes_lose_white_space_at_their_ends(read: Read, code: str) -> None:
    """As in a body; inside a code it is no repair, and a number without its last digits stays refused."""
    assert codes(read([HEADER, (code, "x")])) == ["A-1"]
    assert problem(read([HEADER, (code.replace("A-1", "4.00E+12"), "x")])[0]).startswith("product_code: ")


def test_texts_are_cleaned_as_in_a_body(read: Read) -> None:
    """Line breaks in a cell become spaces, surrounding white space is removed."""
    [row] = read([HEADER, ("A-1", " two\nlines ")])
    assert isinstance(row, RowDraft)
    assert row.draft.description == "two lines"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ((None, "x"), "product_code: required"),
        (("  ", "x"), "product_code: required"),
        (("A-1", None), "description: required"),
        ((None, None, 5), "product_code: required; description: required"),
        (("A\u00e9", "x"), "product_code: character U+00E9 at position 2; a code is printable ASCII"),
        (("x" * 65, "x"), "product_code: more than 64 characters"),
        (("A", "x" * 501), "description: more than 500 characters"),
        (("A", "x" * 9999), "description: more than 500 characters"),
        (("A", f"x{' ' * 9999}x"), "description: more than 500 characters"),
        (("A", "x\ty"), "description: control character U+0009 at position 2; remove it"),
        (("A", "x", 1.5), "current_level: '1.5' is not a whole number from 0; type 1 or 2"),
        (("A", "x", -1), "current_level: '-1' is not a whole number from 0; type 0 or more"),
        (("A", "x", "five"), f"current_level: 'five' is not a whole number from 0; {WHAT_TO_TYPE}"),
        (("A", "x", "\u0665"), f"current_level: '\u0665' is not a whole number from 0; {WHAT_TO_TYPE}"),
        (("A", "x", "-" * 50), f"current_level: '{'-' * 40}' is not a whole number from 0; {WHAT_TO_TYPE}"),
        (("A", "x", "9" * 9999), f"current_level: '{'9' * 40}' is not a whole number from 0; {WHAT_TO_TYPE}"),
        (("A", "x", "9" * 900), "current_level: more than 9007199254740991, the greatest level"),
        (("A", "x", "99999999999999999"), "current_level: more than 9007199254740991, the greatest level"),
        (("A", "x", "9999999999999999"), "current_level: more than 9007199254740991, the greatest level"),
        (("A", "x", 1, 5, 4), "maximum_level: maximum_level 4 is below minimum_level 5; 0 means that none is set"),
        (("A", "#N/A"), "description: contains the error #N/A: correct it in the spreadsheet"),
        (("#REF!", "x"), "product_code: contains the error #REF!: correct it in the spreadsheet"),
        (("A", "x", "#DIV/0!"), "current_level: contains the error #DIV/0!: correct it in the spreadsheet"),
        (
            (None, "x", 1.5, "a"),
            (
                "current_level: '1.5' is not a whole number from 0; type 1 or 2; "
                f"minimum_level: 'a' is not a whole number from 0; {WHAT_TO_TYPE}; product_code: required"
            ),
        ),
    ],
)
def test_every_problem_of_a_row_is_reported_once(read: Read, row: tuple[Any, ...], message: str) -> None:
    """A row that cannot be imported says which columns are wrong and why, all of them."""
    assert problem(read([HEADER, row])[0]) == message


@pytest.mark.parametrize(
    "level", ["0005", "00000000000000000005", f"{'0' * 900}5", " 5 ", "\u200b5", "\ufeff 5\u200e "]
)
def test_a_level_is_its_number_whatever_zeros_it_has(read: Read, level: str) -> None:
    """Leading zeros of a level are ignored, however many there are."""
    [row] = read([HEADER, ("A-1", "x", level)])
    assert isinstance(row, RowDraft)
    assert row.draft.initial_level == 5


def test_a_format_belongs_to_codes_and_texts_but_not_to_levels(tmp_path: Path) -> None:
    """A cell that shows `05 Stk` is that code and that text, and the level 5; a wrong level is shown as its number."""
    book = xlsx_book((HEADER, (5, 5, 5, 5, 5), (6, 5, -5, 1.5)))
    sheet = book.worksheets[0]
    for cell in (*sheet[2], *sheet[3]):
        cell.number_format = '00" Stk"'
    book.save(tmp_path / "made.xlsx")
    first, second = rows_in(tmp_path / "made.xlsx")
    assert isinstance(first, RowDraft)
    assert first.draft == ProductDraft(
        product_code="05 Stk", description="05 Stk", initial_level=5, minimum_level=5, maximum_level=5
    )
    assert problem(second) == (
        "current_level: '-5' is not a whole number from 0; type 0 or more; "
        "minimum_level: '1.5' is not a whole number from 0; type 1 or 2"
    )


def test_white_space_around_a_long_cell_is_no_length(read: Read) -> None:
    """A column that a program padded with spaces is read."""
    [row] = read([HEADER, ("A-1", f"Bolt{' ' * 5000}", f"{' ' * 5000}5")])
    assert isinstance(row, RowDraft)
    assert (row.draft.description, row.draft.initial_level) == ("Bolt", 5)


def test_a_formula_without_a_value_is_a_problem(read: Read) -> None:
    """A cell that no spreadsheet program ever computed has no value."""
    assert problem(read([HEADER, ("A-1", "=CONCATENATE(A1)")])[0]).startswith("description: ")


def test_a_problem_keeps_the_code_that_could_be_read(read: Read) -> None:
    """A later row with the same code can name the first one."""
    rows = read([HEADER, ("A-1", None), ("#N/A", "x"), (None, "x")])
    assert [row.product_code for row in rows if isinstance(row, WrongRow)] == ["A-1", "", ""]


def test_rows_are_numbered_as_on_the_screen(read: Read) -> None:
    """Blank rows count for the row number only, above the header and below."""
    rows = read([("Price list",), (), HEADER, (), ("A-1", "x"), (" ", ""), (), ("A-2", "x")])
    assert [row.row for row in rows] == [5, 8]


def test_the_first_sheet_with_a_header_is_read(read: Read) -> None:
    """A cover sheet is skipped, and sheets after the first catalogue are not read."""
    rows = read([("Welcome",), ("Our price list", "2026")], [HEADER, ("A-1", "x")], [HEADER, ("B-1", "x")])
    assert codes(rows) == ["A-1"]


def test_a_header_is_looked_for_in_the_first_rows(read: Read) -> None:
    """Only the first twenty rows that are not blank are searched."""
    above = [(f"line {number}",) for number in range(19)]
    assert [row.row for row in read([*above, HEADER, ("A-1", "x")])] == [21]
    with pytest.raises(InvalidInput):
        read([*above, ("one more",), HEADER, ("A-1", "x")])


@pytest.mark.parametrize("rows", [[], [("code",)], [("Hello", "World"), ("A-1", "x")], [("#N/A", "#N/A")]])
def test_a_workbook_without_header_is_refused(read: Read, rows: list[tuple[Any, ...]]) -> None:
    """The message says which columns to name."""
    with pytest.raises(InvalidInput, match="at least product_code and description"):
        read(rows)


def test_a_header_alone_is_an_empty_catalogue(read: Read) -> None:
    """A sheet without rows is not an error."""
    assert read([HEADER]) == []


def test_a_file_that_is_no_workbook_is_refused(tmp_path: Path) -> None:
    """The reader's refusal is passed on."""
    (tmp_path / "a.xlsx").write_text("product_code,description\nA-1,x\n", "utf-8")
    with pytest.raises(InvalidFileFormat, match="a text file such as CSV"):
        rows_in(tmp_path / "a.xlsx")


@pytest.mark.parametrize(
    ("row", "refusal"),
    [
        ((None, "x"), ("product_code", "", "required", "required")),
        (("A", "x" * 501), ("description", "x" * 40, "length", "more than 500 characters")),
        (("A", "x" * 9999), ("description", "x" * 40, "length", "more than 500 characters")),
        (
            ("A\u00e9", "x"),
            ("product_code", "A\u00e9", "characters", "character U+00E9 at position 2; a code is printable ASCII"),
        ),
        (("A", "x\ty"), ("description", "x\ty", "characters", "control character U+0009 at position 2; remove it")),
        (
            ("A", "x", "1.5"),
            ("current_level", "1.5", "whole number", "'1.5' is not a whole number from 0; type 1 or 2"),
        ),
        (
            ("A", "x", 9007199254740992),
            ("current_level", "9007199254740992", "range", "more than 9007199254740991, the greatest level"),
        ),
        (
            ("A", "x", 1, 5, 4),
            ("maximum_level", "4", "order", "maximum_level 4 is below minimum_level 5; 0 means that none is set"),
        ),
        (("A", "=B9"), ("description", "", "cell", None)),
    ],
)
def test_a_problem_names_column_value_and_rule(read: Read, row: tuple[Any, ...], refusal: tuple[Any, ...]) -> None:
    """Separate fields tell programs what is wrong, under the names that the import knows."""
    [problem_row] = read([HEADER, row])
    assert isinstance(problem_row, WrongRow)
    [message] = problem_row.problems
    assert (message.column, message.value, message.rule) == refusal[:3]
    assert refusal[3] in (None, message.message)


def test_a_code_that_no_product_can_have_is_not_kept(read: Read) -> None:
    """A problem never holds thousands of characters; a code that is too long does not count as a repeat."""
    [row] = read([HEADER, ("x" * 30_000, "y" * 30_000)])
    assert isinstance(row, WrongRow)
    assert (row.product_code, {len(refusal.value) for refusal in row.problems}) == ("", {40})


def test_a_header_repeated_right_below_is_no_product(read: Read) -> None:
    """Once, whatever blank rows are in between; nothing else is left out."""
    assert codes(read([("SKU", "Name"), ("SKU", "Name"), ("R1", "x")])) == ["R1"]
    assert codes(read([("SKU", "Name"), (), ("SKU", "Name"), ("SKU-1", "Name"), ("R1", "x")])) == ["SKU-1", "R1"]


@pytest.mark.parametrize("third", [("SKU", "Name"), ("Code", "Title")])
def test_a_third_header_is_reported(read: Read, third: tuple[str, str]) -> None:
    """Below a repeated header, another one is an error, because it might be a product."""
    first, second = read([("SKU", "Name"), ("SKU", "Name"), third, ("R1", "x")])
    assert problem(first).startswith("names the columns again")
    assert codes([second]) == ["R1"]


def test_a_product_that_is_called_like_the_header_survives(read: Read) -> None:
    """A product SKU called Name is imported unless it looks like a repeated header."""
    assert codes(read([("SKU", "Name"), ("R1", "x"), ("SKU", "Name"), ("code", "title")])) == ["R1", "SKU", "code"]
    assert codes(read([(*HEADER, "unit"), ("SKU", "Name", 0, 0, 0, "pcs")])) == ["SKU"]


def test_a_second_header_in_other_words_is_reported(read: Read) -> None:
    """It neither becomes a product nor is lost."""
    rows = read([("Artikel", "Code", "Name"), ("Item code", "EAN", "Description"), ("Q1", "4006381333931", "pen")])
    message = "names the columns again; delete the row, or move it down if it is a product"
    assert rows[0] == WrongRow.of(2, (WrongCell("", "", "header", message),))
    assert problem(rows[0]) == message
    assert codes(rows) == ["4006381333931"]


def test_a_row_of_units_below_the_header_is_a_problem(read: Read) -> None:
    """It could be a product, so it is reported, and the rest is imported."""
    rows = read([HEADER, ("(text)", "(text)", "(pcs)"), ("A-1", "x", 5)])
    assert problem(rows[0]) == "current_level: '(pcs)' is not a whole number from 0; " + WHAT_TO_TYPE
    assert codes(rows) == ["A-1"]


def test_a_merged_group_header_is_passed_over(tmp_path: Path) -> None:
    """The row below it names the columns."""
    book = xlsx_book((("Product", None, "Stock", None), ("Code", "Name", "Min", "Qty"), ("T1", "Pen", 1, 5)))
    sheet = book.worksheets[0]
    sheet.merge_cells("A1:B1")
    sheet.merge_cells("C1:D1")
    book.save(tmp_path / "merged.xlsx")
    assert codes(rows_in(tmp_path / "merged.xlsx")) == ["T1"]


def test_the_literals_of_a_format_are_read_in_the_column_of_codes_alone(tmp_path: Path) -> None:
    """A code that shows `SKU-5` is that, in a row with an error too; a text and a level are the digits."""
    book = xlsx_book((("SKU", "Name", "Stock", "min"), (5, 5, 5, 5), (6, 6, 6.5, 6)))
    sheet = book.worksheets[0]
    for cell in (cell for row in sheet["A2:D3"] for cell in row):
        cell.number_format = '"SKU-"0'
    book.save(tmp_path / "made.xlsx")
    first, second = rows_in(tmp_path / "made.xlsx")
    assert isinstance(first, RowDraft)
    assert (first.draft.product_code, first.draft.description) == ("SKU-5", "5")
    assert (first.draft.initial_level, first.draft.minimum_level) == (5, 5)
    assert isinstance(second, WrongRow)
    assert second.product_code == "SKU-6"


def test_a_price_is_an_attribute_as_its_cell_shows_it(tmp_path: Path) -> None:
    """With the decimals of its format; the same format changes no code, description or level."""
    book = xlsx_book([("SKU", "Name", "Stock", "attr:price"), (5, 5, 5, 4.1)])
    sheet = book.worksheets[0]
    for cell in sheet[2]:
        cell.number_format = '#,##0.00 "€"'
    book.save(tmp_path / "made.xlsx")
    [row] = rows_in(tmp_path / "made.xlsx")
    assert isinstance(row, RowDraft)
    draft = row.draft
    assert (draft.product_code, draft.description, draft.initial_level, draft.attributes) == (
        "5",
        "5",
        5,
        {"price": "4.10"},
    )


def test_a_hidden_column_is_not_read_for_a_visible_one(tmp_path: Path) -> None:
    """The codes are the visible ones; a hidden column without a rival is read, and so are hidden rows."""
    book = xlsx_book((("product_code", "SKU", "Name"), ("HID1", "VIS1", "x"), ("HID2", "VIS2", "y")))
    sheet = book.worksheets[0]
    sheet.column_dimensions["A"].hidden = sheet.column_dimensions["C"].hidden = True
    sheet.row_dimensions[3].hidden = True
    book.save(tmp_path / "hidden.xlsx")
    assert codes(rows_in(tmp_path / "hidden.xlsx")) == ["VIS1", "VIS2"]


def test_a_selection_is_read(tmp_path: Path) -> None:
    """The sheet by its name, the columns by theirs."""
    book = xlsx_book([("SKU", "Name")], [("SKU", "Artikel", "Text"), ("1", "A-1", "x")])
    book.worksheets[1].title = "Lager"
    book.save(tmp_path / "made.xlsx")
    selection = Selection("lager", {"Artikel": "product_code", "Text": "description"})
    assert codes(rows_in(tmp_path / "made.xlsx", selection)) == ["A-1"]


def test_an_encoding_that_is_a_guess_is_a_warning(tmp_path: Path) -> None:
    """It names the encoding and says what to check; one that is named is no guess."""
    (tmp_path / "made.csv").write_bytes("SKU;Name\r\nA-1;Болт, гайка, шайба\r\n".encode("cp1251"))
    warnings = {}
    for encoding in (None, "cp1251"):
        with open_catalogue(tmp_path / "made.csv", Selection(file_format="csv", encoding=encoding)) as table:
            warnings[encoding] = table.warnings
    message = (
        "the file does not say its encoding, and windows-1251 is a guess: check letters such as ä, é and я, "
        "or name another encoding"
    )
    assert warnings == {None: (WrongCell("", "windows-1251", "encoding", message),), "cp1251": ()}


WORDS = ["SKU", "Name", "qty", "A-1", "x", " ", "", "5", "#N/A", "0042"]
CELLS = st.one_of(st.none(), st.sampled_from(WORDS), st.integers(0, 9), st.booleans(), st.text("aé 🔩\n", max_size=3))


@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(CELLS, max_size=7)), st.integers(0, 15))
def test_every_row_comes_out_exactly_once(read: Read, rows: list[list[Any]], above: int) -> None:
    """Whatever the rows below the header contain, each one that is not blank is a draft or a problem, in order."""
    header = ("product_code", "description", "category", "unit_of_measure", "current_level", "min", "max")
    found = read([*[("note", "to", "read")] * above, header, *map(tuple, rows)])
    filled = [any(cell is not None and str(cell).strip() for cell in row) for row in rows]
    assert [row.row for row in found] == [above + 2 + index for index, full in enumerate(filled) if full]


DATES = ((date(2026, 3, 3), "2026-03-03", "date"), (time(6, 8), "06:08:00", "time"), (True, "TRUE", "truth value"))


@pytest.mark.parametrize(("value", "shown", "kind"), DATES)
def test_dates_times_and_truth_values_are_no_codes(read: Read, value: object, shown: str, kind: str) -> None:
    """A spreadsheet made them of codes such as `MAR 3`; the message says so."""
    [row] = read([HEADER, (value, "x")])
    assert isinstance(row, WrongRow)
    assert [(cell.column, cell.value, cell.rule) for cell in row.problems] == [("product_code", shown, "no code")]
    assert problem(row) == (
        f"product_code: '{shown}' is a {kind}, which a spreadsheet may have made of a code; "
        "format the column as text, and enter it again"
    )


@pytest.mark.parametrize(("value", "shown", "_"), DATES)
def test_dates_times_and_truth_values_stay_in_texts(read: Read, value: object, shown: str, _: str) -> None:
    """As descriptions and attributes."""
    [row] = read([("SKU", "Name", "attr:best_before"), ("A-1", value, value)])
    assert isinstance(row, RowDraft)
    assert (row.draft.description, dict(row.draft.attributes)) == (shown, {"best_before": shown})


@pytest.mark.parametrize("field", ["product_code", "description", "attr:ean"])
@pytest.mark.parametrize("number", [1234567890123456, 3.4012345678901203e17, 4e15])
def test_a_number_of_more_than_fifteen_digits_is_an_error(read: Read, field: str, number: float) -> None:
    """A spreadsheet has lost its last digits."""
    texts = {"product_code": "A-1", "description": "x", "attr:ean": "y", field: number}
    [row] = read([tuple(texts), tuple(texts.values())])
    assert isinstance(row, WrongRow)
    assert [cell.rule for cell in row.problems] == ["lost digits"]


def test_long_texts_and_fifteen_digits_are_read(read: Read) -> None:
    """A text keeps all of its digits, a number fifteen."""
    assert codes(read([HEADER, ("340123456789012034", "x"), (999999999999999, "y")])) == [
        "340123456789012034",
        "999999999999999",
    ]


def test_the_greatest_level_is_read(read: Read) -> None:
    """It has sixteen digits, and no number up to it loses one."""
    [row] = read([HEADER, ("A-1", "x", MAX_LEVEL)])
    assert isinstance(row, RowDraft)
    assert row.draft.initial_level == MAX_LEVEL


@pytest.mark.parametrize("level", ["-", "a", "13,75", -5, 1.5, "#N/A", "9" * 20])
@pytest.mark.parametrize("field", ["minimum_level", "maximum_level"])
def test_a_wrong_minimum_or_maximum_is_left_out_of_its_row(read: Read, field: str, level: object) -> None:
    """The row is imported, and the warning names the cell."""
    [row] = read([("SKU", "Name", "Qty", field), ("A-1", "x", 5, level)])
    assert isinstance(row, RowDraft)
    assert (row.draft.initial_level, field in row.filled) == (5, False)
    assert [cell.column for cell in row.left_out] == [field]


@pytest.mark.parametrize(
    ("header", "others", "level"),
    [
        ("Qty", ["10,00"], 1),
        ("Qty", ["10.0"], 1000),
        ("Bestand", [], 1),
        ("Qty", [], None),
        ("Qty", ["1,5", "2.5"], None),
        ("Qty", [2.5], None),
        ("Bestand", [2.5], 1),
    ],
)
def test_other_quantities_or_the_language_decide_what_a_sign_means(
    read: Read, header: str, others: list[str | float], level: int | None
) -> None:
    """Wherever they are in the file; without texts that prove a sign, the error names both readings."""
    rows = read([("SKU", "Name", header), ("A-1", "x", "1,000"), *((f"B-{text}", "x", text) for text in others)])
    if level is None:
        assert problem(rows[0]) == "current_level: '1,000' can be 1000 or 1; type it without ','"
    else:
        assert isinstance(rows[0], RowDraft)
        assert rows[0].draft.initial_level == level


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        (["1001.0", None, " 1002.0 "], ["1001", "1002"]),
        (["1.0", "1.1"], ["1.0", "1.1"]),
        (["A-1", "4006381333931.0"], ["A-1", "4006381333931"]),
    ],
)
def test_codes_lose_decimals_that_a_program_gave_them(
    read: Read, written: list[str | None], read_as: list[str]
) -> None:
    """A number with a check digit alone, a whole column together."""
    assert codes(read([("SKU", "Name"), *((code, "x") for code in written)])) == read_as
