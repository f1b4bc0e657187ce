from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

from barcodesvc.catalogue.table import RecognisedTable, Selection, find_table
from barcodesvc.errors import InvalidFileFormat, InvalidInput
from barcodesvc.spreadsheets.cells import SheetRow, Worksheet
from tests.sweeps import sweep

HEADER = ("SKU", "Name", "Colour")
MAPPED = {"Foo": "product_code", "Bar": "description"}


def sheet(title: str, *rows: tuple[str, ...], hidden: bool = False, columns: frozenset[int] = frozenset()) -> Worksheet:
    """Return a sheet that holds these rows, counted from 1."""

    def numbered() -> Iterator[SheetRow]:
        return (SheetRow(number, row) for number, row in enumerate(rows, start=1) if row)

    return Worksheet(title, hidden, lambda: columns, numbered)


def found(*sheets: Worksheet, **selected: Any) -> RecognisedTable:
    """Return what is recognised in these sheets."""
    return find_table(sheets, Selection(**selected)).found


def refused(*sheets: Worksheet, **selected: Any) -> list[tuple[str, str]]:
    """Return the problems of a selection, each with its field."""
    with pytest.raises(InvalidInput) as refusal:
        find_table(sheets, Selection(**selected))
    return [(problem["field"], problem["message"]) for problem in refusal.value.details["errors"]]


def test_what_was_recognised_is_reported() -> None:
    """The sheet, the header's row, its headers with their fields, and the others in their order."""
    rows = (("Price list",), (), ("Brand", " SKU", "Name", "", "SKU", "Qty"), ("x",))
    recognised = {"SKU": "product_code", "Name": "description", "Qty": "current_level"}
    assert found(sheet("Stock", *rows)) == RecognisedTable("Stock", 3, recognised, ("Brand", "SKU"))


def broken_sheet(title: str) -> Worksheet:
    """Return a sheet that cannot be read."""

    def refuse() -> NoReturn:
        raise InvalidFileFormat("damaged")

    return Worksheet(title, hidden=False, hidden_columns=refuse, rows=refuse)


def test_a_broken_sheet_does_not_hide_that_those_before_it_have_no_header() -> None:
    """The header is missing, and the broken sheet is named; no later one is guessed."""
    sheets = sheet("A", ("x", "y")), broken_sheet("B"), sheet("C", HEADER)
    with pytest.raises(InvalidInput, match="no sheet before 'B', which is damaged, has a header row") as refusal:
        find_table(sheets, Selection())
    assert refusal.value.details == {"rule": "header row", "sheet": "A", "header_row": 1, "header_texts": ["x", "y"]}
    assert refused(*sheets, columns=MAPPED) == [
        ("map", "no column is headed 'Foo'; the headers found are 'x', 'y'"),
        ("map", "no column is headed 'Bar'; the headers found are 'x', 'y'"),
        ("file", "the sheet 'B' is damaged; it was not searched for headers"),
    ]


def test_headers_that_fit_nothing_come_back() -> None:
    """They are those of the row with most texts, for people to say what they are; blank sheets have none."""
    sheets = sheet("Notes", ()), sheet("Stock", ("Price list",), (), ("Ref", "", "Was"), ("A-1", "", "x"))
    with pytest.raises(InvalidInput, match="no sheet has a header row") as refusal:
        find_table(sheets, Selection())
    details = {"rule": "header row", "sheet": "Stock", "header_row": 3, "header_texts": ["Ref", "Was"]}
    assert refusal.value.details == details
    with pytest.raises(InvalidInput) as refusal:
        find_table(sheets[:1], Selection())
    assert refusal.value.details == {"rule": "header row"}


@pytest.mark.parametrize("selected", [{}, {"columns": MAPPED}, {"sheet": "B"}])
def test_a_broken_sheet_that_comes_first_is_reported(selected: dict[str, Any]) -> None:
    """Then the file is wrong, not a header."""
    sheets = (sheet("A", HEADER),) if "sheet" in selected else ()
    with pytest.raises(InvalidFileFormat):
        find_table([*sheets, broken_sheet("B"), sheet("C", HEADER)], Selection(**selected))


def test_a_broken_sheet_behind_the_header_is_not_looked_at() -> None:
    """The first sheet with a header is the table."""
    assert found(sheet("A", HEADER), broken_sheet("B")).sheet == "A"


def test_long_headers_are_reported_in_part() -> None:
    """A response does not repeat thousands of characters per column."""
    assert found(sheet("A", (*HEADER, "x" * 9999))).ignored == ("Colour", "x" * 100)


def test_what_is_above_the_header_is_no_row() -> None:
    """All rows below it are, including those that were searched for a better header."""
    above = [("Product", "Stock"), ("Code", "Description", "Min")]
    table = find_table([sheet("A", *above, *[(f"A-{n}", "x") for n in range(30)])], Selection())
    assert table.found.header_row == 2
    assert [row.number for row in table.rows] == list(range(3, 33))


def test_a_header_is_looked_for_in_the_first_rows() -> None:
    """Only the first twenty rows that are not blank are searched."""
    above = [("line",), ()] * 19
    assert found(sheet("A", *above, HEADER)).header_row == 39
    with pytest.raises(InvalidInput):
        found(sheet("A", *above, ("line",), HEADER))


@sweep("header", ["attr:", "attr:Preis €", f"attr:{'x' * 33}", "attr:a b"])
def test_a_header_with_a_wrong_name_of_an_attribute_is_refused(header: str) -> None:
    """A column whose header begins like that of an attribute is not lost silently."""
    [(field, message)] = refused(sheet("A", (*HEADER, header)))
    assert (field, repr(header) in message) == ("file", True)


def test_a_hidden_column_gives_way() -> None:
    """The visible code is read, not the hidden one next to it."""
    table = find_table([sheet("A", ("product_code", "SKU", "Name"), columns=frozenset({0}))], Selection())
    assert table.columns == {"product_code": 1, "description": 2}
    assert table.found.ignored == ("product_code",)


def test_hidden_sheets_are_read_only_if_selected() -> None:
    """A hidden sheet is not read as the catalogue."""
    sheets = (sheet("Notes", ("Hello",)), sheet("Old", HEADER, hidden=True))
    with pytest.raises(InvalidInput, match="no sheet has a header row"):
        find_table(sheets, Selection())
    assert found(*sheets, sheet="Old").sheet == "Old"


@pytest.mark.parametrize(("name", "title"), [("stock", "stock"), ("Stock", "Stock"), ("STOCK", "Stock"), ("b", "B")])
def test_a_sheet_is_selected_by_its_name(name: str, title: str) -> None:
    """First exactly, then without case; the first of several."""
    sheets = [sheet(title, HEADER) for title in ("A", "Stock", "stock", "B")]
    assert found(*sheets, sheet=name).sheet == title


def test_an_unknown_sheet_is_refused_with_those_that_are_there() -> None:
    """At most twenty of them, and how many more."""
    assert refused(sheet("A", HEADER), sheet("B"), sheet="C") == [("sheet", "no such sheet; there are 'A', 'B'")]
    [(_, reported)] = refused(*(sheet(f"S{number}") for number in range(25)), sheet="C")
    assert reported.endswith("'S18', 'S19' and 5 more")


def test_a_selected_sheet_without_header_is_refused() -> None:
    """Another sheet that has one is not read instead."""
    with pytest.raises(InvalidInput, match="the sheet 'notes' does not have a header row"):
        find_table([sheet("Stock", HEADER), sheet("Notes", ("Hello",))], Selection(sheet="notes"))


def test_a_mapping_says_which_columns_are_read() -> None:
    """Its headers make the header row; names that would otherwise be recognised are ignored."""
    rows = (("SKU", "Name"), ("SKU", "foo", "Bar", "Qty"), ("1", "A-1", "x", "5"))
    table = find_table([sheet("A", *rows)], Selection(columns=MAPPED))
    assert table.found == RecognisedTable("A", 2, {"foo": "product_code", "Bar": "description"}, ("SKU", "Qty"))
    assert table.columns == {"product_code": 1, "description": 2}


def test_a_mapping_finds_its_sheet() -> None:
    """The first visible sheet that has all of its headers is read, unless one is selected."""
    sheets = (sheet("A", HEADER), sheet("B", ("Foo", "Bar")), sheet("C", ("Foo", "Bar")))
    assert found(*sheets, columns=MAPPED).sheet == "B"
    assert found(*sheets, columns=MAPPED, sheet="c").sheet == "C"
    assert refused(*sheets, columns=MAPPED, sheet="a")[0][0] == "map"


def test_unknown_headers_are_refused_with_those_that_are_there() -> None:
    """Each of them, with the headers of the row that matches best; without any row there are none."""
    rows = (("Price list", "2026", "for", "shops"), ("Foo", "", "Name"))
    there = "the headers found are 'Foo', 'Name'"
    assert refused(sheet("A", *rows), columns={**MAPPED, "Baz": "category"}) == [
        ("map", f"no column is headed 'Bar'; {there}"),
        ("map", f"no column is headed 'Baz'; {there}"),
    ]
    assert refused(sheet("A"), columns=MAPPED)[0] == ("map", "no column is headed 'Foo'; the headers found are none")


def test_every_problem_of_a_selection_is_reported_at_once() -> None:
    """Unknown fields, fields with two headers, missing fields, and the sheet."""
    columns = {"a": "price", "b": "category", "c": "category"}
    fields = "product_code, description, category, unit_of_measure, current_level, minimum_level, maximum_level"
    fields += ", other_codes, and attributes.NAME with 1 to 32 characters of a-z, 0-9 and _"
    assert refused(sheet("A", HEADER), columns=columns, sheet="B") == [
        ("map", f"'a' is mapped to 'price'; the fields are {fields}"),
        ("map", "no header is mapped to product_code, which every product needs"),
        ("map", "no header is mapped to description, which every product needs"),
        ("map", "'b', 'c' are all mapped to category; map one of them"),
        ("sheet", "no such sheet; there are 'A'"),
    ]


def test_a_mapped_attribute_has_a_name_and_one_column() -> None:
    """As the other fields."""
    named = {"SKU": "product_code", "Name": "description"}
    [(_, message)] = refused(sheet("A", HEADER), columns={**named, "Colour": "attributes.Price"})
    assert "attributes.NAME" in message
    twice = {"Colour": "attributes.price", "Other": "attributes.price"}
    [(_, message)] = refused(sheet("A", HEADER), columns={**named, **twice})
    assert message == "'Colour', 'Other' are all mapped to attributes.price; map one of them"


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        ({"sheet": "B"}, {"rule": "sheet", "value": "B", "fits": "'A'"}),
        ({"columns": {"SKU": "product_code"}}, {"rule": "needed", "fits": "description"}),
        ({"columns": MAPPED}, {"rule": "header", "value": "Foo", "fits": "'SKU', 'Name', 'Colour'"}),
    ],
)
def test_what_a_person_can_choose_again_has_a_rule(selection: dict[str, Any], expected: dict[str, str]) -> None:
    """With what was wrong, and what would fit, for clients that speak another language."""
    with pytest.raises(InvalidInput) as refusal:
        find_table([sheet("A", HEADER)], Selection(**selection))
    problem = refusal.value.details["errors"][0]
    assert {name: value for name, value in problem.items() if name not in {"field", "message"}} == expected


def test_a_refusal_is_short() -> None:
    """A mapping of thousands of headers is not repeated."""
    columns = {f"{number}{'x' * 500}": "price" for number in range(5000)}
    reported = refused(sheet("A", HEADER), columns=columns)
    assert len(reported) < 30
    assert all(len(message) < 400 for _, message in reported)


def test_a_header_is_not_looked_for_in_endless_text() -> None:
    """Rows of a million characters end the search, so that twenty of them are never held."""
    read_so_far: list[int] = []

    def rows() -> Iterator[SheetRow]:
        for number in range(1, 100):
            read_so_far.append(number)
            yield SheetRow(number, ("x" * 600_000, "y"))

    with pytest.raises(InvalidInput):
        find_table([Worksheet("A", hidden=False, hidden_columns=frozenset, rows=rows)], Selection())
    assert read_so_far == [1, 2]
