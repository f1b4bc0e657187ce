"""Which column of a spreadsheet is which field of a product, and which row names them.

Header names are compared without case, spaces, `_` and `-`, and without invisible characters, such as a byte order
mark. Where several columns claim a field, one that people see wins over a hidden one, then the surer name, the field's
own before all, then the leftmost. A column that names the thing alone, as `Product` does, is the code only if no surer
one is there; beside that it is the description, unless another column is. Columns that nobody recognises are ignored.
Of the rows in which a header is looked for, the one that names most fields is the header: a merged group header above
it (`Product | Stock`) names fewer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from barcodesvc.models import seen_part, without_invisible
from barcodesvc.spreadsheets.rows import SheetRow

_ALIASES = {
    "product_code": (
        (
            "SKU, code, item code, item no, item number, article code, article no, article number, part code, "
            "part no, part number, product no, product number"
        ),
        "article, part",
        "barcode, EAN, GTIN, UPC",
        "item, product",
    ),
    "description": ("name, title, product name, item name, item description, designation, text",),
    "category": ("group, product group, item group, department, product category",),
    "unit_of_measure": ("unit, units, UoM, measure, unit of measurement",),
    "current_level": (
        (
            "initial level, level, qty, quantity, stock, stock level, in stock, on hand, quantity on hand, "
            "qty on hand, inventory, count"
        ),
    ),
    "minimum_level": ("min, minimum, min level, min stock, minimum stock, min qty, reorder level, reorder point",),
    "maximum_level": ("max, maximum, max level, max stock, maximum stock, max qty",),
}
"""What people call a field beside its own name, the surest names first."""
_THINGS = frozenset({"article", "part", "item", "product"})
"""What people call the codes, and the descriptions beside codes that have a surer name."""

FIELDS = tuple(_ALIASES)
"""The fields that a column can be, by the names that an import knows them under."""
NEEDED = ("product_code", "description")
"""The fields without which no row can be imported."""


_LONGEST_ALIAS = 100
"""Characters of a header beyond which it is compared exactly or not at all."""


def _normal(header: str) -> str:
    if len(header) > _LONGEST_ALIAS:
        return ""
    return re.sub(r"[\s_\-.:#]+", "", without_invisible(header)).casefold()


_NAMES = [
    (_normal(name), field, rank)
    for field, aliases in _ALIASES.items()
    for rank, names in enumerate((field, *aliases))
    for name in names.split(",")
]
_FIELDS = {name: field for name, field, _ in _NAMES}
_RANKS = {name: rank for name, _, rank in _NAMES}
"""How sure a name is: 0 for the field's own."""


def row_texts(row: SheetRow) -> tuple[str, ...]:
    """Return the texts of a row's cells as far as they are seen, "" for a cell that holds none."""
    return tuple(seen_part(cell) if isinstance(cell, str) else "" for cell in row.cells)


def recognise_columns(headers: Sequence[str], hidden: frozenset[int] = frozenset()) -> dict[str, int]:
    """Return the column index of each recognised field; empty unless one of them is the product code.

    A header row names the product code and at least one more field, so that a lone data cell is not taken for one.
    """
    columns: dict[str, int] = {}
    names = dict(enumerate(map(_normal, headers)))
    named = [index for index, name in names.items() if name in _FIELDS]
    for index in sorted(named, key=lambda index: (index in hidden, _RANKS[names[index]], index)):
        columns.setdefault(_FIELDS[names[index]], index)
    if "product_code" not in columns:
        return {}
    rank = _RANKS[names[columns["product_code"]]]
    things = [index for index in named if names[index] in _THINGS and _RANKS[names[index]] > rank]
    if things and "description" not in columns:
        columns["description"] = min(things, key=lambda index: (index in hidden, index))
    return columns if len(columns) > 1 else {}


def mapped_columns(mapping: Mapping[str, str], headers: Sequence[str], hidden: frozenset[int]) -> dict[str, int]:
    """Return the column index of each field whose header is there; `mapping` has the field of each header."""
    columns = {field: column_named(header, headers, hidden) for header, field in mapping.items()}
    return {field: index for field, index in columns.items() if index is not None}


def column_named(header: str, headers: Sequence[str], hidden: frozenset[int]) -> int | None:
    """Return the index of a header, or None: compared exactly, and then without case, spaces, `_` and `-`."""
    for form in (seen_part, _normal):
        wanted = form(header)
        found = [index for index, text in enumerate(headers) if wanted and form(text) == wanted]
        if found:
            return min(found, key=lambda index: (index in hidden, index))
    return None


def choose_header(rows: Sequence[Mapping[str, int]]) -> int | None:
    """Return the index of the row that names most fields, given what each row names; None if no row does.

    Of equals the one that names the description wins, since nothing can be imported without it, then the upper one.
    """
    naming = [index for index, columns in enumerate(rows) if columns]
    return max(naming, key=lambda index: (len(rows[index]), "description" in rows[index]), default=None)


def repeats_header(texts: Sequence[str], headers: Sequence[str], columns: Mapping[str, int]) -> bool:
    """Return whether a row is its header once more: each cell blank or the text above, the code and one more filled."""
    above = [*headers, *[""] * (len(texts) - len(headers))]
    same = all(text in ("", name) for text, name in zip(texts, above, strict=False))
    return same and _names_a_product(_read_texts(texts, columns))


def names_columns_again(texts: Sequence[str], columns: Mapping[str, int]) -> bool:
    """Return whether each cell that is read names the field of its column, as a header in a second language does."""
    read = _read_texts(texts, columns)
    return _names_a_product(read) and all(_can_name(field, _normal(text)) for field, text in read.items())


def _can_name(field: str, name: str) -> bool:
    return _FIELDS.get(name) == field or (field == "description" and name in _THINGS)


def _read_texts(texts: Sequence[str], columns: Mapping[str, int]) -> dict[str, str]:
    return {field: texts[index] for field, index in columns.items() if index < len(texts) and texts[index]}


def _names_a_product(read: Mapping[str, str]) -> bool:
    return "product_code" in read and len(read) > 1
