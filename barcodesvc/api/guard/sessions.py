"""Sessions of the web app. Without them a person has the rate limit of a program, and types the API key each time.

A session is a signed cookie. With one a request gets the limit of the web app, and needs no API key:

    hex( id (16 bytes) + time of the last renewal in seconds since 1970 (6) + HMAC-SHA256 of both (32) )

- It begins with `GET /` if no API key is configured, otherwise with `POST /api/page/session` and a key. The signing key
  is derived from a secret in the database and from the API key (empty if there is none): with another database, or
  without this API key in the settings, the signature is invalid.
- Use renews it: at most once an hour a response sets the cookie again.
- It ends 30 days after its last renewal, or at log-out. Log-outs are stored if a key is configured: without one, every
  client gets a new session for free. Each process looks a session up, and remembers for LOOK_UP_PAUSE what it found. So
  a log-out counts at once in the process that served it, and soon in the other replicas.

Rule: a cookie counts only in requests from the service's own page. A browser sends a host's cookies to all its ports,
and SameSite=Strict (RFC 6265bis) permits requests from pages on other ports, so Sec-Fetch-Site and Origin decide, for
reads as well (see `cross_site`). A cookie that does not count is ignored; it is not an error.
"""

import hmac
import re
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice

from aiohttp import hdrs, web
from cachetools import TTLCache

from barcodesvc.api.client_address import asked_scheme
from barcodesvc.api.guard.headers import is_open
from barcodesvc.api.keys import RESPONSE_HEADERS
from barcodesvc.clock import Clock, as_timestamp
from barcodesvc.config import Settings
from barcodesvc.errors import DatabaseFailure, DatabaseOverload, StartError
from barcodesvc.store import sessions as stored
from barcodesvc.store.database import Database

SESSION_PATH = "/api/page/session"
COOKIE = "barcodesvc_session"
LIFETIME = 30 * 24 * 3600
"""Seconds after its last renewal at which a cookie expires."""
RENEWED_AFTER = 3600
"""Seconds after which use renews a cookie: not every response sets it, and it expires less than 1/700 too early."""
LOOK_UP_PAUSE = 30.0
"""Seconds between two look-ups of one session."""
_SESSIONS_REMEMBERED = 4096
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
"""The session that an API request belongs to, None for any other request."""


class CookieSigner:
    """Signs and verifies cookies with one secret; `api_keys` are the keys that may open a session, at least one."""

    def __init__(self, secret: bytes, api_keys: Sequence[bytes]) -> None:
        self._keys = [hmac.digest(secret, b"page session " + key, "sha256") for key in api_keys]
        self.sessions_in = lru_cache(_HEADERS_REMEMBERED)(self._sessions_in)
        """Returns the sessions in a Cookie header whose signatures are valid, including expired ones.

        Cached, because verifying a signature takes a twelfth of the time of a cached code.
        """

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


class Sessions:
    """The sessions of one service; `is_own_page` returns whether a request comes from its own page, or from no page."""

    def __init__(self, settings: Settings, clock: Clock, is_own_page: Callable[[web.Request], bool]) -> None:
        self._api_keys = [key.get_secret_value().encode() for key in settings.api_key]
        self._trusted_proxies = settings.trusted_proxies
        self._clock = clock
        self._is_own_page = is_own_page
        self._ended: TTLCache[str, bool] = TTLCache(_SESSIONS_REMEMBERED, LOOK_UP_PAUSE, clock.steady)

    async def open(self, database: Database) -> None:
        """Read the secret, which is created if it is missing; raises StartError."""
        self._database = database
        try:
            secret = await stored.signing_key(database)
        except (DatabaseFailure, DatabaseOverload) as error:
            raise StartError(
                "the sessions of the web app cannot be read from the database; the log says why"
            ) from error
        self._signer = CookieSigner(secret, self._api_keys or [b""])

    def note(self, request: web.Request) -> Awaitable[None] | None:
        """Store the session of an API request, or None, in the request as `SESSION`."""
        request[SESSION] = None
        return self._note(request) if hdrs.COOKIE in request.headers and not is_open(request.path) else None

    def hand_out(self, request: web.Request) -> None:
        """Start a session with the response to `GET /`, unless there is one already or the service requires a key."""
        if self._api_keys:
            return
        if valid := self._valid(request):
            self._renew(request, valid[0])
        else:
            self._begin(request, key=0)

    def log_in(self, request: web.Request, api_key: str) -> bool:
        """Start a session with an API key; return False if keys are configured and this is not one of them."""
        sent = api_key.encode("utf-8", "surrogatepass")
        fitting = [hmac.compare_digest(sent, key) for key in self._api_keys]
        if self._api_keys and not any(fitting):
            return False
        self._begin(request, key=fitting.index(True) if fitting else 0)
        return True

    async def log_out(self, request: web.Request) -> None:
        """End the session of a request, so that copies of its cookie are worthless; raises DatabaseFailure."""
        session = request[SESSION]
        if session and self._api_keys:
            # after a clock error the last renewal may lie up to LIFETIME ahead, and its cookie lasts LIFETIME more
            expires = as_timestamp(datetime.fromtimestamp(self._clock.wall() + 2 * LIFETIME, UTC))
            await stored.end_session(self._database, session.id, now=self._clock.timestamp(), expires=expires)
            self._ended[session.id] = True
        self._give(request, "")

    async def _note(self, request: web.Request) -> None:
        for session in self._valid(request):
            if not self._api_keys or not await self._is_ended(session.id):
                request[SESSION] = session
                self._renew(request, session)
                return

    async def _is_ended(self, session_id: str) -> bool:
        ended = self._ended.get(session_id)
        if ended is None:
            try:
                ended = await stored.is_ended(self._database, session_id)
            except (DatabaseFailure, DatabaseOverload):  # the engine logs them; what needs no database continues
                ended = False
            ended = self._ended.setdefault(session_id, ended)  # it may have been logged out meanwhile
        return ended

    def _valid(self, request: web.Request) -> list[Session]:
        """Return the sessions of a request; a cookie from the far future comes from a wrong clock and is not valid."""
        cookies = "; ".join(request.headers.getall(hdrs.COOKIE, ()))  # some proxies send several (RFC 9113, 8.2.3)
        sessions = self._signer.sessions_in(cookies) if cookies else ()
        if not sessions or not self._is_own_page(request):
            return []
        now = self._clock.wall()
        return [session for session in sessions if abs(now - session.renewed) < LIFETIME]

    def _renew(self, request: web.Request, session: Session) -> None:
        """Set the cookie again if that is due, in a response that no cache stores."""
        now = self._clock.wall()
        if now - session.renewed >= RENEWED_AFTER:
            self._give(request, self._signer.token(replace(session, renewed=int(now))))
            request[RESPONSE_HEADERS][hdrs.CACHE_CONTROL] = "no-store"

    def _begin(self, request: web.Request, key: int) -> None:
        session = Session(secrets.token_hex(_ID_BYTES), int(self._clock.wall()), key)
        self._give(request, self._signer.token(session))

    def _give(self, request: web.Request, token: str) -> None:
        """Set the cookie in the response, in place of one that was set before; delete it if the token is empty."""
        secure = "; Secure" if asked_scheme(request, self._trusted_proxies) == "https" else ""
        age = LIFETIME if token else 0
        cookie = f"{COOKIE}={token}; Max-Age={age}; Path=/; HttpOnly; SameSite=Strict{secure}"
        request[RESPONSE_HEADERS][hdrs.SET_COOKIE] = cookie


SESSIONS = web.AppKey("sessions", Sessions)
