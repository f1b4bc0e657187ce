"""The products of the benchmarks of spreadsheets, and their cells in imports and exports.

Every other code is a GTIN-13, which a spreadsheet would take for a number if it were not kept as text; one product in
ten is low on stock. Nothing is random, so every run has the same cells.
"""

from datetime import datetime

from barcodesvc.models import ProductDraft
from barcodesvc.numbers.check_digits import completed_gtin
from scripts.benchmarks.labels.requests import description, product_code as worded_code

COLUMNS = (
    "product_code",
    "description",
    "category",
    "unit_of_measure",
    "current_level",
    "minimum_level",
    "maximum_level",
)
CATEGORIES = ("Bolts", "Nuts", "Screws", "Washers", "Anchors", "Nails", "Paint", "Tools")
UNITS = ("pcs", "box", "kg")
COUNTED = datetime(2026, 3, 14, 15, 9, 26, 535000)  # noqa: DTZ001 - a cell's date has no zone

Cells = tuple[str, str, str, str, int, int, int]


def product_code(number: int) -> str:
    """Return the code of a product, such as `AB-00000016` or `2000000000176`."""
    return completed_gtin("EAN13", f"2{number:011}", 13) if number % 2 else worded_code(number)


def cells(number: int) -> Cells:
    """Return the cells of a product in the COLUMNS of an import."""
    category, unit = CATEGORIES[number % len(CATEGORIES)], UNITS[number % len(UNITS)]
    level, minimum = number % 200, 10 + number % 20
    return (product_code(number), description(number), category, unit, level, minimum, 1000)


def draft(number: int) -> ProductDraft:
    """Return a product as the service's store accepts it."""
    named = dict(zip(COLUMNS, cells(number), strict=True))
    return ProductDraft(initial_level=named.pop("current_level"), **named)  # type: ignore[arg-type]  # by their names


def exported(number: int) -> tuple[str | int | datetime, ...]:
    """Return the cells of a level as the service exports them, in types that openpyxl accepts."""
    code, text, category, unit, *levels = cells(number)
    return (number + 1, number + 1, code, text, *levels, COUNTED, "system", category, unit)
