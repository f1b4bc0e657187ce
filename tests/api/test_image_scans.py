"""Scans of images over HTTP: the codes on one, the product that they name, and what is said if they name none."""

import asyncio
from base64 import b64encode
from typing import Any

import pytest

from tests.api.calls import SCANNED_PEN
from tests.api.image_requests import EMPTY, IMAGE, LOT, PACK, PATH, data, image_of, sent, sent_base64
from tests.api.replies import problems, refused
from tests.fixture_types import Client
from tests.scanning.symbol_images import drawn_by_zxing, file_of, on_paper, symbol, turned


@pytest.mark.parametrize("send", [sent, sent_base64])
async def test_an_image_is_answered_as_a_text_is(shop: Client, send: Any) -> None:
    """One code: product, inventory and match of the text scan, and in addition the code and its position in pixels."""
    found = await data(await send(shop, IMAGE))
    [code] = found.pop("codes")
    assert (found.pop("codes_truncated"), found.pop("looks")) == (False, 1)
    assert found == await data(await shop.post(PATH, json={"code_data": "A-1"}))
    (left, top), (right, _), (_, bottom), _ = [(corner["x"], corner["y"]) for corner in code.pop("position")]
    assert 40 <= left < right < 300
    assert 40 <= top < bottom <= 120
    fitting = {"product": SCANNED_PEN, "code": {"code": "A-1", "pack_quantity": 1}}
    assert code == {"text": "A-1", "symbology": "CODE128", "match": "exact", "gs1": None, **fitting}


@pytest.mark.parametrize(("effort", "is_found"), [("quick", False), ("normal", True), ("thorough", True)])
async def test_an_effort_says_how_hard_to_look(shop: Client, effort: str, *, is_found: bool) -> None:
    """A code that is turned by 40 degrees is found by a further look, which the response counts."""
    image = file_of(turned(symbol(content="A-1"), 40))
    in_json = await shop.post(PATH, json={"image_base64": b64encode(image).decode(), "effort": effort})
    for response in (in_json, await sent(shop, image, effort=effort)):
        body = await response.json()
        found = body["data"] if is_found else body["details"]
        assert [code["text"] for code in found["codes"]] == (["A-1"] if is_found else [])
        assert (found["looks"] > 1) is is_found


async def test_a_hint_asks_for_what_is_not_read_otherwise(shop: Client) -> None:
    """An ITF of two digits is too similar to other stripes, and noise shows a film edge."""
    for hint, content, image in (
        ("i2 of 5", "12", symbol("ITF", "12")),
        ("dx-film_edge", "7-3", drawn_by_zxing("DXFilmEdge", "7-3")),
    ):
        in_json = {"image_base64": b64encode(file_of(image)).decode(), "code_type": hint}
        for named in (await shop.post(PATH, json=in_json), await sent(shop, file_of(image), code_type=hint)):
            assert [code["text"] for code in (await named.json())["details"]["codes"]] == [content]
        unasked = await sent(shop, file_of(image))
        assert (await unasked.json())["details"]["codes"] == []


async def test_an_unknown_effort_is_refused(shop: Client) -> None:
    """The error names the efforts that there are; a text has none, because only an image is looked at."""
    expected = {"effort": "Input should be 'quick', 'normal' or 'thorough'"}
    assert await problems(await sent(shop, IMAGE, effort="fast")) == expected
    assert await problems(await shop.post(PATH, json={"image_base64": "AAAA", "effort": "fast"})) == expected
    assert list(await problems(await shop.post(PATH, json={"code_data": "A-1", "effort": "quick"}))) == ["effort"]


async def test_a_blank_part_of_a_form_counts_as_absent(shop: Client) -> None:
    """A browser sends one for a field that is not filled in; in JSON a blank text is not an effort."""
    for blank in ("", " ", "\u200b"):
        found = await data(await sent(shop, IMAGE, effort=blank, code_type=blank))
        assert (found["looks"], found["product"]) == (1, SCANNED_PEN)
        refused = await shop.post(PATH, json={"image_base64": "AAAA", "effort": blank})
        assert list(await problems(refused)) == ["effort"]


async def test_several_codes_of_one_product_name_it(shop: Client) -> None:
    """Codes without a product, or of the same product, do not interfere; the first rule is the match."""
    found = await data(await sent(shop, image_of("unknown", "a-1", "A-1")))
    assert (found["product"], found["match"]) == (SCANNED_PEN, "case_insensitive")
    assert [code["match"] for code in found["codes"]] == [None, "case_insensitive", "exact"]
    assert [code["product"] for code in found["codes"]] == [None, SCANNED_PEN, SCANNED_PEN]


async def test_of_several_products_none_is_guessed(shop: Client) -> None:
    """All fields at the top are null or absent, and each code has its product and its data."""
    await shop.post("/api/products", json={"product_code": "9521234543213", "description": "Biscuits"})
    both = on_paper((symbol(content="A-1"), (20, 20)), (symbol("GS1DATAMATRIX", LOT, 4), (20, 200)))
    found = await data(await sent(shop, file_of(both)))
    assert (found["product"], found["inventory"], found["match"]) == (None, None, None)
    assert "gs1" not in found
    assert [code["product"]["product_code"] for code in found["codes"]] == ["A-1", "9521234543213"]
    assert [bool(code["gs1"]) for code in found["codes"]] == [False, True]


async def test_a_pack_comes_with_the_lot_on_its_other_code(shop: Client) -> None:
    """The EAN-13 names the product by the rule `exact`, the GS1 DataMatrix contributes lot and expiry."""
    await shop.post("/api/products", json={"product_code": "9521234543213", "description": "Biscuits"})
    found = await data(await sent(shop, PACK))
    assert (found["match"], found["product"]["description"]) == ("exact", "Biscuits")
    assert (found["gs1"]["lot"], found["gs1"]["expiry"]) == ("LOT7", "2027-12-31")
    assert [code["gs1"] for code in found["codes"]] == [None, found["gs1"]]


async def test_a_pack_that_is_unknown_is_one_new_product(client: Client) -> None:
    """Each code has what was understood; if all would create the same product, it is also at the top level."""
    details = (await refused(await sent(client, PACK), 404, "PRODUCT_NOT_FOUND"))["details"]
    plain, gs1 = details["codes"]
    body = {"product_code": "9521234543213", "description": "9521234543213"}
    assert plain["new_product"] == gs1["new_product"] == details["new_product"] == body
    assert (plain["understood"]["symbology"], plain["gs1"]) == ("EAN13", None)
    assert details["understood"] == gs1["understood"]
    assert gs1["gs1"] == gs1["understood"]["gs1"]
    assert gs1["gs1"]["lot"] == "LOT7"


async def test_a_code_that_fits_several_products_makes_no_new_one(shop: Client) -> None:
    """`new_product` is null there, so that the other code's is not taken for both."""
    for code in ("aB", "Ab"):
        await shop.post("/api/products", json={"product_code": code, "description": "x"})
    details = (await refused(await sent(shop, image_of("ab", "N-1")), 404, "PRODUCT_NOT_FOUND"))["details"]
    assert [code["new_product"] for code in details["codes"]] == [None, {"product_code": "N-1", "description": "N-1"}]
    assert set(details) == {"reason", "codes", "codes_truncated", "looks"}


async def test_an_image_without_a_code_is_a_404(shop: Client) -> None:
    """The message says that no code was found, and what to do."""
    error = await refused(await sent(shop, EMPTY), 404, "PRODUCT_NOT_FOUND")
    assert error["message"] == "no code was found in the image"
    assert error["details"].pop("hint").startswith("hold the camera closer")
    assert error["details"].pop("looks") > 1
    assert error["details"] == {"reason": "no_code_on_image", "codes": [], "codes_truncated": False}


async def test_a_code_without_a_product_is_refused_as_a_text_is(shop: Client) -> None:
    """With one text, the response is that of a text scan, and contains the code."""
    error = await refused(await sent(shop, image_of("B-1")), 404, "PRODUCT_NOT_FOUND")
    as_text = await refused(await shop.post(PATH, json={"code_data": "B-1"}), 404, "PRODUCT_NOT_FOUND")
    [code] = error["details"].pop("codes")
    assert (error["details"].pop("codes_truncated"), error["details"].pop("looks")) == (False, 1)
    assert error["details"]["understood"].pop("symbology") == "QR"
    assert as_text["details"]["understood"].pop("symbology") is None
    assert (error["message"], error["details"]) == (as_text["message"], as_text["details"])
    assert (code["text"], code["match"], code["gs1"], code["product"]) == ("B-1", None, None, None)
    assert code["understood"]["symbology"] == "QR"
    assert code["new_product"] == error["details"]["new_product"]


async def test_codes_without_products_are_listed(shop: Client) -> None:
    """With several texts, each is listed, also a binary one, and none is chosen."""
    error = await refused(await sent(shop, image_of("B-1", "A\x00\x1d\x7fé", "B-1")), 404, "PRODUCT_NOT_FOUND")
    assert error["message"] == "no product matches any of the 2 codes in the image"
    assert [code["text"] for code in error["details"]["codes"]] == ["B-1", "A\x00\x1d\x7fé", "B-1"]
    assert set(error["details"]) == {"reason", "codes", "codes_truncated", "looks"}


async def test_images_at_the_same_time_are_all_answered(shop: Client) -> None:
    """Images wait in the queue, and each gets its own response."""
    contents = [f"N-{number}" for number in range(8)]
    responses = await asyncio.gather(*(sent(shop, image_of(content, "A-1")) for content in contents))
    assert [(await data(response))["codes"][0]["text"] for response in responses] == contents
