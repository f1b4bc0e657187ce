"""Protection against pages of other origins: CSRF, and DNS rebinding. Both are refused before a body is read.

CSRF: a browser submits a form to any address on behalf of its user. Browsers say where the page comes from in
Sec-Fetch-Site (W3C Fetch Metadata) and in Origin (RFC 6454, clause 7). Programs send neither header, and pass.

- If Sec-Fetch-Site is sent, it alone decides. Browsers send it over HTTPS and to localhost.
- Otherwise Origin must match the scheme, host and port that the browser requested.
- An origin that the settings allow passes either way.

DNS rebinding: a page can give its own name the address of the service. The browser then takes both for one origin, and
lets the page read and change everything. Only `Host` still gives away the page's name, and no page can change that. So
the service responds only under names that no foreign page can have.

- Without an API key a name counts only if it is an IP address, `localhost`, one of the machine's own names, a name
  without a dot (which cannot be registered), or a name in the settings.
- With a key the page has none, and no cookie either, because cookies belong to a name. So every name counts, unless the
  settings list some.

Rule: trust only headers that no page can set, omit or change. A page that shares an origin with the service can send
any `X-Forwarded-Host`, and some proxies pass it on. So every name in the request has to count, that in `Host` and each
that is forwarded.
"""

import logging
import re
import socket
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address

from aiohttp import hdrs, web
from multidict import istr

from barcodesvc.api.client_address import asked_host, asked_scheme, forwarded
from barcodesvc.api.guard.headers import is_open
from barcodesvc.config import Settings
from barcodesvc.errors import ForeignHost, ForeignPage, field_problem
from barcodesvc.validation import repeatable_text

_LOG = logging.getLogger(__name__)

_LOCALHOST = "localhost"
_HOST = re.compile(r"(?:\[(?P<ipv6>[0-9a-fA-F:.]*)]|(?P<name>[^][:]*))(?::[0-9]*)?")
"""An address in brackets has no zone, which only has a meaning on its own machine (RFC 6874, clause 1)."""
_WITHOUT_DOT = re.compile(r"[a-z0-9_-]+")
_HOSTS_REMEMBERED = 64
_OTHER_NAME = "the service does not answer under this name; add it to BARCODESVC_ALLOWED_HOSTS, or use an IP address"


class NamesOfService:
    """The names by which requests may address the service."""

    def __init__(self, settings: Settings) -> None:
        self._trusted_proxies = settings.trusted_proxies
        self._takes_every_name = bool(settings.api_key) and not settings.allowed_hosts
        self._names = {_LOCALHOST, *_machine_names(), *map(_plain_name, settings.allowed_hosts)}
        self._counts = lru_cache(maxsize=_HOSTS_REMEMBERED)(self._is_own)
        if _name_in(settings.host):
            self._names.add(_plain_name(settings.host))

    async def log(self, _: web.Application) -> None:
        """Log which names are accepted."""
        if self._takes_every_name:
            _LOG.info("every host name is accepted, because an API key is set; BARCODESVC_ALLOWED_HOSTS restricts that")
            return
        names = ", ".join(sorted(self._names))
        _LOG.info("accepted host names: IP addresses, names without a dot, and %s (BARCODESVC_ALLOWED_HOSTS)", names)

    def refuse_others(self, request: web.Request) -> None:
        """Raise ForeignHost for a request to the API under another name."""
        if self._takes_every_name:
            return
        host = request.headers.get(hdrs.HOST)
        if host is not None and not self._counts(host) and not is_open(request.path):
            raise _refusal(hdrs.HOST, host)
        if self._trusted_proxies and not is_open(request.path):
            for name in forwarded(request, hdrs.X_FORWARDED_HOST, self._trusted_proxies):
                if not self._counts(name):
                    raise _refusal(hdrs.X_FORWARDED_HOST, name)

    def _is_own(self, host: str) -> bool:
        name = _name_in(host)
        return name is None or name in self._names or bool(_WITHOUT_DOT.fullmatch(name))


def _refusal(header: str, host: str) -> ForeignHost:
    return ForeignHost.of(field_problem(header, _OTHER_NAME, repeatable_text(host)))


def _machine_names() -> set[str]:
    """Return the names that the machine knows without a network: its host name, and that of mDNS (RFC 6762)."""
    name = _plain_name(socket.gethostname())
    return {name, f"{name.partition('.')[0]}.local"} if name else set()


def _name_in(host: str) -> str | None:
    """Return the name in a Host header without its port, None for an IP address, "" for anything else."""
    parts = _HOST.fullmatch(host)
    if parts is None:
        return ""
    try:
        _ = IPv4Address(parts["name"]) if parts["ipv6"] is None else IPv6Address(parts["ipv6"])
    except ValueError:
        return _plain_name(parts["name"] or "")
    return None


def _plain_name(name: str) -> str:
    """Return a name as it is compared: in lower case, without the dot of the root (RFC 9110, clause 4.2.3)."""
    return name.lower().removesuffix(".")


_SITE = istr("Sec-Fetch-Site")
_OWN_SITES = frozenset({"same-origin", "none"})
"""The service's own page, and requests that no page made: a typed address, a bookmark."""
_HARMLESS = frozenset({hdrs.METH_GET, hdrs.METH_HEAD, hdrs.METH_OPTIONS})
_USUAL_PORTS = {"http": ":80", "https": ":443"}


class ForeignPages:
    """Refuses changes that foreign pages request, unless the settings allow their origin."""

    def __init__(self, settings: Settings) -> None:
        self._trusted_proxies = settings.trusted_proxies
        self._allowed_origins = frozenset(settings.cors_origins)

    def refuse(self, request: web.Request) -> None:
        """Raise ForeignPage if a foreign page requests a change and its origin is not allowed."""
        if request.method in _HARMLESS or self.is_own(request) or self._is_allowed(request):
            return
        named = hdrs.ORIGIN if hdrs.ORIGIN in request.headers else _SITE
        how = "if its origin" if named == hdrs.ORIGIN else "with an Origin that"
        message = f"a page of another site may send this only {how} is in BARCODESVC_CORS_ORIGINS"
        raise ForeignPage.of(field_problem(named, message))

    def is_own(self, request: web.Request) -> bool:
        """Return whether the browser says that the service's own page, or no page, made the request; for any method."""
        site = request.headers.get(_SITE)
        if site is not None:
            return site in _OWN_SITES
        origin = request.headers.get(hdrs.ORIGIN)
        return origin is None or origin.lower() == self._own_origin(request)

    def _is_allowed(self, request: web.Request) -> bool:
        origin = request.headers.get(hdrs.ORIGIN)
        return origin is not None and bool({origin.lower(), "*"} & self._allowed_origins)

    def _own_origin(self, request: web.Request) -> str:
        """Return the service's origin as the browser sees it, without the default port of its scheme."""
        scheme = asked_scheme(request, self._trusted_proxies)
        host = asked_host(request, self._trusted_proxies).removesuffix(_USUAL_PORTS.get(scheme, ""))
        return f"{scheme}://{host}"
