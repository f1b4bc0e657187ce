"""Whose request it is: the peer's address, or the one that a trusted proxy vouches for.

Rule: `X-Forwarded-For` counts only if the peer itself is in a trusted network; then aiohttp-remotes walks the list
from the right past every trusted proxy. A forged header from anybody else changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware
from aiohttp_remotes import XForwardedFiltered

from barcodesvc.config import Network

Address = IPv4Address | IPv6Address

_ADDRESSES_KEPT = 4096


def trusted_proxies_middleware(trusted: Sequence[Network]) -> Middleware:
    """Build the middleware that lets trusted proxies name the client."""
    forwarded = XForwardedFiltered(set(trusted))

    @web.middleware
    async def forwarded_by_trusted(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not is_within(request.remote, trusted):
            return await handler(request)
        return await forwarded.middleware(_with_one_list(request), handler)

    return forwarded_by_trusted


def _with_one_list(request: web.Request) -> web.Request:
    """Return the request with one line of X-Forwarded-For, as the library wants it, and no other header like it.

    A proxy may add a line instead of lengthening the one that is there; the lines of a list are one list (RFC 9110,
    clause 5.3). Forwarded scheme and host decide nothing in this service, so a wrong one must not fail a request.
    """
    lines = request.headers.getall(hdrs.X_FORWARDED_FOR, ())
    headers = request.headers.copy()
    for name in (hdrs.X_FORWARDED_FOR, hdrs.X_FORWARDED_PROTO, hdrs.X_FORWARDED_HOST):
        headers.popall(name, None)
    if lines:
        headers[hdrs.X_FORWARDED_FOR] = ", ".join(lines)
    return request.clone(headers=headers)


@lru_cache(maxsize=_ADDRESSES_KEPT)
def parsed_address(remote: str) -> Address:
    """Return the address; an IPv4-mapped IPv6 address is the IPv4 address (RFC 4291, clause 2.5.5.2)."""
    address = ip_address(remote.partition("%")[0])
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


@lru_cache(maxsize=_ADDRESSES_KEPT)
def client_network(remote: str) -> str:
    """Return what is counted as one client: an IPv4 address, or an IPv6 /64, which one customer line gets."""
    address = parsed_address(remote)
    return str(address) if address.version == 4 else str(ip_network((address, 64), strict=False))  # noqa: PLR2004 - the IP version


def is_within(remote: str | None, networks: Sequence[Network]) -> bool:
    """Tell whether the address lies in one of the networks; no address (a UNIX socket) lies in none."""
    if not remote or not networks:
        return False
    address = parsed_address(remote)
    return any(address in network for network in networks)
