"""Security headers: they keep browsers and caches from making more of an answer than it is; on every answer.

Rule: a header that a handler sets itself wins. What no handler sees, such as the answer to bad HTTP, gets them too.
There is no Strict-Transport-Security: that belongs to the proxy that speaks TLS. Where the service speaks it by itself,
it is for a shop's own network, whose certificate may run out: nobody could then get past the browser's warning.
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
    "RateLimit-Limit",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "Retry-After",
    REQUEST_ID,
)
"""Headers that a page of an allowed origin may read beside the plain ones."""
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
"""Nothing to load, to frame, to embed or to keep, which is what JSON and files to save need; and no version."""
PICTURE_HEADERS: dict[str, str] = {
    _CONTENT_SECURITY_POLICY: "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    _RESOURCE_POLICY: "cross-origin",
}
"""A picture may stand on any page, and may do nothing when it is opened by itself; the style is the viewer's own."""


def add_safe_headers(headers: CIMultiDict[str]) -> None:
    """Add what the answer does not say itself."""
    headers.merge(SAFE_HEADERS)


def vary_by_origin(app: web.Application) -> None:
    """Let every answer of the application say that it is one origin's, where several may ask."""
    app.on_response_prepare.append(_vary_by_origin)


async def _vary_by_origin(_: web.Request, response: web.StreamResponse) -> None:
    headers = response.headers
    varies = [part.strip().lower() for line in headers.getall(hdrs.VARY, ()) for part in line.split(",")]
    if not {"origin", "*"} & set(varies):
        headers.add(hdrs.VARY, _PER_ORIGIN)
