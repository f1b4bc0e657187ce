from ipaddress import ip_network
from typing import Any

import pytest

from barcodesvc.api.client_address import client_network, is_within, parsed_address
from tests.fixture_types import Client
from tests.sweeps import sweep


async def _left(client: Client, *forwarded: str, **others: str) -> str:
    """Return how many requests the client with these addresses has left."""
    headers = [*(("X-Forwarded-For", line) for line in forwarded), *others.items()]
    response = await client.get("/api/products", headers=headers)
    assert response.status == 200, await response.text()
    return response.headers["RateLimit-Remaining"]


async def test_a_forged_header_of_anybody_changes_nothing(make_client: Any) -> None:
    """Without trusted proxies, or from an untrusted peer, the header is ignored, however malformed it is."""
    for settings in ({}, {"trusted_proxies": "10.0.0.0/8"}):
        client = await make_client(rate_limit="9/minute", **settings)
        assert [await _left(client, line) for line in ("1.1.1.1", "2.2.2.2", "x", "127.0.0.1")] == ["8", "7", "6", "5"]


async def test_a_trusted_proxy_names_the_client(make_client: Any) -> None:
    """Each client behind the proxy is counted separately; without the header the proxy itself is the client."""
    client = await make_client(rate_limit="9/minute", trusted_proxies="127.0.0.1")
    assert [await _left(client, line) for line in ("1.1.1.1", "2.2.2.2", "1.1.1.1")] == ["8", "8", "7"]
    assert [await _left(client), await _left(client)] == ["8", "7"]


@pytest.mark.parametrize(
    "forwarded",
    [
        ("6.6.6.6, 1.1.1.1, 10.0.0.7",),
        ("6.6.6.6,1.1.1.1,10.0.0.7,10.0.0.8",),
        ("6.6.6.6, 1.1.1.1", "10.0.0.7"),
        ("6.6.6.6", "1.1.1.1"),
    ],
)
async def test_several_proxies_are_walked_from_the_right(make_client: Any, forwarded: tuple[str, ...]) -> None:
    """The last untrusted address counts; entries left of it may be forged."""
    client = await make_client(rate_limit="9/minute", trusted_proxies="127.0.0.0/8,10.0.0.0/8")
    await _left(client, "1.1.1.1")
    assert await _left(client, *forwarded) == "7"
    assert await _left(client, "6.6.6.6") == "8"


async def test_where_all_are_trusted_the_first_is_the_client(make_client: Any) -> None:
    """A request from inside the trusted network counts towards the client that sent it."""
    client = await make_client(rate_limit="9/minute", trusted_proxies="127.0.0.1,10.0.0.0/8")
    await _left(client, "10.0.0.9")
    assert await _left(client, "10.0.0.9, 10.0.0.8") == "7"


@pytest.mark.parametrize(
    "line",
    [
        "x",
        "1.2.3",
        "unknown",
        "",
        "1.1.1.1,",
        "_hidden",
        "unix:",
        "::1%eth0%",
        "[::1",
        "1.1.1.1:",
        "1.1.1.1:x",
        "\udcff",
    ],
)
async def test_where_a_client_cannot_be_read_its_proxy_counts(make_client: Any, line: str) -> None:
    """An unreadable list fails no request: the nearest proxy with a known address is the client."""
    client = await make_client(rate_limit="9/minute", trusted_proxies="127.0.0.1,10.0.0.0/8")
    assert [await _left(client), await _left(client, line)] == ["8", "7"]
    assert [await _left(client, "10.0.0.7"), await _left(client, f"6.6.6.6, {line}, 10.0.0.7")] == ["8", "7"]
    assert await _left(client, "6.6.6.6") == "8"


@pytest.mark.parametrize("beyond", ["unknown", "x", "1.2.3", "", "1.1.1.1:x", "\udcff"])
async def test_what_lies_beyond_the_client_is_not_read(make_client: Any, beyond: str) -> None:
    """Entries left of the first untrusted address cause no failure and have no effect."""
    client = await make_client(rate_limit="9/minute", trusted_proxies="127.0.0.1,10.0.0.0/8")
    assert await _left(client, "203.0.113.9") == "8"
    assert [await _left(client, f"{beyond}, 203.0.113.9{proxy}") for proxy in ("", ", 10.0.0.7")] == ["7", "6"]


@pytest.mark.parametrize(
    ("line", "address"),
    [
        ("203.0.113.9:51234", "203.0.113.9"),
        ("[2001:db8::9]:443", "2001:db8::9"),
        ("[2001:db8::9]", "2001:db8::9"),
        ("[::ffff:203.0.113.9]:1", "203.0.113.9"),
        ("203.0.113.9:1, 10.0.0.7:2", "203.0.113.9"),
    ],
)
async def test_an_address_may_have_a_port(make_client: Any, line: str, address: str) -> None:
    """Some proxies append the connection's port to the address; it is ignored."""
    client = await make_client(rate_limit="9/minute", trusted_proxies="127.0.0.1,10.0.0.0/8")
    assert [await _left(client, address), await _left(client, line)] == ["8", "7"]


@pytest.mark.parametrize("path", ["/api/products", "/health", "/api/nothing"])
@pytest.mark.parametrize("name", ["User-Agent", "Host", "Origin", "X-Forwarded-For", "X-Forwarded-Host", "X-Other"])
async def test_header_bytes_that_are_no_text_fail_no_request(make_client: Any, raw: Any, name: str, path: str) -> None:
    """Header bytes that are not UTF-8 fail no request, with or without a proxy."""
    for trusted in ("", "127.0.0.1"):
        client = await make_client(trusted_proxies=trusted)
        lines = {"Host": b"localhost", "Connection": b"close", name: b"J\xfcrgen"}
        head = b"".join(key.encode() + b": " + value + b"\r\n" for key, value in lines.items())
        response = await raw(client, f"GET {path} HTTP/1.1\r\n".encode() + head + b"\r\n")
        assert int(response.split(b" ", 2)[1]) < 500, response


@pytest.mark.parametrize("proxy", ["10.0.0.7", "::ffff:10.0.0.7", "::FFFF:a00:7", "10.0.0.7 ", "fe80::7%eth0"])
async def test_a_proxy_is_known_however_it_is_written(make_client: Any, proxy: str) -> None:
    """An IPv4-mapped address in the list equals the trusted IPv4 address, and a zone is ignored."""
    client = await make_client(rate_limit="9/minute", trusted_proxies="127.0.0.1,10.0.0.0/8,fe80::/10")
    assert [await _left(client, f"1.1.1.1, {proxy}"), await _left(client, "1.1.1.1")] == ["8", "7"]


async def test_a_trusted_network_may_be_written_as_mapped(make_client: Any) -> None:
    """`::ffff:127.0.0.0/104` is 127.0.0.0/8, as a trusted network and as an exempt one."""
    client = await make_client(
        rate_limit="1/minute", trusted_proxies="::ffff:127.0.0.0/104", rate_limit_exempt="::ffff:10.0.0.0/104"
    )
    kiosk, other = {"X-Forwarded-For": "10.9.9.9"}, {"X-Forwarded-For": "1.1.1.1"}
    for headers, statuses in ((kiosk, [200, 200]), (other, [200, 429])):
        assert [(await client.get("/api/products", headers=headers)).status for _ in range(2)] == statuses


async def test_of_a_thousand_hops_the_last_count(make_client: Any) -> None:
    """Entries that a client prepends cost nothing, even if invalid; an endless chain counts as one client."""
    client = await make_client(rate_limit="9/minute", trusted_proxies="127.0.0.1,10.0.0.0/8")
    await _left(client, "1.1.1.1")
    assert await _left(client, "x," * 900 + "1.1.1.1," + "10.0.0.1," * 62 + "10.0.0.2") == "7"
    assert await _left(client, *("10.0.0.1," * 850 + "10.0.0.2",) * 4) == "8"
    assert await _left(client, "10.0.0.1") == "7"


async def test_a_forwarded_scheme_decides_nothing_about_a_program(make_client: Any) -> None:
    """It is only compared with the origins of pages, so that no value of it can fail another request."""
    client = await make_client(rate_limit="9/minute", trusted_proxies="127.0.0.1")
    assert await _left(client, "1.1.1.1", **{"X-Forwarded-Proto": "x y"}) == "8"
    headers = [("X-Forwarded-For", "1.1.1.1"), ("X-Forwarded-Proto", "http"), ("X-Forwarded-Proto", "https")]
    assert (await client.get("/api/products", headers=headers)).status == 200


async def test_a_forwarded_request_keeps_its_body_and_headers(make_client: Any) -> None:
    """Everything else works through a proxy as it does without one."""
    client = await make_client(rate_limit="9/minute", trusted_proxies="127.0.0.1")
    headers = {"X-Forwarded-For": "1.1.1.1"}
    body = {"product_code": "A-1", "description": "x"}
    assert (await client.post("/api/products", json=body, headers=headers)).status == 201
    assert (await client.get("/api/inventory", headers=headers)).headers["RateLimit-Remaining"] == "7"
    assert (await client.get("/api/x", headers=headers)).status == 404


async def test_exempt_networks_are_the_clients_not_the_proxys(make_client: Any) -> None:
    """Behind a proxy, the kiosk network is recognised by the forwarded address."""
    client = await make_client(rate_limit="1/minute", trusted_proxies="127.0.0.1", rate_limit_exempt="10.0.0.0/8")
    kiosk, other = {"X-Forwarded-For": "10.0.0.5"}, {"X-Forwarded-For": "1.1.1.1"}
    assert [(await client.get("/api/products", headers=kiosk)).status for _ in range(3)] == [200, 200, 200]
    assert [(await client.get("/api/products", headers=other)).status for _ in range(2)] == [200, 429]


async def test_an_ipv6_customer_line_is_one_client(make_client: Any) -> None:
    """All addresses of a /64 share a count; an IPv4-mapped address counts as the IPv4 address."""
    client = await make_client(rate_limit="9/minute", trusted_proxies="127.0.0.1")
    lines = ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1", "::ffff:1.1.1.1", "1.1.1.1")
    assert [await _left(client, line) for line in lines] == ["8", "7", "8", "8", "7"]


@sweep(
    ("remote", "network"),
    [
        ("1.2.3.4", "1.2.3.4"),
        ("::ffff:1.2.3.4", "1.2.3.4"),
        ("2001:db8::1", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
        ("0:0:0:0:0:ffff:102:304", "1.2.3.4"),
        ("::FFFF:1.2.3.4%eth0", "1.2.3.4"),
        ("64:ff9b::1.2.3.4", "1.2.3.4"),
        ("64:ff9b::102:304", "1.2.3.4"),
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
        ("2001:db8::1", True),
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
