from typing import Any

import pypdfium2
import pytest
import zxingcpp

from tests.api.replies import problems, refused
from tests.fixture_types import Client

POINTS_PER_MM = 72 / 25.4


async def _printed(client: Client, products: list[str], **body: object) -> pypdfium2.PdfDocument:
    response = await client.post("/api/codes/printable", json={"products": products, **body})
    assert response.status == 200, await response.text()
    return pypdfium2.PdfDocument(await response.read())


def _codes(page: Any) -> list[str]:
    """Return what a scanner reads on a page, in reading order."""
    image = page.render(scale=300 / 72, grayscale=True).to_pil()
    found = zxingcpp.read_barcodes(image)
    found.sort(key=lambda code: (round(code.position.top_left.y, -2), code.position.top_left.x))
    return [str(code.text) for code in found]


def _text(page: Any) -> str:
    return str(page.get_textpage().get_text_range())


async def test_labels_stand_in_the_order_given_and_a_repeat_is_a_copy(client: Client) -> None:
    """Every code gets its label, row by row, three per row on A4."""
    pages = await _printed(client, ["C-3", "A-1", "B-2", "A-1"])
    assert _codes(pages[0]) == ["C-3", "A-1", "B-2", "A-1"]
    assert [round(side / POINTS_PER_MM) for side in pages[0].get_size()] == [210, 297]


async def test_a_default_page_has_30_labels(client: Client) -> None:
    """Three labels per row and as many rows as keep a label 25 mm high: ten on A4."""
    assert len(await _printed(client, ["A-1"] * 30)) == 1
    assert len(await _printed(client, ["A-1"] * 31)) == 2


async def test_the_layout_decides_labels_a_page(client: Client) -> None:
    """Rows and columns are as requested."""
    layout = {"labels_per_row": 2, "labels_per_column": 4}
    assert len(await _printed(client, ["A-1"] * 17, layout=layout)) == 3


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("A3", (297, 420)),
        ("a4", (210, 297)),
        ("A5", (148, 210)),
        ("A6", (105, 148)),
        ("Letter", (216, 279)),
        ("LEGAL", (216, 356)),
        ("100x50mm", (100, 50)),
        ("62.7x100mm", (63, 100)),
    ],
)
async def test_a_page_has_the_size_asked_for(client: Client, name: str, size: tuple[int, int]) -> None:
    """Named pages in any case, and free ones in millimetres."""
    layout = {"page_size": name, "labels_per_row": 1, "labels_per_column": 1}
    page = (await _printed(client, ["A-1"], layout=layout))[0]
    assert tuple(round(side / POINTS_PER_MM) for side in page.get_size()) == size


@pytest.mark.parametrize(
    ("kind", "symbology"),
    [
        (None, "Code128"),
        ("barcode", "Code128"),
        ("Bar Code", "Code128"),
        ("BARCODE", "Code128"),
        ("qrcode", "QRCode"),
        ("QR", "QRCode"),
        ("code-39", "Code39"),
    ],
)
async def test_the_code_type_names_the_symbology(client: Client, kind: str | None, symbology: str) -> None:
    """`barcode` is CODE128 and the default; `qrcode` and every format name are accepted in any spelling."""
    pages = await _printed(client, ["A-1"], **({} if kind is None else {"code_type": kind}))
    image = pages[0].render(scale=300 / 72, grayscale=True).to_pil()
    assert [code.format.name for code in zxingcpp.read_barcodes(image)] == [symbology]


async def test_the_best_symbology_of_each_code_is_that_of_the_shops_for_its_numbers(client: Client) -> None:
    """One sheet may hold several symbologies, and each code reads as it was requested."""
    codes = ["4006381333931", "036000291452", "96385074", "4006381333930", "BOLT-M8x40"]
    pages = await _printed(client, codes, code_type="Best")
    image = pages[0].render(scale=300 / 72, grayscale=True).to_pil()
    found = {code.text: code.format.name for code in zxingcpp.read_barcodes(image)}
    assert found == {
        "4006381333931": "EAN13",
        "0036000291452": "EAN13",  # a reader sees a UPC-A as the EAN-13 with a leading zero
        "96385074": "EAN8",
        "4006381333930": "Code128",
        "BOLT-M8x40": "Code128",
    }


async def test_descriptions_are_printed_on_demand(shop: Client) -> None:
    """The description is on the label only with include_description."""
    assert "Blue pen" not in _text((await _printed(shop, ["A-1"]))[0])
    assert "Blue pen" in _text((await _printed(shop, ["A-1"], layout={"include_description": True}))[0])


async def test_a_label_needs_no_product(client: Client) -> None:
    """Without descriptions the catalogue is not queried."""
    assert _codes((await _printed(client, ["unknown"]))[0]) == ["unknown"]


WRONG: tuple[tuple[str, dict[str, Any]], ...] = (
    ("products", {"products": []}),
    ("products", {"products": "A-1"}),
    ("products", {"products": None}),
    ("products", {"products": ["A-1"] * 10_001}),
    ("products.1", {"products": ["A-1", ""]}),
    ("products.0", {"products": [1]}),
    ("products.0", {"products": ["ä"]}),
    ("code_type", {"code_type": "nonsense"}),
    ("code_type", {"code_type": 1}),
    ("code_type", {"code_type": None}),
    ("layout", {"layout": None}),
    ("layout", {"layout": []}),
    ("layout.columns", {"layout": {"columns": 3}}),
    ("layout.page_size", {"layout": {"page_size": "B4"}}),
    ("layout.page_size", {"layout": {"page_size": 4}}),
    ("layout.page_size", {"layout": {"page_size": "4x50mm"}}),
    ("layout.page_size", {"layout": {"page_size": "x" * 5000}}),
    ("layout.labels_per_row", {"layout": {"labels_per_row": 0}}),
    ("layout.labels_per_row", {"layout": {"labels_per_row": "3"}}),
    ("layout.labels_per_row", {"layout": {"labels_per_row": 3.0}}),
    ("layout.labels_per_row", {"layout": {"labels_per_row": 101}}),
    ("layout.labels_per_row", {"layout": {"labels_per_row": 50}}),
    ("layout.labels_per_column", {"layout": {"labels_per_column": 0}}),
    ("layout.labels_per_column", {"layout": {"labels_per_column": 90}}),
    ("layout.include_description", {"layout": {"include_description": 1}}),
    ("layout.font_size", {"layout": {"font_size": 3.9}}),
    ("layout.font_size", {"layout": {"font_size": 72.1}}),
    ("layout.font_size", {"layout": {"font_size": "8"}}),
    ("copies", {"copies": 2}),
)


async def test_a_wrong_print_request_is_named(client: Client) -> None:
    """Types are exact, limits are enforced, and the field is named with its path."""
    for field, body in WRONG:
        response = await client.post("/api/codes/printable", json={"products": ["A-1"], **body})
        assert list(await problems(response)) == [field], body


async def test_all_problems_of_a_print_request_are_reported_at_once(client: Client) -> None:
    """Codes, code type and every part of the layout are validated together, and valid values are listed."""
    layout = {"page_size": "B4", "labels_per_row": 0, "font_size": 100, "colour": "red"}
    body = {"products": ["A-1", "ä"], "code_type": "x", "layout": layout, "y": 1}
    reply = await problems(await client.post("/api/codes/printable", json=body))
    assert set(reply) == {"products.1", "code_type", *(f"layout.{name}" for name in layout), "y"}
    assert reply["layout.colour"].startswith("no such field; there are sheet, page_size, labels_per_row, ")
    assert reply["layout.page_size"].startswith("must be A3, A4, ")


async def test_codes_that_cannot_be_encoded_are_all_named(client: Client) -> None:
    """Each is reported with its position in the list, the rule and what would fit; nothing is printed."""
    body = {"products": ["9638507", "96385075", "9638507", "abc"], "code_type": "EAN8"}
    reply = await refused(await client.post("/api/codes/printable", json=body), 400, "VALIDATION_ERROR")
    first, second = reply["details"]["errors"]
    assert (first["field"], first["value"], first["rule"], first["expected"]) == (
        "products.1",
        "96385075",
        "check digit",
        "4",
    )
    assert (second["field"], second["value"], second["fits"]) == ("products.3", "abc", "digits 0-9")
    assert reply["message"] == f"products.1: {first['message']} (and 1 more)"


async def test_labels_too_small_to_be_scanned_are_refused(client: Client) -> None:
    """The details contain the size that a label needs."""
    body = {"products": ["A" * 64], "layout": {"labels_per_row": 10}}
    reply = await refused(await client.post("/api/codes/printable", json=body), 400, "VALIDATION_ERROR")
    assert reply["details"]["rule"] == "label size"
    assert (reply["details"]["label_width_mm"], reply["details"]["product_codes"]) == (17.2, ["A" * 64])


async def test_ten_thousand_labels_are_printed(client: Client) -> None:
    """The largest job completes, with all labels on their pages."""
    assert len(await _printed(client, ["A-1"] * 10_000)) == 334
