"""X-Forwarded-For: the client's address is that of the peer, or the one that trusted proxies vouch for.

Rule: `X-Forwarded-For` counts only if the peer itself is in a trusted network; then the list is walked from the right,
past every trusted proxy, to the first address that is none. What stands left of that may be forged and is not read. A
forged header from anybody else changes nothing. An IPv4-mapped IPv6 address is the IPv4 address everywhere; one made by
NAT64 counts as the IPv4 address in it, but lies in no IPv4 network.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from aiohttp import hdrs, web

from barcodesvc.config import Network

Address = IPv4Address | IPv6Address

CLIENT = web.RequestKey("client", str)
"""The address of the client, where a trusted proxy may name it; see `client_of`."""

MOST_HOPS = 64
"""Addresses of a forwarded list that are looked at, from the right; no service has as many proxies before it."""
_ADDRESSES_KEPT = 4096
_NAT64 = IPv6Network("64:ff9b::/96")
"""Where IPv6-only hosts see the whole of IPv4 (RFC 6052, clause 2.1): a /64 of it would be everybody."""
_BRACKETS_OR_PORT = re.compile(r"(?:\[([^][]+)]|([0-9.]+))(?::[0-9]{1,5})?")


def client_of(request: web.BaseRequest) -> str | None:
    """Return the address of the client; None for the peer of a UNIX socket."""
    noted: str | None = request.get(CLIENT)
    return noted or request.remote


def note_client(request: web.Request, trusted: Sequence[Network]) -> None:
    """Note the address of the client, as the trusted proxies name it, for `client_of`.

    Where the first address that is no trusted proxy cannot be read, that of the proxy which has named it counts.
    """
    client = request.remote
    hops = ",".join(request.headers.getall(hdrs.X_FORWARDED_FOR, ())).rsplit(",", MOST_HOPS)[-MOST_HOPS:]
    while hops and is_within(client, trusted):
        named = _address_in(hops.pop())
        if named is None:
            break
        client = named
    if client:
        request[CLIENT] = client


def _address_in(hop: str) -> str | None:
    """Return the address of a hop as the trusted networks are written, without port and zone; None if it has none."""
    written = hop.strip()
    parts = _BRACKETS_OR_PORT.fullmatch(written)
    try:
        address = ip_address((parts[1] or parts[2]) if parts else written)
    except ValueError:
        return None
    return str(_unmapped(address)).partition("%")[0]


def _unmapped(address: Address) -> Address:
    """Return the IPv4 address that an IPv6 address stands for (RFC 4291, clause 2.5.5.2), or the address itself."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


@lru_cache(maxsize=_ADDRESSES_KEPT)
def parsed_address(remote: str) -> Address:
    """Return the address without its zone; an IPv4-mapped one is the IPv4 address."""
    return _unmapped(ip_address(remote.partition("%")[0]))


@lru_cache(maxsize=_ADDRESSES_KEPT)
def client_network(remote: str) -> str:
    """Return what is counted as one client: an IPv4 address, or an IPv6 /64, which one customer line gets."""
    address = parsed_address(remote)
    if isinstance(address, IPv6Address) and address in _NAT64:
        address = IPv4Address(address.packed[-4:])
    return str(address if isinstance(address, IPv4Address) else ip_network((address, 64), strict=False))


def is_within(remote: str | None, networks: Sequence[Network]) -> bool:
    """Return whether the address lies in one of the networks; no address (a UNIX socket) lies in none."""
    if not remote or not networks:
        return False
    address = parsed_address(remote)
    return any(address in network for network in networks)
