"""Which column of a spreadsheet is which field of a product, and which row names them.

Header names are compared without case, spaces, `_` and `-`, and without invisible characters, such as a byte order
mark. If several columns name a field, a visible one wins over a hidden one, then the more certain name (the field's own
name first), then the leftmost. A column such as `Product` is the code only if there is no more certain name; otherwise
it is the description, unless another column is. A column such as `attr:price` is the attribute of that name. Unknown
columns are ignored. Of the first rows, the one that names most fields is the header; a merged group header above it
(`Product | Stock`) names fewer.
"""

import re
from collections.abc import Mapping, Sequence

from barcodesvc.models import ATTRIBUTE_NAME, is_attribute_name
from barcodesvc.spreadsheets.cells import SheetRow
from barcodesvc.texts import strip_invisible, without_invisible

_ALIASES = {
    "product_code": (
        (
            "SKU, code, item code, item no, item number, article code, article no, article number, part code, "
            "part no, part number, product no, product number, Artikelnummer, Artikel-Nr, Art.-Nr, référence, réf, "
            "code article, código, código de artículo, referencia"
        ),
        "article, part",
        "barcode, EAN, GTIN, UPC",
        "item, product",
    ),
    "description": (
        (
            "name, title, product name, item name, item description, designation, text, Bezeichnung, "
            "Artikelbezeichnung, Beschreibung, désignation, libellé, nom, descripción, denominación, nombre"
        ),
    ),
    "category": (
        (
            "group, product group, item group, department, product category, Kategorie, Warengruppe, Artikelgruppe, "
            "catégorie, famille, categoría, familia"
        ),
    ),
    "unit_of_measure": ("unit, units, UoM, measure, unit of measurement, Einheit, Mengeneinheit, unité, unidad",),
    "current_level": (
        (
            "initial level, level, qty, quantity, stock, stock level, in stock, on hand, quantity on hand, "
            "qty on hand, inventory, count, Bestand, Lagerbestand, Menge, Anzahl, quantité, cantidad, existencias"
        ),
    ),
    "minimum_level": (
        (
            "min, minimum, min level, min stock, minimum stock, min qty, reorder level, reorder point, "
            "Mindestbestand, stock minimal, stock mínimo"
        ),
    ),
    "maximum_level": (
        "max, maximum, max level, max stock, maximum stock, max qty, Höchstbestand, stock maximal, stock máximo",
    ),
    "other_codes": (
        (
            "further codes, additional codes, alternative codes, other barcodes, additional barcodes, "
            "alternative barcodes, weitere Codes, weitere Barcodes, autres codes, otros códigos"
        ),
    ),
}
"""Other names of each field, the most certain ones first, in the languages of the web app."""
_AMBIGUOUS_NAMES = frozenset({"article", "part", "item", "product"})
"""Names of the code, or of the description if the code has a more certain name."""

FIELDS = tuple(_ALIASES)
"""The fields that a column can have, by their names in an import."""
OTHER_CODES = "other_codes"
NEEDED = ("product_code", "description")
"""The fields without which no row can be imported."""
ATTRIBUTE_COLUMN = "attr:"
"""How the header of a column of attributes begins; their name follows."""
_ATTRIBUTE = "attributes."
"""How the field of such a column begins."""
FIELD_PATTERN = rf"^({'|'.join(FIELDS)}|attributes\.{ATTRIBUTE_NAME.strip('^$')})$"
"""The fields that a column can have, as a pattern for JSON Schema."""


_LONGEST_ALIAS = 100
"""Characters up to which a header is normalised; a longer one has to match exactly."""


def normal_header(header: str) -> str:
    """Return a header in the form in which headers are compared; empty for a long one."""
    if len(header) > _LONGEST_ALIAS:
        return ""
    return re.sub(r"[\s_\-.:#]+", "", without_invisible(header)).casefold()


_NAMES = [
    (normal_header(name), field, rank)
    for field, aliases in _ALIASES.items()
    for rank, names in enumerate((field, *aliases))
    for name in names.split(",")
]
_FIELDS = {name: field for name, field, _ in _NAMES}
_RANKS = {name: rank for name, _, rank in _NAMES}
"""How uncertain a name is: 0 for the field's own."""


def row_texts(row: SheetRow) -> tuple[str, ...]:
    """Return the visible texts of a row's cells, "" for a cell without text."""
    return tuple(strip_invisible(cell) if isinstance(cell, str) else "" for cell in row.cells)


def is_attribute(field: str) -> bool:
    """Return whether the field of a column is an attribute."""
    return field.startswith(_ATTRIBUTE)


def attribute_of(field: str) -> str:
    """Return the name of the attribute in such a field."""
    return field.removeprefix(_ATTRIBUTE)


def is_field(name: str) -> bool:
    """Return whether a column can have a field of this name."""
    return name in FIELDS or (is_attribute(name) and is_attribute_name(attribute_of(name)))


def attribute_field(header: str) -> str | None:
    """Return the field that the header of a column of attributes names, whatever its name, None for another header."""
    text = without_invisible(header[:_LONGEST_ALIAS]).strip()
    if text[: len(ATTRIBUTE_COLUMN)].casefold() != ATTRIBUTE_COLUMN:
        return None
    return _ATTRIBUTE + text[len(ATTRIBUTE_COLUMN) :].strip().casefold()


def recognise_fields(headers: Sequence[str], hidden: frozenset[int] = frozenset()) -> dict[str, int]:
    """Return the column index of each field that a header names."""
    columns: dict[str, int] = {}
    names = dict(enumerate(map(normal_header, headers)))
    named = [index for index, name in names.items() if name in _FIELDS]
    for index in sorted(named, key=lambda index: (index in hidden, _RANKS[names[index]], index)):
        columns.setdefault(_FIELDS[names[index]], index)
    return columns


def recognise_columns(
    headers: Sequence[str], hidden: frozenset[int] = frozenset(), needed: str = "product_code"
) -> dict[str, int]:
    """Return the column index of each recognised field; empty unless the row names the needed one and another field.

    Two fields are required so that a single data cell is not mistaken for a header.
    """
    columns = recognise_fields(headers, hidden)
    if needed not in columns:
        return {}
    if "product_code" in columns:
        columns |= _ambiguous_description(headers, hidden, columns)
    columns |= _attribute_columns(headers, hidden)
    return columns if len(columns) > 1 else {}


def _ambiguous_description(
    headers: Sequence[str], hidden: frozenset[int], columns: Mapping[str, int]
) -> dict[str, int]:
    """Return the column of the description if its name may also be one of the code, and the code has a surer one."""
    names = [normal_header(header) for header in headers]
    rank = _RANKS[names[columns["product_code"]]]
    ambiguous = [index for index, name in enumerate(names) if name in _AMBIGUOUS_NAMES and _RANKS[name] > rank]
    if not ambiguous or "description" in columns:
        return {}
    return {"description": min(ambiguous, key=lambda index: (index in hidden, index))}


def _attribute_columns(headers: Sequence[str], hidden: frozenset[int]) -> dict[str, int]:
    columns: dict[str, int] = {}
    fields = {index: field for index, header in enumerate(headers) if (field := attribute_field(header))}
    for index in sorted(fields, key=lambda index: (index in hidden, index)):
        if is_field(fields[index]):
            columns.setdefault(fields[index], index)
    return columns


def mapped_columns(mapping: Mapping[str, str], headers: Sequence[str], hidden: frozenset[int]) -> dict[str, int]:
    """Return the column index of each field whose header exists; `mapping` has the field of each header."""
    columns = {field: column_named(header, headers, hidden) for header, field in mapping.items()}
    return {field: index for field, index in columns.items() if index is not None}


def column_named(header: str, headers: Sequence[str], hidden: frozenset[int]) -> int | None:
    """Return the index of a header, or None; compared exactly, then without case, spaces, `_` and `-`."""
    for form in (strip_invisible, normal_header):
        wanted = form(header)
        found = [index for index, text in enumerate(headers) if wanted and form(text) == wanted]
        if found:
            return min(found, key=lambda index: (index in hidden, index))
    return None


def choose_header(rows: Sequence[Mapping[str, int]]) -> int | None:
    """Return the index of the row that names most fields, given what each row names; None if no row does.

    Among equals, one that names the description wins, because nothing can be imported without it, then the upper one.
    """
    naming = [index for index, columns in enumerate(rows) if columns]
    return max(naming, key=lambda index: (len(rows[index]), "description" in rows[index]), default=None)


def repeats_header(texts: Sequence[str], headers: Sequence[str], columns: Mapping[str, int]) -> bool:
    """Return whether a row repeats its header: each cell is blank or equal, and the code and another one are filled."""
    above = [*headers, *[""] * (len(texts) - len(headers))]
    same = all(text in ("", name) for text, name in zip(texts, above, strict=False))
    return same and _names_a_product(_read_texts(texts, columns))


def names_columns_again(texts: Sequence[str], columns: Mapping[str, int]) -> bool:
    """Return whether each cell that is read names the field of its column, as a header in a second language would."""
    read = _read_texts(texts, {field: index for field, index in columns.items() if not is_attribute(field)})
    names = {field: normal_header(text) for field, text in read.items()}
    return _names_a_product(read) and all(
        _FIELDS.get(name) == field or (field == "description" and name in _AMBIGUOUS_NAMES)
        for field, name in names.items()
    )


def _read_texts(texts: Sequence[str], columns: Mapping[str, int]) -> dict[str, str]:
    return {field: texts[index] for field, index in columns.items() if index < len(texts) and texts[index]}


def _names_a_product(read: Mapping[str, str]) -> bool:
    return "product_code" in read and len(read) > 1
