"""API key authentication: if keys are configured, every path under /api requires one, even paths without a route.

A client sends the key in `X-API-Key` or as a bearer token (RFC 6750, clause 2.1), or belongs to a session of the web
app that was opened with one. The only request that needs none opens a session: it carries the key in its body.

Rule: a request without a valid key learns nothing else. Keys are compared in constant time, always all of them, and
are never logged or sent back. The rate limit runs first, so that guesses count towards it; a request with several keys
is refused, because it would be several guesses for the price of one.
"""

import hmac
from collections.abc import Callable, Iterator, Sequence

from aiohttp import hdrs, web
from pydantic import SecretStr

from barcodesvc.api.guard.headers import is_open, is_preflight
from barcodesvc.api.guard.sessions import SESSION, SESSION_PATH
from barcodesvc.errors import InvalidInput, Unauthorized, WrongApiKey, field_problem

_HEADER = "X-API-Key"
_SCHEME = "bearer"
_CHALLENGE = 'Bearer realm="barcodesvc"'
_CHALLENGE_OF_WRONG_KEY = f'{_CHALLENGE}, error="invalid_token"'
_WRONG_KEY = "this service does not know the key"
_HOW = "as X-API-Key: … or Authorization: Bearer …"


def api_key_guard(keys: Sequence[SecretStr]) -> Callable[[web.Request], None]:
    """Build the guard that requires one of the keys; CORS preflights, which carry none, pass."""
    accepted = [key.get_secret_value().encode() for key in keys]

    def require_key(request: web.Request) -> None:
        if is_open(request.path):
            return
        sent = list(_keys_sent(request))
        if len(sent) > 1:
            raise InvalidInput.of(field_problem(_HEADER, f"several keys in one request; send one, {_HOW}"))
        if not _needs_none(request) and not any([hmac.compare_digest(one, key) for one in sent for key in accepted]):  # noqa: C419 - a list, so that the time does not show which key fits
            raise wrong_key(f"; send it {_HOW}") if sent else _no_key()

    return require_key


def _needs_none(request: web.Request) -> bool:
    opens_session = request.method == hdrs.METH_POST and request.rel_url.raw_path == SESSION_PATH
    return opens_session or bool(request[SESSION]) or is_preflight(request)


def _keys_sent(request: web.Request) -> Iterator[bytes]:
    for value in request.headers.getall(_HEADER, ()):
        yield value.encode("utf-8", "surrogateescape")
    for value in request.headers.getall(hdrs.AUTHORIZATION, ()):
        scheme, _, token = value.partition(" ")
        if scheme.lower() == _SCHEME:
            yield token.strip().encode("utf-8", "surrogateescape")


def _no_key() -> Unauthorized:
    return Unauthorized(f"this service requires a key; send it {_HOW}", headers={hdrs.WWW_AUTHENTICATE: _CHALLENGE})


def wrong_key(how: str = "") -> WrongApiKey:
    """Return the error for a wrong key; `how`, if given, is appended to the message and says how to send one."""
    return WrongApiKey(f"{_WRONG_KEY}{how}", headers={hdrs.WWW_AUTHENTICATE: _CHALLENGE_OF_WRONG_KEY})
