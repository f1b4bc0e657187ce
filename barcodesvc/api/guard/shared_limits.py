"""Shared rate limits: all replicas count a client's requests in one Valkey, through the `limits` library's storage.

Without it a client has the limit of each replica. A replica also counts the requests that it gets itself, and limits by
these while the store is away: N replicas then let through at most N times as much.

Rule: a request waits for the store at most STORE_WAIT. While the store is away, one request a second tries it.
"""

from __future__ import annotations

import asyncio
import logging
import math
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from aiohttp import web
from limits import RateLimitItem
from limits.aio.storage import RedisStorage

from barcodesvc.addresses import ServerAddress
from barcodesvc.api.guard.rate_limit import Allowance, AppliedLimits, RateLimiter
from barcodesvc.errors import StartError

_LOG = logging.getLogger(__name__)

STORE_WAIT = 0.25
"""Seconds that a request waits for the store."""
STORE_PAUSE = 1.0
"""Seconds between two attempts to reach a store that is away."""
CONNECTIONS = 16
"""Connections to the store; requests beyond them take turns."""


class SharedLimiter:
    """Counts in the store of this address, and by `own` while it is away; raises StartError for a wrong address."""

    def __init__(self, address: ServerAddress, own: RateLimiter, says_away: Callable[[bool], None]) -> None:
        self._connections = _connections(address)
        self._store = _storage(self._connections)
        self._address, self._own, self._says_away = address, own, says_away
        self._is_away, self._next_try = False, 0.0

    async def hits(self, limits: Mapping[str, RateLimitItem], client: str) -> list[Allowance]:
        """Count one request against each of the limits."""
        alone = self._own.hits(limits, client)
        now = asyncio.get_running_loop().time()
        if self._is_away and now < self._next_try:
            return alone
        self._next_try = now + STORE_PAUSE
        try:
            async with asyncio.timeout(STORE_WAIT):
                shared = [await self._hit(limit, name, client) for name, limit in limits.items()]
        except Exception as error:  # noqa: BLE001 - a store that cannot be used is away, whatever its client raises
            self._note(error)
            return alone
        self._note(None)
        return shared

    async def close(self, _: web.Application) -> None:
        """Close the connections."""
        with suppress(OSError):
            await self._connections.aclose()

    async def _hit(self, limit: RateLimitItem, name: str, client: str) -> Allowance:
        key, whole = limit.key_for(name, client), limit.get_expiry()
        count = await self._store.incr(key, whole)
        left = whole if count == 1 else math.ceil(await self._store.get_expiry(key) - time.time() + 0.5)  # it rounds
        return Allowance(limit.amount, max(0, limit.amount - count), max(1, min(whole, left)), count > limit.amount)

    def _note(self, error: Exception | None) -> None:
        if self._is_away is (error is not None):
            return
        self._is_away = error is not None
        self._says_away(self._is_away)
        why = f"no response in {STORE_WAIT} seconds" if isinstance(error, TimeoutError) else error
        away = f"not shared, this service counts by itself: {self._address} is away: {why}"
        _LOG.warning("rate limits are %s", away if error else f"shared again: {self._address} is back")


async def reach(address: ServerAddress) -> None:
    """Send the store one command; raises StartError if it is not reached."""
    connections = _connections(address)
    try:
        async with asyncio.timeout(2 * STORE_WAIT):
            reached = await _storage(connections).check()
    except TimeoutError:
        reached = False
    finally:
        with suppress(OSError):
            await connections.aclose()
    if not reached:
        raise StartError(f"BARCODESVC_RATE_LIMIT_STORE: {address} does not answer; is it running?")


def _storage(connections: Any) -> RedisStorage:
    return RedisStorage("async+valkey://", key_prefix="barcodesvc", connection_pool=connections)


def _connections(address: ServerAddress) -> Any:
    try:
        from valkey.asyncio import BlockingConnectionPool  # noqa: PLC0415 - an extra

        url = re.sub(r"^\w+\+unix:", "unix:", address.url)
        # the client's own limits too, because it loses a cancellation while it connects, and then waits 5 seconds
        waits = {"socket_timeout": STORE_WAIT, "socket_connect_timeout": STORE_WAIT}
        pool = BlockingConnectionPool.from_url(url, max_connections=CONNECTIONS, timeout=None, **waits)
        pool.make_connection()  # type: ignore[no-untyped-call]  # raises for an unknown option
    except ImportError:
        why = "the store needs the package valkey; run `scripts/setup valkey`, or `pip install valkey`"
    except Exception:  # noqa: BLE001 - whatever the client raises; it may repeat the password
        why = f"{address} cannot be used; look at its options"
    else:
        return pool
    raise StartError(f"BARCODESVC_RATE_LIMIT_STORE: {why}")


def waiting_rate_limit_guard(
    limiter: SharedLimiter, applied: AppliedLimits
) -> Callable[[web.Request], Awaitable[None] | None]:
    """Build the guard of a service that shares its limits; a request without a limit does not wait."""

    async def limit(request: web.Request, applying: dict[str, RateLimitItem], client: str) -> None:
        applied.settle(request, applying, await limiter.hits(applying, client))

    def limit_rate(request: web.Request) -> Awaitable[None] | None:
        applying, client = applied.to(request)
        return limit(request, applying, client) if applying else None

    return limit_rate
