"""What an import does to products that exist: updates, counts, receipts, and their attributes."""

from collections.abc import Mapping

import pytest

from barcodesvc.catalogue.importing import CatalogueFile
from barcodesvc.catalogue.table import Selection
from barcodesvc.errors import InvalidInput
from barcodesvc.models import MAX_LEVEL, ProductDraft
from barcodesvc.store.database import Database
from barcodesvc.store.lists import ProductFilter, list_products
from barcodesvc.store.products import get_product_by_code
from barcodesvc.store.staging import COUNT, RECEIPT, SKIP, UPDATE, Entry, Mode
from tests.catalogue.imported import NOW, Imports, alone, counts, importer, levels, lines, workbook
from tests.stock import create_product, history

LATER = "2026-02-01T12:00:00.000Z"
STOCKED = [(f"A-{number}", "x", "", 6) for number in range(1, 5)]
LIST = (("A-1", "y", "", 7), ("A-2", "y", "", 6), ("A-3", "y", "", None), ("A-4", "y", "", 0), ("N-1", "new", "", 3))


@pytest.mark.each_engine
async def test_an_update_changes_what_a_row_fills_in(imports: Imports) -> None:
    """Blank cells change nothing, and neither does the level, which belongs to the inventory."""
    database = imports.database
    await imports.run(("A-1", "old", "Bolts", 5, 1, 9), ("A-2", "old", "", 6))
    rows = [("A-1", "new", None, 7, 2, None), ("A-3", "new", "Nuts", 8)]
    assert counts(await imports.run(*rows, mode=UPDATE, entry=Entry(LATER))) == (1, 1, 0, 0)
    product, stock = await get_product_by_code(database, "A-1"), await levels(database)
    assert (product.description, product.category, product.updated_at) == ("new", "Bolts", LATER)
    assert (stock["A-1"].current_level, stock["A-1"].minimum_level, stock["A-1"].maximum_level) == (5, 2, 9)
    assert (stock["A-2"].current_level, stock["A-3"].current_level) == (6, 8)
    assert (await get_product_by_code(database, "A-2")).updated_at == NOW


@pytest.mark.each_engine
async def test_an_update_that_contradicts_the_stored_levels_is_a_row_error(imports: Imports) -> None:
    """The cell of the row that contradicts is named, with its content; the other rows are updated."""
    await imports.run(*((code, "x", "", 0, 5, 9) for code in ("A-1", "A-2", "A-3")))
    rows = [("A-1", "y", "", None, 10), (None, "y"), ("A-2", "y", "", None, 8), ("A-3", "y", "", None, None, 4)]
    result = await imports.run(*rows, mode=UPDATE)
    assert (result.updated, lines(result)) == (
        1,
        [
            (2, "minimum_level: maximum_level 9 is below minimum_level 10; 0 means that none is set"),
            (3, "product_code: required"),
            (5, "maximum_level: maximum_level 4 is below minimum_level 5; 0 means that none is set"),
        ],
    )
    named = [(cell.column, cell.value, cell.rule) for error in result.errors for cell in error.problems]
    assert named[::2] == [("minimum_level", "10", "order"), ("maximum_level", "4", "order")]
    assert (await get_product_by_code(imports.database, "A-1")).description == "x"


@pytest.mark.parametrize("mode", [SKIP, UPDATE])
async def test_levels_that_are_not_booked_are_counted(imports: Imports, mode: Mode) -> None:
    """One that the product has already needs no booking, and a blank cell says nothing."""
    await imports.run(*STOCKED)
    tried = await imports.try_out(*LIST, mode=mode)
    assert (await imports.run(*LIST, mode=mode)).levels_ignored == tried.levels_ignored == 2
    assert (await levels(imports.database))["A-1"].current_level == 6


@pytest.mark.each_engine
@pytest.mark.parametrize(
    ("mode", "stock", "booked", "reason"),
    [
        (COUNT, [7, 6, 6, 0, 3], {"A-1": (6, 7), "A-2": (6, 6), "A-4": (6, 0)}, "count"),
        (RECEIPT, [13, 12, 6, 6, 3], {"A-1": (6, 13), "A-2": (6, 12)}, "receipt"),
    ],
)
async def test_a_list_books_the_levels_of_existing_products(
    imports: Imports, mode: Mode, stock: list[int], booked: dict[str, tuple[int, int]], reason: str
) -> None:
    """A count sets them, a receipt adds to them, by one movement each; nothing else of the products changes."""
    await imports.run(*STOCKED)
    result = await imports.run(*LIST, mode=mode, entry=Entry(LATER, None, "Ann"))
    assert counts(result) == (1, len(booked), 4 - len(booked), 0)
    found = await levels(imports.database)
    assert [found[code].current_level for code, *_ in LIST] == stock
    for code, *_ in STOCKED:
        product = await get_product_by_code(imports.database, code)
        assert (product.description, product.updated_at) == ("x", NOW)
        made = [
            (move.old_level, move.new_level, move.change_reason, move.updated_by)
            for move in await history(imports.database, product.id)
        ]
        assert made[:-1] == ([(*booked[code], reason, "Ann")] if code in booked else [])
    assert found["A-1"].last_updated == LATER


@pytest.mark.parametrize(
    ("mode", "shown"),
    [
        (SKIP, [("skipped", 6, 7, 6), ("skipped", 6, 0, 6), ("imported", None, 3, 3)]),
        (UPDATE, [("updated", 6, 7, 6), ("updated", 6, 0, 6), ("imported", None, 3, 3)]),
        (COUNT, [("updated", 6, 7, 7), ("updated", 6, 0, 0), ("imported", None, 3, 3)]),
        (RECEIPT, [("updated", 6, 7, 13), ("skipped", 6, 0, 6), ("imported", None, 3, 3)]),
    ],
)
async def test_a_dry_run_shows_what_was_comes_and_will_be(
    imports: Imports, mode: Mode, shown: list[tuple[str, int | None, int, int]]
) -> None:
    """The level of each row before the import, in the file, and after the import."""
    await imports.run(*STOCKED)
    preview = (await imports.try_out(LIST[0], *LIST[3:], mode=mode)).preview
    assert [(row.outcome, row.old_level, row.given_level, row.current_level) for row in preview] == shown


@pytest.mark.parametrize(("mode", "named"), [(SKIP, [2]), (RECEIPT, [2]), (UPDATE, [])])
async def test_a_row_that_names_another_product_is_a_warning(imports: Imports, mode: Mode, named: list[int]) -> None:
    """Its code may be a number of the program that wrote it; an update shows and stores the new name."""
    await imports.run(("2", "Paper", "", 20), ("3", "Ink", "", 5))
    delivery = [("2", "Coffee", "", 3), ("3", "Ink", "", 3)]
    tried = await imports.try_out(*delivery, mode=mode)
    warnings = (await imports.run(*delivery, mode=mode)).warned.first
    assert tried.warned.first == warnings
    assert [(warning.row, warning.problems[0].rule) for warning in warnings] == [(row, "other name") for row in named]
    assert all("is 'Paper'" in warning.error for warning in warnings)


@pytest.mark.each_engine
async def test_a_receipt_beyond_the_greatest_level_is_a_row_error(imports: Imports) -> None:
    """It names the stock; the other rows are booked."""
    await imports.run(*STOCKED[:2])
    result = await imports.run(("A-1", "x", "", MAX_LEVEL - 5), ("A-2", "x", "", 1), mode=RECEIPT)
    message = f"current_level: with the 6 in stock more than {MAX_LEVEL}, the greatest level"
    assert (counts(result), lines(result)) == ((0, 1, 0, 1), [(2, message)])
    assert [level.current_level for level in (await levels(imports.database)).values()] == [6, 7]


@pytest.mark.parametrize("mode", [COUNT, RECEIPT])
async def test_a_list_to_book_needs_no_descriptions(imports: Imports, mode: Mode) -> None:
    """Of existing products, whose descriptions stay; a new product needs one, and is named without it."""
    await imports.run(*STOCKED[:1])
    path = workbook(imports.folder, ("A-1", 6), ("B-1", 1), (None, 1), header=("Code", "Qty"))
    named = {"Code": "product_code", "Qty": "current_level"}
    for columns in (named, None):
        file = CatalogueFile(path, mode, Entry(NOW), Selection(columns=columns, needed=("product_code",)))
        result = await importer(imports.database, imports.threads).run(file, alone)
        message = "description: there is no product 'B-1'; give a description to create it"
        assert (counts(result), lines(result)) == ((0, 1, 0, 2), [(3, message), (4, "product_code: required")])
    assert (await get_product_by_code(imports.database, "A-1")).description == "x"


ATTRIBUTED = ("SKU", "Name", "attr:brand", "attr:price", "attr:shelf")


async def attributes(database: Database) -> dict[str, Mapping[str, str]]:
    """Return the attributes of all products by their codes."""
    page = await list_products(database, ProductFilter(), limit=500, offset=0)
    return {product.product_code: product.attributes for product in page.products}


def attributed(code: str, *numbers: int) -> ProductDraft:
    """Return a product with attributes of these numbers."""
    named = {f"name_{number}": str(number) for number in numbers}
    return ProductDraft(product_code=code, description="x", attributes=named)


@pytest.mark.each_engine
async def test_an_update_merges_attributes(imports: Imports) -> None:
    """Filled cells set attributes and blank ones leave them, as the preview of a dry run shows before."""
    await imports.run(("A-1", "x", None, "1", "B 4"), ("A-2", "x", None, "1"), header=ATTRIBUTED)
    rows = [("A-1", "x", 'x "y" ü', "2"), ("A-2", "x"), ("A-3", "x", None, "3")]
    after = {"A-1": {"brand": 'x "y" ü', "price": "2", "shelf": "B 4"}, "A-2": {"price": "1"}, "A-3": {"price": "3"}}
    tried = await imports.try_out(*rows, mode=UPDATE, header=ATTRIBUTED)
    assert {row.product_code: row.attributes for row in tried.preview} == after
    skipped = (await imports.try_out(*rows, header=ATTRIBUTED)).preview[0]
    assert skipped.attributes == {"price": "1", "shelf": "B 4"}
    await imports.run(*rows, mode=UPDATE, header=ATTRIBUTED)
    assert await attributes(imports.database) == after


@pytest.mark.each_engine
async def test_a_row_that_brings_too_many_attributes_is_an_error(imports: Imports) -> None:
    """33 in one row, or together with those of the product; the other rows are imported."""
    await create_product(imports.database, attributed("A-1", *range(30)), NOW)
    header = ("SKU", "Name", *(f"attr:name_{number}" for number in range(33)))
    rows = [("B-1", "x", *["y"] * 33), ("B-2", "x", *["y"] * 32), ("A-1", "x", *[None] * 30, "y", "y", "y")]
    assert lines(await imports.run(*rows, mode=UPDATE, header=header)) == [
        (2, "attributes: 33 attributes; a product has at most 32"),
        (4, "attributes: with those of the product 33 attributes; a product has at most 32"),
    ]
    found = await attributes(imports.database)
    assert {code: len(named) for code, named in found.items()} == {"A-1": 30, "B-2": 32}


@pytest.mark.each_engine
async def test_a_file_that_brings_too_many_names_is_refused(imports: Imports) -> None:
    """With 200 names in use, a file with another one in a valid row is refused, in a dry run too."""
    for number in range(8):
        await create_product(imports.database, attributed(f"A-{number}", *range(number * 25, number * 25 + 25)), NOW)
    header = ("SKU", "Name", "attr:name_0", "attr:one_more")
    for attempt in (imports.run, imports.try_out):
        with pytest.raises(InvalidInput, match="one_more") as refusal:
            await attempt(("B-1", "x", "y", "y"), mode=UPDATE, header=header)
        assert [problem["field"] for problem in refusal.value.details["errors"]] == ["file"]
    assert len(await attributes(imports.database)) == 8
    assert (await imports.run(("B-1", "x", "y"), header=header)).imported == 1
