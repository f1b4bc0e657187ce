"""What labels have on them: lines with placeholders, values of products, and payloads."""

from typing import Any

import pypdfium2
import pytest
import zxingcpp

from tests.api.replies import problems, refused
from tests.fixture_types import Client, ClientMaker
from tests.forms import form_data
from tests.workbooks import saved, xlsx_book

PRINTABLE = "/api/codes/printable"
GTIN = "4006381333931"


async def _pdf(client: Client, products: list[Any], **body: Any) -> bytes:
    response = await client.post(PRINTABLE, json={"products": products, **body})
    assert response.status == 200, await response.text()
    return await response.read()


def _lines(pdf: bytes) -> list[str]:
    return str(pypdfium2.PdfDocument(pdf)[0].get_textpage().get_text_range()).split("\r\n")


def _read(pdf: bytes) -> list[str]:
    """Return what a scanner reads on the first page, row by row, with identifiers in brackets."""
    image = pypdfium2.PdfDocument(pdf)[0].render(scale=300 / 72, grayscale=True).to_pil()
    found = zxingcpp.read_barcodes(image, text_mode=zxingcpp.TextMode.HRI)
    found.sort(key=lambda code: (round(code.position.top_left.y, -2), code.position.top_left.x))
    return [code.text for code in found]


async def test_lines_are_filled_for_each_label(shop: Client) -> None:
    """Fields of the product, numbers over all copies, dates and values; braces are doubled."""
    lines = ["{description} ({category}) {{x}}", "{product_code} no {n:03}", "{date+7} {lot}"]
    products = [{"code": "A-1", "copies": 2, "values": {"lot": "L7"}}, {"code": "A-1", "values": {"n": "9", "lot": ""}}]
    pdf = await _pdf(shop, products, layout={"sheet": "100x50mm", "lines": lines, "number_from": 41})
    texts = [page.get_textpage().get_text_range().split("\r\n") for page in pypdfium2.PdfDocument(pdf)]
    assert texts == [
        ["A-1", "Blue pen (Pens) {x}", "A-1 no 041", "2023-11-21 L7"],
        ["A-1", "Blue pen (Pens) {x}", "A-1 no 042", "2023-11-21 L7"],
        ["A-1", "Blue pen (Pens) {x}", "A-1 no 009", "2023-11-21"],
    ]


async def test_an_imported_price_is_printed_as_one(make_client: ClientMaker) -> None:
    """From the cell of a workbook to the label: in the currency and the locale of the shop."""
    client = await make_client(currency="EUR", locale="de_DE")
    book = xlsx_book([("SKU", "Name", "attr:price"), ("A-1", "Pen", 4.1)])
    book.worksheets[0]["C2"].number_format = '#,##0.00 "€"'
    assert (await client.post("/api/products/import", data=form_data(saved(book)))).status == 200
    layout = {"sheet": "100x50mm", "lines": ["{attributes.price:money}", "{attributes.price}"]}
    assert [line.replace("\u00a0", " ") for line in _lines(await _pdf(client, ["A-1"], layout=layout))] == [
        "A-1",
        "4,10 €",
        "4.10",
    ]


async def test_dates_are_those_of_the_time_zone(make_client: ClientMaker) -> None:
    """At 22:13 UTC it is tomorrow in Kolkata."""
    for zone, day in (("UTC", "2023-11-14"), ("Asia/Kolkata", "2023-11-15")):
        pdf = await _pdf(await make_client(time_zone=zone), ["A"], layout={"lines": ["{date}"]})
        assert _lines(pdf) == ["A", day]


async def test_values_need_no_product(client: Client) -> None:
    """A value wins over the catalogue, which is then not asked; without one the product has to be there."""
    layout = {"lines": ["{description}"]}
    item = {"code": "unknown", "values": {"description": "Tea"}}
    assert _lines(await _pdf(client, [item], layout=layout)) == ["unknown", "Tea"]
    response = await client.post(PRINTABLE, json={"products": [item, "A", "B"], "layout": layout})
    assert response.status == 404
    assert (await response.json())["details"]["missing"] == ["A", "B"]


async def test_attributes_are_filled_in(client: Client) -> None:
    """A price is on the label and a shelf in the symbol; below a matrix symbol is still the code of the product."""
    product = {"product_code": "A-1", "description": "Pen", "attributes": {"price": "1,99 €", "shelf": "B7"}}
    assert (await client.post("/api/products", json=product)).status == 201
    layout = {"sheet": "100x50mm", "lines": ["{attributes.price}"]}
    pdf = await _pdf(client, ["A-1"], payload="{attributes.shelf}/{n:04}", code_type="qrcode", layout=layout)
    assert (_lines(pdf), _read(pdf)) == (["A-1", "1,99 €"], ["B7/0001"])


async def test_a_line_may_be_large_and_bold_and_above_the_code(shop: Client) -> None:
    """So that a price tag has its name on top; without a place a line is below, and as large as all others."""
    lines = ["plain", {"text": "{price}", "size": 24, "bold": True, "place": "above"}]
    item = {"code": "A-1", "values": {"price": "1,99 €"}}
    pdf = await _pdf(shop, [item], layout={"sheet": "100x50mm", "lines": lines})
    assert _lines(pdf) == ["1,99 €", "A-1", "plain"]
    assert _height(pdf, "9") > 1.75 * _height(pdf, "l")
    assert b"Bold" in pdf


def _height(pdf: bytes, letter: str) -> float:
    page = pypdfium2.PdfDocument(pdf)[0].get_textpage()
    _, bottom, _, top = page.get_charbox(page.get_text_range().index(letter))
    return float(top - bottom)


async def test_bars_are_as_high_as_wanted(client: Client) -> None:
    """In millimetres, quiet zones and text not counted."""
    heights = []
    for layout in ({}, {"bar_height": 12}):
        pdf = await _pdf(client, ["A-1"], layout={"sheet": "100x50mm", **layout})
        image = pypdfium2.PdfDocument(pdf)[0].render(scale=300 / 72, grayscale=True).to_pil()
        (found,) = zxingcpp.read_barcodes(image)
        heights.append((found.position.bottom_left.y - found.position.top_left.y) / 300 * 25.4)
    assert heights[0] > 20
    assert heights[1] == pytest.approx(12, abs=1)


@pytest.mark.parametrize(
    ("layout", "field", "message"),
    [
        ({"lines": ["{lot}"]}, "products.0", "A-1: nothing fills {lot}"),
        ({"lines": ["x", "{attributes.vk_brutto}"]}, "layout", "no product has the attribute 'vk_brutto'"),
        ({"lines": ["{n:>1000000}"]}, "layout.lines.0", "is not a placeholder"),
        ({"lines": [{"text": "{Price}"}]}, "layout.lines.0.text", "is not a placeholder"),
        ({"lines": [{"text": "x", "size": 3}]}, "layout.lines.0.size", "greater than or equal to 4"),
        ({"lines": [{"text": "x", "colour": "red"}]}, "layout.lines.0.colour", "there are text, size, bold, place"),
        ({"lines": [{"text": "x", "place": "left"}]}, "layout.lines.0.place", "'above' or 'below'"),
        ({"lines": [7]}, "layout.lines.0", "valid string"),
        ({"bar_height": 4}, "layout.bar_height", "greater than or equal to 5"),
        ({"number_from": -1}, "layout.number_from", "greater than or equal to 0"),
    ],
)
async def test_what_cannot_be_filled_is_refused(shop: Client, layout: dict[str, Any], field: str, message: str) -> None:
    """A name that nothing fills names the product, and braces around anything else name the line."""
    found = await problems(await shop.post(PRINTABLE, json={"products": ["A-1"], "layout": layout}))
    assert list(found) == [field]
    assert message in found[field]


async def test_a_refusal_names_the_placeholder(shop: Client) -> None:
    """A program says in its own words what fills nothing, or what is no placeholder."""
    for written, rule in (("{lot}", "placeholder"), ("{Price}", "unknown placeholder")):
        body = {"products": ["A-1"], "layout": {"lines": [f"x {written}"]}}
        [problem] = (await refused(await shop.post(PRINTABLE, json=body), 400, "VALIDATION_ERROR"))["details"]["errors"]
        assert (problem["rule"], problem["placeholder"]) == (rule, written)


@pytest.mark.parametrize(
    "values",
    [
        {f"v{number}": "" for number in range(33)},
        {"lot": "x" * 201},
        {"Lot": "1"},
        {"lot": 7},
        {"lot": "a\0"},
        ["lot"],
    ],
)
async def test_values_are_few_short_texts(client: Client, values: Any) -> None:
    """Names have small letters, digits and `_`; there are at most 32, of at most 200 characters."""
    found = await problems(await client.post(PRINTABLE, json={"products": [{"code": "A", "values": values}]}))
    assert all(field.startswith("products.0.values") for field in found)


@pytest.mark.parametrize("code_type", ["barcode", "DATAMATRIX"])
async def test_a_symbol_may_hold_gs1_elements(client: Client, code_type: str) -> None:
    """GTIN and dates are completed, and each symbology becomes the GS1 one that holds them."""
    payload = {"01": "{product_code}", "10": "{lot}", "17": "{date+7}"}
    item = {"code": GTIN, "values": {"lot": "L7"}}
    pdf = await _pdf(client, [item], payload=payload, code_type=code_type, layout={"sheet": "100x50mm"})
    assert _read(pdf) == [f"(01)0{GTIN}(10)L7(17)231121"]


async def test_a_symbol_may_hold_a_digital_link(make_client: ClientMaker) -> None:
    """The link has the product's GTIN and the elements of its values, and its scan finds the product."""
    client = await make_client(digital_link_domain="id.shop.example")
    await client.post("/api/products", json={"product_code": GTIN, "description": "Highlighter"})
    item = {"code": GTIN, "values": {"lot": "L/7", "expiry": "2026-12-31", "price": "1,99"}}
    (link,) = _read(await _pdf(client, [item], payload="digital_link", code_type="qrcode"))
    assert link == f"https://id.shop.example/01/0{GTIN}/10/L%2F7?17=261231"
    found = (await (await client.post("/api/codes/decode", json={"code_data": link})).json())["data"]
    assert (found["product"]["product_code"], found["gs1"]["lot"]) == (GTIN, "L/7")


@pytest.mark.parametrize(
    ("body", "field", "message"),
    [
        ({"payload": {"17": "2023-02-30"}}, "products.0", f"the payload of {GTIN}: (17) has 2023-02-30"),
        ({"payload": {"05": "x"}}, "payload.05", "(05) is not a GS1 application identifier"),
        ({"payload": {"10": "{Lot}"}}, "payload.10", "is not a placeholder"),
        ({"payload": "{x.y}"}, "payload", "is not a placeholder"),
        ({"payload": ""}, "payload", "at least 1 character"),
        ({"payload": {}}, "payload", "at least 1 item"),
        ({"payload": 7}, "payload", "valid string"),
        ({"payload": "digital_link"}, "payload", "set BARCODESVC_DIGITAL_LINK_DOMAIN"),
        ({"payload": {"10": "7"}, "code_type": "EAN13"}, "code_type", "there are GS1-128"),
    ],
)
async def test_a_wrong_payload_is_refused(client: Client, body: dict[str, Any], field: str, message: str) -> None:
    """The message names the product and the rule, or the field of the request."""
    found = await problems(await client.post(PRINTABLE, json={"products": [GTIN], **body}))
    assert list(found) == [field]
    assert message in found[field]
