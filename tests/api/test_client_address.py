"""Whom a request comes from behind proxies, and what counts as one client."""

from ipaddress import ip_network

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from multidict import CIMultiDict

from barcodesvc.api.client_address import client_network, client_of, is_within, note_client, parsed_address
from barcodesvc.config import load_settings
from tests.api.sockets import raw
from tests.fixture_types import ClientMaker
from tests.sweeps import sweep

PROXIES = "127.0.0.1,10.0.0.0/8,fe80::/10"


def client_behind(*forwarded: str, trusted: str = PROXIES, remote: str = "127.0.0.1") -> str | None:
    """Return the client of a request with these lines of X-Forwarded-For from this peer."""
    headers = CIMultiDict(("X-Forwarded-For", line) for line in forwarded)
    request = make_mocked_request("GET", "/", headers=headers).clone(remote=remote)
    assert isinstance(request, web.Request)
    note_client(request, load_settings({"BARCODESVC_TRUSTED_PROXIES": trusted}).trusted_proxies)
    return client_of(request)


@sweep(
    ("forwarded", "client"),
    [
        ([], "127.0.0.1"),
        (["1.1.1.1"], "1.1.1.1"),
        (["6.6.6.6, 1.1.1.1, 10.0.0.7"], "1.1.1.1"),
        (["6.6.6.6,1.1.1.1,10.0.0.7,10.0.0.8"], "1.1.1.1"),
        (["6.6.6.6, 1.1.1.1", "10.0.0.7"], "1.1.1.1"),
        (["6.6.6.6", "1.1.1.1"], "1.1.1.1"),
        (["10.0.0.9, 10.0.0.8"], "10.0.0.9"),
        (["1.1.1.1, ::ffff:10.0.0.7"], "1.1.1.1"),
        (["1.1.1.1, ::FFFF:a00:7"], "1.1.1.1"),
        (["1.1.1.1, fe80::7%eth0"], "1.1.1.1"),
        (["203.0.113.9:51234"], "203.0.113.9"),
        (["[2001:db8::9]:443"], "2001:db8::9"),
        (["[2001:db8::9]"], "2001:db8::9"),
        (["[::ffff:203.0.113.9]:1"], "203.0.113.9"),
        (["203.0.113.9:1, 10.0.0.7:2"], "203.0.113.9"),
        (["x," * 900 + "1.1.1.1," + "10.0.0.1," * 62 + "10.0.0.2"], "1.1.1.1"),
        (["10.0.0.1," * 850 + "10.0.0.2"] * 4, "10.0.0.1"),
    ],
)
def test_the_last_untrusted_address_is_the_client(forwarded: list[str], client: str) -> None:
    """Proxies are walked from the right; entries left of the client may be forged, and thousands of them cost nothing.

    Without the header the peer is the client, and where all are trusted the first of them. A port is ignored.
    """
    assert client_behind(*forwarded) == client


@sweep(
    "line",
    ["x", "1.2.3", "unknown", "", "1.1.1.1,", "_hidden", "unix:", "::1%eth0%", "[::1", "1.1.1.1:", "1.1.1.1:x"],
)
def test_where_a_client_cannot_be_read_its_proxy_counts(line: str) -> None:
    """An unreadable list fails no request, and what lies beyond the client is not read."""
    assert client_behind(line) == "127.0.0.1"
    assert client_behind(f"6.6.6.6, {line}, 10.0.0.7") == "10.0.0.7"
    assert client_behind(f"{line}, 203.0.113.9") == client_behind(f"{line}, 203.0.113.9, 10.0.0.7") == "203.0.113.9"


@pytest.mark.parametrize(
    ("trusted", "client"), [("", "8.8.8.8"), ("10.0.0.0/8", "8.8.8.8"), ("::ffff:8.0.0.0/104", "1.1.1.1")]
)
def test_only_a_trusted_peer_names_the_client(trusted: str, client: str) -> None:
    """Without trusted proxies, or from another peer, the header is ignored; a network may be written as mapped."""
    assert client_behind("1.1.1.1", trusted=trusted, remote="8.8.8.8") == client


async def test_limits_and_exempt_networks_are_those_of_the_client_behind_a_proxy(make_client: ClientMaker) -> None:
    """A customer line of IPv6 is one client, with all of its /64; everything else works as without a proxy."""
    client = await make_client(rate_limit="2/minute", trusted_proxies="127.0.0.1", rate_limit_exempt="10.0.0.0/8")
    statuses: list[int] = []
    for address in ("1.1.1.1", "2001:db8::1", "::ffff:1.1.1.1", "2001:db8::2", "1.1.1.1", "2001:db8::3", "10.0.0.5"):
        headers = {"X-Forwarded-For": address, "X-Forwarded-Proto": "x y"}
        draft = {"product_code": f"A-{len(statuses)}", "description": "x"}
        statuses.append((await client.post("/api/products", json=draft, headers=headers)).status)
    assert statuses == [201, 201, 201, 201, 429, 429, 201]


@pytest.mark.parametrize("trusted", ["", "127.0.0.1"])
@sweep("path", ["/api/products", "/health", "/api/nothing"])
@sweep("name", ["User-Agent", "Host", "Origin", "X-Forwarded-For", "X-Forwarded-Host", "X-Other"])
async def test_header_bytes_that_are_no_text_fail_no_request(
    make_client: ClientMaker, name: str, path: str, trusted: str
) -> None:
    """Header bytes that are not UTF-8 fail no request, with or without a proxy."""
    client = await make_client(trusted_proxies=trusted)
    lines = {"Host": b"localhost", "Connection": b"close", name: b"J\xfcrgen"}
    head = b"".join(key.encode() + b": " + value + b"\r\n" for key, value in lines.items())
    response = await raw(client, f"GET {path} HTTP/1.1\r\n".encode() + head + b"\r\n")
    assert int(response.split(b" ", 2)[1]) < 500, response


@sweep(
    ("remote", "network"),
    [
        ("1.2.3.4", "1.2.3.4"),
        ("::ffff:1.2.3.4", "1.2.3.4"),
        ("2001:db8::1", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("0:0:0:0:0:ffff:102:304", "1.2.3.4"),
        ("::FFFF:1.2.3.4%eth0", "1.2.3.4"),
        ("64:ff9b::1.2.3.4", "1.2.3.4"),
        ("64:ff9b:1::102:304", "64:ff9b:1::/64"),
        ("::1.2.3.4", "::/64"),
        ("2002:102:304::1", "2002:102:304::/64"),
    ],
)
def test_a_client_is_an_address_or_a_line(remote: str, network: str) -> None:
    """Counts are per IPv4 address or IPv6 /64."""
    assert client_network(remote) == network


@pytest.mark.parametrize(
    ("remote", "within"),
    [
        ("10.1.1.1", True),
        ("::ffff:10.1.1.1", True),
        ("11.1.1.1", False),
        ("64:ff9b::10.1.1.1", False),
        ("::10.1.1.1", False),
        ("2001:db8::1%eth0", True),
        ("", False),
        (None, False),
    ],
)
def test_an_address_lies_in_a_network_however_it_is_written(remote: str | None, within: bool) -> None:  # noqa: FBT001 - an expected value
    """IPv4-mapped addresses are compared as IPv4; a missing address is in no network."""
    assert is_within(remote, [ip_network("10.0.0.0/8"), ip_network("2001:db8::/32")]) is within
    assert not is_within(remote, [])


def test_what_is_remembered_of_addresses_is_bounded() -> None:
    """However many clients connect, only a fixed number of parsed addresses is kept."""
    for number in range(5000):
        parsed_address(f"10.0.{number // 256}.{number % 256}")
    assert parsed_address.cache_info().currsize == 4096
