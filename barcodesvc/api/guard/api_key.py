"""API keys: where one is set, every path under /api asks for it, those of no route as well.

A key comes in `X-API-Key` or as a bearer token (RFC 6750, clause 2.1), or has opened the session of the page that a
request belongs to. Rule: a request without one learns nothing but that; keys are compared in constant time, all of
them, and none is ever logged or answered. The rate limit stands before this, so that guesses count.

One request passes without: the one that opens a session, whose key stands in its body.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator, Sequence

from aiohttp import hdrs, web
from pydantic import SecretStr

from barcodesvc.api.guard.rate_limit import is_preflight
from barcodesvc.api.guard.session_cookie import SESSION
from barcodesvc.errors import Unauthorized

_HEADER = "X-API-Key"
_SCHEME = "bearer"
_CLOSED = "/api"
_BELOW = f"{_CLOSED}/"
SESSION_PATH = "/api/page/session"
_CHALLENGE = 'Bearer realm="barcodesvc"'
_CHALLENGE_OF_WRONG_KEY = f'{_CHALLENGE}, error="invalid_token"'
_WRONG_KEY = "the key is not one that this service knows"


def is_open(path: str) -> bool:
    """Return whether a path needs no key: whatever does not lie under /api, such as /health."""
    return not path.startswith(_BELOW) and path != _CLOSED


def api_key_guard(keys: Sequence[SecretStr]) -> Callable[[web.Request], None]:
    """Build the guard that lets in who knows one of the keys; a preflight, which carries none, passes."""

    def require_key(request: web.Request) -> None:
        if not _is_let_in(request, keys):
            raise _refusal(request)

    return require_key


def _is_let_in(request: web.Request, keys: Sequence[SecretStr]) -> bool:
    if is_open(request.path) or request[SESSION] or is_preflight(request) or _opens_session(request):
        return True
    accepted = [key.get_secret_value().encode() for key in keys]
    return any([hmac.compare_digest(one, key) for one in _keys_sent(request) for key in accepted])  # noqa: C419 - a list, so that the time does not show which key fits


def _keys_sent(request: web.Request) -> Iterator[bytes]:
    for value in request.headers.getall(_HEADER, ()):
        yield value.encode("utf-8", "surrogateescape")
    for value in request.headers.getall(hdrs.AUTHORIZATION, ()):
        scheme, _, token = value.partition(" ")
        if scheme.lower() == _SCHEME:
            yield token.strip().encode("utf-8", "surrogateescape")


def _opens_session(request: web.Request) -> bool:
    return request.method == hdrs.METH_POST and request.rel_url.raw_path == SESSION_PATH


def _refusal(request: web.Request) -> Unauthorized:
    challenge, what = _CHALLENGE, "this service asks for a key"
    if list(_keys_sent(request)):
        challenge, what = _CHALLENGE_OF_WRONG_KEY, _WRONG_KEY
    return Unauthorized(
        f"{what}; send it as X-API-Key: … or Authorization: Bearer …", headers={hdrs.WWW_AUTHENTICATE: challenge}
    )


def wrong_key() -> Unauthorized:
    """Return the refusal of a wrong key in a body."""
    return Unauthorized(_WRONG_KEY, headers={hdrs.WWW_AUTHENTICATE: _CHALLENGE_OF_WRONG_KEY})
