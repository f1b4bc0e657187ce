"""Sessions of the browser's page: how they begin, are renewed and end, and which requests belong to one.

The contract's rate limit is meant for programs; a person who counts a shelf needs more. A request with a session gets
the page's limit instead, and if API keys are configured, the session replaces the key that opened it.

- A session begins with `GET /` if no API key is configured, otherwise with `POST /api/page/session` and a key.
- Use renews it: at most once an hour a response sets the cookie anew. The database is not written.
- It ends 30 days after its last renewal, when its key is removed from the settings, or at log-out. Log-outs are the
  only ends that are stored, and only if a key is configured: without one, every client gets a new session for free
  and could fill the memory with log-outs.

Replicas that share a database share sessions: the signing key and the log-outs are stored there, and each replica
reads them again every FOLLOW_PAUSE seconds.

Rule: a cookie counts only in requests from the service's own page. A browser sends a host's cookies to all its ports,
and SameSite permits requests from pages on other ports, so Sec-Fetch-Site and Origin decide, for reads as well (see
`cross_site`). A cookie that does not count is ignored; it is not an error.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime

from aiohttp import hdrs, web

from barcodesvc.api.client_address import asked_scheme
from barcodesvc.api.guard.api_key import is_open, wrong_key
from barcodesvc.api.guard.session_cookie import (
    LIFETIME,
    RENEWED_AFTER,
    SESSION,
    CookieSigner,
    Session,
    set_cookie,
)
from barcodesvc.api.keys import RESPONSE_HEADERS
from barcodesvc.clock import Clock, as_timestamp
from barcodesvc.config import Settings
from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.store import page_sessions
from barcodesvc.store.database import Database

MOST_ENDED = 100_000
"""Log-outs that are remembered; one more ends all sessions, and every user must log in again."""
_END_REMEMBERED = 2 * LIFETIME
"""Seconds: after a clock error a valid cookie's renewal may lie up to LIFETIME ahead, and it lasts LIFETIME more."""
FOLLOW_PAUSE = 2.0
"""Seconds between two reads of the log-outs of other replicas."""
_CLOCKS_APART = 3600
"""Seconds by which the clock of another replica may be behind."""
_NO_KEY = b""


class PageSessions:
    """The sessions of one service; `is_own_page` returns whether a request comes from its own page, or from no page."""

    def __init__(self, settings: Settings, clock: Clock, is_own_page: Callable[[web.Request], bool]) -> None:
        self._api_keys = [key.get_secret_value().encode() for key in settings.api_key]
        self._trusted_proxies = settings.trusted_proxies
        self._clock = clock
        self._is_own_page = is_own_page
        self._secret = secrets.token_bytes(page_sessions.KEY_BYTES)
        self._signer = self._signer_of(self._secret)
        self._ended: dict[str, str] = {}
        self._read_at = 0.0
        self._changing = asyncio.Lock()  # a read that began before a log-out must not undo it

    async def open(self, database: Database) -> None:
        """Read the log-outs and the signing key, which is created if it is missing; raises DatabaseFailure."""
        begun = self._clock.wall()
        self._ended = await page_sessions.ended_sessions(database, self._clock.timestamp())
        self._sign_with(await page_sessions.signing_key(database))
        self._read_at = begun

    @asynccontextmanager
    async def followed(self, database: Database) -> AsyncIterator[None]:
        """Follow the log-outs of other replicas within the block, if the database is shared."""
        following = asyncio.create_task(self._follow(database)) if database.is_shared else None
        try:
            yield
        finally:
            if following is not None:
                following.cancel()
                await asyncio.wait([following])

    def note(self, request: web.Request) -> None:
        """Store the session of an API request, or None, in the request as `SESSION`."""
        cookies = _cookies_of(request)
        request[SESSION] = self._used(request, cookies) if cookies and not is_open(request.path) else None

    def hand_out(self, request: web.Request) -> None:
        """Start a session with the response to `GET /`, unless there is one already or the service requires a key."""
        if not self._api_keys and self._used(request, _cookies_of(request)) is None:
            self._begin(request, key=0)

    def log_in(self, request: web.Request, api_key: str) -> None:
        """Start a session with an API key; raises Unauthorized if keys are configured and this is not one of them."""
        sent = api_key.encode("utf-8", "surrogatepass")
        fitting = [hmac.compare_digest(sent, key) for key in self._api_keys]
        if self._api_keys and not any(fitting):
            raise wrong_key()
        self._begin(request, key=fitting.index(True) if fitting else 0)

    async def log_out(self, request: web.Request, database: Database) -> None:
        """End the session of a request, so that copies of its cookie are worthless; raises DatabaseFailure."""
        session = request[SESSION]
        if session and self._api_keys:
            await self._end(session, database)
        self._give(request, "")

    async def _follow(self, database: Database) -> None:
        while True:
            await asyncio.sleep(FOLLOW_PAUSE)
            with suppress(DatabaseFailure, DatabaseOverload):  # the engine logs them
                async with self._changing:
                    await self._take_over(database)

    async def _take_over(self, database: Database) -> None:
        """Read the log-outs since the last read, then the signing key: a new key ends all earlier sessions."""
        begun, now = self._clock.wall(), self._clock.timestamp()
        since = self._timestamp(min(self._read_at - begun, 0.0) - _CLOCKS_APART + _END_REMEMBERED)
        ended = await page_sessions.ended_sessions(database, since)
        key = await page_sessions.signing_key(database)
        if key != self._secret:
            self._sign_with(key)
            self._ended = ended
        elif not ended.keys() <= self._ended.keys():
            self._ended = {session: end for session, end in (self._ended | ended).items() if end > now}
        self._read_at = begun

    def _sign_with(self, secret: bytes) -> None:
        self._secret, self._signer = secret, self._signer_of(secret)

    def _signer_of(self, secret: bytes) -> CookieSigner:
        return CookieSigner(secret, self._api_keys or [_NO_KEY])

    def _used(self, request: web.Request, cookies: str) -> Session | None:
        """Return the session of a request; renew its cookie if that is due, in a response that no cache stores."""
        now = self._clock.wall()
        session = self._living(cookies, now)
        if session is None or not self._is_own_page(request):
            return None
        if now - session.renewed >= RENEWED_AFTER:
            self._give(request, self._signer.token(replace(session, renewed=int(now))))
            request[RESPONSE_HEADERS][hdrs.CACHE_CONTROL] = "no-store"
        return session

    def _living(self, cookies: str, now: float) -> Session | None:
        """Return the first valid session; a cookie from the far future comes from a wrong clock and is not valid."""
        for session in self._signer.sessions_in(cookies):
            if abs(now - session.renewed) < LIFETIME and session.id not in self._ended:
                return session
        return None

    def _begin(self, request: web.Request, key: int) -> None:
        self._give(request, self._signer.token(self._signer.new_session(key, self._clock.wall())))

    def _give(self, request: web.Request, token: str) -> None:
        """Set the cookie in the response, in place of one that was set before."""
        is_secure = asked_scheme(request, self._trusted_proxies) == "https"
        request[RESPONSE_HEADERS][hdrs.SET_COOKIE] = set_cookie(token, secure=is_secure)

    async def _end(self, session: Session, database: Database) -> None:
        async with self._changing:
            now, expires = self._clock.timestamp(), self._timestamp(_END_REMEMBERED)
            await page_sessions.end_session(database, session.id, now=now, expires=expires)
            self._ended = {ended: end for ended, end in self._ended.items() if end > now}
            self._ended[session.id] = expires
            if len(self._ended) > MOST_ENDED:
                self._sign_with(await page_sessions.end_all_sessions(database))
                self._ended.clear()

    def _timestamp(self, seconds: float) -> str:
        return as_timestamp(datetime.fromtimestamp(self._clock.wall() + seconds, UTC))


def _cookies_of(request: web.Request) -> str:
    """Return all cookies of a request: some proxies send several headers (RFC 9113, clause 8.2.3)."""
    return "; ".join(request.headers.getall(hdrs.COOKIE)) if hdrs.COOKIE in request.headers else ""


PAGE_SESSIONS = web.AppKey("page_sessions", PageSessions)
