"""The tables that can be exported: the catalogue, levels, their history, and levels with their history.

Columns have the names of the API's fields, and widths that fit usual values. The catalogue has the columns of the
import, with one for each name of attributes, so that an export can be imported elsewhere. The template for an import is
a workbook with an example row and a sheet with the rules.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic_core import from_json

from barcodesvc.catalogue.columns import ATTRIBUTE_COLUMN
from barcodesvc.catalogue.exporting import Batches, ExportTable
from barcodesvc.catalogue.other_codes import written
from barcodesvc.models import MAX_LEVEL
from barcodesvc.spreadsheets.tables import Column, Kind, TableDesign
from barcodesvc.spreadsheets.write import XlsxFile, disk_errors_translated
from barcodesvc.store import inventory
from barcodesvc.store.attributes import attributes_in
from barcodesvc.store.database import Snapshot
from barcodesvc.store.lists import EVERY_PRODUCT, ProductFilter
from barcodesvc.store.script import Row
from barcodesvc.store.staging import OtherCode

_NAMES = (Column("product_code", Kind.CODE, 22), Column("description", Kind.TEXT, 44))
_GROUPS = (Column("category", Kind.TEXT, 20), Column("unit_of_measure", Kind.TEXT, 18))
_AMOUNTS = (
    Column("current_level", Kind.NUMBER, 15),
    Column("minimum_level", Kind.NUMBER, 16),
    Column("maximum_level", Kind.NUMBER, 16),
)
_CHANGE = (
    Column("old_level", Kind.NUMBER, 12),
    Column("new_level", Kind.NUMBER, 12),
    Column("change_reason", Kind.TEXT, 32),
)

CATALOGUE_COLUMNS = (*_NAMES, *_GROUPS, *_AMOUNTS, Column("other_codes", Kind.CODE, 30))
_LEVEL_COLUMNS = (
    Column("id", Kind.NUMBER, 9),
    Column("product_id", Kind.NUMBER, 13),
    *_NAMES,
    *_AMOUNTS,
    Column("last_updated", Kind.TIME, 25),
    Column("updated_by", Kind.TEXT, 18),
    *_GROUPS,
)
_APPENDED_CHANGE_COLUMNS = (
    Column("change_id", Kind.NUMBER, 12),
    *_CHANGE,
    Column("change_updated_by", Kind.TEXT, 20),
    Column("change_updated_at", Kind.TIME, 25),
)
_HISTORY_COLUMNS = (
    Column("product_id", Kind.NUMBER, 13),
    Column("id", Kind.NUMBER, 9),
    Column("product_code", Kind.CODE, 22),
    *_CHANGE,
    Column("updated_by", Kind.TEXT, 18),
    Column("updated_at", Kind.TIME, 25),
)
_ATTRIBUTE_WIDTH = 18
LOW_STOCK = ("current_level", "minimum_level")
LEVELS = TableDesign("Inventory", _LEVEL_COLUMNS, marked=LOW_STOCK)
_LEVELS_WITH_HISTORY = TableDesign("Inventory", _LEVEL_COLUMNS + _APPENDED_CHANGE_COLUMNS, marked=LOW_STOCK)
_REORDER_COLUMNS = (*_NAMES, _GROUPS[1], *_AMOUNTS, Column("order_quantity", Kind.NUMBER, 16))
_HISTORY = TableDesign("History", _HISTORY_COLUMNS)


async def catalogue_table(snapshot: Snapshot, wanted: ProductFilter = EVERY_PRODUCT) -> ExportTable:
    """Begin to read the products with levels within bounds; each name of attributes has a column."""
    names = [name for (name,) in await snapshot.rows("attribute_names")]
    columns = (Column(f"{ATTRIBUTE_COLUMN}{name}", Kind.CODE, _ATTRIBUTE_WIDTH) for name in names)
    design = TableDesign("Products", (*CATALOGUE_COLUMNS, *columns), marked=LOW_STOCK)
    return ExportTable(design, _with_attributes(inventory.exported_products(snapshot, wanted), names))


async def _with_attributes(batches: AsyncGenerator[list[Row]], names: Sequence[str]) -> Batches:
    async with aclosing(batches):
        async for rows in batches:
            yield ((*row[:-2], _cell(row[-2]), *map(attributes_in(row[-1]).get, names)) for row in rows)


def _cell(further_codes: str) -> str:
    """Return the further codes of a product as the text of a cell."""
    return "" if further_codes == "[]" else written(OtherCode(*one) for one in from_json(further_codes))


async def level_table(snapshot: Snapshot, wanted: ProductFilter = EVERY_PRODUCT) -> ExportTable:
    """Begin to read the levels within bounds."""
    return ExportTable(LEVELS, inventory.exported_levels(snapshot, wanted))


async def history_table(snapshot: Snapshot, wanted: ProductFilter = EVERY_PRODUCT) -> ExportTable:
    """Begin to read the movements of the levels within bounds."""
    return ExportTable(_HISTORY, inventory.exported_movements(snapshot, wanted))


async def levels_with_history_table(snapshot: Snapshot, wanted: ProductFilter = EVERY_PRODUCT) -> ExportTable:
    """Begin to read the levels within bounds, each once for every movement."""
    return ExportTable(_LEVELS_WITH_HISTORY, inventory.exported_levels_with_movements(snapshot, wanted))


async def reorder_table(snapshot: Snapshot, group_by: str | None = None) -> ExportTable:
    """Begin to read the list to buy; the attribute by which it is grouped is the first column."""
    groups = () if group_by is None else (Column(f"{ATTRIBUTE_COLUMN}{group_by}", Kind.CODE, _ATTRIBUTE_WIDTH),)
    design = TableDesign("Reorder", (*groups, *_REORDER_COLUMNS))
    return ExportTable(design, _reordered(inventory.reorders(group_by).stream(snapshot), len(groups)))


async def _reordered(batches: AsyncGenerator[list[Row]], groups: int) -> Batches:
    async with aclosing(batches):
        async for rows in batches:
            yield ((*row[-1:][:groups], *row[1:-1]) for row in rows)


EXAMPLE = ("0012345678905", "Example: replace this row by your first product", "Office", "pcs", 25, 10, 100, "")
"""A valid row: importing the unchanged template imports it."""

_RULES = {
    "product_code": "Required. 1 to 64 printable ASCII characters; every code once. The column is formatted as text, "
    "so that leading zeros stay.",
    "description": "Required. 1 to 500 characters.",
    "category": "Optional. At most 64 characters.",
    "unit_of_measure": "Optional. At most 64 characters; a blank cell means pcs.",
    "current_level": f"Optional. The stock at hand, a whole number from 0 to {MAX_LEVEL}; a blank cell means 0. "
    "It counts for new products only.",
    "minimum_level": "Optional. A whole number from 0; a blank cell means 0. Stock at or below it is low.",
    "maximum_level": "Optional. A whole number, at least minimum_level; 0 or a blank cell means that none is set.",
    "other_codes": "Optional. Further codes of the product, separated by semicolons. *6 behind a code says that it is "
    "that of a pack of 6 pieces, and a note follows in brackets: 0012345678912*6 (box of six); A-17.",
}
_RULE_OF_ATTRIBUTES = (
    f"{ATTRIBUTE_COLUMN}price",
    (
        "Optional. An attribute named price. There may be more such columns, each with a name of 1 to 32 characters of "
        "a-z, 0-9 and _. At most 200 characters; a product has at most 32 attributes."
    ),
)
_HELP = TableDesign("Help", (Column("column", Kind.TEXT, 20), Column("rule", Kind.TEXT, 120)))
_NOTES = (
    ("", "The first row of the sheet Products names the columns; in any order; others are ignored."),
    ("", "The row below it is an example and would be imported like any other: replace it."),
)


@cache
def catalogue_template() -> bytes:
    """Return the template, always the same bytes of an .xlsx workbook; raises ExportFailure."""
    with disk_errors_translated(), TemporaryDirectory(prefix="barcodesvc-export-") as folder:
        path = Path(folder) / "template.xlsx"
        _write(path)
        return path.read_bytes()


def _write(path: Path) -> None:
    with XlsxFile(path) as book:
        book.sheet(TableDesign("Products", CATALOGUE_COLUMNS))
        book.append([EXAMPLE])
        book.sheet(_HELP)
        book.append([*((column.name, _RULES[column.name]) for column in CATALOGUE_COLUMNS), _RULE_OF_ATTRIBUTES])
        book.append(_NOTES)
        book.finish()
