from typing import Any

import pytest

from tests.api.drawn_codes import drawn
from tests.fixture_types import Client

WANTED = "(01) or (02) or (8006) or (8026) or (03)"
LONE_LOT = f"(10) requires {WANTED}, in this symbol or in another one on the same item"


async def scanned(client: Client, data: dict[str, Any]) -> tuple[int, Any]:
    """Return status and body of a scan of the drawn picture."""
    response = await client.post("/api/codes/decode", json={"image_base64": data["barcode_base64"]})
    return response.status, await response.json()


async def create(client: Client, code: str) -> None:
    """Create a product."""
    response = await client.post("/api/products", json={"product_code": code, "description": code})
    assert response.status == 201


@pytest.mark.parametrize(
    ("code", "symbology"), [("501234567890", "EAN13"), ("4006381333931", "ITF14"), ("4006381333931", "DATABAROMNI")]
)
async def test_what_becomes_another_trade_items_number_is_warned_of_and_not_found(
    client: Client, code: str, symbology: str
) -> None:
    """A UPC-A as EAN-13 or an EAN-13 as GTIN-14 gets a second check digit; its scan finds no product."""
    await create(client, code)
    data = await drawn(client, "barcode", product_code=code, format=symbology, width=4)
    assert "a scan will not find this product" in data["warnings"][0]
    status, response = await scanned(client, data)
    assert (status, response["code"]) == (404, "PRODUCT_NOT_FOUND")


async def test_a_number_without_its_check_digit_is_warned_of_and_found(client: Client) -> None:
    """The warning says what printing completes, and a scan still finds the product."""
    await create(client, "400638133393")
    data = await drawn(client, "barcode", product_code="400638133393", format="EAN13", width=4)
    assert data["warnings"] == ["the check digit 1 is added: the symbol holds 4006381333931"]
    status, response = await scanned(client, data)
    assert (status, response["data"]["product"]["product_code"]) == (200, "400638133393")


async def test_warnings_about_content_come_before_those_about_size(client: Client) -> None:
    """All warnings are in one list, including those of a cached picture."""
    for _ in range(2):
        data = await drawn(client, "barcode", product_code="(10)LOT7", format="GS1-128", dpi=300, module_mm=0.1)
        lone, small = data["warnings"]
        assert lone == LONE_LOT
        assert small.startswith("a module of 0.085 mm")


async def test_what_is_printed_as_it_is_has_no_warnings(client: Client) -> None:
    """Neither a QR code nor a barcode whose symbol contains exactly the requested content."""
    assert "warnings" not in await drawn(client, "qrcode", product_code="501234567890")
    assert "warnings" not in await drawn(client, "barcode", product_code="0501234567890", format="EAN13")
    assert "warnings" not in await drawn(client, "barcode", product_code="(01)09521234543213(10)A", format="GS1QR")


async def test_entries_of_a_batch_are_warned_of(client: Client) -> None:
    """Each entry has separate warnings."""
    requests = [
        {"kind": "barcode", "product_code": "96385074", "format": "EAN8"},
        {"kind": "barcode", "product_code": "9638507", "format": "EAN8"},
        {"kind": "barcode", "product_code": "(10)LOT7", "format": "GS1DATAMATRIX"},
    ]
    response = await client.post("/api/codes/batch", json={"requests": requests})
    reply = [entry["data"].get("warnings") for entry in (await response.json())["data"]]
    assert reply == [None, ["the check digit 4 is added: the symbol holds 96385074"], [LONE_LOT]]


async def test_a_label_with_an_impossible_date_is_scanned_but_not_printed(client: Client) -> None:
    """A scan of a third-party label finds its product; printing the same is refused, with identifier and position."""
    await create(client, "4006381333931")
    scan = await client.post("/api/codes/decode", json={"code_data": "]C1010400638133393117991332"})
    found = (await scan.json())["data"]
    assert found["product"]["product_code"] == "4006381333931"
    assert found["gs1"] == {"gtin": "04006381333931", "elements": {"01": "04006381333931", "17": "991332"}}
    asked = {"product_code": "(01)04006381333931(17)991332", "format": "GS1-128"}
    refusal = await client.post("/api/codes/barcode", json=asked)
    assert refusal.status == 400
    assert (await refusal.json())["message"] == "GS1-128: (17) has month 13 at position 25, not 01 to 12"
