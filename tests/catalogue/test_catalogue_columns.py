import pytest
from hypothesis import given, strategies as st

from barcodesvc.catalogue.columns import (
    FIELDS,
    choose_header,
    column_named,
    mapped_columns,
    names_columns_again,
    recognise_columns,
    repeats_header,
    row_texts,
)
from barcodesvc.spreadsheets.cells import CellProblem, SheetRow
from tests.sweeps import sweep

NAMES = {
    "product_code": ["product_code", "SKU", "code", "item", "item code", "article", "part number", "EAN"],
    "description": ["description", "name", "title", "Product Name", "item-description"],
    "category": ["category", "group", "Product Group"],
    "unit_of_measure": ["unit_of_measure", "UoM", "unit", "Units"],
    "current_level": ["current_level", "initial level", "qty", "Quantity", "stock", "on hand", "In Stock"],
    "minimum_level": ["minimum_level", "min", "Min. Stock", "reorder level"],
    "maximum_level": ["maximum_level", "max", "MAX_LEVEL"],
    "other_codes": ["other_codes", "Further codes", "Additional Barcodes"],
}
ALIASES = [(field, name) for field, names in NAMES.items() for name in names]


@sweep(("field", "name"), ALIASES)
def test_common_names_are_recognised(field: str, name: str) -> None:
    """A column may have any of its usual names."""
    other = ["name"] if field == "product_code" else ["code"]
    assert recognise_columns([name, *other])[field] == 0


@pytest.mark.parametrize(
    "name", ["PRODUCT_CODE", " product  code ", "productcode", "Product\nCode:", "#Code", "\ufeffProduct\u200bCode"]
)
def test_case_spaces_and_dashes_do_not_matter(name: str) -> None:
    """Headers are compared without case, spaces, line breaks, punctuation, and what is invisible."""
    assert recognise_columns(["description", name]) == {"description": 0, "product_code": 1}


@pytest.mark.parametrize(
    "headers",
    [
        [
            "Artikel-Nr.",
            "Bezeichnung",
            "Warengruppe",
            "Einheit",
            "Bestand",
            "Mindestbestand",
            "Höchstbestand",
            "Weitere Codes",
        ],
        ["Référence", "Libellé", "Famille", "Unité", "Quantité", "Stock minimal", "Stock maximal", "Autres codes"],
        [
            "Código",
            "Descripción",
            "Categoría",
            "Unidad",
            "Existencias",
            "Stock mínimo",
            "Stock máximo",
            "Otros códigos",
        ],
    ],
)
def test_headers_in_the_languages_of_the_web_app_are_recognised(headers: list[str]) -> None:
    """A shop imports its list as its program has written it."""
    assert list(recognise_columns(headers)) == list(FIELDS)


def test_texts_of_a_row_are_those_that_are_seen() -> None:
    """White space and invisible characters around a text are ignored; a joiner within stays."""
    row = SheetRow(1, ("\ufeffCode ", " \u200b\n", "a\u200cb\u200b", "\u200e c d\u2003", CellProblem("x")))
    assert row_texts(row) == ("Code", "", "a\u200cb", "c d", "")


@pytest.mark.parametrize("header", ["\ufeffCode", "Code\u200b", "code", "Co\u00adde"])
def test_a_map_finds_a_header_whatever_is_invisible_in_either(header: str) -> None:
    """A person who types the visible text and one who copies the cell mean the same column."""
    assert column_named(header, ["x", "Code"], frozenset()) == 1
    assert column_named("Code", ["x", header], frozenset()) == 1


def test_other_columns_are_ignored() -> None:
    """Brand, colour and empty headers are not fields."""
    columns = recognise_columns(["Brand", "", "SKU", "colour", "Title", "code_source"])
    assert columns == {"product_code": 2, "description": 4}


def test_a_header_may_name_an_attribute() -> None:
    """After `attr:`, in any case; a visible column of two wins, and a name that no attribute can have is none."""
    headers = ["attr:price", "SKU", " ATTR: Price", "attr:Preis €", "attr:"]
    assert recognise_columns(headers, frozenset({0})) == {"product_code": 1, "attributes.price": 2}


@pytest.mark.parametrize(
    "headers", [[], ["", ""], ["code"], ["description", "qty"], ["Price list", "2026"], ["code", "x"]]
)
def test_a_row_without_code_or_second_field_is_no_header(headers: list[str]) -> None:
    """A single data cell, a title above the table, or a table without codes is not read as a header."""
    assert recognise_columns(headers) == {}


@pytest.mark.parametrize(
    ("headers", "column"),
    [
        (["SKU", "product_code", "name"], 1),
        (["SKU", "EAN", "name"], 0),
        (["x", "Product Code", "product_code", "name"], 1),
        (["EAN", "SKU", "name"], 1),
        (["Article", "Item No.", "name"], 1),
        (["item", "Barcode", "name"], 1),
        (["Product", "Item", "name"], 0),
    ],
)
def test_of_two_columns_for_a_field_one_wins(headers: list[str], column: int) -> None:
    """The field's own name wins, then a number or code, an article, a barcode, a product, and then the leftmost."""
    assert recognise_columns(headers)["product_code"] == column


@pytest.mark.parametrize(
    ("headers", "columns"),
    [
        (["Product", "SKU", "Qty"], {"product_code": 1, "description": 0, "current_level": 2}),
        (["SKU", "Item"], {"product_code": 0, "description": 1}),
        (["Article", "Part", "SKU"], {"product_code": 2, "description": 0}),
        (["Product", "SKU", "Name"], {"product_code": 1, "description": 2}),
        (["Product", "Item"], {}),
        (["Product", "Qty"], {"product_code": 0, "current_level": 1}),
    ],
)
def test_next_to_a_surer_code_a_product_is_a_description(headers: list[str], columns: dict[str, int]) -> None:
    """Unless another column describes it; if two names are equally good for a code, neither is guessed."""
    assert recognise_columns(headers) == columns


def test_the_description_is_the_product_that_people_see() -> None:
    """A hidden column is the description only if no visible one is."""
    headers = ["Item", "Product", "SKU"]
    assert recognise_columns(headers, frozenset({0}))["description"] == 1
    assert recognise_columns(headers, frozenset({0, 1}))["description"] == 0


@given(st.permutations([name for _, name in ALIASES]))
def test_every_field_has_one_column_in_any_order(headers: list[str]) -> None:
    """Whatever other column could be the field, the column with its own name is used."""
    columns = recognise_columns(headers)
    assert columns == {field: headers.index(field) for field in NAMES}


@pytest.mark.parametrize(
    ("hidden", "column"), [(set(), 0), ({0}, 1), ({0, 1}, 2), ({0, 1, 2}, 0), ({1}, 0), ({0, 2}, 1)]
)
def test_a_column_that_people_see_wins(hidden: set[int], column: int) -> None:
    """A hidden column is read only if no visible one claims its field, whatever its name."""
    headers = ["product_code", "SKU", "EAN", "name"]
    assert recognise_columns(headers, frozenset(hidden)) == {"product_code": column, "description": 3}


def test_a_long_text_is_no_header() -> None:
    """A text longer than any name is not compared letter by letter."""
    assert recognise_columns(["code", "name", "q" + " " * 200 + "ty"]) == {"product_code": 0, "description": 1}


@pytest.mark.parametrize(
    ("rows", "chosen"),
    [
        ([], None),
        ([[], ["x", "y"]], None),
        ([["code", "name"], ["SKU", "title"]], 0),
        ([["code", "name"], ["SKU", "title", "qty"]], 1),
        ([["product", "", "stock", ""], ["code", "name", "min", "qty"]], 1),
        ([["product", "stock"], ["code", "name"]], 1),
        ([["code", "name", "qty"], ["product", "stock", "unit"]], 0),
    ],
)
def test_the_row_that_names_most_fields_is_the_header(rows: list[list[str]], chosen: int | None) -> None:
    """If two are equal, the one with a description wins, then the upper one; a group header above has fewer."""
    assert choose_header([recognise_columns(row) for row in rows]) == chosen


@pytest.mark.parametrize(
    ("header", "index"),
    [
        ("Name", 1),
        ("name", 0),
        ("na-me", 0),
        ("Code", 3),
        ("", None),
        ("#", None),
    ],
)
def test_a_header_is_found_exactly_and_then_as_fields_are(header: str, index: int | None) -> None:
    """An exact match wins over one without case, a visible column over a hidden one, the left over the right."""
    assert column_named(header, ["name", "Name", "Code", "Code", "", "."], frozenset({2})) == index


def test_a_mapping_reads_what_it_names_and_nothing_else() -> None:
    """Fields without their header are left out; recognised names that are not mapped are not columns."""
    mapping = {"Foo": "product_code", "Bar": "description", "Baz": "category"}
    assert mapped_columns(mapping, ["SKU", "Bar", "Foo"], frozenset()) == {"product_code": 2, "description": 1}


@sweep(
    ("row", "repeated", "again"),
    [
        (["SKU", "Name", "Qty", "Colour"], True, True),
        (["SKU", "", "Qty"], True, True),
        (["SKU", "Name", "Qty", "Size"], False, True),
        (["SKU", "Name", "Qty", "Colour", "more"], False, True),
        (["Item code", "Description"], False, True),
        (["SKU", "Name", "5"], False, False),
        (["SKU"], False, False),
        (["", "Name", "Qty"], False, False),
        (["Name", "SKU"], False, False),
        (["EAN", "Product"], False, True),
        (["(text)", "(text)", "(pcs)"], False, False),
        ([], False, False),
    ],
)
def test_a_second_header_is_distinguished_from_a_product(row: list[str], *, repeated: bool, again: bool) -> None:
    """The same texts are a repeat, other names of the same fields name them again, anything else is a product."""
    headers = ["SKU", "Name", "Qty", "Colour"]
    columns = recognise_columns(headers)
    assert repeats_header(row, headers, columns) == repeated
    assert names_columns_again(row, columns) == again
