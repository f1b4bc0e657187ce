"""Any code at the address of its picture, whatever its characters mean in a URL."""

import json
import string
from typing import Any

import pytest
from hypothesis import HealthCheck, given, strategies as st

from tests.api.drawn_codes import address, drawn, png_bytes, svg_text
from tests.api.replies import problems
from tests.api.sockets import raw
from tests.fixture_types import Client
from tests.properties import examples
from tests.sweeps import sweep

PRINTABLE = "".join(map(chr, range(0x20, 0x7F)))
CODES = st.text(PRINTABLE, min_size=1, max_size=64).filter(lambda code: code == code.strip(" "))
AWKWARD = (
    *("/", "?", "#", "+", "&", "=", ";", ".", "..", "../x", "a/../b", "//", "a//b", "/a/", ".svg", "a.svg.png", "a."),
    *("a?format=EAN13", "a b", "%2F", "%252F", "%20", "%zz", "100%", "%%", "%C3%A4", "%FF", "%00", "{code}", "*", "\\"),
    *("<>&\"'", "http://x/y", "products", "barcode/a"),
)


def _get(target: str) -> bytes:
    return f"GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()


async def _answered(client: Client, target: str) -> tuple[int, bytes]:
    """Return status and body for a raw request target that no client library has normalised."""
    head, _, body = (await raw(client, _get(target))).partition(b"\r\n\r\n")
    return int(head.split(b" ", 2)[1]), body


async def _titled(client: Client, target: str) -> str:
    """Return the SVG document at a target, which must exist."""
    status, body = await _answered(client, target)
    assert status == 200, body
    return body.decode()


async def test_an_awkward_code_is_drawn_as_it_is(client: Client) -> None:
    """Separators, escapes and extensions inside a code are part of it, in both pictures."""
    for code in AWKWARD:
        data = await drawn(client, "barcode", product_code=code)
        assert await (await client.get(address("barcode", code, "svg"))).text() == svg_text(data), code
        assert await (await client.get(address("barcode", code, "png"))).read() == png_bytes(data), code


@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(code=CODES, kind=st.sampled_from(["barcode", "qrcode"]), ending=st.sampled_from(["svg", "png"]))
async def test_any_code_is_drawn_at_its_address(client: Client, code: str, kind: str, ending: str) -> None:
    """For every code, its URL returns the picture of the POST."""
    data = await drawn(client, kind, product_code=code)
    expected = svg_text(data).encode() if ending == "svg" else png_bytes(data)
    assert await (await client.get(address(kind, code, ending))).read() == expected


@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(code=CODES, data=st.data())
async def test_an_escape_is_its_character(client: Client, code: str, data: Any) -> None:
    """Which characters are escaped, beyond those that must be, and in which case, does not matter."""
    plain = string.ascii_letters + string.digits + "-._~!$&'()*+,;=:@/"

    def spelt(character: str) -> str:
        escapes = [f"%{ord(character):02X}", f"%{ord(character):02x}"]
        return str(data.draw(st.sampled_from([*escapes, character] if character in plain else escapes)))

    target = f"/api/codes/barcode/{''.join(map(spelt, code))}.svg"
    assert await _titled(client, target) == svg_text(await drawn(client, "barcode", product_code=code))


@sweep(
    ("target", "code"),
    [
        ("a/b.svg", "a/b"),
        ("a%2fb.svg", "a/b"),
        ("a%252fb.svg", "a%2fb"),
        ("../barcode/a.svg", "../barcode/a"),
        ("%2e%2e/%2e%2e/products.svg", "../../products"),
        ("//.svg", "//"),
        ("a%2Esvg", "a"),
        ("a.png.svg", "a.png"),
        ("a.svg?", "a"),
        ("a.svg#b.png", "a"),
        ("100%.svg", "100%"),
        ("a;b=c.svg", "a;b=c"),
    ],
)
async def test_a_raw_target_is_taken_literally(client: Client, target: str, code: str) -> None:
    """Slashes and dots are not resolved, and a malformed escape is taken literally."""
    expected = svg_text(await drawn(client, "barcode", product_code=code))
    assert await _titled(client, f"/api/codes/barcode/{target}") == expected


async def test_the_whole_address_may_stand_in_the_request_line(client: Client) -> None:
    """The absolute form, as proxies send it, returns the same picture."""
    target = f"http://x:{client.port}/api/codes/barcode/a%2Fb.svg"
    assert "<title>a/b</title>" in await _titled(client, target)


@sweep(
    ("escaped", "named"),
    [
        ("a%0Ab", "U+000A at position 2"),
        ("%00", "U+0000 at position 1"),
        ("%F0%9F%98%80", "U+1F600 at position 1"),
        ("%FF", "U+FFFD at position 1"),
        ("ab%ED%A0%80", "U+FFFD at position 3"),
        ("%41%2F%e4", "U+FFFD at position 3"),
    ],
)
async def test_a_character_that_no_code_has_is_named(client: Client, escaped: str, named: str) -> None:
    """Control characters, non-ASCII and escapes that are not UTF-8 are a 400 with the position, not a 404."""
    for path in (f"barcode/{escaped}.svg", f"barcode/{escaped}.png", f"qrcode/{escaped}.svg"):
        status, body = await _answered(client, f"/api/codes/{path}")
        message = f"product_code: character {named}; a code is printable ASCII"
        assert (status, json.loads(body)["message"]) == (400, message)


@pytest.mark.parametrize("code", ["/" * 65, "%" * 2000])
async def test_a_code_that_is_too_long_is_refused(client: Client, code: str) -> None:
    """The maximum is 64 characters, however they are escaped; the response does not repeat a very long code."""
    assert (await client.get(address("barcode", code[:64], "png"))).status == 200
    response = await client.get(address("barcode", code, "png"))
    assert await problems(response) == {"product_code": "String should have at most 64 characters"}
    assert len(await response.read()) < 400


@pytest.mark.parametrize("kind", ["barcode", "qrcode"])
async def test_no_other_ending_is_served(client: Client, kind: str) -> None:
    """A path without a code, or with another extension than .svg and .png, does not exist."""
    for path in ("a", "a.jpg", "a.SVG", "a.svgz", "a.svg/", ".svg", ".png", "", "a.sv%67x", "%00", "a%FF"):
        status, body = await _answered(client, f"/api/codes/{kind}/{path}")
        assert (status, json.loads(body)["code"]) == (404, "VALIDATION_ERROR"), path


@pytest.mark.parametrize("target", [b"\xc3\xa4.svg", b"\xe4.svg", b"a b.svg", b"a.svg?format=\xff"])
async def test_bytes_that_no_address_has_are_refused(client: Client, target: bytes) -> None:
    """Bytes that must be escaped and are not make malformed HTTP, which gets an envelope."""
    answered = await raw(client, b"GET /api/codes/barcode/" + target + b" HTTP/1.1\r\nHost: x\r\n\r\n")
    head, _, body = answered.partition(b"\r\n\r\n")
    assert b" 400 " in head.partition(b"\r\n")[0]
    assert json.loads(body)["code"] == "VALIDATION_ERROR"
