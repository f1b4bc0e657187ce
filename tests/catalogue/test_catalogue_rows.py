"""What the cells of a row become: a product, or all that is wrong with them."""

from collections.abc import Sequence
from datetime import date, time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, strategies as st

from barcodesvc.catalogue.rows import CatalogueRow, RowDraft, WrongCell, WrongRow, open_catalogue
from barcodesvc.catalogue.table import Selection
from barcodesvc.models import MAX_LEVEL, ProductDraft
from tests.properties import examples
from tests.sweeps import sweep
from tests.workbooks import saved, xlsx, xlsx_book

HEADER = ("product_code", "description", "qty", "min", "max")
WHAT_TO_TYPE = "type one such as 10, or leave the cell blank"
IN_ORDER = "maximum_level 4 is below minimum_level 5; 0 means that none is set"


def read(folder: Path, *rows: Sequence[Any]) -> list[CatalogueRow]:
    """Return the rows of the catalogue in a workbook with these rows."""
    return rows_in(folder, xlsx(rows))


def rows_in(folder: Path, content: bytes) -> list[CatalogueRow]:
    """Return all rows of the catalogue in a file."""
    (folder / "made.xlsx").write_bytes(content)
    with open_catalogue(folder / "made.xlsx") as table:
        return list(table.rows)


def drafted(folder: Path, *rows: Sequence[Any]) -> list[ProductDraft]:
    """Return the products of rows that are all valid."""
    found = read(folder, *rows)
    assert not [row for row in found if isinstance(row, WrongRow)]
    return [row.draft for row in found if isinstance(row, RowDraft)]


def codes(rows: list[CatalogueRow]) -> list[str]:
    """Return the product codes of the valid rows."""
    return [row.draft.product_code for row in rows if isinstance(row, RowDraft)]


def refused(folder: Path, *rows: Sequence[Any]) -> WrongRow:
    """Return the only row below the header, which is wrong."""
    [row] = read(folder, *rows)
    assert isinstance(row, WrongRow)
    return row


def test_a_row_becomes_a_product(tmp_path: Path) -> None:
    """Cells go to the fields of their columns; the level of the file is the initial level."""
    header = ("Max", "SKU", "Colour", "Name", "Group", "UoM", "Stock", "Min")
    [row] = read(tmp_path, header, (9, "A-1", "red", " a\nbolt ", "Bolts", "box", 5, 2))
    draft = ProductDraft(
        product_code="A-1",
        description="a bolt",
        category="Bolts",
        unit_of_measure="box",
        initial_level=5,
        minimum_level=2,
        maximum_level=9,
    )
    given = {*ProductDraft.model_fields} - {"attributes", "updated_by", "idempotency_key"}
    assert row == RowDraft(2, draft, frozenset(given), other_codes=None)


@sweep("code", ["4.00E+12", "4,00638E+12", "4e+12", "1.2E+11", " 4.00E+12\xa0"])
def test_a_code_that_a_spreadsheet_has_shortened_is_refused(tmp_path: Path, code: str) -> None:
    """Its last digits are lost, and a product with such a code would never be found by a scan."""
    [wrong] = refused(tmp_path, HEADER, (code, "Pen", 1)).problems
    assert (wrong.column, wrong.value, wrong.rule) == ("product_code", code, "lost digits")
    remedy = "is a number without its last digits; format the column as text, and enter it again"
    assert wrong.message == f"{code!r} {remedy}"


def test_codes_are_taken_as_people_see_them(tmp_path: Path) -> None:
    """A whole number has all of its digits, text keeps its zeros, and what only looks like a number is kept."""
    kept = ["4E12", "1.25E+1", "4.00E-12", "40E+12", "0042", "340123456789012034"]
    numbers = [12345.0, 4006381333931, 999999999999999]
    read_as = [*kept, "12345", "4006381333931", "999999999999999"]
    assert codes(read(tmp_path, HEADER, *((code, "Pen") for code in (*kept, *numbers)))) == read_as


@sweep("code", [" A-1", "A-1\xa0", "\nA-1\t\r\n", "\u3000A-1\u3000"])
def test_codes_lose_white_space_at_their_ends(tmp_path: Path, code: str) -> None:
    """As in a body."""
    assert codes(read(tmp_path, HEADER, (code, "x"))) == ["A-1"]


def test_cells_in_which_nothing_is_seen_are_blank(tmp_path: Path) -> None:
    """White space and zero-width characters fill in no field, make no row, and are neither a description nor a code."""
    header = ("code", "name", "group", "unit", "qty")
    zero = "\u200b \ufeff"
    rows = read(tmp_path, header, ("A-1", "x", "  ", None, zero), (zero, zero), ("A-2", zero), (zero, "x"))
    draft = ProductDraft(product_code="A-1", description="x")
    assert rows[0] == RowDraft(2, draft, frozenset({"product_code", "description"}), other_codes=None)
    assert [(row.row, row.error) for row in rows[1:] if isinstance(row, WrongRow)] == [
        (4, "description: required"),
        (5, "product_code: required"),
    ]


@sweep(
    ("row", "cells"),
    [
        ((None, "x"), [("product_code", "", "required", "required")]),
        ((None, None, 5), [("product_code", "", "required", "required"), ("description", "", "required", "required")]),
        (
            ("A\u00e9", "x"),
            [("product_code", "A\u00e9", "characters", "character U+00E9 at position 2; a code is printable ASCII")],
        ),
        (("x" * 65, "x"), [("product_code", "x" * 40, "length", "more than 64 characters")]),
        (("A", "x" * 501), [("description", "x" * 40, "length", "more than 500 characters")]),
        (("A", f"x{' ' * 9999}x"), [("description", f"x{' ' * 39}", "length", "more than 500 characters")]),
        (("A", "x\ty"), [("description", "x\ty", "characters", "control character U+0009 at position 2; remove it")]),
        (
            ("A", "x", "1\u200b2"),
            [
                (
                    "current_level",
                    "1\u200b2",
                    "whole number",
                    f"'1\\u200b2' is not a whole number from 0; {WHAT_TO_TYPE}",
                )
            ],
        ),
        (
            ("A", "x", "9" * 900),
            [("current_level", "9" * 40, "range", "more than 9007199254740991, the greatest level")],
        ),
        (("A", "x", 1, 5, 4), [("maximum_level", "4", "order", IN_ORDER)]),
        (("A", "#N/A"), [("description", "#N/A", "cell", "contains the error #N/A: correct it in the spreadsheet")]),
        (
            ("A", "x", "#DIV/0!"),
            [("current_level", "#DIV/0!", "cell", "contains the error #DIV/0!: correct it in the spreadsheet")],
        ),
        (
            (None, "x", 1.5, "a"),
            [
                ("product_code", "", "required", "required"),
                ("current_level", "1.5", "whole number", "'1.5' is not a whole number from 0; type 1 or 2"),
                ("minimum_level", "a", "whole number", f"'a' is not a whole number from 0; {WHAT_TO_TYPE}"),
            ],
        ),
    ],
)
def test_every_problem_of_a_row_is_reported_once(tmp_path: Path, row: Sequence[Any], cells: list[Any]) -> None:
    """A row that cannot be imported says which cells are wrong and why, all of them, for programs and for people."""
    found = refused(tmp_path, HEADER, row)
    assert [(cell.column, cell.value, cell.rule, cell.message) for cell in found.problems] == cells
    assert found.error == "; ".join(f"{column}: {message}" for column, _, _, message in cells)


def test_a_formula_without_a_value_is_a_problem(tmp_path: Path) -> None:
    """A cell that no spreadsheet program ever computed has no value."""
    [wrong] = refused(tmp_path, HEADER, ("A-1", "=CONCATENATE(A1)")).problems
    assert (wrong.column, wrong.value, wrong.rule) == ("description", "", "cell")


@sweep(
    ("name", "cell", "rule"),
    [("attr:price", "y" * 201, "length"), ("attr:price", "a\tb", "characters"), ("attr:price", "#N/A", "cell")],
)
def test_a_wrong_attribute_names_its_column(tmp_path: Path, name: str, cell: str, rule: str) -> None:
    """A value that is too long, has a control character or is an error of the spreadsheet."""
    [wrong] = refused(tmp_path, ("SKU", "Name", name), ("A-1", "x", cell)).problems
    assert (wrong.column, wrong.rule) == ("attributes.price", rule)


@sweep("level", [f"{'0' * 900}5", "\ufeff 5\u200e ", f"{' ' * 5000}5"])
def test_a_level_is_its_number_whatever_zeros_it_has(tmp_path: Path, level: str) -> None:
    """Leading zeros of a level are ignored, and what is not seen around it, however much there is."""
    [draft] = drafted(tmp_path, HEADER, ("A-1", f"Bolt{' ' * 5000}", level))
    assert (draft.description, draft.initial_level) == ("Bolt", 5)


def test_the_greatest_level_is_read(tmp_path: Path) -> None:
    """It has sixteen digits, and no number up to it loses one."""
    assert [draft.initial_level for draft in drafted(tmp_path, HEADER, ("A-1", "x", MAX_LEVEL))] == [MAX_LEVEL]


@sweep(
    ("number_format", "code", "description", "price"),
    [
        ('00" Stk"', "05 Stk", "05 Stk", "05 Stk"),
        ('"SKU-"0', "SKU-5", "5", "5"),
        ('#,##0.00 "€"', "5", "5", "5.00"),
    ],
)
def test_the_format_of_a_number_counts_by_its_column(
    tmp_path: Path, number_format: str, code: str, description: str, price: str
) -> None:
    """Zeros and text around them are part of a code, decimals of a price; a level, and a wrong one, is its number."""
    book = xlsx_book([("SKU", "Name", "Stock", "min", "attr:price"), [5] * 5, (5, 5, 1.5, -5, 5)])
    for row in book.worksheets[0]["A2:E3"]:
        for cell in row:
            cell.number_format = number_format
    first, second = rows_in(tmp_path, saved(book))
    assert isinstance(first, RowDraft)
    draft = first.draft
    assert (draft.product_code, draft.description, draft.attributes) == (code, description, {"price": price})
    assert (draft.initial_level, draft.minimum_level) == (5, 5)
    assert isinstance(second, WrongRow)
    assert (second.product_code, second.description) == (code, description)
    assert [cell.value for cell in second.problems] == ["1.5", "-5"]


def test_a_problem_keeps_the_code_that_could_be_read(tmp_path: Path) -> None:
    """A later row with the same code can name the first one; one that no product can have is not kept."""
    rows = read(tmp_path, HEADER, ("A-1", None), ("#N/A", "x"), ("x" * 30_000, "y" * 30_000))
    wrong = [row for row in rows if isinstance(row, WrongRow)]
    assert [row.product_code for row in wrong] == ["A-1", "", ""]
    assert {len(cell.value) for cell in wrong[2].problems} == {40}


def test_rows_are_numbered_as_on_the_screen(tmp_path: Path) -> None:
    """Blank rows count for the row number only, above the header and below; a header may stand alone."""
    rows = read(tmp_path, ("Price list",), (), HEADER, (), ("A-1", "x"), (" ", ""), (), ("A-2", "x"))
    assert [row.row for row in rows] == [5, 8]
    assert read(tmp_path, HEADER) == []


def test_a_header_repeated_right_below_is_no_product(tmp_path: Path) -> None:
    """Once, whatever blank rows are in between; nothing else is left out."""
    rows = [("SKU", "Name"), (), ("SKU", "Name"), ("SKU-1", "Name"), ("R1", "x")]
    assert codes(read(tmp_path, *rows)) == ["SKU-1", "R1"]


@sweep("third", [("SKU", "Name"), ("Code", "Title")])
def test_a_third_header_is_reported(tmp_path: Path, third: tuple[str, str]) -> None:
    """Below a repeated header, another one is an error, because it might be a product."""
    first, second = read(tmp_path, ("SKU", "Name"), ("SKU", "Name"), third, ("R1", "x"))
    message = "names the columns again; delete the row, or move it down if it is a product"
    assert first == WrongRow.of(3, (WrongCell("", "", "header", message),))
    assert isinstance(first, WrongRow)
    assert first.error == message
    assert codes([second]) == ["R1"]


def test_a_product_that_is_called_like_the_header_survives(tmp_path: Path) -> None:
    """A product SKU called Name is imported unless it looks like a repeated header."""
    rows = [("SKU", "Name"), ("R1", "x"), ("SKU", "Name"), ("code", "title")]
    assert codes(read(tmp_path, *rows)) == ["R1", "SKU", "code"]
    assert codes(read(tmp_path, (*HEADER, "unit"), ("SKU", "Name", 0, 0, 0, "pcs"))) == ["SKU"]


def test_a_csv_of_a_guessed_encoding_has_a_warning(tmp_path: Path) -> None:
    """It names the encoding and says what to check; one that is named is no guess."""
    (tmp_path / "made.csv").write_bytes("SKU;Name\r\nA-1;Болт, гайка, шайба\r\n".encode("cp1251"))
    warnings = {}
    for encoding in (None, "cp1251"):
        with open_catalogue(tmp_path / "made.csv", Selection(file_format="csv", encoding=encoding)) as table:
            assert table.found.encoding == "windows-1251"
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
def test_every_row_comes_out_exactly_once(tmp_path: Path, rows: list[list[Any]], above: int) -> None:
    """Whatever the rows below the header contain, each one that is not blank is a draft or a problem, in order."""
    header = ("product_code", "description", "category", "unit_of_measure", "current_level", "min", "max")
    found = read(tmp_path, *[("note", "to", "read")] * above, header, *rows)
    filled = [any(cell is not None and str(cell).strip() for cell in row) for row in rows]
    assert [row.row for row in found] == [above + 2 + index for index, full in enumerate(filled) if full]


@sweep(
    ("value", "shown", "kind"),
    [(date(2026, 3, 3), "2026-03-03", "date"), (time(6, 8), "06:08:00", "time"), (True, "TRUE", "truth value")],
)
def test_dates_times_and_truth_values_are_no_codes(tmp_path: Path, value: object, shown: str, kind: str) -> None:
    """A spreadsheet made them of codes such as `MAR 3`, and the message says so; they stay in other texts."""
    wrong = refused(tmp_path, HEADER, (value, "x"))
    assert [(cell.column, cell.value, cell.rule) for cell in wrong.problems] == [("product_code", shown, "no code")]
    assert wrong.error == (
        f"product_code: '{shown}' is a {kind}, which a spreadsheet may have made of a code; "
        "format the column as text, and enter it again"
    )
    [draft] = drafted(tmp_path, ("SKU", "Name", "attr:best_before"), ("A-1", value, value))
    assert (draft.description, dict(draft.attributes)) == (shown, {"best_before": shown})


@sweep("field", ["product_code", "description", "attr:ean"])
@sweep("number", [1234567890123456, 3.4012345678901203e17, 4e15])
def test_a_number_of_more_than_fifteen_digits_is_an_error(tmp_path: Path, field: str, number: float) -> None:
    """A spreadsheet has lost its last digits."""
    texts = {"product_code": "A-1", "description": "x", "attr:ean": "y", field: number}
    [wrong] = refused(tmp_path, tuple(texts), tuple(texts.values())).problems
    assert (wrong.value[:14], wrong.rule) == (str(int(number))[:14], "lost digits")


@sweep("level", ["13,75", -5, "#N/A", "9" * 20])
@sweep("field", ["minimum_level", "maximum_level"])
def test_a_wrong_minimum_or_maximum_is_left_out_of_its_row(tmp_path: Path, field: str, level: object) -> None:
    """The row is imported, and the warning names the cell."""
    [row] = read(tmp_path, ("SKU", "Name", "Qty", field), ("A-1", "x", 5, level))
    assert isinstance(row, RowDraft)
    assert (row.draft.initial_level, field in row.filled) == (5, False)
    assert [cell.column for cell in row.left_out] == [field]


@sweep(("header", "others", "level"), [("Qty", ["10,00"], 1), ("Qty", ["10.0"], 1000), ("Bestand", [2.5], 1)])
def test_other_quantities_or_the_language_decide_what_a_sign_means(
    tmp_path: Path, header: str, others: list[str | float], level: int
) -> None:
    """Texts that prove a sign, wherever they are in the file, and then its headers; a number proves nothing."""
    rows = [("A-1", "x", "1,000"), *((f"B-{text}", "x", text) for text in others)]
    first = read(tmp_path, ("SKU", "Name", header), *rows)[0]
    assert isinstance(first, RowDraft)
    assert first.draft.initial_level == level
    assert "'1,000' can be 1000 or 1" in refused(tmp_path, ("SKU", "Name", "Qty"), *rows[:1]).error


@pytest.mark.parametrize(
    ("written", "read_as"), [(["1001.0", None, " 1002.0 "], ["1001", "1002"]), (["1.0", "1.1"], ["1.0", "1.1"])]
)
def test_codes_lose_decimals_that_a_program_gave_them(
    tmp_path: Path, written: list[str | None], read_as: list[str]
) -> None:
    """A whole column together."""
    assert codes(read(tmp_path, ("SKU", "Name"), *((code, "x") for code in written))) == read_as
