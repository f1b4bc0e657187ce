"""The session cookie of the browser's page: what stands in it, how it is signed, and how it is read back.

    hex( id (16 bytes) + time of the last renewal in seconds since 1970 (6) + HMAC-SHA256 of both (32) )

It is signed with a key that is made of the service's own secret and of the API key that has opened the session (of
nothing, where none is set). So a session is bound to both without naming either: with another database, or once its
API key has left the settings, the signature fits no more.

The attributes are those of RFC 6265bis: HttpOnly, no script reads it; SameSite=Strict, no other site's page sends it.
What a page on another port of the same host sends is for `page_session` to tell.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from aiohttp import web

COOKIE = "barcodesvc_session"
LIFETIME = 30 * 24 * 3600
"""Seconds after which a cookie that was not renewed opens nothing."""
RENEWED_AFTER = 3600
"""Seconds after which a cookie that is used is renewed: not with each answer, and less than a part in 700 too early."""
_ID_BYTES = 16
_TIME_BYTES = 6
_SIGNATURE_BYTES = 32
_TOKEN = re.compile(rf"(?<![^; ]){COOKIE}=([0-9a-f]{{{2 * (_ID_BYTES + _TIME_BYTES + _SIGNATURE_BYTES)}}})(?![^; ])")
_MOST_TOKENS = 4
"""Cookies of this name that are looked at: a host may have one, and each domain above it can plant another."""
_HEADERS_REMEMBERED = 512
"""Cookie headers whose sessions are remembered; each has at most 8190 bytes, so together at most 4 MB."""


@dataclass(frozen=True, slots=True)
class Session:
    """A session, when its cookie was last renewed, and the place of the API key that has opened it."""

    id: str
    renewed: int
    key: int


SESSION: web.RequestKey[Session | None] = web.RequestKey("session")
"""The session of the page that a request to the API belongs to, None for any other request."""


class CookieSigner:
    """Signs and reads cookies of one secret; `api_keys` are those that may have opened a session, one at the least."""

    def __init__(self, secret: bytes, api_keys: Sequence[bytes]) -> None:
        self._keys = [hmac.digest(secret, b"page session " + key, "sha256") for key in api_keys]
        self.sessions_in = lru_cache(_HEADERS_REMEMBERED)(self._sessions_in)
        """The sessions in a Cookie header, whether they have expired or not; only those that were signed here.

        Remembered: to check a signature takes a twelfth of the time of a cached code.
        """

    def new_session(self, key: int, now: float) -> Session:
        """Begin a session that the API key at this place opens."""
        return Session(secrets.token_hex(_ID_BYTES), int(now), key)

    def token(self, session: Session) -> str:
        """Return the value of the cookie."""
        content = bytes.fromhex(session.id) + session.renewed.to_bytes(_TIME_BYTES)
        return (content + self._signature(session.key, content)).hex()

    def _signature(self, key: int, content: bytes) -> bytes:
        return hmac.digest(self._keys[key], content, "sha256")

    def _sessions_in(self, header: str) -> tuple[Session, ...]:
        tokens = (bytes.fromhex(found[1]) for found in islice(_TOKEN.finditer(header), _MOST_TOKENS))
        return tuple(session for token in tokens if (session := self._session(token)))

    def _session(self, token: bytes) -> Session | None:
        content, signature = token[:-_SIGNATURE_BYTES], token[-_SIGNATURE_BYTES:]
        for key in range(len(self._keys)):
            if hmac.compare_digest(signature, self._signature(key, content)):
                return Session(content[:_ID_BYTES].hex(), int.from_bytes(content[_ID_BYTES:]), key)
        return None


def set_cookie(token: str, *, secure: bool) -> str:
    """Return the Set-Cookie header that gives a browser the cookie, or takes it away where the token is empty."""
    age = LIFETIME if token else 0
    return f"{COOKIE}={token}; Max-Age={age}; Path=/; HttpOnly; SameSite=Strict{'; Secure' * secure}"
