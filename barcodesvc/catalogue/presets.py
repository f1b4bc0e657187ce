"""The lists of other programs: a table of how each names its columns, which program_tables.py reads.

A header that ends in `*` is the beginning of several, such as those of each shop.

Rule: a preset needs headers that no other list has together. Headers are compared as in columns.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

CODE, DESCRIPTION = "product_code", "description"
"""The fields that every preset names."""


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
            CODE: ("Variant SKU", "SKU", "Variant Barcode", "Barcode", "Handle", "URL handle"),
            DESCRIPTION: ("Title",),
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
            CODE: ("SKU", "GTIN, UPC, EAN, or ISBN", "ID"),
            DESCRIPTION: ("Name",),
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
            CODE: ("SKU", "GTIN", "Token"),
            DESCRIPTION: ("Item Name",),
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
            CODE: ("sku", "Custom SKU", "UPC", "EAN", "Manufact. SKU", "System ID", "id", "handle"),
            DESCRIPTION: ("name", "Item"),
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
            CODE: ("HB.asset_id", "HB.import_ref"),
            DESCRIPTION: ("HB.name",),
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
            CODE: ("barcode", "product_barcodes", "id", "product_id"),
            DESCRIPTION: ("name", "product_name"),
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
            CODE: ("ipn", "manufacturer_product_number", "mpn", "id", "name"),
            DESCRIPTION: ("name", "description"),
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
            CODE: ("IPN", "Part ID", "ID"),
            DESCRIPTION: ("Part Name", "Name", "Part Description", "Description"),
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
            CODE: ("Internal Part Number", "ID", "@id", "Name"),
            DESCRIPTION: ("Name", "Description"),
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
            CODE: ("Asset Tag", "Item No.", "Item Number", "Serial", "Serial Number", "Model No.", "ID"),
            DESCRIPTION: (
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
            CODE: (
                *("Internal Reference", "default_code", "Interne Referenz", "Référence interne", "Referencia interna"),
                *("Barcode", "Code-barres", "Código de barras", "External ID", "id"),
            ),
            DESCRIPTION: (*_ODOO_NAMES, "Nom", "Nombre"),
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
            CODE: ("Item Code", "Item", "Barcode (Barcodes)", "Barcode", "ID", "name"),
            DESCRIPTION: ("Item Name",),
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
            CODE: ("SKU", "Barcode"),
            DESCRIPTION: ("Item Name", "Name"),
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
            CODE: ("Barcode/QR1-Data", "SID", "Sortly ID (SID)"),
            DESCRIPTION: ("Entry Name",),
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
            CODE: ("Barcode", "Id"),
            DESCRIPTION: ("Item Name",),
            "category": ("Category",),
            "current_level": ("Quantity", "location_*"),
            "minimum_level": ("Reorder Level",),
        },
        {"Unit Price": "price", "Retail Price": "price"},
    ),
)
"""The presets, those with the most certain signs first."""
