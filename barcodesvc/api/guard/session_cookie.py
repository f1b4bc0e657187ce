"""The signed session cookie of the browser's page: its format, its signature and its attributes.

    hex( id (16 bytes) + time of the last renewal in seconds since 1970 (6) + HMAC-SHA256 of both (32) )

The signing key is derived from the service's secret and the API key that opened the session (empty if none is
configured). This binds a session to both without naming either: with another database, or after its API key has been
removed from the settings, the signature is invalid.

Attributes follow RFC 6265bis: HttpOnly hides the cookie from scripts, SameSite=Strict keeps pages of other sites from
sending it. `page_session` recognises requests of pages on other ports of the same host.
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
"""Seconds after its last renewal at which a cookie expires."""
RENEWED_AFTER = 3600
"""Seconds after which use renews a cookie: not every response sets it, and it expires less than 1/700 too early."""
_ID_BYTES = 16
_TIME_BYTES = 6
_SIGNATURE_BYTES = 32
_TOKEN = re.compile(rf"(?<![^; ]){COOKIE}=([0-9a-f]{{{2 * (_ID_BYTES + _TIME_BYTES + _SIGNATURE_BYTES)}}})(?![^; ])")
_MOST_TOKENS = 64
"""Cookies of this name that are read: more than a header of 8190 bytes holds. Parent domains can plant further cookies
next to the host's own, which must not lock users out."""
_HEADERS_REMEMBERED = 512
"""Cookie headers whose sessions are cached; each has at most 8190 bytes, so together at most 4 MB."""


@dataclass(frozen=True, slots=True)
class Session:
    """A session: its id, when its cookie was last renewed, and the index of the API key that opened it."""

    id: str
    renewed: int
    key: int


SESSION: web.RequestKey[Session | None] = web.RequestKey("session")
"""The page session that an API request belongs to, None for any other request."""


class CookieSigner:
    """Signs and verifies cookies with one secret; `api_keys` are the keys that may open a session, at least one."""

    def __init__(self, secret: bytes, api_keys: Sequence[bytes]) -> None:
        self._keys = [hmac.digest(secret, b"page session " + key, "sha256") for key in api_keys]
        self.sessions_in = lru_cache(_HEADERS_REMEMBERED)(self._sessions_in)
        """Returns the sessions in a Cookie header whose signatures are valid, including expired ones.

        Cached, because verifying a signature takes a twelfth of the time of a cached code.
        """

    def new_session(self, key: int, now: float) -> Session:
        """Start a session that is opened with the API key at this index."""
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
    """Return the Set-Cookie header that sets the cookie, or deletes it if the token is empty."""
    age = LIFETIME if token else 0
    return f"{COOKIE}={token}; Max-Age={age}; Path=/; HttpOnly; SameSite=Strict{'; Secure' * secure}"
