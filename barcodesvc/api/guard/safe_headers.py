"""Security headers: every response carries them, so that browsers neither sniff, frame, embed nor cache it.

Rule: a header that a handler sets takes precedence. Responses that no handler makes, such as those to malformed HTTP,
carry them too. Strict-Transport-Security is left out: a proxy that terminates TLS sets it. A service that speaks TLS
itself runs in a shop's own network, where a certificate may expire, and users could then not pass the browser's
warning.
"""

from __future__ import annotations

from aiohttp import hdrs, web
from multidict import CIMultiDict, istr

from barcodesvc.api.observe.request_ids import REQUEST_ID

_PER_ORIGIN = "Origin"
EXPOSED_HEADERS = (
    "Content-Disposition",
    "ETag",
    "Idempotency-Replayed",
    "Location",
    "RateLimit-Limit",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "Retry-After",
    REQUEST_ID,
)
"""Headers that a page of an allowed origin may read, in addition to the CORS-safelisted ones."""
_CONTENT_SECURITY_POLICY = istr("Content-Security-Policy")
_RESOURCE_POLICY = istr("Cross-Origin-Resource-Policy")
SAFE_HEADERS = CIMultiDict(
    {
        istr("X-Content-Type-Options"): "nosniff",
        _CONTENT_SECURITY_POLICY: "default-src 'none'; frame-ancestors 'none'",
        istr("Referrer-Policy"): "no-referrer",
        _RESOURCE_POLICY: "same-origin",
        hdrs.CACHE_CONTROL: "no-store",
        hdrs.SERVER: "barcodesvc",
    }
)
"""Forbid loading, framing, embedding and caching, none of which JSON and downloads need; `Server` names no version."""
PICTURE_HEADERS: dict[str, str] = {
    _CONTENT_SECURITY_POLICY: "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    _RESOURCE_POLICY: "cross-origin",
}
"""Any page may embed a picture; opened by itself it may do nothing, except use the style that the viewer adds."""


def add_safe_headers(headers: CIMultiDict[str]) -> None:
    """Add the security headers that the response does not set itself."""
    headers.merge(SAFE_HEADERS)


def vary_by_origin(app: web.Application) -> None:
    """Add `Vary: Origin` to every response of the application, for services that allow several origins."""
    app.on_response_prepare.append(_vary_by_origin)


async def _vary_by_origin(_: web.Request, response: web.StreamResponse) -> None:
    headers = response.headers
    varies = [part.strip().lower() for line in headers.getall(hdrs.VARY, ()) for part in line.split(",")]
    if not {"origin", "*"} & set(varies):
        headers.add(hdrs.VARY, _PER_ORIGIN)
