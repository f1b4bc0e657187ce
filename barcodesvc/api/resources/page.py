"""Handlers of the web app: static files for its shell, its service worker and its assets, and its session.

The web app is a client of the API like any other. So its files need no key, count towards no limit, and are not in the
API's document: a shop with ten devices behind one address can load them as often as it likes.

- The shell, the service workers and the watchdog are revalidated each time (`no-cache`), with a 304 if unchanged.
- An asset's URL contains the hash of all files: its content never changes and is cached indefinitely, so it needs no
  ETag; another hash is a 404.
- The text files come gzipped if the client accepts that (RFC 9110, clause 12.5.3).
- If files are missing, every path is a 404 that says so; the API works without the web app.

The shell and the workers, which a browser executes, carry the web app's policy (CSP, level 3): no other hosts, no
inline scripts or styles, no framing, and no HTML from strings (Trusted Types). WebAssembly is allowed, which reads
codes. The shell's counts for other scripts and for styles. Any other asset has the policy of every response, which
allows nothing.

Rule: clients without a key can send requests to /api/page/session, so its bodies are small, and a key that was sent is
never repeated, not even one in an unknown field.
"""

from collections.abc import Mapping
from typing import Annotated

from aiohttp import hdrs, web
from pydantic import Field
from typing_extensions import TypedDict

from barcodesvc.api.bodies import read_model
from barcodesvc.api.guard.api_key import wrong_key
from barcodesvc.api.guard.sessions import SESSIONS
from barcodesvc.api.resources.page_files import (
    PAGE,
    SENDING_WORKER,
    SERVICE_WORKER,
    SHELL,
    WATCHDOG,
    PageFile,
    PageFiles,
)
from barcodesvc.api.responses import JSON, Success, conditional, json_response, kept_etag, wants_gzip
from barcodesvc.api.signature import IgnoredQuery, Reads, Sends
from barcodesvc.errors import InvalidInput, UnknownRoute
from barcodesvc.fields import described
from barcodesvc.models import Draft

POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; font-src 'self'; "
    "connect-src 'self'; img-src 'self' blob:; media-src 'self' blob:; frame-src blob:; manifest-src 'self'; "
    "worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types service-worker"
)
_PERMISSIONS = "camera=(self), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=()"
"""The camera is the only device that the web app uses."""
_ASKED_AGAIN = {"Cache-Control": "no-cache"}
_OF_WORKERS = {"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}
_OF_THE_SHELL = {
    "Cache-Control": "private, no-cache",
    "Content-Security-Policy": POLICY,
    "Permissions-Policy": _PERMISSIONS,
}
"""It may set a session cookie, which no cache may give to other clients."""
_SENT_TO_SECURE_ORIGINS = "Sec-Fetch-Mode"
"""Sent by browsers to secure origins only (W3C Fetch Metadata, clause 2); on others the next header is an error."""
_WINDOW_OF_ITS_OWN = {"Cross-Origin-Opener-Policy": "same-origin"}
_VARIES = {"Vary": "Accept-Encoding"}
_FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}
_WORKER = "-worker.js"


async def shell(request: IgnoredQuery) -> web.Response:
    """The web app, for every client, with a session if no API key is configured."""
    request.app[SESSIONS].hand_out(request)
    window = _WINDOW_OF_ITS_OWN if _SENT_TO_SECURE_ORIGINS in request.headers else {}
    return _revalidated(request, SHELL, {**_OF_THE_SHELL, **window})


async def service_worker(request: IgnoredQuery) -> web.Response:
    """Lets the web app start without a network, for all of this origin."""
    return _revalidated(request, SERVICE_WORKER, {**_ASKED_AGAIN, **_OF_WORKERS})


async def sending_worker(request: IgnoredQuery) -> web.Response:
    """The same, and sends stock changes while the web app is closed, in browsers that can do this."""
    return _revalidated(request, SENDING_WORKER, {**_ASKED_AGAIN, **_OF_WORKERS})


async def watchdog(request: IgnoredQuery) -> web.Response:
    """Reports a web app that does not load because its assets are of another version."""
    return _revalidated(request, WATCHDOG, _ASKED_AGAIN)


async def asset(request: IgnoredQuery) -> web.Response:
    """A script, style, picture or manifest of the web app."""
    file = _page(request).assets.get(request.path)
    if file is None:
        raise UnknownRoute("there is no such file, or no longer; reload the web app")
    policy = _OF_WORKERS if request.path.endswith(_WORKER) else {}
    body, content = _encoded(request, file)
    return web.Response(body=body, headers={**_VARIES, **_FOREVER, **policy, **content})


def _page(request: web.Request) -> PageFiles:
    page = request.app[PAGE]
    if page.problem:
        raise UnknownRoute(page.problem)
    return page


def _revalidated(request: web.Request, name: str, headers: Mapping[str, str]) -> web.Response:
    body, content = _encoded(request, _page(request).fixed[name])
    return conditional(request, kept_etag(body), body, {**_VARIES, **headers}, content)


def _encoded(request: web.Request, file: PageFile) -> tuple[bytes, dict[str, str]]:
    """Return a file in the encoding that the client accepts, and the headers of its content."""
    content = {"Content-Type": file.content_type}
    if file.gzipped is None or not wants_gzip(request.headers.getall(hdrs.ACCEPT_ENCODING, ())):
        return file.plain(), content
    return file.gzipped, {**content, "Content-Encoding": "gzip"}


MOST_LOGIN_BYTES = 4096
"""A key of 256 characters, each as an escape, and its field."""


class Login(Draft):
    """The key that opens a session; any, if the service requires none."""

    api_key: Annotated[
        str,
        Field(min_length=1, max_length=256),
        described("A key of the service; any text if it requires none.", "correct-horse-battery-staple"),
    ]


class SessionResponse(TypedDict):
    """A confirmation for people; the session itself is the cookie."""

    success: Success
    message: Annotated[str, described("What happened, for people.", "the web app has a session")]


async def open_page_session(
    request: Annotated[web.Request, Reads(body={JSON: Login})],
) -> Annotated[web.Response, Sends({JSON: SessionResponse}, ("Set-Cookie",))]:
    """Open a session of the web app with an API key.

    The session is a cookie, which counts only in requests of the service's own page. It grants what its key grants, as
    long as that key is configured, and expires 30 days after its last use.
    """
    login = await _login(request)
    if not request.app[SESSIONS].log_in(request, login.api_key):
        raise wrong_key()
    return json_response(SessionResponse(success=True, message="the web app has a session"))


async def end_page_session(
    request: web.Request,
) -> Annotated[web.Response, Sends({JSON: SessionResponse}, ("Set-Cookie",))]:
    """End the session of the web app.

    Its cookie and all copies become invalid. Without an API key they keep their rate limit, as anyone gets a session.
    """
    await request.app[SESSIONS].log_out(request)
    return json_response(SessionResponse(success=True, message="the web app no longer has a session"))


async def _login(request: web.Request) -> Login:
    try:
        return await read_model(request, Login)
    except InvalidInput as refusal:
        for problem in refusal.errors:
            problem.pop("value", None)
        raise
