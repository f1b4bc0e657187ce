"""Protection from cross-site request forgery and DNS rebinding: a browser sends what any page asks it to, as its user.

- Cross-site request forgery: a form needs no leave to be sent anywhere. So a request that may change something and
  comes from a page of another origin is refused before its body is read. Browsers say where a page is from, in
  Sec-Fetch-Site (W3C Fetch Metadata) and in Origin (RFC 6454, clause 7); programs send neither.
- DNS rebinding: a page can make its own name stand for the loopback address, and has one origin with the service then.
  So a service that is bound there alone, without a proxy before it, answers only under names that are its own. Where it
  is bound, the system says, which resolves the name for listening too: `127.1`, a name in /etc/hosts and more.

Rule: who sends neither header is no page. No page can set, leave out or change them.
"""

from __future__ import annotations

import asyncio
import re
import socket
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address

from aiohttp import hdrs, web
from multidict import istr

from barcodesvc.api.client_address import is_within, parsed_address
from barcodesvc.api.guard.api_key import is_open
from barcodesvc.config import Settings
from barcodesvc.errors import FieldProblem, InvalidInput

_SITE = istr("Sec-Fetch-Site")
_OWN_SITES = frozenset({"same-origin", "none"})
"""The service's own page, and what no page has asked for: an address that was typed, a bookmark."""
_HARMLESS = frozenset({hdrs.METH_GET, hdrs.METH_HEAD, hdrs.METH_OPTIONS})
_USUAL_PORTS = {"http": ":80", "https": ":443"}
_LOCALHOST = "localhost"
_HOST = re.compile(r"(?:\[(?P<ipv6>[0-9a-fA-F:.]*)]|(?P<name>[^][:]*))(?::[0-9]*)?")
"""An address in brackets has no zone, which means something on its own machine alone (RFC 6874, clause 1)."""
_HOSTS_REMEMBERED = 64


class ForeignPages:
    """Refuses what the pages of others ask for, as far as the settings do not allow it."""

    def __init__(self, settings: Settings) -> None:
        self._trusted_proxies = settings.trusted_proxies
        self._allowed_origins = frozenset(settings.cors_origins)
        self._own_names = frozenset(map(_plain_name, (_LOCALHOST, settings.host, *settings.allowed_hosts)))
        self._host = settings.host
        self._has_own_names = not settings.trusted_proxies

    async def find_own_address(self, _: web.Application) -> None:
        """Find out, at the start, whether the service is bound to loopback addresses alone."""
        self._has_own_names = self._has_own_names and await _is_loopback(self._host)

    def refuse(self, request: web.Request) -> None:
        """Raise InvalidInput for a request that only a foreign page sends."""
        headers = request.headers
        if self._has_own_names and not self._is_own_name(headers.get(hdrs.HOST)) and not is_open(request.path):
            message = "the service answers here under IP addresses, localhost and the names in BARCODESVC_ALLOWED_HOSTS"
            raise InvalidInput.of(FieldProblem(hdrs.HOST, message))
        if _SITE not in headers and hdrs.ORIGIN not in headers:
            return
        if request.method not in _HARMLESS and self._is_foreign(request):
            raise InvalidInput.of(_foreign_page(request))

    def _is_own_name(self, host: str | None) -> bool:
        """Return whether the service may be asked under this Host; HTTP/1.0 alone has none, which no browser speaks."""
        if host is None:
            return True
        name = _name_in(host)
        return name is None or name in self._own_names

    def is_own(self, request: web.Request) -> bool:
        """Tell whether a request is the own page's or no page's, as far as its browser says; whatever its method."""
        site = request.headers.get(_SITE)
        if site in _OWN_SITES:
            return True
        origin = request.headers.get(hdrs.ORIGIN)
        if origin is None:
            return site is None
        return _is_origin_of(self._own_host(request), origin.lower())

    def _is_foreign(self, request: web.Request) -> bool:
        origin = request.headers.get(hdrs.ORIGIN)
        is_allowed = origin is not None and bool({origin.lower(), "*"} & self._allowed_origins)
        return not is_allowed and not self.is_own(request)

    def _own_host(self, request: web.Request) -> str:
        """Return the host and port under which the browser sees the service; the first proxy of several knows it."""
        forwarded = ""
        if is_within(request.remote, self._trusted_proxies):
            forwarded = request.headers.get(hdrs.X_FORWARDED_HOST, "").partition(",")[0].strip()
        return (forwarded or request.headers.get(hdrs.HOST, "")).lower()


def _foreign_page(request: web.Request) -> FieldProblem:
    """Return what is wrong with a request of a foreign page, in the header that says so."""
    if hdrs.ORIGIN in request.headers:
        message = "a page of another site may send this only if its origin stands in BARCODESVC_CORS_ORIGINS"
        return FieldProblem(hdrs.ORIGIN, message)
    message = "a page of another site may send this only with its Origin, if that stands in BARCODESVC_CORS_ORIGINS"
    return FieldProblem(_SITE, message)


def _is_origin_of(host: str, origin: str) -> bool:
    """Return whether the origin is at this host and port; the usual port of its scheme may be written or not."""
    scheme, _, authority = origin.partition("://")
    if scheme not in _USUAL_PORTS or not authority:
        return False
    port = _USUAL_PORTS[scheme]
    return authority.removesuffix(port) == host.removesuffix(port)


@lru_cache(maxsize=_HOSTS_REMEMBERED)
def _name_in(host: str) -> str | None:
    """Return the name in a Host header without its port, None for an IP address, "" for what is neither."""
    parts = _HOST.fullmatch(host)
    if parts is None:
        return ""
    try:
        _ = IPv4Address(parts["name"]) if parts["ipv6"] is None else IPv6Address(parts["ipv6"])
    except ValueError:
        return _plain_name(parts["name"] or "")
    return None


def _plain_name(name: str) -> str:
    """Return a name as it is compared: without case, and without the dot of the root (RFC 9110, clause 4.2.3)."""
    return name.lower().removesuffix(".")


async def _is_loopback(host: str) -> bool:
    """Return whether the host stands for loopback addresses alone; for none, where nobody can listen either."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    return all(parsed_address(str(address[0])).is_loopback for *_, address in found)
