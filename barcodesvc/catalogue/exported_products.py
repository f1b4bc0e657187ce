"""The catalogue as a table in the shape that the import takes: what is exported builds the same catalogue elsewhere."""

from __future__ import annotations

from barcodesvc.catalogue.exporting import ExportTable
from barcodesvc.spreadsheets.tables import Column, Kind, TableDesign
from barcodesvc.store import catalogue

CATALOGUE_COLUMNS = (
    Column("product_code", Kind.CODE, 22),
    Column("description", Kind.TEXT, 44),
    Column("category", Kind.TEXT, 20),
    Column("unit_of_measure", Kind.TEXT, 18),
    Column("current_level", Kind.NUMBER, 15),
    Column("minimum_level", Kind.NUMBER, 16),
    Column("maximum_level", Kind.NUMBER, 16),
)

PRODUCTS = ExportTable(
    TableDesign("Products", CATALOGUE_COLUMNS, marked=("current_level", "minimum_level")), catalogue.exported_products
)
