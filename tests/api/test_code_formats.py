"""The list of formats, and the warnings of what printing a code in one of them changes."""

from typing import Any

import pytest

from barcodesvc.symbols.registry import SYMBOLOGIES
from tests.api.drawn_codes import drawn
from tests.api.replies import problems
from tests.fixture_types import Client

FORMATS = "/api/codes/formats"
FIELDS = ["format", "aliases", "kind", "alphabet", "length", "check_digit", "quiet_zone", "least_module_mm", "example"]


async def _formats(client: Client) -> list[dict[str, Any]]:
    response = await client.get(FORMATS)
    assert (response.status, response.headers["Content-Type"]) == (200, "application/json; charset=utf-8")
    reply = await response.json()
    assert list(reply) == ["success", "data"]
    return list(reply["data"])


async def test_every_symbology_is_listed_with_the_rules_of_the_registry(client: Client) -> None:
    """One entry for each, in the order of the registry, with all of its fields."""
    listed = await _formats(client)
    assert len(listed) == len(SYMBOLOGIES) >= 30
    for entry, symbology in zip(listed, SYMBOLOGIES, strict=True):
        assert list(entry) == FIELDS
        assert all(entry[name] for name in FIELDS if name != "aliases"), entry
        assert (entry["format"], entry["aliases"]) == (symbology.name, list(symbology.aliases))
        assert entry["least_module_mm"] == symbology.least_module
        for name in ("alphabet", "length", "check_digit", "example"):
            assert entry[name] == getattr(symbology, name)


async def test_an_entry_in_full(client: Client) -> None:
    """This is the complete entry of Code 128, and how that of a matrix differs."""
    entries = {entry["format"]: entry for entry in await _formats(client)}
    assert entries["CODE128"] == {
        "format": "CODE128",
        "aliases": [],
        "kind": "linear",
        "alphabet": "printable ASCII",
        "length": "any",
        "check_digit": "part of the symbol",
        "quiet_zone": {"left": 10, "right": 10, "top": 0, "bottom": 0},
        "least_module_mm": 0.191,
        "example": "AB-12345",
    }
    assert entries["EAN13"]["quiet_zone"] == {"left": 11, "right": 7, "top": 0, "bottom": 0}
    assert entries["PDF417"]["kind"] == "matrix"
    assert entries["PDF417"]["quiet_zone"] == {"left": 2, "right": 2, "top": 2, "bottom": 2}


async def test_the_list_takes_no_parameters(client: Client) -> None:
    """Query parameters are refused by name."""
    assert await problems(await client.get(FORMATS, params={"kind": "linear"})) == {"kind": "no such parameter"}


LONE_LOT = "(10) requires (01) or (02) or (8006) or (8026) or (03), in this symbol or in another one on the same item"


async def _scanned(client: Client, data: dict[str, Any]) -> tuple[int, Any]:
    """Return status and body of a scan of the drawn picture."""
    response = await client.post("/api/codes/decode", json={"image_base64": data["barcode_base64"]})
    return response.status, await response.json()


async def _create(client: Client, code: str) -> None:
    response = await client.post("/api/products", json={"product_code": code, "description": code})
    assert response.status == 201


async def test_what_becomes_another_trade_items_number_is_warned_of_and_not_found(client: Client) -> None:
    """A UPC-A as EAN-13 gets a second check digit; its scan finds no product."""
    await _create(client, "501234567890")
    data = await drawn(client, "barcode", product_code="501234567890", format="EAN13", width=4)
    assert "a scan will not find this product" in data["warnings"][0]
    status, response = await _scanned(client, data)
    assert (status, response["code"]) == (404, "PRODUCT_NOT_FOUND")


async def test_a_number_without_its_check_digit_is_warned_of_and_found(client: Client) -> None:
    """The warning says what printing completes, and a scan still finds the product."""
    await _create(client, "400638133393")
    data = await drawn(client, "barcode", product_code="400638133393", format="EAN13", width=4)
    assert data["warnings"] == ["the check digit 1 is added: the symbol holds 4006381333931"]
    status, response = await _scanned(client, data)
    assert (status, response["data"]["product"]["product_code"]) == (200, "400638133393")


async def test_warnings_about_content_come_before_those_about_size(client: Client) -> None:
    """All warnings are in one list, including those of a cached picture."""
    for _ in range(2):
        data = await drawn(client, "barcode", product_code="(10)LOT7", format="GS1-128", dpi=300, module_mm=0.1)
        lone, small = data["warnings"]
        assert lone == LONE_LOT
        assert small.startswith("a module of 0.085 mm")


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("qrcode", {"product_code": "501234567890"}),
        ("barcode", {"product_code": "0501234567890", "format": "EAN13"}),
    ],
)
async def test_what_is_printed_as_it_is_has_no_warnings(client: Client, kind: str, wanted: dict[str, str]) -> None:
    """Neither a QR code nor a barcode whose symbol contains exactly the requested content."""
    assert "warnings" not in await drawn(client, kind, **wanted)


async def test_a_label_with_an_impossible_date_is_scanned_but_not_printed(client: Client) -> None:
    """A scan of a third-party label finds its product; printing the same is refused, with identifier and position."""
    await _create(client, "4006381333931")
    found = await drawn(client, "decode", code_data="]C1010400638133393117991332")
    assert found["product"]["product_code"] == "4006381333931"
    assert found["gs1"] == {"gtin": "04006381333931", "elements": {"01": "04006381333931", "17": "991332"}}
    asked = {"product_code": "(01)04006381333931(17)991332", "format": "GS1-128"}
    refusal = await client.post("/api/codes/barcode", json=asked)
    assert refusal.status == 400
    assert (await refusal.json())["message"] == "GS1-128: (17) has month 13 at position 25, not 01 to 12"
