"""Which requests belong to a session of the browser's page, and how a session begins, goes on and ends.

The contract's limit is for programs; a person who counts a shelf needs more. So the page has sessions: who comes with
one has the limit of the page, and where an API key is set, is let in by it as by the key that has opened it.

- It begins with `GET /` where no API key is set, else with `POST /api/page/session` and a key.
- It goes on while it is used: its cookie is renewed with an answer, at most once an hour. Nothing is written.
- It ends 30 days after that, with its key's removal from the settings, or where it is logged out. Only the last is
  remembered, and only where a key is set: else everybody gets the next one for the asking, and could fill the memory.

Where replicas share a database, it holds on all of them: the key that signs and the sessions that were logged out stand
there, and each replica reads them again every FOLLOW_PAUSE seconds.

Rule: a cookie counts only for requests of the service's own page. A browser sends a cookie of a host to all its ports,
and SameSite allows what a page on another port asks for; so Sec-Fetch-Site and Origin decide, for reads as well (see
`foreign_pages`). A cookie that does not count is none, and no failure.
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

from barcodesvc.api.client_address import is_within
from barcodesvc.api.guard.api_key import is_open, wrong_key
from barcodesvc.api.guard.session_cookie import (
    LIFETIME,
    RENEWED_AFTER,
    SESSION,
    CookieSigner,
    Session,
    set_cookie,
)
from barcodesvc.api.keys import ANSWER_HEADERS
from barcodesvc.clock import Clock, as_timestamp
from barcodesvc.config import Settings
from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.store import page_sessions
from barcodesvc.store.database import Database

MOST_ENDED = 100_000
"""Sessions that were logged out and are remembered; with one more all sessions end, and everybody logs in again."""
_END_REMEMBERED = 2 * LIFETIME
"""Seconds: a cookie that counts was renewed less than LIFETIME ahead, if the clock went wrong, and lasts as long."""
FOLLOW_PAUSE = 2.0
"""Seconds between two looks at what other replicas have logged out."""
_CLOCKS_APART = 3600
"""Seconds by which the clock of another replica may be behind."""
_FORWARDED_SCHEME = "X-Forwarded-Proto"
_NO_KEY = b""


class PageSessions:
    """The sessions of one service; `is_own_page` tells whether a request comes from its own page, or from no page."""

    def __init__(self, settings: Settings, clock: Clock, is_own_page: Callable[[web.Request], bool]) -> None:
        self._api_keys = [key.get_secret_value().encode() for key in settings.api_key]
        self._trusted_proxies = settings.trusted_proxies
        self._clock = clock
        self._is_own_page = is_own_page
        self._secret = secrets.token_bytes(page_sessions.KEY_BYTES)
        self._signer = self._signer_of(self._secret)
        self._ended: dict[str, str] = {}
        self._read_at = 0.0
        self._changing = asyncio.Lock()  # what is read before a log-out must not undo it

    async def open(self, database: Database) -> None:
        """Read, or make, the key that signs, and read which sessions were logged out; raises DatabaseFailure."""
        begun = self._clock.wall()
        self._ended = await page_sessions.ended_sessions(database, self._clock.timestamp())
        self._sign_with(await page_sessions.signing_key(database))
        self._read_at = begun

    @asynccontextmanager
    async def followed(self, database: Database) -> AsyncIterator[None]:
        """Take over, inside of the block, what other replicas log out, where there may be any."""
        following = asyncio.create_task(self._follow(database)) if database.is_shared else None
        try:
            yield
        finally:
            if following is not None:
                following.cancel()
                await asyncio.wait([following])

    def note(self, request: web.Request) -> None:
        """Note, as `SESSION`, the session that a request to the API belongs to, or None."""
        cookies = request.headers.get(hdrs.COOKIE)
        request[SESSION] = self._used(request, cookies) if cookies and not is_open(request.path) else None

    def hand_out(self, request: web.Request) -> None:
        """Give the page that is asked for a session, unless it has one, or the service asks for a key."""
        if not self._api_keys and self._used(request, request.headers.get(hdrs.COOKIE, "")) is None:
            self._begin(request, key=0)

    def log_in(self, request: web.Request, api_key: str) -> None:
        """Begin a session that a key opens; raises Unauthorized for a wrong one, where one is asked for."""
        sent = api_key.encode("utf-8", "surrogatepass")
        fitting = [hmac.compare_digest(sent, key) for key in self._api_keys]
        if self._api_keys and not any(fitting):
            raise wrong_key()
        self._begin(request, key=fitting.index(True) if fitting else 0)

    async def log_out(self, request: web.Request, database: Database) -> None:
        """End the session of a request, so that no copy of its cookie opens anything; raises DatabaseFailure."""
        session = request[SESSION]
        if session and self._api_keys:
            await self._end(session, database)
        self._give(request, "")

    async def _follow(self, database: Database) -> None:
        while True:
            await asyncio.sleep(FOLLOW_PAUSE)
            with suppress(DatabaseFailure, DatabaseOverload):  # which the engine logs
                async with self._changing:
                    await self._take_over(database)

    async def _take_over(self, database: Database) -> None:
        """Read what was logged out since the last look, and then the key: one that is new ends all of before."""
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
        """Return the session of a request; renew its cookie where that is due, with an answer that no cache keeps."""
        now = self._clock.wall()
        session = self._living(cookies, now)
        if session is None or not self._is_own_page(request):
            return None
        if now - session.renewed >= RENEWED_AFTER:
            self._give(request, self._signer.token(replace(session, renewed=int(now))))
            request[ANSWER_HEADERS][hdrs.CACHE_CONTROL] = "no-store"
        return session

    def _living(self, cookies: str, now: float) -> Session | None:
        """Return the first session that counts; a cookie from the far future is of a clock that went wrong."""
        for session in self._signer.sessions_in(cookies):
            if abs(now - session.renewed) < LIFETIME and session.id not in self._ended:
                return session
        return None

    def _begin(self, request: web.Request, key: int) -> None:
        self._give(request, self._signer.token(self._signer.new_session(key, self._clock.wall())))

    def _give(self, request: web.Request, token: str) -> None:
        """Give the cookie to the browser with the answer, in the place of one that was given before."""
        request[ANSWER_HEADERS][hdrs.SET_COOKIE] = set_cookie(token, secure=self._came_by_https(request))

    def _came_by_https(self, request: web.Request) -> bool:
        """Tell whether the browser speaks HTTPS, with the service or with the first of the proxies before it."""
        forwarded = ""
        if is_within(request.remote, self._trusted_proxies):
            forwarded = request.headers.get(_FORWARDED_SCHEME, "").partition(",")[0].strip().lower()
        return request.secure or forwarded == "https"

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


PAGE_SESSIONS = web.AppKey("page_sessions", PageSessions)
