"""The client behind proxies: its address, the scheme and host that it requested, and whether it is still waiting.

Without X-Forwarded-Proto and X-Forwarded-Host, a service behind a proxy would mistake its own page, at
`https://shop.example`, for another site. Without `is_connected`, abandoned sheets, exports and images of clients that
disconnect and retry would delay those of others: work that is useless without its client checks at each step.

Rule: forwarded headers count only if the peer is in a trusted network. `X-Forwarded-For` is then read from the right,
past every trusted proxy, to the first other address; entries left of it may be forged and are ignored. An IPv4-mapped
IPv6 address is treated as the IPv4 address everywhere; a NAT64 address counts as the IPv4 address in it, but belongs to
no IPv4 network. Of several forwarded schemes or hosts, the first is the browser's.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from aiohttp import hdrs, web

from barcodesvc.config import Network

Address = IPv4Address | IPv6Address

CLIENT = web.RequestKey("client", str)
"""The address of the client, which a trusted proxy may have named; see `client_of`."""

MOST_HOPS = 64
"""Addresses of the list that are read, from the right; no service has that many proxies in front of it."""
_ADDRESSES_KEPT = 4096
_NAT64 = IPv6Network("64:ff9b::/96")
"""The prefix under which IPv6-only hosts reach all of IPv4 (RFC 6052, clause 2.1); one /64 of it holds every client."""
_BRACKETS_OR_PORT = re.compile(r"(?:\[([^][]+)]|([0-9.]+))(?::[0-9]{1,5})?")


def client_of(request: web.BaseRequest) -> str | None:
    """Return the address of the client; None for a UNIX socket."""
    noted: str | None = request.get(CLIENT)
    return noted or request.remote


def note_client(request: web.Request, trusted: Sequence[Network]) -> None:
    """Store the client's address, as the trusted proxies report it, for `client_of`.

    If the first untrusted address cannot be parsed, the address of the proxy that reported it counts.
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
    """Return the address of a hop in the notation of the trusted networks, without port and zone; None if invalid."""
    written = hop.strip()
    parts = _BRACKETS_OR_PORT.fullmatch(written)
    try:
        address = ip_address((parts[1] or parts[2]) if parts else written)
    except ValueError:
        return None
    return str(_unmapped(address)).partition("%")[0]


def _unmapped(address: Address) -> Address:
    """Return the IPv4 address of an IPv4-mapped IPv6 address (RFC 4291, clause 2.5.5.2), or the address itself."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


@lru_cache(maxsize=_ADDRESSES_KEPT)
def parsed_address(remote: str) -> Address:
    """Return the address without its zone; an IPv4-mapped one becomes the IPv4 address."""
    return _unmapped(ip_address(remote.partition("%")[0]))


@lru_cache(maxsize=_ADDRESSES_KEPT)
def client_network(remote: str) -> str:
    """Return what counts as one client: an IPv4 address, or the IPv6 /64 that a customer line usually gets."""
    address = parsed_address(remote)
    if isinstance(address, IPv6Address) and address in _NAT64:
        address = IPv4Address(address.packed[-4:])
    return str(address if isinstance(address, IPv4Address) else ip_network((address, 64), strict=False))


def client_key(request: web.BaseRequest) -> str:
    """Return what counts as the client of a request; all requests over UNIX sockets are one client."""
    address = client_of(request)
    return client_network(address) if address else ""


def is_within(remote: str | None, networks: Sequence[Network]) -> bool:
    """Return whether the address is in one of the networks; False without an address (UNIX socket)."""
    if not remote or not networks:
        return False
    address = parsed_address(remote)
    return any(address in network for network in networks)


def is_connected(request: web.BaseRequest) -> bool:
    """Return whether the request's connection is open in both directions; may be called from any thread.

    A client that ended its direction has nearly always left, so nothing that takes long is made for it.
    """
    transport = request.transport
    is_open = transport is not None and not transport.is_closing()
    return is_open and not getattr(request.protocol, "is_half_closed", False)


def asked_scheme(request: web.BaseRequest, trusted: Sequence[Network]) -> str:
    """Return the scheme that the browser uses to reach the service or the first proxy in front of it."""
    schemes = forwarded(request, hdrs.X_FORWARDED_PROTO, trusted)
    return schemes[0].lower() if schemes else request.scheme


def asked_host(request: web.BaseRequest, trusted: Sequence[Network]) -> str:
    """Return the host and port that the browser requested, in lower case; without the header, `Host` has them."""
    hosts = forwarded(request, hdrs.X_FORWARDED_HOST, trusted)
    return (hosts[0] if hosts else request.headers.get(hdrs.HOST, "")).lower()


def forwarded(request: web.BaseRequest, header: str, trusted: Sequence[Network]) -> list[str]:
    """Return the non-empty values of a forwarded header, if a trusted proxy sent it."""
    if not trusted or not is_within(request.remote, trusted):
        return []
    values = ",".join(request.headers.getall(header, ())).split(",")
    return [value.strip() for value in values if value.strip()]
