"""The tables of the stock that are exported: levels, their history, and both in one.

Columns carry the names of the API's fields; their widths fit what usually stands in them.
"""

from __future__ import annotations

from barcodesvc.catalogue.exporting import ExportTable
from barcodesvc.spreadsheets.tables import Column, Kind, TableDesign
from barcodesvc.store import inventory

_LEVEL_COLUMNS = (
    Column("id", Kind.NUMBER, 9),
    Column("product_id", Kind.NUMBER, 13),
    Column("product_code", Kind.CODE, 22),
    Column("description", Kind.TEXT, 44),
    Column("current_level", Kind.NUMBER, 15),
    Column("minimum_level", Kind.NUMBER, 16),
    Column("maximum_level", Kind.NUMBER, 16),
    Column("last_updated", Kind.TIME, 25),
    Column("updated_by", Kind.TEXT, 18),
    Column("category", Kind.TEXT, 20),
    Column("unit_of_measure", Kind.TEXT, 18),
)
_CHANGE_COLUMNS_BEHIND = (
    Column("change_id", Kind.NUMBER, 12),
    Column("old_level", Kind.NUMBER, 12),
    Column("new_level", Kind.NUMBER, 12),
    Column("change_reason", Kind.TEXT, 32),
    Column("change_updated_by", Kind.TEXT, 20),
    Column("change_updated_at", Kind.TIME, 25),
)
_HISTORY_COLUMNS = (
    Column("product_id", Kind.NUMBER, 13),
    Column("id", Kind.NUMBER, 9),
    Column("product_code", Kind.CODE, 22),
    Column("old_level", Kind.NUMBER, 12),
    Column("new_level", Kind.NUMBER, 12),
    Column("change_reason", Kind.TEXT, 32),
    Column("updated_by", Kind.TEXT, 18),
    Column("updated_at", Kind.TIME, 25),
)
LOW_STOCK = ("current_level", "minimum_level")

INVENTORY = ExportTable(TableDesign("Inventory", _LEVEL_COLUMNS, marked=LOW_STOCK), inventory.exported_levels)
HISTORY = ExportTable(TableDesign("History", _HISTORY_COLUMNS), inventory.exported_changes)
INVENTORY_WITH_HISTORY = ExportTable(
    TableDesign("Inventory", _LEVEL_COLUMNS + _CHANGE_COLUMNS_BEHIND, marked=LOW_STOCK),
    inventory.exported_levels_with_changes,
)
