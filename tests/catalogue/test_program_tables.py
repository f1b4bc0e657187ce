"""The lists of other programs, in small files that look as theirs do."""

import csv
from pathlib import Path
from typing import Any

import pytest

from barcodesvc.catalogue.program_tables import attribute_name, preset_of
from barcodesvc.catalogue.rows import RowDraft, WrongRow, open_catalogue
from barcodesvc.catalogue.table import RecognisedTable, Selection
from tests.sweeps import sweep

SHOPIFY = (
    "Handle;Title;Body (HTML);Vendor;Type;Option1 Name;Option1 Value;Variant SKU;Variant Inventory Qty;Variant Price;"
    "Variant Barcode;Image Src"
)
WOOCOMMERCE = (
    "ID;Type;SKU;GTIN, UPC, EAN, or ISBN;Name;Description;In stock?;Stock;Low stock amount;Regular price;Categories;"
    "Images"
)
SQUARE = (
    "Token;Item Name;Variation Name;SKU;Description;Reporting Category;GTIN;Price;Current Quantity Till;"
    "New Quantity Till;Stock Alert Count Till;Current Quantity Depot"
)
LIGHTSPEED = (
    "id;handle;sku;name;description;type;variant_option_one_name;variant_option_one_value;supply_price;retail_price;"
    "inventory_Main_Outlet;reorder_point_Main_Outlet"
)
LIGHTSPEED_R = "System ID;UPC;EAN;Custom SKU;Manufact. SKU;Item;Qty.;Price;Brand;Category"
LISTS = [
    (
        "Shopify",
        SHOPIFY,
        [
            "tee;T-shirt;<p>Soft</p>;Acme;Shirts;Size;S;TEE-S;3;19.90;4006381333931;https://shop.example/1.jpg",
            "tee;;;;;;M;;4;19.90;'4006381333948;https://shop.example/2.jpg",
            "tee;;;;;;;;;;;https://shop.example/3.jpg",
            "mug;Mug;;Acme;Mugs;Title;Default Title;;5;9.50;;",
        ],
        ["TEE-S;T-shirt S;Shirts;3;0", "4006381333948;T-shirt M;;4;0", "mug;Mug;Mugs;5;0"],
    ),
    (
        "Shopify",
        "Title;URL handle;Description;Vendor;Type;SKU;Barcode;Option1 name;Option1 value;Price;Inventory quantity",
        ["Mug;mug;<p>Blue</p>;Acme;Mugs;MUG-1;;Color;Blue;9.50;5"],
        ["MUG-1;Mug Blue;Mugs;5;0"],
    ),
    (
        "WooCommerce",
        WOOCOMMERCE,
        [
            "11;simple;CAP;;Cap;<b>Warm</b>;1;8;2;12.00;Hats;https://shop.example/cap.jpg",
            "12;simple;;4006381333931;Scarf;;1;3;;15.00;Scarves;",
            "13;simple;;;Glove;;1;1;;5.00;;",
        ],
        ["CAP;Cap;Hats;8;2", "4006381333931;Scarf;Scarves;3;0", "13;Glove;;1;0"],
    ),
    (
        "Square",
        SQUARE,
        [
            "T1;Coffee;Large;COF-L;Hot;Drinks;;3.50;12;;5;7",
            "T2;Coffee;Regular;;Hot;Drinks;4006381333931;3.00;4;;;",
            "T3;Tea;;;;;;2.00;;;;",
        ],
        ["COF-L;Coffee Large;Drinks;12;5", "4006381333931;Coffee;Drinks;4;0", "T3;Tea;;0;0"],
    ),
    (
        "Lightspeed",
        LIGHTSPEED,
        ["9f;shoe;10042;Shoe;<p>x</p>;Shoes;Size;42;20;59.90;6;2", "9e;lace;;Lace;;;;;1;2.90;9;"],
        ["10042;Shoe 42;Shoes;6;2", "9e;Lace;;9;0"],
    ),
    (
        "Lightspeed",
        LIGHTSPEED_R,
        ["210000001;036000291452;;B-1;;Bell;4;9.90;Knog;Bells", "210000002;036000291452;;;;Horn;1;4.90;;"],
        ["B-1;Bell;Bells;4;0", "036000291452;Horn;;1;0"],
    ),
    (
        "Homebox",
        "HB.import_ref;HB.location;HB.labels;HB.asset_id;HB.name;HB.quantity;HB.purchase_price;HB.field.Colour",
        ["r1;Cellar;Tools;000-001;Drill;1;99;blue", "r2;Cellar;;;Saw;2;;"],
        ["000-001;Drill;Tools;1;0", "r2;Saw;;2;0"],
    ),
    (
        "Grocy",
        "id;name;product_group_id;location_id;qu_id_purchase;qu_id_stock;min_stock_amount",
        ["7;Oats;2;1;3;3;4"],
        ["7;Oats;2;0;4"],
    ),
    (
        "Grocy",
        "product_id;product_name;product_barcodes;amount;min_stock_amount",
        ["7;Oats;4006381333931;5;4", "8;Rice;;2;1"],
        ["4006381333931;Oats;;5;4", "8;Rice;;2;1"],
    ),
    (
        "InvenTree",
        "ID;Name;IPN;Description;Category Name;Units;In Stock;Minimum Stock",
        ["3;R 10k;RES-10K;Resistor;Resistors;;100;20", "4;LED red;;;LEDs;;7;"],
        ["RES-10K;R 10k;Resistors;100;20", "4;LED red;LEDs;7;0"],
    ),
    (
        "Part-DB",
        "name;description;category;footprint;ipn;manufacturer_product_number;minamount;instock;storage_location",
        ["BC547;NPN;Transistors;TO-92;IPN-7;BC547B;10;55;Box 3", "BC557;PNP;Transistors;TO-92;;BC557B;;8;"],
        ["IPN-7;BC547;Transistors;55;10", "BC557B;BC557;Transistors;8;0"],
    ),
    (
        "PartKeepr",
        "Name;Description;Storage Location;Status;Condition;Stock;Min. Stock;Avg. Price;Footprint",
        ["BC547;NPN transistor;Box 3;;;55;10;0.02;TO-92"],
        ["BC547;NPN transistor;;55;10"],
    ),
    (
        "Snipe-IT",
        "ID;Company;Asset Name;Asset Tag;Model;Model No.;Category;Serial;Location;Purchase Cost",
        ["1;Acme;;A-001;ThinkPad T14;20W0;Laptops;PF1X;Room 2;1200.00", "2;Acme;Beamer;;EB-X;;AV;S-2;;"],
        ["A-001;ThinkPad T14;Laptops;0;0", "S-2;Beamer;AV;0;0"],
    ),
    (
        "Snipe-IT",
        "Consumable Name;Category;Model No.;Item No.;Total;Remaining;Min. QTY",
        ["Toner;Ink;TN-2;4711;10;6;2"],
        ["4711;Toner;Ink;6;2"],
    ),
    (
        "Odoo",
        "External ID;Internal Reference;Name;Barcode;Sales Price;Product Category;Unit of Measure;Quantity On Hand",
        ["__export__.p_1;FURN_1;Desk;;450;Office;Units;4", "__export__.p_2;;Lamp;4006381333931;20;Office;Units;2"],
        ["FURN_1;Desk;Office;4;0", "4006381333931;Lamp;Office;2;0"],
    ),
    (
        "Odoo",
        "id;default_code;name;barcode;list_price;categ_id/name;qty_available",
        ["x.p_1;FURN_1;Desk;;450;Office;4"],
        ["FURN_1;Desk;Office;4;0"],
    ),
    (
        "ERPNext",
        "ID;Item Code;Item Name;Item Group;Default Unit of Measure;Opening Stock;Safety Stock;Standard Selling Rate",
        ["SKU1;SKU1;Desk;Products;Nos;5;2;450"],
        ["SKU1;Desk;Products;5;2"],
    ),
    (
        "ERPNext",
        "Item;Item Name;Item Group;Warehouse;Stock UOM;Balance Qty;Balance Value",
        ["SKU1;Desk;Products;Stores;Nos;5;100"],
        ["SKU1;Desk;Products;5;0"],
    ),
    (
        "BoxHero",
        "SKU;Item Name;Barcode;Category;Cost;Sales Price;Safety Stock;Quantity",
        ["SKU-9;Pen;4006381333931;Office;1;2;10;40", ";Ink;4006381333948;Office;1;2;;4"],
        ["SKU-9;Pen;Office;40;10", "4006381333948;Ink;Office;4;0"],
    ),
    (
        "Sortly",
        "Entry Name;Entry Type;SID;Unit;Quantity;Min Level;Price;Notes;Primary Folder;Photo1;Barcode/QR1-Data",
        [
            "Cellar;Folder;S1;;;;;;;;",
            "Lamp;Item;S2;units;4;1;9.90;;Cellar;https://x.example/1.jpg;4006381333931",
            "Bulb;Item;S3;units;0;;;;Cellar;;",
        ],
        ["4006381333931;Lamp;Cellar;4;1", "S3;Bulb;Cellar;0;0"],
    ),
    (
        "opensourcepos",
        "Id;Barcode;Item Name;Category;Supplier ID;Cost Price;Unit Price;Reorder Level;HSN;location_Stock",
        ["1;4006381333931;Pen;Office;;1;2;5;;30", "2;;Ink;Office;;1;2;;;7"],
        ["4006381333931;Pen;Office;30;5", "2;Ink;Office;7;0"],
    ),
]
"""Programs, headers and rows of their lists, and the products in them: code, description, category, level, minimum."""


def read(path: Path, header: str, rows: list[str], **selected: Any) -> tuple[RecognisedTable, list[Any]]:
    """Write a CSV of these rows, whose cells are separated by semicolons here, and return what is read."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(line.split(";") for line in (header, *rows))
    with open_catalogue(path, Selection(file_format="csv", **selected)) as table:
        return table.found, list(table.rows)


@sweep(("program", "header", "rows", "products"), LISTS)
def test_the_list_of_a_program_is_read_at_once(
    tmp_path: Path, program: str, header: str, rows: list[str], products: list[str]
) -> None:
    """It is named, its columns are fields, and a barcode or an id is the code where no other is."""
    found, drafts = read(tmp_path / "list.csv", header, rows)
    assert not [row.error for row in drafts if isinstance(row, WrongRow)]
    assert found.program == program
    fields = ("product_code", "description", "category", "initial_level", "minimum_level")
    assert [";".join(str(getattr(row.draft, field)) for field in fields) for row in drafts] == products


def test_what_is_no_field_becomes_an_attribute(tmp_path: Path) -> None:
    """It is named after its header; long texts and pictures are left out, and said to be."""
    found, [draft, *_] = read(tmp_path / "list.csv", *LISTS[0][1:3])
    assert isinstance(draft, RowDraft)
    assert draft.draft.attributes == {
        "barcode": "4006381333931",
        "price": "19.90",
        "handle": "tee",
        "vendor": "Acme",
        "option1_name": "Size",
        "option1_value": "S",
    }
    assert found.ignored == ("Body (HTML)", "Image Src")


def test_a_product_gets_no_more_attributes_than_it_may_have(tmp_path: Path) -> None:
    """Of very many columns, the first ones become attributes; the others are listed as ignored."""
    more = ";".join(f"Metafield {number}" for number in range(60))
    found, [draft] = read(tmp_path / "list.csv", f"{SHOPIFY};{more}", [f"a;A;;;;;;A-1;1;2;3;;{';'.join('x' * 60)}"])
    assert isinstance(draft, RowDraft)
    assert len(found.recognised) == 32 + 4
    assert draft.draft.attributes.keys() >= {"price", "barcode", "handle", "metafield_0"}
    assert len(found.ignored) == 12 + 60 - 36


def test_a_map_may_change_what_a_preset_reads(tmp_path: Path) -> None:
    """Only its columns are read, and variants, groups and codes are still completed."""
    columns = {
        "Variant SKU": "product_code",
        "Variant Barcode": "attributes.ean",
        "Title": "description",
        "Variant Inventory Qty": "minimum_level",
    }
    found, [first, second] = read(tmp_path / "list.csv", SHOPIFY, LISTS[0][2][:3], columns=columns)
    assert (found.program, found.recognised) == ("Shopify", columns)
    assert (first.draft.product_code, first.draft.minimum_level) == ("TEE-S", 3)
    assert (second.draft.product_code, second.draft.description) == ("4006381333948", "T-shirt M")
    assert second.draft.attributes == {"ean": "4006381333948"}


@pytest.mark.parametrize(
    "headers",
    [
        ["SKU", "Name", "Barcode", "Qty"],
        ["product_code", "description", "current_level"],
        ["Artikelnummer", "Bezeichnung", "Bestand"],
        ["Item", "Description", "Price"],
        [],
    ],
)
def test_any_other_list_is_no_programs(headers: list[str]) -> None:
    """Usual headers alone are not the signs of a program."""
    assert preset_of(headers) is None


@pytest.mark.parametrize(
    ("header", "name"),
    [("Preis (€)", "preis"), ("Größe", "grosse"), ("Été", "ete"), ("№ 1", "no_1"), ("—", ""), ("x" * 40, "x" * 32)],
)
def test_an_attribute_is_named_after_its_header(header: str, name: str) -> None:
    """As the web app names it."""
    assert attribute_name(header) == name
