"""Rate limits: a number of requests per client and window. Without them one client could use up the whole service.

A window begins with a client's first request and ends a fixed time later. An import counts against two limits, and its
response shows whichever leaves less. A session of the web app has other limits, each off if the general one is.

One process counts in a table of fixed size. The memory storage of `limits` looks through all counters again and again:
a request takes 18 µs with a hundred clients, and 13 ms with 100,000. Replicas count in one Valkey or Redis, through
`limits`. While that cannot be reached, requests pass, and one every STORE_PAUSE seconds tries it again.
"""

import asyncio
import logging
import math
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from aiohttp import hdrs, web

from barcodesvc.addresses import ServerAddress
from barcodesvc.api.client_address import client_network, client_of, is_within
from barcodesvc.api.guard.headers import is_open, is_preflight
from barcodesvc.api.guard.sessions import SESSION
from barcodesvc.api.keys import RESPONSE_HEADERS
from barcodesvc.api.observe.metrics import Metrics
from barcodesvc.clock import Clock
from barcodesvc.config import Rate, Settings
from barcodesvc.errors import RateLimitExceeded, StartError

_LOG = logging.getLogger(__name__)

CLIENTS_KEPT = 100_000
STORE_WAIT = 0.25
"""Seconds that a request waits for the store."""
STORE_PAUSE = 1.0
"""Seconds between two attempts to reach a store that does not answer."""
CONNECTIONS = 16
"""Connections to the store; requests beyond them take turns."""
_SETTING = "BARCODESVC_RATE_LIMIT_STORE"
_NEEDS_CLIENT = "needs the package valkey; run `scripts/setup valkey`, or `pip install valkey`"
_PAGE_UPLOADS = Rate(60, 900)
"""Imports with a session: more than a user can drop in by hand, so it is not a setting."""
_SETTERS = {
    "requests": "; BARCODESVC_RATE_LIMIT sets this limit",
    "uploads": "; BARCODESVC_UPLOAD_RATE_LIMIT sets this limit",
    "page_requests": "; BARCODESVC_PAGE_RATE_LIMIT sets this limit",
}
"""The end of a refusal, by the name of the limit: an operator finds the setting there."""


_Hit = tuple[str, int, tuple[int, float]]
"""The name of a limit, its requests in a window, and what `Windows.hit` returned."""


class Windows:
    """The windows of one process, least recently used out first; `steady` is a clock in seconds."""

    def __init__(self, steady: Callable[[], float], most: int = CLIENTS_KEPT) -> None:
        self._steady, self._most = steady, most
        self._windows: OrderedDict[tuple[str, str], tuple[int, float]] = OrderedDict()

    async def hit(self, limit: Rate, name: str, client: str) -> tuple[int, float]:
        """Count a request; return the count of its window, and the seconds to its end."""
        now = self._steady()
        count, end = self._windows.pop((name, client), (0, now))
        if now >= end:
            count, end = 0, now + limit.seconds
        self._windows[name, client] = (count + 1, end)
        if len(self._windows) > self._most:
            self._windows.popitem(last=False)
        return count + 1, end - now


class SharedWindows:
    """The windows of several replicas, in the store of this address; raises StartError if there cannot be one."""

    def __init__(self, address: ServerAddress) -> None:
        self._address = address
        self.is_away, self._next_try = False, 0.0
        try:
            from limits.aio.storage import RedisStorage  # noqa: PLC0415 - most services have no store
            from valkey.asyncio import BlockingConnectionPool  # noqa: PLC0415 - an extra

            url = re.sub(r"^\w+\+unix:", "unix:", address.url)
            # the client's own limits too, because it loses a cancellation while it connects, and then waits 5 seconds
            waits = {"socket_timeout": STORE_WAIT, "socket_connect_timeout": STORE_WAIT}
            self._connections = BlockingConnectionPool.from_url(url, max_connections=CONNECTIONS, **waits)
            self._connections.make_connection()  # type: ignore[no-untyped-call]  # raises for an unknown option
        except ImportError as error:
            raise StartError(f"{_SETTING}: the store {_NEEDS_CLIENT}") from error
        except Exception:  # noqa: BLE001 - whatever the client raises; it may repeat the password
            raise StartError(f"{_SETTING}: {address} cannot be used; look at its options") from None
        options: dict[str, Any] = {"key_prefix": "barcodesvc", "connection_pool": self._connections}
        self._store = RedisStorage("async+valkey://", **options)

    async def hit(self, limit: Rate, name: str, client: str) -> tuple[int, float] | None:
        """Count a request, as `Windows` does; None if the store cannot be reached."""
        now = asyncio.get_running_loop().time()
        if self.is_away and now < self._next_try:
            return None
        self._next_try = now + STORE_PAUSE
        key = f"{name}/{client}/{limit.amount}/{limit.seconds}"
        try:
            async with asyncio.timeout(STORE_WAIT):
                count = await self._store.incr(key, limit.seconds)
                left = await self._store.get_expiry(key) - time.time() + 0.5  # the store rounds
        except Exception as error:  # noqa: BLE001 - whatever its client raises, the store cannot be used
            if not self.is_away:
                _LOG.warning("rate limits are off: %s cannot be reached: %r", self._address, error)
            self.is_away = True
            return None
        if self.is_away:
            _LOG.warning("rate limits are on again: %s can be reached", self._address)
        self.is_away = False
        return count, min(limit.seconds, left)

    async def is_reached(self) -> bool:
        """Return whether the store answers a command."""
        return await self._store.check()

    async def close(self) -> None:
        """Close the connections."""
        with suppress(OSError):
            await self._connections.aclose()


class RateLimits:
    """The limits of the settings; an import is a POST to `import_path`."""

    def __init__(self, settings: Settings, clock: Clock, metrics: Metrics, import_path: str) -> None:
        self._shared = SharedWindows(settings.rate_limit_store) if settings.rate_limit_store else None
        self._windows = self._shared or Windows(clock.steady)
        self._metrics, self._exempt, self._import_path = metrics, settings.rate_limit_exempt, import_path
        requests, uploads = settings.rate_limit, settings.upload_rate_limit
        self._program_limits = (("requests", requests), ("uploads", uploads))
        of_page = requests and settings.page_rate_limit
        self._webapp_limits = (("page_requests", of_page), ("page_uploads", uploads and _PAGE_UPLOADS))

    @property
    def store_is_away(self) -> bool:
        """Whether requests pass without a limit, because the store cannot be reached."""
        return self._shared is not None and self._shared.is_away

    async def close(self) -> None:
        """Close the connections to the store."""
        if self._shared:
            await self._shared.close()

    async def count(self, request: web.Request) -> None:
        """Count a request to the API, and show in its response what is left; raises RateLimitExceeded."""
        address = client_of(request)
        if is_open(request.path) or is_preflight(request) or is_within(address, self._exempt):
            return
        limits = self._webapp_limits if request[SESSION] else self._program_limits
        is_import = request.path == self._import_path and request.method == hdrs.METH_POST
        client = client_network(address) if address else ""
        hits: list[_Hit] = []
        for name, limit in limits if is_import else limits[:1]:
            if limit and (hit := await self._windows.hit(limit, name, client)):
                hits.append((name, limit.amount, hit))
        if hits:
            self._settle(request, hits)

    def _settle(self, request: web.Request, hits: list[_Hit]) -> None:
        name, amount, (count, left) = min(hits, key=_what_is_left) if len(hits) > 1 else hits[0]
        reset = max(1, math.ceil(left))
        headers = request[RESPONSE_HEADERS]
        headers["RateLimit-Limit"] = str(amount)
        headers["RateLimit-Remaining"] = str(max(0, amount - count))
        headers["RateLimit-Reset"] = str(reset)
        if count > amount:
            self._metrics.rate_limited(each for each, most, (made, _) in hits if made > most)
            raise RateLimitExceeded(
                f"more than {amount} requests; try again in {reset} seconds{_SETTERS.get(name, '')}",
                headers={hdrs.RETRY_AFTER: str(reset)},
                limit=amount,
                retry_after=reset,
            )


def _what_is_left(hit: _Hit) -> tuple[int, float]:
    """Order limits by what they leave; of two that leave nothing, the one that ends later comes first."""
    _, amount, (count, left) = hit
    return max(-1, amount - count), -left


RATE_LIMITS = web.AppKey("rate_limits", RateLimits)
"""Missing if both limits are off."""
