"""GET of a picture: the parameters of the POST in its address, its headers, and what caches keep of it."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import ClientResponse
from aiohttp.test_utils import TestClient
from yarl import URL

from barcodesvc.app import make_app
from barcodesvc.config import Settings
from tests.api.drawn_codes import address, drawn, png_bytes, svg_text
from tests.api.replies import problems, refused
from tests.api.sockets import raw
from tests.conftest import Server
from tests.fixture_types import Client, ClientMaker
from tests.sweeps import sweep

PICTURES = tuple((kind, ending) for kind in ("barcode", "qrcode") for ending in ("svg", "png"))
PARAMETERS: tuple[tuple[str, dict[str, object]], ...] = (
    ("barcode", {"format": "Data Matrix", "width": 5}),
    ("barcode", {"width": 1.5, "height": 33.25, "displayValue": False}),
    ("barcode", {"displayValue": True, "dpi": 203.2}),
    ("barcode", {"module_mm": 0.33, "dpi": 600, "height": 12, "format": "CODE93", "displayValue": False}),
    ("qrcode", {"size": 101, "error_correction": "H", "include_product_info": False}),
    ("qrcode", {"module_mm": 0.4, "dpi": 4800, "error_correction": "L", "include_product_info": True}),
)
FOR_A_DAY = "public, max-age=86400"
OF_THE_PRODUCT = address("qrcode", "A-1", "svg", include_product_info=True)


async def _known(client: Client, where: URL, tags: str) -> ClientResponse:
    return await client.get(where, headers={"If-None-Match": tags})


async def _tag(client: Client, where: URL) -> str:
    response = await client.get(where)
    assert response.status == 200
    return response.headers["ETag"]


@sweep(("kind", "parameters"), PARAMETERS)
async def test_a_picture_is_the_one_in_the_posts_response(
    shop: Client, kind: str, parameters: dict[str, object]
) -> None:
    """Every parameter means the same in a query and in a body: both pictures are equal, byte for byte."""
    data = await drawn(shop, kind, product_code="A-1", **parameters)
    for ending, picture in (("svg", svg_text(data).encode()), ("png", png_bytes(data))):
        response = await shop.get(address(kind, "A-1", ending, **parameters))
        assert response.status == 200
        assert await response.read() == picture


@pytest.mark.parametrize(("kind", "name"), [("barcode", "displayValue"), ("qrcode", "include_product_info")])
async def test_a_boolean_may_be_a_digit(shop: Client, kind: str, name: str) -> None:
    """1 is true and 0 is false, as in all queries of the service."""
    for spelt, value in (("1", True), ("0", False)):
        response = await shop.get(address(kind, "A-1", "svg", **{name: spelt}))
        assert await response.text() == svg_text(await drawn(shop, kind, product_code="A-1", **{name: value}))


@pytest.mark.parametrize(("kind", "ending"), PICTURES)
async def test_a_picture_says_what_it_is_and_may_do_nothing_else(client: Client, kind: str, ending: str) -> None:
    """It has its content type, is not sniffed, and executes nothing when it is opened by itself."""
    response = await client.get(address(kind, "A-1", ending))
    assert response.headers["Content-Type"] == {"svg": "image/svg+xml", "png": "image/png"}[ending]
    assert int(response.headers["Content-Length"]) == len(await response.read())
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    assert response.headers.getall("Content-Security-Policy") == [policy]


WRONG: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("barcode", "format", ("", "CODE12", "%00")),
    ("barcode", "width", ("", "4000.5", "1e2", "+2", "0x2", "2,5", " 2", ".5", "2.", "\u0662")),
    ("barcode", "height", ("9.99", "2001", "1" * 400)),
    ("barcode", "displayValue", ("", "True", "FALSE", "yes", "2", "null")),
    ("barcode", "displayvalue", ("true",)),
    ("barcode", "size", ("300",)),
    ("barcode", "dpi", ("", "24.9", "4801", "300dpi")),
    ("barcode", "module_mm", ("", "0.0099", "10.1")),
    ("qrcode", "size", ("", "28.9", "4001", "\u0663\u0660\u0660")),
    ("qrcode", "error_correction", ("", "m", "LM")),
    ("qrcode", "include_product_info", ("", "True", "yes")),
    ("qrcode", "dpi", ("24.9", "4801")),
    ("qrcode", "format", ("QR",)),
    ("qrcode", "product_code", ("A-1",)),
)


@sweep(("kind", "name", "values"), WRONG)
async def test_a_wrong_parameter_is_named(client: Client, kind: str, name: str, values: tuple[str, ...]) -> None:
    """A value out of range, a number or boolean in another spelling, an unknown name: a 400 that says which."""
    for value in values:
        reply = await problems(await client.get(address(kind, "A-1", "svg", **{name: value})))
        assert list(reply) == [name], value


@pytest.mark.parametrize(("kind", "name"), [("barcode", "format"), ("qrcode", "size")])
async def test_a_repeated_parameter_is_named(client: Client, kind: str, name: str) -> None:
    """Neither of two values is used, even if they are equal."""
    twice = str(address(kind, "A-1", "png", **{name: "100"})) + f"&{name}=100"
    assert await problems(await client.get(twice)) == {name: "given more than once"}


async def test_all_problems_of_an_address_are_reported_at_once(client: Client) -> None:
    """Problems of the code and of the parameters are reported together."""
    reply = await problems(await client.get(address("barcode", "a\nb", "svg", width="-1", format="CODE12", x="1")))
    assert set(reply) == {"product_code", "width", "format", "x"}


async def test_content_that_does_not_fit_is_refused_as_by_the_post(client: Client) -> None:
    """The refusal equals the POST's: rule, position, and what would fit."""
    refused = await client.get(address("barcode", "12A4567", "svg", format="EAN8"))
    posted = await client.post("/api/codes/barcode", json={"product_code": "12A4567", "format": "EAN8"})
    assert (refused.status, refused.content_type) == (400, "application/json")
    assert await refused.json() == await posted.json()


async def test_product_information_needs_its_product(client: Client) -> None:
    """The URL of a missing product is a 404 with the code, and must not be cached."""
    response = await client.get(address("qrcode", "B-1", "png", include_product_info=True))
    assert (await refused(response, 404, "PRODUCT_NOT_FOUND"))["details"] == {"reason": "not_found", "missing": ["B-1"]}
    assert "ETag" not in response.headers
    assert response.headers["Cache-Control"] == "no-store"


async def test_a_picture_counts_against_the_rate_limit(make_client: ClientMaker) -> None:
    """Responses say what is left, including a 304; beyond the limit the response is a 429."""
    client, where = await make_client(rate_limit="2/minute"), address("barcode", "A-1", "svg")
    first = await client.get(where)
    second = await _known(client, where, first.headers["ETag"])
    third = await client.get(where)
    assert [response.status for response in (first, second, third)] == [200, 304, 429]
    assert [response.headers["RateLimit-Remaining"] for response in (first, second, third)] == ["1", "0", "0"]


async def test_what_an_image_was_answered_is_not_what_a_script_gets(make_client: ClientMaker) -> None:
    """A picture may be cached for a day but not across origins, with CORS or without, because its headers differ."""
    client = await make_client(cors_origins="https://shop.example")
    for headers in ({}, {"Origin": "https://shop.example"}):
        response = await client.get(address("barcode", "A-1", "svg"), headers=headers)
        assert response.headers["Vary"] == "Origin"


@pytest.mark.parametrize(("kind", "ending"), PICTURES)
async def test_a_known_picture_is_not_sent_again(client: Client, kind: str, ending: str) -> None:
    """The tag is strong; a 304 has no body, but the headers with which a cache renews its copy."""
    where = address(kind, "A-1", ending)
    first = await client.get(where)
    tag = first.headers["ETag"]
    assert tag[0] == tag[-1] == '"'
    assert tag[1:-1].isalnum()
    assert first.headers["Cache-Control"] == FOR_A_DAY
    again = await _known(client, where, tag)
    assert (again.status, await again.read()) == (304, b"")
    for name in ("ETag", "Cache-Control", "Vary"):
        assert again.headers[name] == first.headers[name]


@sweep(
    ("tags", "status"),
    [
        ("{}", 304),
        ("W/{}", 304),
        ("*", 304),
        ('W/"other",W/{} , "more"', 304),
        ('"other", "more"', 200),
        ("", 200),
        ('"', 200),
        ("{0}x", 200),
        ('"x{0}"', 200),
        ("w/{}", 200),
        ('"' * 4001, 200),
        ("W/" * 2000, 200),
        (",,,,", 200),
        ('"\x80"', 200),
    ],
)
async def test_tags_are_compared_weakly(client: Client, tags: str, status: int) -> None:
    """Any tag of a list matches, weak ones too, and `*` matches all (RFC 9110, 13.1.2); malformed tags are ignored."""
    where = address("barcode", "A-1", "png")
    response = await _known(client, where, tags.format(await _tag(client, where)))
    assert response.status == status
    assert bool(await response.read()) == (status == 200)


async def test_no_two_pictures_have_one_tag(client: Client) -> None:
    """Code, symbology, every parameter and the file format change the tag."""
    wanted = [
        *(address("barcode", code, ending) for code in ("A-1", "A-2") for ending in ("svg", "png")),
        address("barcode", "A-1", "png", format="CODE39"),
        address("barcode", "A-1", "png", width=3),
        address("barcode", "A-1", "png", height=101),
        address("barcode", "A-1", "png", displayValue=False),
        address("barcode", "A-1", "png", dpi=300),
        address("barcode", "A-1", "png", dpi=600),
        address("qrcode", "A-1", "svg"),
        address("qrcode", "A-1", "png"),
        address("qrcode", "A-1", "png", error_correction="H"),
    ]
    assert len({await _tag(client, where) for where in wanted}) == len(wanted)


async def test_addresses_of_one_picture_have_one_tag(client: Client) -> None:
    """A parameter with its default value changes nothing."""
    plain = await _tag(client, address("barcode", "A-1", "png"))
    assert await _tag(client, address("barcode", "A-1", "png", width=2.2, height=100, format="code 128")) == plain


@pytest.fixture
async def restarted(settings: Settings) -> AsyncIterator[Client]:
    """Return a client of a new start of the service on the same database."""
    async with TestClient(Server(make_app(settings))) as client:
        yield client


async def test_a_tag_survives_a_restart(client: Client, restarted: Client) -> None:
    """A new start of the service has the same tag for the picture."""
    where = address("qrcode", "A-1", "png")
    assert (await _known(restarted, where, await _tag(client, where))).status == 304


async def test_product_information_is_asked_for_again(shop: Client) -> None:
    """Such a picture may be cached but must be revalidated; as long as nothing changed the response is a 304."""
    response = await shop.get(OF_THE_PRODUCT)
    assert response.headers["Cache-Control"] == "no-cache"
    again = await _known(shop, OF_THE_PRODUCT, response.headers["ETag"])
    assert (again.status, again.headers["Cache-Control"]) == (304, "no-cache")
    assert (await shop.get(address("qrcode", "A-1", "svg", include_product_info=False))).headers[
        "Cache-Control"
    ] == FOR_A_DAY


async def test_a_changed_product_has_another_picture(shop: Client, standing_clock: Any) -> None:
    """Once its description changes, the old tag does not match; a change of its level has no effect."""
    tag = await _tag(shop, OF_THE_PRODUCT)
    await shop.put("/api/inventory/1", json={"new_level": 1})
    assert (await _known(shop, OF_THE_PRODUCT, tag)).status == 304
    standing_clock.advance(1)
    await shop.put("/api/products/1", json={"description": "Red pen"})
    assert (await _known(shop, OF_THE_PRODUCT, tag)).status == 200
    assert await _tag(shop, OF_THE_PRODUCT) != tag


async def test_a_deleted_product_is_not_kept_alive_by_a_tag(shop: Client) -> None:
    """A tag of its picture, and `*` as well, yields a 404 like any other request for it."""
    tag = await _tag(shop, OF_THE_PRODUCT)
    await shop.delete("/api/products/1")
    for tags in (tag, "*"):
        assert (await _known(shop, OF_THE_PRODUCT, tags)).status == 404


async def test_a_refusal_has_no_tag(client: Client) -> None:
    """An invalid request is a 400 whatever the client has cached, and must not be cached."""
    response = await _known(client, address("barcode", "12A", "svg", format="EAN8"), "*")
    assert response.status == 400
    assert "ETag" not in response.headers
    assert response.headers["Cache-Control"] == "no-store"


async def test_a_304_is_well_formed(client: Client) -> None:
    """On the wire no body follows its head, and the connection continues with the next response."""
    request = b"GET /api/codes/barcode/%b.svg HTTP/1.1\r\nHost: x\r\nIf-None-Match: *\r\n%b\r\n"
    answered = await raw(client, request % (b"a", b"") + request % (b"b", b"Connection: close\r\n"))
    first, second, rest = answered.split(b"\r\n\r\n")
    assert first.startswith(b"HTTP/1.1 304 ")
    assert second.startswith(b"HTTP/1.1 304 ")
    assert rest == b""
