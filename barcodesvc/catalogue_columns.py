"""Which column of a spreadsheet is which field of a product: header names without case, spaces, `_` and `-`.

Where two columns claim a field, the one that carries the field's own name wins, then the leftmost. Columns that
nobody recognises are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_ALIASES = {
    "product_code": (
        "SKU, code, item, item code, item no, item number, article, article code, article no, article number, "
        "part, part no, part number, product, product no, product number, barcode, EAN, GTIN, UPC"
    ),
    "description": "description, name, title, product name, item name, item description, designation, text",
    "category": "group, product group, item group, department, product category",
    "unit_of_measure": "unit, units, UoM, measure, unit of measurement",
    "initial_level": (
        "current level, level, qty, quantity, stock, stock level, in stock, on hand, quantity on hand, qty on hand, "
        "inventory, count"
    ),
    "minimum_level": "min, minimum, min level, min stock, minimum stock, min qty, reorder level, reorder point",
    "maximum_level": "max, maximum, max level, max stock, maximum stock, max qty",
}


def _normal(header: str) -> str:
    return re.sub(r"[\s_\-.:#]+", "", header).casefold()


_OWN_NAMES = {_normal(field): field for field in _ALIASES}
_FIELDS = {_normal(alias): field for field, aliases in _ALIASES.items() for alias in aliases.split(",")} | _OWN_NAMES


def recognise_columns(headers: Sequence[str]) -> dict[str, int]:
    """Return the column index of each recognised field; empty unless one of them is the product code.

    A header row names the product code and at least one more field, so that a lone data cell is not taken for one.
    """
    columns: dict[str, int] = {}
    names = enumerate(map(_normal, headers))
    for index, name in sorted(names, key=lambda place: place[1] not in _OWN_NAMES):
        if name in _FIELDS:
            columns.setdefault(_FIELDS[name], index)
    return columns if "product_code" in columns and len(columns) > 1 else {}
