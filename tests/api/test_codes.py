"""POST /api/codes/barcode and qrcode: their parameters, their refusals, and that a code stays text."""

import json
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import zxingcpp

from tests.api.drawn_codes import address, drawn, png_image, read_back, svg_image, svg_text
from tests.api.replies import problems
from tests.fixture_types import Client
from tests.sweeps import sweep

AT_FIRST = "2023-11-14T22:13:20.000Z"
JSON = {"Content-Type": "application/json"}
BOTH = pytest.mark.parametrize("kind", ["barcode", "qrcode"])
SVG = "{http://www.w3.org/2000/svg}"
ELEMENTS = {SVG + name for name in ("svg", "title", "path", "g", "text")}
MARKUP = (
    "<>&\"'" * 12,
    "</title></svg><script>alert(1)</script>",
    "'/><image href='//x'/>",
    "<!DOCTYPE svg [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>&x;",
    "]]>",
)


async def test_a_barcode_has_defaults(client: Client) -> None:
    """CODE128 with modules of 2 pixels, bars of 100 pixels and the text below, of a code that no product has."""
    plain = await drawn(client, "barcode", product_code="A-1")
    named = {"format": "CODE128", "width": 2, "height": 100, "displayValue": True}
    assert plain == await drawn(client, "barcode", product_code="A-1", **named)
    assert (plain["product_code"], plain["format"]) == ("A-1", "CODE128")
    assert png_image(plain).size[0] == 2 * 88
    assert png_image(plain).size[1] > 100
    assert "A-1</text>" in plain["barcode_svg"]
    assert read_back(png_image(plain)) == read_back(svg_image(plain)) == "A-1"


async def test_a_format_is_named_in_any_spelling(client: Client) -> None:
    """The response has the code as it was sent and the canonical name; its pictures hold what a reader gets."""
    data = await drawn(client, "barcode", product_code="978-3-16-148410-0", format="isbn_13")
    assert (data["product_code"], data["format"]) == ("978-3-16-148410-0", "ISBN13")
    assert read_back(png_image(data)) == read_back(svg_image(data)) == "9783161484100"


@pytest.mark.parametrize(("code", "name"), [("4006381333931", "EAN13"), ("BOLT-M8x40", "CODE128")])
async def test_the_best_format_is_drawn_and_named(client: Client, code: str, name: str) -> None:
    """The response and the address of a picture give what a request for that format gives."""
    best = await drawn(client, "barcode", product_code=code, format="best")
    assert best == await drawn(client, "barcode", product_code=code, format=name)
    picture = await client.get(address("barcode", code, "svg", format="best"))
    assert await picture.text() == svg_text(best)


@sweep(("width", "height", "size"), [(1.4, 10, (88, 10)), (1.5, 99.6, (176, 100)), (175.9, 2000, (88, 2000))])
async def test_sizes_are_whole_pixels(client: Client, width: float, height: float, size: tuple[int, int]) -> None:
    """A width up to 10 is that of a module, above it that of the image; a height is that of the bars."""
    data = await drawn(client, "barcode", product_code="A-1", width=width, height=height, displayValue=False)
    assert png_image(data).size == svg_image(data).size == size
    assert "<text" not in data["barcode_svg"]


async def test_a_matrix_format_ignores_height_and_text(client: Client) -> None:
    """A QR code requested through `format` only uses the width of a module."""
    one = await drawn(client, "barcode", product_code="A-1", format="QR", width=3, height=50, displayValue=True)
    other = await drawn(client, "barcode", product_code="A-1", format="QR", width=3, height=500, displayValue=False)
    assert one == other
    assert png_image(one).size == (87, 87)


async def test_a_qr_code_has_defaults(client: Client) -> None:
    """A picture of 300 pixels at error correction M that contains the bare code, which no product has."""
    data = await drawn(client, "qrcode", product_code="A-1")
    assert data == await drawn(client, "qrcode", product_code="A-1", size=300, error_correction="M")
    assert png_image(data).size == svg_image(data).size == (300, 300)
    assert read_back(png_image(data)) == read_back(svg_image(data)) == "A-1"
    assert "embedded_data" not in data


async def test_a_qr_code_has_the_level_of_error_correction_asked_for(client: Client) -> None:
    """The symbol has the requested level and no other."""
    for level in "LMQH":
        data = await drawn(client, "qrcode", product_code="A-1", error_correction=level)
        assert zxingcpp.read_barcodes(png_image(data).convert("L"))[0].ec_level == level


WRONG: dict[tuple[str, str], Sequence[object]] = {
    ("barcode", "product_code"): ("", "a" * 65, "ä", "a\x00", 12, None, ["a"]),
    ("barcode", "format"): ("", "CODE12", "x" * 65, 128, None, True, "CODE128\x00"),
    ("barcode", "width"): ("2", None, True, 4001, 10.5),
    ("barcode", "height"): (9.99, 2001, "100", None, False),
    ("barcode", "displayValue"): ("true", 1, None),
    ("barcode", "displayvalue"): (False,),
    ("qrcode", "product_code"): ("", "a" * 65, "ä", 12, None),
    ("qrcode", "size"): (28.9, 4001, "300", None, True),
    ("qrcode", "error_correction"): ("", "m", "LM", 1, None),
    ("qrcode", "include_product_info"): ("true", 1, None),
    ("qrcode", "format"): ("QR",),
    ("decode", "code_data"): ("", "x" * 8193, 4006381333931, None, ["A-1"]),
    ("decode", "code_type"): (1, None),
    ("decode", "type"): ("QR",),
}


@sweep(("where", "values"), WRONG.items())
async def test_a_wrong_field_is_named(client: Client, where: tuple[str, str], values: Sequence[object]) -> None:
    """Types are exact and limits are enforced."""
    kind, field = where
    right = {"code_data": "A-1"} if kind == "decode" else {"product_code": "A-1"}
    for wrong in values:
        response = await client.post(f"/api/codes/{kind}", json={**right, field: wrong})
        assert list(await problems(response)) == [field], wrong


NUMBERS = ("NaN", "Infinity", "-Infinity", "1e308", "1e400", "-1e400", "1e-400", "0", "-0.0", "-1", "9" * 400)
NUMERIC = (
    *(("barcode", name) for name in ("width", "height", "dpi", "module_mm")),
    *(("qrcode", name) for name in ("size", "dpi", "module_mm")),
)


@sweep(("kind", "name"), NUMERIC)
async def test_a_hostile_number_is_named(client: Client, kind: str, name: str) -> None:
    """Too large, zero, negative or not finite: a 400 for that field, from a body and from a query."""
    for number in NUMBERS:
        body = f'{{"product_code":"A-1","{name}":{number}}}'
        assert list(await problems(await client.post(f"/api/codes/{kind}", data=body, headers=JSON))) == [name], number
        got = await client.get(address(kind, "A-1", "png", **{name: number}))
        assert list(await problems(got)) == [name], number


async def test_all_problems_of_a_code_are_reported_at_once(client: Client) -> None:
    """An unknown format is reported with all other problems, and with the nearest names."""
    reply = await problems(await client.post("/api/codes/barcode", json={"format": "CODE12", "width": -1, "x": 1}))
    assert set(reply) == {"product_code", "format", "width", "x"}
    assert reply["format"] == "no such symbology; did you mean CODE128, CODE128C, CODE128B"


async def test_product_information_is_embedded(shop: Client) -> None:
    """The symbol contains the compact JSON that the response shows as embedded_data, and a scan finds its product."""
    data = await drawn(shop, "qrcode", product_code="A-1", include_product_info=True)
    assert data["embedded_data"] == {"product_code": "A-1", "description": "Blue pen", "timestamp": AT_FIRST}
    held = json.dumps(data["embedded_data"], separators=(",", ":"))
    assert read_back(png_image(data)) == read_back(svg_image(data)) == held
    assert (await drawn(shop, "decode", code_data=held))["match"] == "json"


async def test_the_same_product_gives_the_same_symbol(shop: Client, standing_clock: Any) -> None:
    """Time alone changes nothing; a change of the product changes it, a change of its level does not."""
    first = await drawn(shop, "qrcode", product_code="A-1", include_product_info=True)
    standing_clock.advance(3600)
    await shop.put("/api/inventory/1", json={"new_level": 1})
    assert await drawn(shop, "qrcode", product_code="A-1", include_product_info=True) == first
    await shop.put("/api/products/1", json={"category": "x"})
    changed = await drawn(shop, "qrcode", product_code="A-1", include_product_info=True)
    assert changed["embedded_data"]["timestamp"] == "2023-11-14T23:13:20.000Z"


def _assert_harmless(svg: str, code: str) -> None:
    """Check that a document has only the writer's own elements and attributes, and the code only as text."""
    root = ET.fromstring(svg)  # noqa: S314 - the service's own response, and a parser that takes no entity
    assert {element.tag for element in root.iter()} <= ELEMENTS
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on") or "href" in name]
    assert [element.text for element in root.iter(f"{SVG}title")] == [code]
    assert {element.text for element in root.iter(f"{SVG}text")} <= {code}
    assert "<!" not in svg
    assert "<?" not in svg


@BOTH
async def test_markup_in_a_code_is_text(client: Client, kind: str) -> None:
    """A code adds no element, attribute or entity, neither in the response nor at the picture's URL."""
    for code in MARKUP:
        svg = svg_text(await drawn(client, kind, product_code=code))
        _assert_harmless(svg, code)
        assert await (await client.get(address(kind, code, "svg"))).text() == svg


async def test_markup_in_a_description_stays_in_the_symbol(shop: Client) -> None:
    """A picture with product information has the code as its title; its description is only in the modules."""
    await shop.put("/api/products/1", json={"description": "</title><script>alert(1)</script>"})
    data = await drawn(shop, "qrcode", product_code="A-1", include_product_info=True)
    _assert_harmless(svg_text(data), "A-1")
    assert data["embedded_data"]["description"] == "</title><script>alert(1)</script>"


@BOTH
async def test_a_character_that_no_code_has_is_named(client: Client, kind: str) -> None:
    """Control characters and digits of other scripts are refused with their position, in a body and in a batch."""
    for code, named in (("a\nb", "U+000A at position 2"), ("12\u0664", "U+0664 at position 3")):
        reply = {"product_code": f"character {named}; a code is printable ASCII"}
        assert await problems(await client.post(f"/api/codes/{kind}", json={"product_code": code})) == reply
        batch = await client.post("/api/codes/batch", json={"requests": [{"kind": kind, "product_code": code}]})
        assert (await batch.json())["data"][0]["message"] == f"product_code: {reply['product_code']}"


async def test_white_space_at_the_ends_of_a_code_is_no_part_of_it(client: Client) -> None:
    """Created, changed, listed, drawn, printed or scanned with it, the product is the same."""
    code = " \xa0\tA-1\u3000\r\n"
    created = await client.post("/api/products", json={"product_code": code, "description": "Bolt"})
    product = (await created.json())["data"]
    assert (created.status, product["product_code"]) == (201, "A-1")
    again = await client.post("/api/products", json={"product_code": "A-1", "description": "Bolt"})
    assert again.status == 409
    changed = await client.put(f"/api/products/{product['id']}", json={"product_code": code, "category": "Metal"})
    assert changed.status == 200
    listed = await client.get("/api/products", params={"product_code": code})
    assert [one["id"] for one in (await listed.json())["data"]] == [product["id"]]
    assert (await drawn(client, "qrcode", product_code=code, include_product_info=True))["product_code"] == "A-1"
    picture = await client.get(address("barcode", code, "svg"))
    assert await picture.text() == svg_text(await drawn(client, "barcode", product_code="A-1"))
    for products in ([code], [{"code": code, "copies": 1}]):
        printed = await client.post("/api/codes/printable", json={"products": products, "layout": {"sheet": "L7160"}})
        assert printed.status == 200, await printed.text()
    for sent in (code, json.dumps({"product_code": code})):
        assert (await drawn(client, "decode", code_data=sent))["product"]["id"] == product["id"]
