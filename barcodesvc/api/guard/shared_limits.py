"""Shared rate limits: all replicas count a client's requests in one store, through the `limits` library's for Valkey.

Without it a client has the limit of each replica. A window begins with the first request to any of them; the store
counts and ends it, and each request takes one trip there.

What the store says is put into this replica's own table. So when the store is away, each replica goes on from there and
limits by itself: N replicas let through at most N times as much.

Rule: no request waits for the store longer than STORE_WAIT, and none for one that is away; that is asked again in the
background.
"""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from contextvars import Context
from typing import Any
from urllib.parse import urlsplit

from limits import RateLimitItem

from barcodesvc.addresses import ServerAddress
from barcodesvc.api.guard.rate_limit import Allowance, RateLimiter
from barcodesvc.errors import StartError

_LOG = logging.getLogger(__name__)

STORE_WAIT = 0.25
"""Seconds that a request waits for the store."""
STORE_PAUSE = 1.0
"""Seconds after which a store that was away is asked again."""
CONNECTIONS = 16
"""Connections to the store; requests beyond them take turns."""
_KEY_PREFIX = "barcodesvc"
_TRIAL = "trial"
"""What is counted to find out whether the store takes changes, as one that only follows another does not."""
_ROUNDED = 0.5
"""Seconds by which the store may say less than is left: it rounds."""


class SharedLimiter:
    """Counts in the store of this address, and by `own` while that is away, which `says_away` is called for.

    Raises StartError where the address cannot be read, or what it needs is not installed.
    """

    def __init__(self, address: ServerAddress, own: RateLimiter, says_away: Callable[[bool], None]) -> None:
        _require_client()
        from limits.aio.storage import RedisStorage  # noqa: PLC0415 - loaded where it is asked for

        try:
            self._connections = _connections(address)
        except Exception:  # noqa: BLE001 - whatever its client raises for an option, it may repeat the address
            raise StartError(
                f"BARCODESVC_RATE_LIMIT_STORE: {address} cannot be used; look at its number and its options"
            ) from None
        # its connections come from the pool: of an address of its own it takes the scheme alone
        self._store = RedisStorage(
            "async+valkey://localhost:6379",
            implementation="valkey",
            key_prefix=_KEY_PREFIX,
            connection_pool=self._connections,
        )
        self._address = address
        self._own = own
        self._says_away = says_away
        self._return: asyncio.Task[None] | None = None

    async def hits(self, limits: Mapping[str, RateLimitItem], client: str) -> list[Allowance]:
        """Count one request against each of the limits."""
        if self._return is not None:
            return self._own.hits(limits, client)
        try:
            async with asyncio.timeout(STORE_WAIT):
                return [await self._hit(limit, name, client) for name, limit in limits.items()]
        except Exception as error:  # noqa: BLE001 - a store that cannot be used is away, whatever its client raises
            self._leave(error)
        return self._own.hits(limits, client)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Use the store inside of the block; one that is away does not keep a service from starting."""
        try:
            await self._try()
        except Exception as error:  # noqa: BLE001 - as above
            self._leave(error)
        try:
            yield
        finally:
            await self._close()

    async def _hit(self, limit: RateLimitItem, name: str, client: str) -> Allowance:
        key, whole = limit.key_for(name, client), limit.get_expiry()
        count = await self._store.incr(key, whole)
        left = whole if count == 1 else self._own.seconds_left(limit, name, client, below=count)
        if left is None:  # begun at another replica
            left = min(whole, await self._store.get_expiry(key) - time.time() + _ROUNDED)
        return self._own.put(limit, name, client, count=count, seconds=left)

    async def _try(self) -> None:
        async with asyncio.timeout(STORE_WAIT):
            await self._store.incr(_TRIAL, 1)

    def _leave(self, error: Exception) -> None:
        if self._return is not None:
            return
        why = f"no answer in {STORE_WAIT} seconds" if isinstance(error, TimeoutError) else error
        _LOG.warning("rate limits are not shared, this service counts by itself: %s is away: %s", self._address, why)
        self._says_away(True)  # noqa: FBT003 - a gauge is set
        # in a context of its own: what it logs is not said of the request that found the store away
        self._return = asyncio.create_task(self._come_back(), context=Context())

    async def _come_back(self) -> None:
        while True:
            await asyncio.sleep(STORE_PAUSE)
            with suppress(Exception):  # it is still away, which has been said
                await self._try()
                break
        self._return = None
        self._says_away(False)  # noqa: FBT003 - as above
        _LOG.warning("rate limits are shared again: %s is back", self._address)

    async def _close(self) -> None:
        if self._return is not None:
            self._return.cancel()
            await asyncio.wait([self._return])
        with suppress(Exception):  # of connections that are gone
            async with asyncio.timeout(STORE_WAIT):
                await self._connections.aclose()


def _require_client() -> None:
    if importlib.util.find_spec("valkey") is None:
        install = "pip install 'barcodesvc[valkey]'"
        raise StartError(f"BARCODESVC_RATE_LIMIT_STORE: the store needs valkey; install it with: {install}")


def _connections(address: ServerAddress) -> Any:
    """Return connections to the store; raises what the client raises for an option, of which it tries all here.

    Else it would raise at each connection, and the store be away for ever.
    """
    from valkey.asyncio import BlockingConnectionPool, SSLConnection  # noqa: PLC0415 - an extra

    # without a time of its own for each command: that of the request holds
    pool = BlockingConnectionPool.from_url(
        _client_url(address), max_connections=CONNECTIONS, timeout=None, socket_timeout=None
    )
    connection = pool.make_connection()  # type: ignore[no-untyped-call]  # the client has few types
    if isinstance(connection, SSLConnection):
        connection.ssl_context.get()
    return pool


def _client_url(address: ServerAddress) -> str:
    """Return the address as the client reads it, which knows no `valkey+unix`, and takes any path but a number for 0.

    Raises ValueError for such a path.
    """
    scheme, rest = address.url.split("://", 1)
    if scheme.endswith("+unix"):
        return f"unix://{rest}"
    if not re.fullmatch(r"/?|/[0-9]+", urlsplit(address.url).path):
        raise ValueError("its path is no number of a database")
    return f"{scheme}://{rest}"
