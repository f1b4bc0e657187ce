"""Which pages may use the service: none of another site, and none under a name that is not the service's own."""

from __future__ import annotations

import json
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import FormData

from tests.conftest import JSON_HEAD, Client, ClientMaker

Raw = Callable[..., Awaitable[bytes]]
Problems = Callable[[Any], Awaitable[dict[str, str]]]

ELSEWHERE = "https://evil.example"
KIOSK = "https://kiosk.example"
DRAFT = {"product_code": "B-1", "description": "Red pen"}
FOREIGN = {"Origin": "a page of another site may send this only if its origin stands in BARCODESVC_CORS_ORIGINS"}
NO_ORIGIN = {
    "Sec-Fetch-Site": "a page of another site may send this only with its Origin, "
    "if that stands in BARCODESVC_CORS_ORIGINS"
}
OTHER_HOST = {
    "Host": "the service answers here under IP addresses, localhost and the names in BARCODESVC_ALLOWED_HOSTS"
}


def _own(client: Client) -> str:
    return f"http://{client.host}:{client.port}"


async def _created(client: Client, **headers: str) -> int:
    """Return the status of a request that makes a product."""
    return (await client.post("/api/products", json=DRAFT, headers=headers)).status


async def _count(client: Client) -> int:
    return int((await (await client.get("/api/products")).json())["pagination"]["total"])


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": ELSEWHERE},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "http://127.0.0.1"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://localhost"},
        {"Origin": "127.0.0.1"},
        {"Origin": "\udcff"},
        {"Sec-Fetch-Site": "cross-site", "Origin": ELSEWHERE},
        {"Sec-Fetch-Site": "same-site", "Origin": "null"},
        {"Origin": ELSEWHERE, "X-Forwarded-Host": "evil.example"},
    ],
    ids=str,
)
async def test_a_change_that_a_foreign_page_asks_for_is_refused(
    shop: Client, problems: Problems, headers: dict[str, str]
) -> None:
    """Whatever a browser says that is not the service's own page is another one."""
    assert await problems(await shop.post("/api/products", json=DRAFT, headers=headers)) == FOREIGN
    assert await _count(shop) == 1


@pytest.mark.parametrize("site", ["cross-site", "same-site", "unheard-of", ""])
async def test_a_foreign_page_without_an_origin_is_reported_of_the_site(
    shop: Client, problems: Problems, site: str
) -> None:
    """The header that was sent is the one that is named."""
    answer = await shop.post("/api/products", json=DRAFT, headers={"Sec-Fetch-Site": site})
    assert await problems(answer) == NO_ORIGIN
    assert await _count(shop) == 1


@pytest.mark.parametrize(
    ("target", "body"),
    [
        ("POST /api/products/import", "form"),
        ("POST /api/codes/decode", "form"),
        ("PUT /api/products/1", {"description": "x"}),
        ("DELETE /api/products/1", None),
        ("PUT /api/inventory/1", {"new_level": 0}),
        ("POST /api/inventory/1/adjust", {"delta": 1}),
        ("POST /api/codes/scan", {"code_data": "A-1", "delta": 1}),
        ("POST /api/codes/barcode", {"product_code": "A-1"}),
        ("POST /api/nothing", None),
        ("POST /health", None),
        ("PATCH /api/products", None),
    ],
)
async def test_no_route_takes_a_change_from_a_foreign_page(
    shop: Client, problems: Problems, upload: Callable[..., FormData], target: str, body: Any
) -> None:
    """Forms and JSON, changes and requests that change nothing, known routes and unknown ones are refused alike."""
    sent = {"data": upload()} if body == "form" else {"json": body} if body else {}
    assert await problems(await shop.request(*target.split(), headers={"Origin": ELSEWHERE}, **sent)) == FOREIGN
    reply = (await (await shop.get("/api/inventory")).json())["data"]
    assert [(level["product_id"], level["current_level"]) for level in reply] == [(1, 5)]


@pytest.mark.parametrize("expect", [b"", b"Expect: 100-continue\r\n"])
async def test_a_foreign_page_is_refused_before_its_body_is_read(client: Client, raw: Raw, expect: bytes) -> None:
    """The refusal comes though nothing of the body does, and nobody is asked to send it."""
    head = b"POST /api/products HTTP/1.1\r\n" + JSON_HEAD + expect + b"Content-Length: 1000\r\nOrigin: null\r\n\r\n"
    assert (await raw(client, head, b"]}}")).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("site", ["same-origin", "none"])
@pytest.mark.parametrize("origin", [{}, {"Origin": ELSEWHERE}, {"Origin": "null"}], ids=str)
async def test_a_browser_vouches_for_the_own_page(client: Client, site: str, origin: dict[str, str]) -> None:
    """What it says of the site is believed before the origin, which a proxy may have made unlike the host."""
    assert await _created(client, **{"Sec-Fetch-Site": site}, **origin) == 201


async def test_an_origin_of_the_own_host_and_port_is_the_own_page(client: Client) -> None:
    """A browser without Sec-Fetch-Site, as on plain HTTP, is judged by its origin; a program sends neither."""
    assert await _created(client, Origin=_own(client)) == 201
    assert (await client.delete("/api/products/1")).status == 200


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("shop.example", "https://shop.example", 201),
        ("shop.example", "http://shop.example", 201),
        ("Shop.Example", "https://shop.example", 201),
        ("shop.example:443", "https://shop.example", 201),
        ("shop.example:80", "http://shop.example", 201),
        ("shop.example:8443", "https://shop.example:8443", 201),
        ("[::1]:8080", "http://[::1]:8080", 201),
        ("shop.example:80", "https://shop.example", 400),
        ("shop.example:8443", "https://shop.example", 400),
        ("shop.example", "https://shop.example:8443", 400),
        ("shop.example", "https://shop.example.evil.example", 400),
        ("shop.example", "https://evil-shop.example", 400),
        ("shop.example", "https://shop.example@evil.example", 400),
        ("shop.example", "ftp://shop.example", 400),
        ("", "https://", 400),
    ],
)
async def test_host_and_port_of_the_origin_are_compared(
    make_client: ClientMaker, host: str, origin: str, status: int
) -> None:
    """Case does not matter, nor whether the usual port of the scheme is written."""
    client = await make_client(host="0.0.0.0")  # noqa: S104 - a setting; the test binds the loopback address
    assert await _created(client, Host=host, Origin=origin) == status


@pytest.mark.parametrize(
    ("forwarded", "origin", "status"),
    [
        ("shop.example", "https://shop.example", 201),
        ("shop.example, inner", "https://shop.example", 201),
        ("shop.example:8443", "https://shop.example:8443", 201),
        ("", "https://inner", 201),
        ("shop.example", "https://inner", 400),
        ("shop.example", ELSEWHERE, 400),
        ("inner, shop.example", "https://shop.example", 400),
    ],
)
async def test_a_trusted_proxy_names_the_host(
    make_client: ClientMaker, forwarded: str, origin: str, status: int
) -> None:
    """The browser sees the host of the first proxy; one that names none has passed the Host on."""
    client = await make_client(trusted_proxies="127.0.0.1")
    headers = {"Host": "inner", "X-Forwarded-Host": forwarded, "Origin": origin}
    assert await _created(client, **headers) == status


async def test_nobody_else_names_the_host(make_client: ClientMaker) -> None:
    """From a peer that is no trusted proxy the forwarded host is not looked at."""
    client = await make_client(trusted_proxies="10.0.0.0/8")
    assert await _created(client, **{"X-Forwarded-Host": "shop.example", "Origin": "https://shop.example"}) == 400


@pytest.mark.parametrize(
    ("origins", "origin", "status"),
    [
        (KIOSK, KIOSK, 201),
        (KIOSK, "https://Kiosk.example", 201),
        (KIOSK, ELSEWHERE, 400),
        (KIOSK, "null", 400),
        ("*", ELSEWHERE, 201),
        ("*", "null", 201),
    ],
)
async def test_the_settings_allow_other_pages(make_client: ClientMaker, origins: str, origin: str, status: int) -> None:
    """Whoever may read answers from another origin may send changes from it."""
    client = await make_client(cors_origins=origins)
    assert await _created(client, **{"Sec-Fetch-Site": "cross-site", "Origin": origin}) == status


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
async def test_what_changes_nothing_may_come_from_anywhere(make_client: ClientMaker, method: str) -> None:
    """Links, pictures and preflights of other pages work as they did; what they may read is for the browser."""
    client = await make_client(cors_origins=KIOSK)
    headers = {"Origin": KIOSK, "Sec-Fetch-Site": "cross-site", "Access-Control-Request-Method": "POST"}
    assert (await client.request(method, "/api/products", headers=headers)).status == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:8080", "127.0.0.1.evil", "localhost.evil", "", ".", "localhost..", "::1"),
        *("127.0.0.1%evil.com", "[::1%evil.com]", "[localhost]", "[127.0.0.1]", "[]", "[::1]evil.com", "[x]"),
        *("localhost evil.example", "localhost:80:80", "localhost:evil"),
    ],
)
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/products"),
        ("HEAD", "/api/products"),
        ("OPTIONS", "/api/products"),
        ("POST", "/api/products"),
        ("GET", "/%61pi/products"),
        ("GET", "/api/nothing"),
        ("GET", "/api"),
    ],
)
async def test_on_the_loopback_address_another_host_is_refused(
    client: Client, raw: Raw, host: str, method: str, path: str
) -> None:
    """A page whose own name stands for 127.0.0.1 gets nothing, although the browser takes the service for its own."""
    lines = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\r\n"
    head, _, body = (await raw(client, lines.encode())).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert method == "HEAD" or json.loads(body)["details"]["errors"][0]["message"] == OTHER_HOST["Host"]


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.0.0.1:9", "192.0.2.7", "[::1]", "[::1]:80", "[2001:DB8::7]", "[::ffff:192.0.2.7]"),
        *("localhost", "LocalHost:8", "localhost.", "localhost.:8"),
    ],
)
async def test_an_address_or_localhost_is_nobody_s_name(client: Client, host: str) -> None:
    """No page can have been loaded from there but the service's own."""
    assert (await client.get("/api/products", headers={"Host": host})).status == 200


async def test_other_names_are_allowed_by_a_setting(make_client: ClientMaker) -> None:
    """With any port, in any case, and no other one."""
    client = await make_client(allowed_hosts="shop.example")
    statuses = {
        host: (await client.get("/api/products", headers={"Host": host})).status
        for host in ("shop.example", "Shop.Example:8080", "shop.example.", "www.shop.example", "x")
    }
    assert statuses == {
        "shop.example": 200,
        "Shop.Example:8080": 200,
        "shop.example.": 200,
        "www.shop.example": 400,
        "x": 400,
    }


async def test_outside_of_the_api_the_host_does_not_matter(client: Client) -> None:
    """Whoever watches the service may call it what they like."""
    for path in ("/health", "/metrics"):
        assert (await client.get(path, headers={"Host": "evil.example"})).status == 200


async def test_a_request_of_http_1_0_needs_no_host(client: Client, raw: Raw) -> None:
    """No browser speaks it."""
    assert b" 200 OK\r\n" in await raw(client, b"GET /api/products/import/template HTTP/1.0\r\n\r\n")


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"host": "127.0.0.1"}, 400),
        ({"host": "127.1.2.3"}, 400),
        ({"host": "::1"}, 400),
        ({"host": "::ffff:127.0.0.1"}, 400),
        ({"host": "localhost"}, 400),
        ({"host": "127.1"}, 400),
        ({"host": "2130706433"}, 400),
        ({"host": "0x7f000001"}, 400),
        ({"host": "0177.0.0.1"}, 400),
        ({"host": "LocalHost"}, 400),
        ({"host": "0"}, 200),
        ({"host": "0.0.0.0"}, 200),  # noqa: S104 - a setting
        ({"host": "::"}, 200),
        ({"host": "192.0.2.7"}, 200),
        ({"host": "shop.example"}, 200),
        ({"trusted_proxies": "127.0.0.1"}, 200),
    ],
    ids=str,
)
async def test_elsewhere_every_host_is_answered(make_client: ClientMaker, changes: dict[str, str], status: int) -> None:
    """Bound to other addresses, or behind a proxy, the service has names that it cannot know."""
    client = await make_client(**changes)
    assert (await client.get("/api/products", headers={"Host": "evil.example"})).status == status


async def test_a_name_of_the_loopback_address_is_guarded_and_is_its_own(
    make_client: ClientMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that the system resolves to it, as /etc/hosts may, leaves no gap; under that name it is answered."""
    _resolve(monkeypatch, ["127.0.1.1"])
    client = await make_client(host="Till-3")
    hosts = ("till-3", "Till-3.:8080", "evil.example")
    answers = [await client.get("/api/products", headers={"Host": host}) for host in hosts]
    assert [answer.status for answer in answers] == [200, 200, 400]


async def test_a_name_of_another_address_too_is_not_guarded(
    make_client: ClientMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service is bound to both, and is asked from elsewhere under names that it cannot know."""
    _resolve(monkeypatch, ["127.0.0.1", "192.0.2.7"])
    client = await make_client(host="till-3")
    assert (await client.get("/api/products", headers={"Host": "evil.example"})).status == 200


def _resolve(monkeypatch: pytest.MonkeyPatch, addresses: list[str]) -> None:
    """Let the system resolve the name till-3 to these addresses."""
    resolve = socket.getaddrinfo

    def resolved(host: Any, *others: Any, **more: Any) -> Any:
        if str(host).lower() != "till-3":
            return resolve(host, *others, **more)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
