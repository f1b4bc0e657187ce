"""The lists of other programs: recognised by their columns, and read as their people mean them.

A preset maps the columns of a program to the fields of a product; what is left becomes attributes, named after their
headers, except for long texts and pictures. A header that ends in `*` is the beginning of several, such as those of
each shop. If a row has no code, the next of the preset's columns for codes that is filled gives it; the same is true of
the description.

Rule: a preset needs headers that no other list has together. Headers are compared as in columns.py.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from barcodesvc.catalogue.columns import FIELDS, attribute_field, is_field, normal_header, recognise_fields
from barcodesvc.models import MOST_ATTRIBUTES
from barcodesvc.spreadsheets.cells import Cell, SheetRow
from barcodesvc.texts import shows_nothing, strip_invisible

_CODE, _DESCRIPTION = "product_code", "description"
_LONGEST_NAME = 32
_EMPTY_VARIANTS = frozenset({"default title", "regular"})
"""How programs call the only variant of a product."""
_NOT_ATTRIBUTES = re.compile(
    r"html|image|photo|picture|^seo|googleshopping|^meta:|permalink|purchasenote|descri(be|ption)$"
)
"""Normalised headers of long texts and pictures; a file with them would need more attributes than a product has."""

_GUARDED = re.compile(r"'\d", re.ASCII)
"""An apostrophe that keeps a spreadsheet from reading the digits of a code as a number, as in lists of Shopify."""


@dataclass(frozen=True, slots=True)
class Preset:
    """How a program names its columns.

    signs: sets of headers by which it is recognised, any one of them;
    columns: the headers of each field, the surest first;
    attributes: the headers of attributes with names of their own;
    variants: columns that follow the description, such as a size;
    group: the column that is equal in all rows of a product, whose description only the first of them has;
    filled: columns of which a product fills one; other rows are folders, or further pictures of a product;
    prefix: what all headers begin with, which the names of attributes leave out.
    """

    program: str
    signs: tuple[tuple[str, ...], ...]
    columns: Mapping[str, tuple[str, ...]]
    attributes: Mapping[str, str] = field(default_factory=dict)
    variants: tuple[str, ...] = ()
    group: str = ""
    filled: tuple[str, ...] = ()
    prefix: str = ""


_OPTIONS = ("Option1 Value", "Option2 Value", "Option3 Value")
_ODOO_NAMES = ("Name", "Display Name", "name", "display_name")

PRESETS = (
    Preset(
        "Shopify",
        (
            ("Handle", "Variant SKU"),
            ("URL handle", "SKU", "Option1 value"),
            ("Handle", "Option1 Value", "SKU"),
        ),
        {
            _CODE: ("Variant SKU", "SKU", "Variant Barcode", "Barcode", "Handle", "URL handle"),
            _DESCRIPTION: ("Title",),
            "category": ("Type", "Product Category"),
            "current_level": (
                *("Variant Inventory Qty", "Inventory quantity", "On hand (current)", "On hand", "Available"),
            ),
        },
        {"Variant Barcode": "barcode", "Variant Price": "price", "Variant Compare At Price": "compare_at_price"},
        _OPTIONS,
        "Handle",
        ("Title", "Variant SKU", "SKU", "Variant Barcode", "Barcode", "Variant Price", "Price", *_OPTIONS),
    ),
    Preset(
        "WooCommerce",
        (("SKU", "In stock?", "Regular price"), ("SKU", "Low stock amount", "Regular price")),
        {
            _CODE: ("SKU", "GTIN, UPC, EAN, or ISBN", "ID"),
            _DESCRIPTION: ("Name",),
            "category": ("Categories",),
            "current_level": ("Stock",),
            "minimum_level": ("Low stock amount",),
        },
        {"GTIN, UPC, EAN, or ISBN": "barcode", "Regular price": "price"},
    ),
    Preset(
        "Square",
        (("Token", "Item Name", "Variation Name"),),
        {
            _CODE: ("SKU", "GTIN", "Token"),
            _DESCRIPTION: ("Item Name",),
            "category": ("Reporting Category", "Category", "Categories"),
            "current_level": ("Current Quantity *",),
            "minimum_level": ("Stock Alert Count *",),
        },
        {"GTIN": "barcode"},
        ("Variation Name",),
    ),
    Preset(
        "Lightspeed",
        (("handle", "supply_price", "retail_price"), ("System ID", "Custom SKU")),
        {
            _CODE: ("sku", "Custom SKU", "UPC", "EAN", "Manufact. SKU", "System ID", "id", "handle"),
            _DESCRIPTION: ("name", "Item"),
            "category": ("product_category", "type", "Category"),
            "current_level": ("inventory_*", "Qty."),
            "minimum_level": ("reorder_point_*", "Reorder Point"),
        },
        {"retail_price": "price", "UPC": "barcode"},
        ("variant_option_one_value", "variant_option_two_value", "variant_option_three_value"),
        "handle",
    ),
    Preset(
        "Homebox",
        (("HB.name", "HB.quantity"),),
        {
            _CODE: ("HB.asset_id", "HB.import_ref"),
            _DESCRIPTION: ("HB.name",),
            "category": ("HB.labels", "HB.tags"),
            "current_level": ("HB.quantity",),
        },
        {"HB.purchase_price": "price"},
        prefix="HB.",
    ),
    Preset(
        "Grocy",
        (("name", "qu_id_stock"), ("product_name", "product_barcodes"), ("name", "min_stock_amount")),
        {
            _CODE: ("barcode", "product_barcodes", "id", "product_id"),
            _DESCRIPTION: ("name", "product_name"),
            "category": ("product_group", "product_group_name", "product_group_id"),
            "unit_of_measure": ("qu_stock_name", "qu_unit_name"),
            "current_level": ("amount", "stock_amount"),
            "minimum_level": ("min_stock_amount",),
        },
    ),
    Preset(
        "Part-DB",
        (("ipn", "minamount"), ("ipn", "manufacturer_product_number"), ("ipn", "footprint")),
        {
            _CODE: ("ipn", "manufacturer_product_number", "mpn", "id", "name"),
            _DESCRIPTION: ("name", "description"),
            "category": ("category", "category.full_path", "category.name"),
            "unit_of_measure": ("partUnit", "partUnit.name"),
            "current_level": ("instock", "amount", "quantity", "amountSum", "partLots.0.amount"),
            "minimum_level": ("minamount",),
        },
        {"storage_location": "location", "storelocation": "location"},
    ),
    Preset(
        "InvenTree",
        (
            ("Part ID", "IPN"),
            ("IPN", "Minimum Stock"),
            ("IPN", "In Stock"),
            ("IPN", "Total Stock"),
        ),
        {
            _CODE: ("IPN", "Part ID", "ID"),
            _DESCRIPTION: ("Part Name", "Name", "Part Description", "Description"),
            "category": ("Category Name", "Category Path", "Category"),
            "unit_of_measure": ("Units",),
            "current_level": ("In Stock", "Total Stock", "Total In Stock"),
            "minimum_level": ("Minimum Stock",),
        },
    ),
    Preset(
        "PartKeepr",
        (("Name", "Storage Location", "Min. Stock"), ("name", "stockLevel", "minStockLevel")),
        {
            _CODE: ("Internal Part Number", "ID", "@id", "Name"),
            _DESCRIPTION: ("Name", "Description"),
            "category": ("Category", "category.name", "categoryPath"),
            "unit_of_measure": ("partUnit.shortName", "partUnit.name"),
            "current_level": ("Stock", "stockLevel"),
            "minimum_level": ("Min. Stock", "minStockLevel"),
        },
        {"Storage Location": "location", "storageLocation.name": "location", "averagePrice": "price"},
    ),
    Preset(
        "Snipe-IT",
        (
            ("Asset Tag", "Model"),
            ("Asset Tag", "Model Name"),
            ("Item No.", "Min. QTY"),
            ("Model No.", "Min. QTY"),
            ("Item Name", "Model Number", "Minimum Amount"),
        ),
        {
            _CODE: ("Asset Tag", "Item No.", "Item Number", "Serial", "Serial Number", "Model No.", "ID"),
            _DESCRIPTION: (
                *("Asset Name", "Item Name", "Name", "Consumable Name", "Accessory Name", "Component Name"),
                *("Model", "Model Name"),
            ),
            "category": ("Category",),
            "current_level": ("Remaining", "Avail", "Quantity", "Total", "QTY"),
            "minimum_level": ("Min. QTY", "Minimum Amount"),
        },
        {"Purchase Cost": "price", "Location": "location", "Serial": "serial"},
    ),
    Preset(
        "Odoo",
        (
            ("Internal Reference", "Name"),
            ("default_code", "name"),
            ("Interne Referenz", "Name"),
            ("Référence interne", "Nom"),
            ("Referencia interna", "Nombre"),
        ),
        {
            _CODE: (
                *("Internal Reference", "default_code", "Interne Referenz", "Référence interne", "Referencia interna"),
                *("Barcode", "Code-barres", "Código de barras", "External ID", "id"),
            ),
            _DESCRIPTION: (*_ODOO_NAMES, "Nom", "Nombre"),
            "category": ("Product Category", "categ_id", "categ_id/name", "Product Category/Display Name"),
            "unit_of_measure": ("Unit of Measure", "uom_id", "uom_id/name", "Unit"),
            "current_level": ("Quantity On Hand", "qty_available", "On Hand"),
            "minimum_level": ("Reordering Min Qty", "reordering_min_qty"),
            "maximum_level": ("Reordering Max Qty", "reordering_max_qty"),
        },
        {"Sales Price": "price", "list_price": "price", "lst_price": "price", "Code-barres": "barcode"},
    ),
    Preset(
        "ERPNext",
        (("Item Code", "Item Group"), ("item_code", "stock_uom"), ("Item", "Item Group", "Balance Qty")),
        {
            _CODE: ("Item Code", "Item", "Barcode (Barcodes)", "Barcode", "ID", "name"),
            _DESCRIPTION: ("Item Name",),
            "category": ("Item Group",),
            "unit_of_measure": ("Default Unit of Measure", "Stock UOM"),
            "current_level": ("Balance Qty", "Actual Qty", "Opening Stock"),
            "minimum_level": ("Safety Stock", "Re-order Level (Auto re-order)"),
        },
        {"Standard Selling Rate": "price", "Barcode (Barcodes)": "barcode"},
    ),
    Preset(
        "BoxHero",
        (("SKU", "Barcode", "Safety Stock"), ("SKU", "Item Name", "Safety Stock"), ("SKU", "Name", "Safety Stock")),
        {
            _CODE: ("SKU", "Barcode"),
            _DESCRIPTION: ("Item Name", "Name"),
            "category": ("Category",),
            "current_level": ("Quantity", "Total Quantity", "Current Quantity", "Initial Quantity"),
            "minimum_level": ("Safety Stock",),
        },
        {"Sales Price": "price", "Selling Price": "price"},
    ),
    Preset(
        "Sortly",
        (("Entry Name", "SID"), ("Entry Name", "Sortly ID (SID)"), ("Entry Name", "Min Level")),
        {
            _CODE: ("Barcode/QR1-Data", "SID", "Sortly ID (SID)"),
            _DESCRIPTION: ("Entry Name",),
            "category": ("Primary Folder", "Folder"),
            "unit_of_measure": ("Unit",),
            "current_level": ("Quantity",),
            "minimum_level": ("Min Level",),
        },
        {"Barcode/QR1-Data": "barcode", "Subfolder-level1": "location"},
        ("Variant Details",),
        filled=("Quantity", "Unit", "Price", "Min Level"),
    ),
    Preset(
        "opensourcepos",
        (("Barcode", "Item Name", "Cost Price"),),
        {
            _CODE: ("Barcode", "Id"),
            _DESCRIPTION: ("Item Name",),
            "category": ("Category",),
            "current_level": ("Quantity", "location_*"),
            "minimum_level": ("Reorder Level",),
        },
        {"Unit Price": "price", "Retail Price": "price"},
    ),
)
"""The presets, those with the most certain signs first."""


@dataclass(frozen=True, slots=True)
class ProgramTable:
    """What a preset means in one table: the columns by which the cells of a row are completed."""

    program: str
    code: int
    codes: tuple[int, ...]
    description: int
    descriptions: tuple[int, ...]
    variants: tuple[int, ...]
    group: int | None
    filled: tuple[int, ...]

    def rows(self, rows: Iterator[SheetRow]) -> Iterator[SheetRow]:
        """Yield the rows of products, each with its code and description in the columns for them."""
        group, described = "", ""
        for row in rows:
            if self.filled and not any(_text(row, index) for index in self.filled):
                continue
            text = next(filter(None, (_text(row, index) for index in self.descriptions)), "")
            in_group = "" if self.group is None else _text(row, self.group)
            if in_group and in_group != group:
                group, described = in_group, text
            yield self._completed(row, text or (described if in_group else ""))

    def _completed(self, row: SheetRow, text: str) -> SheetRow:
        variants = [_text(row, index) for index in self.variants]
        named = [variant for variant in variants if variant and variant.casefold() not in _EMPTY_VARIANTS]
        code = next((index for index in self.codes if _is_filled(row, index)), self.code)
        cells = list(row.cells) + [""] * (max(self.code, self.description) + 1 - len(row.cells))
        for index in self.codes:
            if index < len(cells) and _GUARDED.match(_text(row, index)):
                cells[index] = _text(row, index)[1:]
        cells[self.code] = cells[code]
        if text:
            cells[self.description] = " ".join([text, *named])
        return SheetRow(row.number, tuple(cells))


def preset_of(headers: Sequence[str]) -> Preset | None:
    """Return the preset whose columns these headers are, None if there is none."""
    names = set(map(normal_header, headers)) - {""}
    for preset in PRESETS:
        if any(names.issuperset(map(normal_header, sign)) for sign in preset.signs):
            return preset
    return None


def preset_columns(preset: Preset, headers: Sequence[str], hidden: frozenset[int]) -> dict[str, int]:
    """Return the column index of each field and attribute."""
    columns = {name: found[0] for name in FIELDS if (found := _indexes(headers, preset.columns.get(name, ()), hidden))}
    if columns.get(_CODE) == columns.get(_DESCRIPTION):
        others = [at for at in _indexes(headers, preset.columns[_DESCRIPTION], hidden) if at != columns[_CODE]]
        columns |= {_DESCRIPTION: others[0]} if others else {}
    taken = set(columns.values())
    for name, index in recognise_fields(headers, hidden).items():
        if name not in columns and index not in taken:
            columns[name] = index
            taken.add(index)
    return columns | _attributes(preset, headers, taken)


def _attributes(preset: Preset, headers: Sequence[str], taken: set[int]) -> dict[str, int]:
    named = {normal_header(header): name for header, name in preset.attributes.items()}
    short = set(_indexes(headers, [header for wanted in preset.columns.values() for header in wanted]))
    found: dict[str, int] = {}
    left = [(index, header) for index, header in enumerate(headers) if header and index not in taken]
    for index, header in sorted(left, key=lambda one: (normal_header(one[1]) not in named, one[0])):
        name = named.get(normal_header(header)) or attribute_name(header.removeprefix(preset.prefix))
        field_name = attribute_field(header) or f"attributes.{name}"
        is_short = index in short or not _NOT_ATTRIBUTES.search(normal_header(header))
        if is_field(field_name) and is_short and field_name not in found and len(found) < MOST_ATTRIBUTES:
            found[field_name] = index
    return found


def attribute_name(header: str) -> str:
    """Return the name of the attribute that a header means: `Preis (€)` is `preis`; empty if it means none."""
    plain = unicodedata.normalize("NFKD", header.replace("ß", "ss"))
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter)).lower()
    return re.sub("[^a-z0-9_]+", "_", letters).strip("_")[:_LONGEST_NAME]


def program_table(preset: Preset, headers: Sequence[str], columns: Mapping[str, int]) -> ProgramTable | None:
    """Return how the rows of a table are completed, None if it has no columns for that."""
    if _CODE not in columns or _DESCRIPTION not in columns:
        return None
    read = set(columns.values())
    code, description = columns[_CODE], columns[_DESCRIPTION]
    codes = [index for index in _indexes(headers, preset.columns[_CODE]) if index in read and index != code]
    texts = [index for index in _indexes(headers, preset.columns[_DESCRIPTION]) if index != description]
    groups = _indexes(headers, (preset.group,))
    return ProgramTable(
        preset.program,
        code,
        (code, *(index for index in codes if index != description)),
        description,
        (description, *(index for index in texts if index in read)),
        tuple(_indexes(headers, preset.variants)),
        groups[0] if groups else None,
        tuple(_indexes(headers, preset.filled)),
    )


def _indexes(headers: Sequence[str], wanted: Sequence[str], hidden: frozenset[int] = frozenset()) -> list[int]:
    """Return the columns with these headers, in the order of the headers wanted, visible ones first."""
    names = [normal_header(header) for header in headers]
    found: dict[int, None] = {}
    for name in filter(None, wanted):
        normal = normal_header(name.rstrip("*"))
        is_named = str.startswith if name.endswith("*") else str.__eq__
        at = [index for index, header in enumerate(names) if header and is_named(header, normal)]
        found |= dict.fromkeys(sorted(at, key=lambda index: (index in hidden, index)))
    return list(found)


def _cell(row: SheetRow, index: int) -> Cell:
    return row.cells[index] if index < len(row.cells) else ""


def _is_filled(row: SheetRow, index: int) -> bool:
    cell = _cell(row, index)
    return not isinstance(cell, str) or not shows_nothing(cell)


def _text(row: SheetRow, index: int) -> str:
    cell = _cell(row, index)
    return strip_invisible(cell) if isinstance(cell, str) else ""
