"""DNS rebinding protection: the service accepts no host name that a page of another site can give itself."""

import json
import logging
import socket
from collections.abc import Callable

import pytest

from tests.api.sockets import raw
from tests.fixture_types import Client, ClientMaker
from tests.sweeps import sweep

KEY = "correct-horse-battery-staple"
WITH_KEY = {"X-API-Key": KEY}
REFUSAL = "the service does not answer under this name; add it to BARCODESVC_ALLOWED_HOSTS, or use an IP address"
FORWARDED = "X-Forwarded-Host"


@pytest.fixture
def till(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that sets the machine's name."""
    return lambda name: monkeypatch.setattr(socket, "gethostname", lambda: name)


async def _status(client: Client, host: str, path: str = "/api/products", **headers: str) -> int:
    told = {"Host": host, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return (await client.get(path, headers=told)).status


@sweep(
    "host",
    [
        *("evil.example", "evil.example:8080", "127.0.0.1.evil", "localhost.evil", "", ".", "localhost..", "::1"),
        *("127.0.0.1%evil.com", "[::1%evil.com]", "[localhost]", "[127.0.0.1]", "[]", "[::1]evil.com", "[x]"),
        *("localhost evil.example", "localhost:80:80", "localhost:evil", "x y", "x/y", "x,y", "evil.local", ":80"),
    ],
)
async def test_another_name_is_refused(client: Client, host: str) -> None:
    """A page whose name resolves to the service gets nothing, although the browser takes both for one origin."""
    assert json.loads(await _refusal(client, "GET /api/products", host))["details"]["errors"] == [
        {"field": "Host", "message": REFUSAL, "value": host}
    ]


@sweep(
    "asked",
    [
        *(f"{method} /api/products" for method in ("HEAD", "OPTIONS", "POST")),
        *("GET /%61pi/products", "GET /api/nothing", "GET /api"),
    ],
)
async def test_under_another_name_no_path_and_method_is_served(client: Client, asked: str) -> None:
    """Neither are those that only read, nor unknown ones."""
    await _refusal(client, asked, "evil.example")


async def _refusal(client: Client, asked: str, host: str) -> bytes:
    """Return the body of the refusal of a request under this name."""
    lines = f"{asked} HTTP/1.1\r\nHost: {host}\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\r\n"
    head, _, body = (await raw(client, lines.encode())).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    return bytes(body)


@sweep(
    "host",
    [
        *("127.0.0.1", "127.0.0.1:9", "192.0.2.7", "[::1]", "[::1]:80", "[2001:DB8::7]", "[::ffff:192.0.2.7]"),
        *("localhost", "LocalHost:8", "localhost.", "localhost.:8", "till-3", "Till_3:8080", "shop."),
    ],
)
async def test_what_no_page_can_be_named_counts(client: Client, host: str) -> None:
    """An IP address, `localhost` and a name without a dot belong to no site of the internet."""
    assert await _status(client, host) == 200


@pytest.mark.parametrize(
    ("name", "taken", "refused"),
    [
        ("till-3", ["till-3.local", "TILL-3.local:8080", "till-3.local."], ["till-3.lan", "x.local"]),
        ("till-3.shop.lan", ["till-3.shop.lan", "till-3.local"], ["till-4.shop.lan", "shop.lan"]),
        ("Till-3.local", ["till-3.local"], ["till-3.local.local"]),
        ("", ["localhost"], [".local", "x.local"]),
    ],
)
async def test_the_machine_s_own_names_count(
    make_client: ClientMaker, till: Callable[[str], None], name: str, taken: list[str], refused: list[str]
) -> None:
    """Its host name is accepted as the system has it, and as other devices find it by mDNS."""
    till(name)
    client = await make_client()
    assert [await _status(client, host) for host in taken] == [200] * len(taken)
    assert [await _status(client, host) for host in refused] == [400] * len(refused)


@pytest.mark.parametrize("setting", ["host", "allowed_hosts"])
async def test_names_in_the_settings_count(make_client: ClientMaker, setting: str) -> None:
    """That to listen on, and further ones, with any port and in any case; others do not."""
    client = await make_client(**{setting: "Shop.example"})
    taken = ["shop.example", "Shop.Example:8080", "shop.example."]
    assert [await _status(client, host) for host in taken] == [200] * 3
    assert [await _status(client, host) for host in ("www.shop.example", "shop.example.evil.example")] == [400] * 2


@pytest.mark.parametrize(
    ("host", "forwarded", "status"),
    [
        ("127.0.0.1:8080", ["192.0.2.7"], 200),
        ("inner", [" , "], 200),
        ("inner", ["shop.example:8443"], 200),
        ("shop.example", ["shop.example"], 200),
        ("inner", ["::::"], 400),
        ("evil.example", [""], 400),
        ("evil.example", ["localhost"], 400),
        ("inner", ["localhost, evil.example"], 400),
        ("inner", ["evil.example, localhost"], 400),
        ("inner", ["localhost", "evil.example"], 400),
    ],
)
async def test_behind_a_trusted_proxy_every_name_has_to_count(
    make_client: ClientMaker, host: str, forwarded: list[str], status: int
) -> None:
    """A page with a rebound name can send a forwarded name itself, which some proxies pass on, in a line of its own."""
    client = await make_client(trusted_proxies="127.0.0.1", allowed_hosts="shop.example")
    headers = [("Host", host), *((FORWARDED, line) for line in forwarded)]
    response = await client.get("/api/products", headers=headers)
    assert response.status == status
    if host == "inner" and status != 200:  # the problem's field is the header with the wrong name
        [problem] = (await response.json())["details"]["errors"]
        assert (problem["field"], problem["message"]) == (FORWARDED, REFUSAL)


async def test_a_forwarded_host_of_anybody_else_is_not_looked_at(make_client: ClientMaker) -> None:
    """Whatever it contains, the name in `Host` decides."""
    client = await make_client(trusted_proxies="10.0.0.0/8")
    assert await _status(client, "localhost", X_Forwarded_Host="evil.example") == 200
    assert await _status(client, "evil.example", X_Forwarded_Host="localhost") == 400


async def test_with_a_key_every_name_counts_unless_the_setting_lists_some(make_client: ClientMaker) -> None:
    """A page with a rebound name has neither the key nor a session cookie; a setting is never ignored."""
    for allowed, status in (("", 200), ("shop.example", 400)):
        client = await make_client(api_key=KEY, trusted_proxies="127.0.0.1", allowed_hosts=allowed)
        assert await _status(client, "shop.example", **WITH_KEY) == 200
        assert await _status(client, "evil.example", **WITH_KEY) == status
        assert await _status(client, "evil.example") == 401


@pytest.mark.parametrize("path", ["/", "/health", "/metrics"])
async def test_outside_of_the_api_the_host_does_not_matter(client: Client, path: str) -> None:
    """Health checks and scrapers may use any name, and the page is public."""
    assert await _status(client, "evil.example", path) == 200


async def test_a_request_of_http_1_0_needs_no_host(client: Client) -> None:
    """No browser uses it."""
    assert b" 200 OK\r\n" in await raw(client, b"GET /api/products/import/template HTTP/1.0\r\n\r\n")


async def test_two_hosts_in_one_request_are_refused(client: Client) -> None:
    """It is unknown which one a proxy has checked (RFC 9112, clause 3.2)."""
    request = b"GET /api/products HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    assert (await raw(client, request)).partition(b" ")[2].startswith(b"400 ")


async def test_the_log_names_what_counts(
    make_client: ClientMaker, till: Callable[[str], None], caplog: pytest.LogCaptureFixture
) -> None:
    """The operator sees at startup which names are accepted, and the setting that changes that."""
    till("till-3")
    with caplog.at_level(logging.INFO, "barcodesvc"):
        await make_client(allowed_hosts="shop.example", host="192.0.2.7")
        await make_client(api_key=KEY)
    some = "IP addresses, names without a dot, and localhost, shop.example, till-3, till-3.local"
    assert f"accepted host names: {some} (BARCODESVC_ALLOWED_HOSTS)" in caplog.messages
    every = "every host name is accepted, because an API key is set; BARCODESVC_ALLOWED_HOSTS restricts that"
    assert every in caplog.messages
