"""Whose request it is: the peer's address, or the one that a trusted proxy vouches for.

Rule: `X-Forwarded-For` counts only if the peer itself is in a trusted network; then aiohttp-remotes walks the list
from the right past every trusted proxy. A forged header from anybody else changes nothing. An IPv4-mapped IPv6 address
is the IPv4 address everywhere; one made by NAT64 counts as the IPv4 address in it, but lies in no IPv4 network.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware
from aiohttp_remotes import XForwardedFiltered

from barcodesvc.api.request_ids import SEEN
from barcodesvc.config import Network

Address = IPv4Address | IPv6Address

MOST_HOPS = 64
"""Addresses of a forwarded list that are looked at, from the right; no service has as many proxies before it."""
_ADDRESSES_KEPT = 4096
_NAT64 = IPv6Network("64:ff9b::/96")
"""Where IPv6-only hosts see the whole of IPv4 (RFC 6052, clause 2.1): a /64 of it would be everybody."""


def trusted_proxies_middleware(trusted: Sequence[Network]) -> Middleware:
    """Build the middleware that lets trusted proxies name the client."""
    forwarded = XForwardedFiltered(set(trusted))

    @web.middleware
    async def forwarded_by_trusted(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not is_within(request.remote, trusted):
            return await handler(request)
        return await forwarded.middleware(_with_one_list(request), partial(_with_known_client, handler))

    return forwarded_by_trusted


async def _with_known_client(handler: Handler, request: web.Request) -> web.StreamResponse:
    """Note the client for the access log, which sees the request of the proxy."""
    if seen := SEEN.get(None):
        seen.client = request.remote
    return await handler(request)


def _with_one_list(request: web.Request) -> web.Request:
    """Return the request with one line of X-Forwarded-For, as the library wants it, and no other header like it.

    A proxy may add a line instead of lengthening the one that is there; the lines of a list are one list (RFC 9110,
    clause 5.3). Forwarded scheme and host decide nothing in this service, so a wrong one must not fail a request.
    """
    lines = request.headers.getall(hdrs.X_FORWARDED_FOR, ())
    hops = ",".join(lines).rsplit(",", MOST_HOPS)[-MOST_HOPS:]
    headers = request.headers.copy()
    for name in (hdrs.X_FORWARDED_FOR, hdrs.X_FORWARDED_PROTO, hdrs.X_FORWARDED_HOST):
        headers.popall(name, None)
    if lines:
        headers[hdrs.X_FORWARDED_FOR] = ", ".join(map(_unmapped_hop, hops))
    return request.clone(headers=headers)


def _unmapped_hop(hop: str) -> str:
    """Return the hop as the trusted networks are written; one that is no address stays, to be refused."""
    try:
        address = ip_address(hop.strip())
    except ValueError:
        return hop
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
    """Tell whether the address lies in one of the networks; no address (a UNIX socket) lies in none."""
    if not remote or not networks:
        return False
    address = parsed_address(remote)
    return any(address in network for network in networks)
