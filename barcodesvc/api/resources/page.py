"""The handlers of the browser's page: its shell, its service worker and its assets; files alone, which hold no data.

The page is a client of the API like any other. So these need no key, count against no limit, and are no part of the
API's document. A shop of ten devices behind one address loads it as often as it likes.

- The shell and the service worker are asked for again each time (`no-cache`), and come as a 304 to who has them.
- An asset's address holds the hash of all files: it never changes and is kept for ever; another hash is a 404.

Both that a browser runs as such, the shell and the service worker, carry the page's policy (CSP, level 3): nothing from
any other host, no script or style that stands between tags, no framing, and HTML from no string (Trusted Types). An
asset is no page of its own, and has the policy of every answer, which allows nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp import hdrs, web

from barcodesvc.api.content_codings import wants_gzip
from barcodesvc.api.guard.page_session import PAGE_SESSIONS
from barcodesvc.api.resources.page_files import PAGE, PageFile
from barcodesvc.api.responses import is_known
from barcodesvc.errors import UnknownRoute

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; "
    "media-src 'self' blob:; frame-src blob:; manifest-src 'self'; worker-src 'self'; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types service-worker"
)
_PERMISSIONS = "camera=(self), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=()"
"""The one device that the page uses is the camera."""
_ASKED_AGAIN = {"Cache-Control": "no-cache", "Content-Security-Policy": POLICY}
_OF_THE_SHELL = {**_ASKED_AGAIN, "Cache-Control": "private, no-cache", "Permissions-Policy": _PERMISSIONS}
"""It may come with a session, which no cache may hand to others."""
_SENT_TO_SECURE_ORIGINS = "Sec-Fetch-Mode"
"""What browsers send to secure origins alone (W3C Fetch Metadata, clause 2): elsewhere the next is an error to them."""
_WINDOW_OF_ITS_OWN = {"Cross-Origin-Opener-Policy": "same-origin"}
_FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}


async def shell(request: web.Request) -> web.Response:
    """GET /: the page, whoever asks, with a session where no API key is set."""
    request.app[PAGE_SESSIONS].hand_out(request)
    window = _WINDOW_OF_ITS_OWN if _SENT_TO_SECURE_ORIGINS in request.headers else {}
    return _answer(request, request.app[PAGE].shell, {**_OF_THE_SHELL, **window})


async def service_worker(request: web.Request) -> web.Response:
    """GET /service-worker.js: what lets the page begin without a network, for all of this origin."""
    return _answer(request, request.app[PAGE].service_worker, _ASKED_AGAIN)


async def asset(request: web.Request) -> web.Response:
    """GET /page/{hash}/{path}: a script, style, picture or manifest of the page."""
    file = request.app[PAGE].assets.get(request.path)
    if file is None:
        raise UnknownRoute("the page has no such file, or no longer; load the page again")
    return _answer(request, file, _FOR_EVER)


def _answer(request: web.Request, file: PageFile, headers: Mapping[str, str]) -> web.Response:
    gzipped = file.gzipped if wants_gzip(request.headers.getall(hdrs.ACCEPT_ENCODING, ())) else None
    sent = gzipped or file.plain
    shared = {"ETag": sent.tag, "Vary": "Accept-Encoding", **headers}
    if is_known(request, sent.tag):
        return web.Response(status=web.HTTPNotModified.status_code, headers=shared)
    encoding = {"Content-Encoding": "gzip"} if gzipped else {}
    return web.Response(body=sent.body, headers={**shared, **encoding, "Content-Type": file.content_type})
