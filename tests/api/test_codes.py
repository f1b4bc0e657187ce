import json
from collections.abc import Sequence
from typing import Any

import pytest
import zxingcpp

from tests.api.drawn_codes import drawn, png_image, read_back, svg_image
from tests.fixture_types import Client, Problems

AT_FIRST = "2023-11-14T22:13:20.000Z"


@pytest.mark.parametrize(
    ("code", "name", "content"),
    [
        ("AB-12345", "CODE128", "AB-12345"),
        ("AB-12345", "CODE39", "AB-12345"),
        ("400638133393", "EAN13", "4006381333931"),
        ("9638507", "EAN8", "96385074"),
        ("03600029145", "UPCA", "0036000291452"),
        ("1540014128876", "ITF14", "15400141288763"),
        ("A12345B", "CODABAR", "A12345B"),
        ("(01)09521234543213(10)L7", "GS1-128", "010952123454321310L7"),
        ("1234567", "PZN", "-12345678"),
        ("978-3-16-148410-0", "ISBN13", "9783161484100"),
        ("0317-8471", "ISSN", "9770317847001"),
        ("AB-12345", "QR", "AB-12345"),
    ],
)
async def test_every_format_is_read_back_from_both_pictures(client: Client, code: str, name: str, content: str) -> None:
    """The response repeats the code as sent and the format, and PNG and SVG contain the content."""
    data = await drawn(client, "barcode", product_code=code, format=name)
    assert (data["product_code"], data["format"]) == (code, name)
    assert read_back(png_image(data)) == read_back(svg_image(data)) == content


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("code128", "CODE128"),
        ("Code 128", "CODE128"),
        ("code_1-28", "CODE128"),
        ("ean-13", "EAN13"),
        ("GS1128", "GS1-128"),
        ("upc", "UPCA"),
        ("qr code", "QR"),
        ("isbn", "ISBN13"),
    ],
)
async def test_a_format_is_named_in_any_spelling(client: Client, spelling: str, name: str) -> None:
    """Case, `-`, `_` and space are ignored, aliases are known, and the response has the canonical name."""
    codes = {"EAN13": "4006381333931", "UPCA": "036000291452", "ISBN13": "9783161484100", "GS1-128": "(10)L7"}
    data = await drawn(client, "barcode", product_code=codes.get(name, "123"), format=spelling)
    assert data["format"] == name


@pytest.mark.parametrize(("code", "name"), [("4006381333931", "EAN13"), ("BOLT-M8x40", "CODE128")])
async def test_the_best_format_is_drawn_and_named(client: Client, code: str, name: str) -> None:
    """The response and the address of a picture give what a request for that format gives."""
    best = await drawn(client, "barcode", product_code=code, format="best")
    assert best == await drawn(client, "barcode", product_code=code, format=name)
    pictures = [
        await client.get(f"/api/codes/barcode/{code}.svg", params={"format": wanted}) for wanted in ("best", name)
    ]
    assert (await pictures[0].text()) == (await pictures[1].text())


async def test_a_barcode_has_defaults(client: Client) -> None:
    """CODE128 with modules of 2 pixels, bars of 100 pixels and the text below."""
    plain = await drawn(client, "barcode", product_code="A-1")
    named = {"format": "CODE128", "width": 2, "height": 100, "displayValue": True}
    assert plain == await drawn(client, "barcode", product_code="A-1", **named)
    assert png_image(plain).size[0] == 2 * 88
    assert png_image(plain).size[1] > 100
    assert "A-1</text>" in plain["barcode_svg"]


@pytest.mark.parametrize(
    ("asked", "pixels"),
    [(1, 88), (0.4, 88), (1.4, 88), (1.5, 176), (2.0, 176), (10, 880), (88, 88), (175.9, 88), (176, 176), (4000, 3960)],
)
async def test_a_width_is_that_of_a_module_or_of_the_image(client: Client, asked: float, pixels: int) -> None:
    """Up to 10 it is a module's width in whole pixels; above, the largest module that keeps the image within it."""
    data = await drawn(client, "barcode", product_code="A-1", width=asked, displayValue=False)
    assert png_image(data).size == svg_image(data).size == (pixels, 100)


@pytest.mark.parametrize(("height", "pixels"), [(10, 10), (2000, 2000), (10.4, 10), (99.6, 100)])
async def test_a_height_is_that_of_the_bars(client: Client, height: float, pixels: int) -> None:
    """Without text the image is as high as the bars, in whole pixels."""
    data = await drawn(client, "barcode", product_code="A-1", height=height, displayValue=False)
    assert png_image(data).size[1] == svg_image(data).size[1] == pixels
    assert "<text" not in data["barcode_svg"]


async def test_a_matrix_format_ignores_height_and_text(client: Client) -> None:
    """A QR code requested through `format` only uses the width of a module."""
    one = await drawn(client, "barcode", product_code="A-1", format="QR", width=3, height=50, displayValue=True)
    other = await drawn(client, "barcode", product_code="A-1", format="QR", width=3, height=500, displayValue=False)
    assert one == other
    assert png_image(one).size == (87, 87)


WRONG_BARCODE: dict[str, Sequence[object]] = {
    "product_code": ("", "a" * 65, "ä", "a\x00", 12, None, ["a"]),
    "format": ("", "CODE12", "x" * 65, 128, None, True, "CODE128\x00"),
    "width": (0, -1, 4001, "2", None, True, 11, 10.5),
    "height": (9.99, 2001, -1, "100", None, False),
    "displayValue": ("true", 1, None),
    "displayvalue": (False,),
}


@pytest.mark.parametrize("field", WRONG_BARCODE)
async def test_a_wrong_parameter_of_a_barcode_is_named(client: Client, problems: Problems, field: str) -> None:
    """Types are exact and limits are enforced."""
    for wrong in WRONG_BARCODE[field]:
        response = await client.post("/api/codes/barcode", json={"product_code": "A-1", field: wrong})
        assert list(await problems(response)) == [field], wrong


@pytest.mark.parametrize("number", [b"1e400", b"-1e400", b"NaN", b"Infinity", b"1" + b"0" * 400])
async def test_numbers_beyond_all_bounds_are_named(client: Client, problems: Problems, number: bytes) -> None:
    """A size that is not a finite number of pixels is refused by name."""
    sent = b'{"product_code":"A-1","width":%b}' % number
    response = await client.post("/api/codes/barcode", data=sent, headers={"Content-Type": "application/json"})
    assert list(await problems(response)) == ["width"]


async def test_all_problems_of_a_code_are_reported_at_once(client: Client, problems: Problems) -> None:
    """An unknown format is reported with all other problems, and with the nearest names."""
    reply = await problems(await client.post("/api/codes/barcode", json={"format": "CODE12", "width": -1, "x": 1}))
    assert set(reply) == {"product_code", "format", "width", "x"}
    assert reply["format"] == "no such symbology; did you mean CODE128, CODE128C, CODE128B"


async def test_a_qr_code_has_defaults(client: Client) -> None:
    """A picture of 300 pixels at error correction M that contains the bare code."""
    data = await drawn(client, "qrcode", product_code="A-1")
    assert data == await drawn(client, "qrcode", product_code="A-1", size=300, error_correction="M")
    assert png_image(data).size == svg_image(data).size == (300, 300)
    assert read_back(png_image(data)) == read_back(svg_image(data)) == "A-1"
    assert "embedded_data" not in data


@pytest.mark.parametrize("size", [29, 30, 58, 301, 4000])
async def test_a_qr_code_is_exactly_as_large_as_asked_for(client: Client, size: int) -> None:
    """Both pictures have the requested side length."""
    data = await drawn(client, "qrcode", product_code="1", size=size)
    assert png_image(data).size == (size, size)
    assert f'width="{size}"' in data["qr_code_svg"]


async def test_each_level_of_error_correction_isdrawn(client: Client) -> None:
    """The symbol has the requested level and no other."""
    for level in "LMQH":
        data = await drawn(client, "qrcode", product_code="A-1", error_correction=level)
        assert zxingcpp.read_barcodes(png_image(data).convert("L"))[0].ec_level == level


WRONG_QR: dict[str, Sequence[object]] = {
    "product_code": ("", "a" * 65, "ä", 12, None),
    "size": (28, 28.9, 4001, "300", None, True, -300),
    "error_correction": ("", "m", "X", "LM", 1, None),
    "include_product_info": ("true", 1, None),
    "format": ("QR",),
}


@pytest.mark.parametrize("field", WRONG_QR)
async def test_a_wrong_parameter_of_a_qr_code_is_named(client: Client, problems: Problems, field: str) -> None:
    """Types are exact and limits are enforced."""
    for wrong in WRONG_QR[field]:
        response = await client.post("/api/codes/qrcode", json={"product_code": "A-1", field: wrong})
        assert list(await problems(response)) == [field], wrong


async def test_product_information_is_embedded(shop: Client) -> None:
    """The symbol contains the compact JSON that the response shows as embedded_data."""
    data = await drawn(shop, "qrcode", product_code="A-1", include_product_info=True)
    assert data["embedded_data"] == {"product_code": "A-1", "description": "Blue pen", "timestamp": AT_FIRST}
    assert (
        read_back(png_image(data))
        == read_back(svg_image(data))
        == json.dumps(data["embedded_data"], separators=(",", ":"))
    )


async def test_the_same_product_gives_the_same_symbol(shop: Client, standing_clock: Any) -> None:
    """Time alone changes nothing; a change of the product changes it, a change of its level does not."""
    first = await drawn(shop, "qrcode", product_code="A-1", include_product_info=True)
    standing_clock.advance(3600)
    await shop.put("/api/inventory/1", json={"new_level": 1})
    assert await drawn(shop, "qrcode", product_code="A-1", include_product_info=True) == first
    await shop.put("/api/products/1", json={"category": "x"})
    changed = await drawn(shop, "qrcode", product_code="A-1", include_product_info=True)
    assert changed["embedded_data"]["timestamp"] == "2023-11-14T23:13:20.000Z"


async def test_a_long_description_that_does_not_fit_is_refused(client: Client, refused: Any) -> None:
    """Content beyond the capacity of the largest QR code at this level is refused."""
    emoji = {"product_code": "A-1", "description": "\N{GRINNING FACE}" * 500}
    await client.post("/api/products", json=emoji)
    wanted = {"product_code": "A-1", "include_product_info": True, "error_correction": "H"}
    reply = await refused(await client.post("/api/codes/qrcode", json=wanted), 400, "VALIDATION_ERROR")
    assert reply["details"]["rule"] == "length"


async def test_codes_need_no_product(client: Client) -> None:
    """Without product information a code is drawn even if no product has it."""
    assert (await drawn(client, "barcode", product_code="unknown"))["product_code"] == "unknown"
    assert (await drawn(client, "qrcode", product_code="unknown"))["product_code"] == "unknown"


@pytest.mark.parametrize(
    ("scanned", "match"),
    [
        ("4006381333931", "exact"),
        ("4006381333931\r\n", "exact"),
        ('{"product_code":"4006381333931"}', "json"),
        ("]C04006381333931", "aim"),
        ("0104006381333931", "gs1"),
        ("https://shop.example/01/04006381333931", "digital_link"),
        ("04006381333931", "gtin"),
    ],
)
async def test_a_scan_names_the_rule_that_fitted(client: Client, scanned: str, match: str) -> None:
    """In whatever form a scanner sends a code, the product is found and `match` names the rule."""
    await client.post("/api/products", json={"product_code": "4006381333931", "description": "Marker"})
    data = await drawn(client, "decode", code_data=scanned)
    assert (data["product"]["product_code"], data["match"]) == ("4006381333931", match)


@pytest.mark.parametrize("hint", ["", "QR", "nonsense", "EAN13", "x" * 1000, "\x00"])
async def test_the_code_type_of_a_scan_never_matters(shop: Client, hint: str) -> None:
    """Whatever symbology the scanner reports, the same product is found."""
    data = await drawn(shop, "decode", code_data="A-1", code_type=hint)
    assert (data["product"]["id"], data["match"]) == (1, "exact")


async def test_what_a_qr_code_holds_is_found_by_a_scan(shop: Client) -> None:
    """The service reads its own payload back, even with letters of swapped case, as some scanners send them."""
    data = await drawn(shop, "qrcode", product_code="A-1", include_product_info=True)
    assert (await drawn(shop, "decode", code_data=read_back(png_image(data))))["match"] == "json"
    assert (await drawn(shop, "decode", code_data="a-1"))["match"] == "case_insensitive"


@pytest.mark.parametrize(
    "scanned", [" ", "\x00", "\u0000A-1", "ä" * 8192, "{" * 8000, "'; DROP TABLE products; --", "%"]
)
async def test_a_scan_that_fits_nothing_is_a_404(shop: Client, refused: Any, scanned: str) -> None:
    """Any text is a valid scan; one without a matching product is reported as such."""
    response = await shop.post("/api/codes/decode", json={"code_data": scanned})
    if response.status != 200:
        await refused(response, 404, "PRODUCT_NOT_FOUND")
    assert (await shop.get("/api/products/1")).status == 200


WRONG_SCAN: dict[str, Sequence[object]] = {
    "code_data": ("", "x" * 8193, 4006381333931, None, ["A-1"]),
    "code_type": (1, None),
    "type": ("QR",),
}


@pytest.mark.parametrize("field", WRONG_SCAN)
async def test_a_wrong_parameter_of_a_scan_is_named(client: Client, problems: Problems, field: str) -> None:
    """A scan is text of 1 to 8192 characters."""
    for wrong in WRONG_SCAN[field]:
        response = await client.post("/api/codes/decode", json={"code_data": "A-1", field: wrong})
        assert list(await problems(response)) == [field], wrong
