from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from barcodesvc.catalogue_columns import recognise_columns

NAMES = {
    "product_code": ["product_code", "SKU", "code", "item", "item code", "article", "part number", "EAN"],
    "description": ["description", "name", "title", "Product Name", "item-description"],
    "category": ["category", "group", "Product Group"],
    "unit_of_measure": ["unit_of_measure", "UoM", "unit", "Units"],
    "initial_level": ["initial_level", "current_level", "qty", "Quantity", "stock", "on hand", "In Stock"],
    "minimum_level": ["minimum_level", "min", "Min. Stock", "reorder level"],
    "maximum_level": ["maximum_level", "max", "MAX_LEVEL"],
}
ALIASES = [(field, name) for field, names in NAMES.items() for name in names]


@pytest.mark.parametrize(("field", "name"), ALIASES)
def test_common_names_are_recognised(field: str, name: str) -> None:
    """A column may be called what people call it."""
    other = ["name"] if field == "product_code" else ["code"]
    assert recognise_columns([name, *other])[field] == 0


@pytest.mark.parametrize(
    "name",
    ["Product Code", "PRODUCT_CODE", "product-code", " product  code ", "productcode", "Product\nCode:", "#Code"],
)
def test_case_spaces_and_dashes_do_not_matter(name: str) -> None:
    """A header is compared without them, line breaks and punctuation included."""
    assert recognise_columns(["description", name]) == {"description": 0, "product_code": 1}


def test_other_columns_are_ignored() -> None:
    """Brand, colour and empty headers are no fields."""
    columns = recognise_columns(["Brand", "", "SKU", "colour", "Title", "code_source"])
    assert columns == {"product_code": 2, "description": 4}


@pytest.mark.parametrize(
    "headers", [[], ["", ""], ["code"], ["description", "qty"], ["Price list", "2026"], ["code", "x"]]
)
def test_a_row_without_code_or_second_field_is_no_header(headers: list[str]) -> None:
    """A lone data cell, a title above the table, or a table without codes is not taken for one."""
    assert recognise_columns(headers) == {}


@pytest.mark.parametrize(
    ("headers", "column"),
    [
        (["SKU", "product_code", "name"], 1),
        (["product_code", "SKU", "name"], 0),
        (["SKU", "EAN", "name"], 0),
        (["x", "Product Code", "product_code", "name"], 1),
    ],
)
def test_of_two_columns_for_a_field_one_wins(headers: list[str], column: int) -> None:
    """The field's own name wins, then the leftmost."""
    assert recognise_columns(headers)["product_code"] == column


@given(st.permutations([name for _, name in ALIASES]))
def test_every_field_has_one_column_in_any_order(headers: list[str]) -> None:
    """Whatever claims a field beside it, the column with its own name is taken."""
    columns = recognise_columns(headers)
    assert columns == {field: headers.index(field) for field in NAMES}
