"""Further codes, codes that change and codes that are made, over HTTP; the tests of the store have the rules."""

from typing import Any

import pytest

from tests.api.drawn_codes import drawn
from tests.api.replies import problems, refused
from tests.fixture_types import Client, ClientMaker

CODES = "/api/products/1/codes"
BOX: dict[str, Any] = {"code": "4006381333948", "pack_quantity": 6, "note": "box of six"}
ADDED_AT = "2023-11-14T22:13:20.000Z"


async def test_a_product_gets_lists_and_loses_a_code(shop: Client) -> None:
    """With its pack quantity and note; a scan then says which code fitted."""
    added = await shop.post(CODES, json=BOX)
    assert (added.status, added.headers["Location"]) == (201, f"{CODES}/2")
    code = (await added.json())["data"]
    assert code == {"id": 2, "product_id": 1, **BOX, "created_at": ADDED_AT}
    assert (await (await shop.get(CODES)).json())["data"] == [code]
    assert (await (await shop.get(f"{CODES}/2")).json())["data"] == code
    scan = await drawn(shop, "decode", code_data="]E04006381333948")
    assert (scan["product"]["id"], scan["code"]) == (1, {"code": "4006381333948", "pack_quantity": 6})
    assert (await drawn(shop, "decode", code_data="A-1"))["code"] == {"code": "A-1", "pack_quantity": 1}
    removed = await (await shop.delete(f"{CODES}/2")).json()
    assert removed == {"success": True, "message": "removed code '4006381333948'"}
    await refused(await shop.delete(f"{CODES}/2"), 404, "VALIDATION_ERROR")


async def test_a_code_that_exists_is_refused_with_its_product(shop: Client) -> None:
    """Whoever asks for it: a further code, a new product, or a product that would change its own."""
    await shop.post(CODES, json=BOX)
    owner = {"id": 1, "product_code": "A-1", "description": "Blue pen"}
    for path, body in ((CODES, BOX), ("/api/products", {"product_code": BOX["code"], "description": "x"})):
        reply = await refused(await shop.post(path, json=body), 409, "DUPLICATE_PRODUCT_CODE")
        assert reply["details"] == {"reason": "duplicate_code", "product_code": BOX["code"], "owner": owner}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"code": ""}, "code"),
        ({"code": "x" * 65}, "code"),
        ({"code": "é"}, "code"),
        ({"code": "A", "pack_quantity": 0}, "pack_quantity"),
        ({"code": "A", "pack_quantity": 1_000_001}, "pack_quantity"),
        ({"code": "A", "note": "x" * 65}, "note"),
    ],
)
async def test_a_wrong_code_is_refused_by_field(shop: Client, body: Any, field: str) -> None:
    """A code is one that a product may have, and a pack has 1 to 1,000,000 pieces."""
    assert list(await problems(await shop.post(CODES, json=body))) == [field]


async def test_a_scan_counts_packs(shop: Client) -> None:
    """The level changes by the pieces in them, and the response has both; a count is of pieces."""
    await shop.post(CODES, json=BOX)
    change = (await drawn(shop, "scan", code_data=BOX["code"], delta=2))["change"]
    assert (change["old_level"], change["new_level"], change["delta"], change["packs"]) == (5, 17, 12, 2)
    counted = (await drawn(shop, "scan", code_data=BOX["code"], new_level=7))["change"]
    assert (counted["new_level"], counted["delta"], counted["packs"]) == (7, -10, None)
    response = await shop.post("/api/codes/scan", json={"code_data": BOX["code"], "delta": -2})
    details = (await refused(response, 409, "VALIDATION_ERROR"))["details"]
    assert (details["current_level"], details["least_delta"], details["pack_quantity"]) == (7, -7, 6)


async def test_a_further_code_is_searched_and_printed(shop: Client) -> None:
    """In any spelling, in search and labels alike; a label of the code alone needs no product."""
    await shop.post(CODES, json=BOX)
    await shop.post("/api/products", json={"product_code": "B-1", "description": "Cap"})
    for search in (BOX["code"], f"0{BOX['code']}", "4 006381 333948"):
        found = (await (await shop.get("/api/products", params={"search": search})).json())["data"]
        assert [one["product_code"] for one in found] == ["A-1"], search
    named = {"sheet": "L7160", "lines": ["{description}"]}
    for code, layout, status in (
        (BOX["code"], named, 200),
        ("P00001", named, 404),
        ("P00001", {"sheet": "L7160"}, 200),
    ):
        labels = await shop.post("/api/codes/printable", json={"products": [code], "layout": layout})
        assert labels.status == status, await labels.text()


async def test_a_changed_code_leaves_the_former_one(shop: Client) -> None:
    """The product has another code, and its old labels are found and printed."""
    changed = await (await shop.put("/api/products/1", json={"product_code": "A-2"})).json()
    assert changed["data"]["product_code"] == "A-2"
    [former] = (await (await shop.get(CODES)).json())["data"]
    assert (former["code"], former["pack_quantity"], former["note"]) == ("A-1", 1, "former code")
    assert (await drawn(shop, "decode", code_data="a-1"))["product"]["product_code"] == "A-2"
    layout = {"sheet": "L7160", "include_description": True}
    labels = await shop.post(
        "/api/codes/printable", json={"products": ["A-1"], "code_type": "CODE128", "layout": layout}
    )
    assert labels.status == 200, await labels.text()


async def test_a_product_without_a_code_gets_the_next_one(make_client: ClientMaker) -> None:
    """Of the shop's pattern; one that exists is passed over, and one that was given never comes again."""
    client = await make_client(made_codes="ean13:20")
    await client.post("/api/products", json={"product_code": "2000000000022", "description": "x"})
    made = []
    for _ in range(2):
        made.append((await (await client.post("/api/products", json={"description": "x"})).json())["data"])
        await client.delete(f"/api/products/{made[-1]['id']}")
    assert [one["product_code"] for one in made] == ["2000000000015", "2000000000039"]


async def test_codes_are_made_before_there_are_products(shop: Client) -> None:
    """For labels that are printed first; a product made later gets another one."""
    made = (await (await shop.post("/api/codes/made", json={"count": 2})).json())["data"]
    product = (await (await shop.post("/api/products", json={"description": "x"})).json())["data"]
    assert [*made, product["product_code"]] == ["P00001", "P00002", "P00003"]
    assert list(await problems(await shop.post("/api/codes/made", json={"count": 501}))) == ["count"]


async def test_a_repeated_request_gets_the_same_code(shop: Client) -> None:
    """Under its key, a product that comes without a code is made once."""
    body = {"description": "x", "idempotency_key": "k"}
    first, second = [await (await shop.post("/api/products", json=body)).json() for _ in range(2)]
    assert first == second


SHOP = "21IIIIIPPPPPC:2,20IIIIIWWWWWC:3,28IIIINNNNNNC"


async def test_a_weight_inside_a_code_is_counted(make_client: ClientMaker) -> None:
    """With the sign of the difference; a price is only shown, and a product of the whole number wins."""
    client = await make_client(in_store_codes=SHOP)
    for code in ("2112345", "2012345000001", "2812340000125"):
        await client.post("/api/products", json={"product_code": code, "description": "x", "initial_level": 2000})
    weight = await drawn(client, "scan", code_data="2012345012349", delta=-1, delta_from="embedded")
    assert weight["embedded"] == {"kind": "weight", "value": "1.234", "units": 1234}
    assert (weight["match"], weight["change"]["delta"], weight["change"]["packs"]) == ("in_store", -1234, None)
    await client.post("/api/products/1/codes", json={"code": "2099999", "pack_quantity": 6})
    pack = await drawn(client, "scan", code_data="2099999000502", delta=1, delta_from="embedded")
    assert pack["change"]["delta"] == 50
    price = await drawn(client, "decode", code_data="]E02112345012346")
    assert (price["product"]["product_code"], price["embedded"]["value"]) == ("2112345", "12.34")
    whole = await drawn(client, "decode", code_data="2812340000125")
    assert (whole["match"], "embedded" in whole) == ("exact", False)
    for code in ("2112345012346", "2812340000125"):
        body = {"code_data": code, "delta": 1, "delta_from": "embedded"}
        assert list(await problems(await client.post("/api/codes/scan", json=body))) == ["delta_from"]


@pytest.mark.parametrize(
    ("text", "embedded"),
    [
        ("]C101040063813339313103001250", {"kind": "weight", "value": "1.250", "units": 1250}),
        ("]C101040063813339313712", {"kind": "count", "value": "12", "units": 12}),
        ("]C10104006381333931392250", {"kind": "price", "value": "0.50", "units": 50}),
        ("]C101040063813339313932978499", {"kind": "price", "value": "4.99", "units": 499}),
        ("+EHWD3551419/$$900100F", {"kind": "count", "value": "100", "units": 100}),
    ],
)
async def test_other_codes_say_values_too(client: Client, text: str, embedded: dict[str, Any]) -> None:
    """The elements of GS1 and the quantities of HIBC, in one form for all."""
    for code in ("4006381333931", "+EHWD3551419G"):
        await client.post("/api/products", json={"product_code": code, "description": "x"})
    assert (await drawn(client, "decode", code_data=text))["embedded"] == embedded


async def test_a_retired_product_is_in_no_list_unless_asked_for(shop: Client) -> None:
    """It is found by scans, keeps its level and its code, and comes back."""
    retired = (await (await shop.put("/api/products/1", json={"retired": True})).json())["data"]
    assert retired["retired"] is True
    await shop.post("/api/products", json={"product_code": "B-1", "description": "Blue cap"})
    for path in ("/api/products", "/api/products?search=blue", "/api/products?sort=-current_level", "/api/inventory"):
        separator = "&" if "?" in path else "?"
        listed = {
            asked: [
                one["product_code"]
                for one in (await (await shop.get(f"{path}{separator}retired={asked}")).json())["data"]
            ]
            for asked in ("false", "true", "any")
        }
        assert {asked: sorted(codes) for asked, codes in listed.items()} == {
            "false": ["B-1"],
            "true": ["A-1"],
            "any": ["A-1", "B-1"],
        }, path
    assert (await (await shop.get("/api/products?category=Pens")).json())["pagination"]["total"] == 0
    scan = await drawn(shop, "scan", code_data="A-1", delta=1)
    assert (scan["product"]["retired"], scan["change"]["new_level"]) == (True, 6)
    await shop.put("/api/products/1", json={"retired": False})
    assert (await (await shop.get("/api/products?category=Pens")).json())["pagination"]["total"] == 1
