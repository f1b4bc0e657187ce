from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, strategies as st

from barcodesvc.symbols.registry import SYMBOLOGIES, Symbology
from tests.api.drawn_codes import address, drawn, png_image, svg_text
from tests.fixture_types import Client, Problems, Refused
from tests.properties import examples

JSON = {"Content-Type": "application/json"}
BOTH = pytest.mark.parametrize("kind", ["barcode", "qrcode"])
NUMBERS = (
    *("NaN", "Infinity", "-Infinity", "1e308", "-1e308", "1e400", "-1e400", "1e-400", "0", "-0", "0.0", "-0.0"),
    *("-1", "1e9", "4294967296", "9223372036854775808", "9" * 400, "-" + "9" * 400, "0." + "0" * 400 + "1"),
)
NUMERIC = (
    *(("barcode", name) for name in ("width", "height", "dpi", "module_mm")),
    *(("qrcode", name) for name in ("size", "dpi", "module_mm")),
)
DIGITS = ("\u0664" * 13, "\uff14006381333931", "\u00b2" * 12, "400638133393\u0661", "\u0967\u0968\u0969")
ASCII = "".join(map(chr, range(0x20, 0x7F)))
MARKUP = (
    "<>&\"'" * 12,
    "</title></svg><script>alert(1)</script>",
    "<![CDATA[<script/>]]>",
    "--><script>alert(1)</script><!--",
    "&lt;script&gt;",
    "&#60;script&#62;",
    '"onload="alert(1)',
    "'/><image href='//x'/>",
    "<?xml version='1.1'?>",
    "<!DOCTYPE svg [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>&x;",
    "${7*7}{{7*7}}",
    "]]>",
)
SVG = "{http://www.w3.org/2000/svg}"
ELEMENTS = {SVG + name for name in ("svg", "title", "path", "g", "text")}
FUZZED = examples(100, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _assert_harmless(svg: str, code: str) -> None:
    """Check that a document has only the writer's own elements and attributes, and the code only as text."""
    root = ET.fromstring(svg)  # noqa: S314 - the service's own response, and a parser that takes no entity
    assert {element.tag for element in root.iter()} <= ELEMENTS
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on") or "href" in name]
    assert [element.text for element in root.iter(f"{SVG}title")] == [code]
    assert {element.text for element in root.iter(f"{SVG}text")} <= {code}
    assert "<!" not in svg
    assert "<?" not in svg


@pytest.mark.parametrize(("kind", "name"), NUMERIC)
async def test_a_hostile_number_is_named(client: Client, problems: Problems, kind: str, name: str) -> None:
    """Too large, zero, negative or not finite: a 400 for that field, from a body and from a query."""
    for number in NUMBERS:
        body = f'{{"product_code":"A-1","{name}":{number}}}'
        assert list(await problems(await client.post(f"/api/codes/{kind}", data=body, headers=JSON))) == [name], number
        got = await client.get(address(kind, "A-1", "png", **{name: number}))
        assert list(await problems(got)) == [name], number


async def test_the_largest_sizes_are_drawn(client: Client) -> None:
    """The limits allow some megapixels for every symbology, and the response is small."""
    for symbology in SYMBOLOGIES:
        wanted = {"product_code": symbology.example, "format": symbology.name, "height": 2000}
        for width in (10, 4000):
            data = await drawn(client, "barcode", **wanted, width=width)
            assert png_image(data).width <= 4000
            assert len(svg_text(data)) + len(data["barcode_base64"]) < 200_000


@pytest.mark.parametrize("name", ["EAN13", "EAN8", "UPCA", "ITF14", "ITF", "MSI", "PHARMACODE", "ISBN13", "CODE128C"])
async def test_digits_of_other_scripts_are_no_digits(client: Client, problems: Problems, name: str) -> None:
    """They are refused with their position, and never read as 0 to 9, by POST and by GET."""
    for code in DIGITS:
        position = next(position for position, character in enumerate(code, start=1) if not character.isascii())
        character = f"U+{ord(code[position - 1]):04X}"
        expected = {"product_code": f"character {character} at position {position}; a code is printable ASCII"}
        response = await client.post("/api/codes/barcode", json={"product_code": code, "format": name})
        assert await problems(response) == expected
        assert await problems(await client.get(address("barcode", code, "svg", format=name))) == expected


@pytest.mark.parametrize("name", ["EAN13", "EAN8", "UPCA", "UPCE", "ITF14", "ISBN13", "ISSN", "JAN", "EAN5", "PZN"])
async def test_an_ean_of_64_digits_is_refused(client: Client, refused: Refused, name: str) -> None:
    """The refusal contains the rule and what would fit, and names the code."""
    response = await client.post("/api/codes/barcode", json={"product_code": "4" * 64, "format": name})
    reply = await refused(response, 400, "VALIDATION_ERROR")
    assert [problem["field"] for problem in reply["details"]["errors"]] == ["product_code"]
    assert reply["details"]["rule"]
    assert reply["details"]["fits"]


@BOTH
async def test_markup_in_a_code_is_text(client: Client, kind: str) -> None:
    """A code adds no element, attribute or entity, neither in the response nor at the picture's URL."""
    for code in MARKUP:
        svg = svg_text(await drawn(client, kind, product_code=code))
        _assert_harmless(svg, code)
        assert await (await client.get(address(kind, code, "svg"))).text() == svg


@FUZZED
@given(code=st.text("<>&\"'/!?-=[]; ax#", min_size=1, max_size=64).filter(lambda code: code == code.strip(" ")))
@BOTH
async def test_no_code_at_all_injects_anything(client: Client, kind: str, code: str) -> None:
    """Any combination of XML's special characters is only title and text."""
    _assert_harmless(await (await client.get(address(kind, code, "svg"))).text(), code)


async def test_markup_in_a_description_stays_in_the_symbol(shop: Client) -> None:
    """A picture with product information has the code as its title; its description is only in the modules."""
    await shop.put("/api/products/1", json={"description": "</title><script>alert(1)</script>"})
    data = await drawn(shop, "qrcode", product_code="A-1", include_product_info=True)
    _assert_harmless(svg_text(data), "A-1")
    assert data["embedded_data"]["description"] == "</title><script>alert(1)</script>"


@pytest.mark.parametrize(
    ("code", "named"),
    [
        ("a\nb", "U+000A at position 2"),
        ("\x00", "U+0000 at position 1"),
        ("a\rb", "U+000D at position 2"),
        ("a\tb", "U+0009 at position 2"),
        ("a\x1db", "U+001D at position 2"),
        ("\x7f", "U+007F at position 1"),
        ("a\u2028b", "U+2028 at position 2"),
        ("a\u202eb", "U+202E at position 2"),
    ],
)
@BOTH
async def test_a_control_character_is_named(
    client: Client, problems: Problems, kind: str, code: str, named: str
) -> None:
    """In a body, in a URL and in a batch alike."""
    reply = {"product_code": f"character {named}; a code is printable ASCII"}
    assert await problems(await client.post(f"/api/codes/{kind}", json={"product_code": code})) == reply
    assert await problems(await client.get(address(kind, code, "png"))) == reply
    batch = await client.post("/api/codes/batch", json={"requests": [{"kind": kind, "product_code": code}]})
    assert (await batch.json())["data"][0]["message"] == f"product_code: {reply['product_code']}"


@FUZZED
@given(
    symbology=st.sampled_from(SYMBOLOGIES),
    code=st.text(ASCII, min_size=1, max_size=64)
    | st.text("0123456789", min_size=1, max_size=64)
    | st.text("0123456789()+-XA", min_size=1, max_size=64),
)
async def test_no_code_at_all_makes_a_symbology_fail(client: Client, symbology: Symbology, code: str) -> None:
    """Every code in every symbology is either drawn or refused with a reason that blames the code."""
    wanted = {"product_code": code, "format": symbology.name, "width": 1, "height": 10}
    response = await client.post("/api/codes/barcode", json=wanted)
    reply = await response.json()
    assert response.status in (200, 400), reply
    if response.status == 400:
        assert [problem["field"] for problem in reply["details"]["errors"]] == ["product_code"]
