from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import ClientResponse
from aiohttp.test_utils import TestClient
from yarl import URL

from barcodesvc.app import make_app
from barcodesvc.config import Settings
from tests.api.drawn_codes import address
from tests.conftest import Server
from tests.fixture_types import Client
from tests.sweeps import sweep

PICTURES = tuple((kind, ending) for kind in ("barcode", "qrcode") for ending in ("svg", "png"))
FOR_A_DAY = "public, max-age=86400"
OF_THE_PRODUCT = address("qrcode", "A-1", "svg", include_product_info=True)


async def _known(client: Client, where: URL, tags: str) -> ClientResponse:
    return await client.get(where, headers={"If-None-Match": tags})


async def _tag(client: Client, where: URL) -> str:
    response = await client.get(where)
    assert response.status == 200
    return response.headers["ETag"]


@pytest.fixture
async def restarted(settings: Settings) -> AsyncIterator[Client]:
    """Return a client of a new start of the service on the same database."""
    async with TestClient(Server(make_app(settings))) as client:
        yield client


@pytest.mark.parametrize(("kind", "ending"), PICTURES)
async def test_a_tag_is_strong(client: Client, kind: str, ending: str) -> None:
    """The ETag is quoted, not weak, and is sent with the time for which the picture may be cached."""
    response = await client.get(address(kind, "A-1", ending))
    tag = response.headers["ETag"]
    assert tag[0] == tag[-1] == '"'
    assert tag[1:-1].isalnum()
    assert response.headers["Cache-Control"] == FOR_A_DAY


@pytest.mark.parametrize(("kind", "ending"), PICTURES)
async def test_a_known_picture_is_not_sent_again(client: Client, kind: str, ending: str) -> None:
    """A 304 has no body, but the headers with which a cache renews its copy."""
    where = address(kind, "A-1", ending)
    first = await client.get(where)
    again = await _known(client, where, first.headers["ETag"])
    assert (again.status, await again.read()) == (304, b"")
    for name in ("ETag", "Cache-Control", "Vary"):
        assert again.headers[name] == first.headers[name]


@sweep(
    ("tags", "status"),
    [
        ("{}", 304),
        ("W/{}", 304),
        ("*", 304),
        ('"other", {}', 304),
        ('{}, "other"', 304),
        ('W/"other",W/{} , "more"', 304),
        ('"other"', 200),
        ('W/"other"', 200),
        ('"other", "more"', 200),
        ("", 200),
        ("nonsense", 200),
        ('"', 200),
        ("{0}x", 200),
        ('"x{0}"', 200),
        ("w/{}", 200),
    ],
)
async def test_tags_are_compared_weakly(client: Client, tags: str, status: int) -> None:
    """Any tag of a list matches, weak ones too, and `*` matches all (RFC 9110, 13.1.2); malformed tags are ignored."""
    where = address("barcode", "A-1", "png")
    response = await _known(client, where, tags.format(await _tag(client, where)))
    assert response.status == status
    assert bool(await response.read()) == (status == 200)


@pytest.mark.parametrize("tags", ["{unquoted}", '"' * 4001, "W/" * 2000, ",,,,", '"\x80"'])
async def test_a_malformed_list_of_tags_gets_the_picture(client: Client, tags: str) -> None:
    """Whatever If-None-Match contains, the response is never an error."""
    where = address("barcode", "A-1", "png")
    unquoted = (await _tag(client, where)).strip('"')
    assert (await _known(client, where, tags.replace("{unquoted}", unquoted))).status == 200


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


@pytest.mark.parametrize(("kind", "ending"), PICTURES)
async def test_a_tag_survives_a_restart(client: Client, restarted: Client, kind: str, ending: str) -> None:
    """A new start of the service has the same tag for the picture."""
    where = address(kind, "A-1", ending)
    assert (await _known(restarted, where, await _tag(client, where))).status == 304


async def test_a_tag_survives_its_entry_in_the_cache(make_client: Any) -> None:
    """A picture that is rendered again each time has the same tag each time."""
    client = await make_client(cache_bytes=0)
    where = address("qrcode", "A-1", "png")
    assert await _tag(client, where) == await _tag(client, where)


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


async def test_a_304_is_well_formed(client: Client, raw: Any) -> None:
    """On the wire no body follows its head, and the connection continues with the next response."""
    request = b"GET /api/codes/barcode/%b.svg HTTP/1.1\r\nHost: x\r\nIf-None-Match: *\r\n%b\r\n"
    answered = await raw(client, request % (b"a", b"") + request % (b"b", b"Connection: close\r\n"))
    first, second, rest = answered.split(b"\r\n\r\n")
    assert first.startswith(b"HTTP/1.1 304 ")
    assert second.startswith(b"HTTP/1.1 304 ")
    assert rest == b""
