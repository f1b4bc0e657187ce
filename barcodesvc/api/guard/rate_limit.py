"""Rate limits: so many requests per client and window, counted by the `limits` library.

A window begins with a client's first request and ends a fixed time later; at its very end a new one begins. An upload
counts against both limits, and its answer shows whichever has less left.

The counters live in a table of fixed size, least recently used out first: a million addresses take no more memory than
100,000 (30 MiB), and who keeps trying stays in it. An attacker needs 100,000 addresses (of IPv6: /64 networks) to
evict a counter, and gains nothing by it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from aiohttp import web
from aiohttp.hdrs import ACCESS_CONTROL_REQUEST_METHOD
from cachetools import LRUCache
from limits import RateLimitItem
from limits.storage import Storage
from limits.strategies import FixedWindowRateLimiter

from barcodesvc.api.client_address import client_network, client_of, is_within
from barcodesvc.api.keys import ANSWER_HEADERS
from barcodesvc.api.observe.metrics import Metrics
from barcodesvc.config import Network
from barcodesvc.errors import RateLimitExceeded

CLIENTS_KEPT = 100_000


class WindowTable(Storage):
    """Counters of windows, at most `size` of them; the time is `now`, in seconds, which stands until it is set."""

    STORAGE_SCHEME = None

    def __init__(self, size: int = CLIENTS_KEPT) -> None:
        super().__init__()
        self.now = 0.0
        self._windows: LRUCache[str, tuple[int, float]] = LRUCache(size)

    def __len__(self) -> int:
        return len(self._windows)

    @property
    def base_exceptions(self) -> type[Exception]:
        """Nothing that this table does raises an error of its own."""
        return KeyError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count `amount` and return the count of the window; a new window lasts `expiry` seconds."""
        count, end = self._window(key) or (0, self.now + expiry)
        self._windows[key] = (count + amount, end)
        return count + amount

    def get(self, key: str) -> int:
        """Return the count of the window that is open, else 0."""
        window = self._window(key)
        return window[0] if window else 0

    def get_expiry(self, key: str) -> float:
        """Return when the open window ends; now, if none is open."""
        window = self._window(key)
        return window[1] if window else self.now

    def check(self) -> bool:
        """Return that the table can be used."""
        return True

    def reset(self) -> int:
        """Forget every window and return how many there were."""
        count = len(self._windows)
        self._windows.clear()
        return count

    def clear(self, key: str) -> None:
        """Forget one window."""
        self._windows.pop(key, None)

    def _window(self, key: str) -> tuple[int, float] | None:
        window = self._windows.get(key)
        return window if window and self.now < window[1] else None


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one limit leaves a client: requests in the window and seconds to its end."""

    limit: int
    remaining: int
    reset: int
    exceeded: bool

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the answer."""
        return {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset),
        }


class RateLimiter:
    """Counts requests per client on an injected clock in seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._table = WindowTable()
        self._windows = FixedWindowRateLimiter(self._table)

    def hit(self, limit: RateLimitItem, name: str, client: str) -> Allowance:
        """Count one request against the limit of this name; the clock is read once, so that all it says fits."""
        self._table.now = self._clock()
        allowed = self._windows.hit(limit, name, client)
        window = self._windows.get_window_stats(limit, name, client)
        reset = max(1, math.ceil(window.reset_time - self._table.now))
        return Allowance(limit.amount, window.remaining, reset, exceeded=not allowed)


def rate_limit_guard(
    limiter: RateLimiter,
    limits: Callable[[web.Request], dict[str, RateLimitItem]],
    exempt: tuple[Network, ...],
    metrics: Metrics,
) -> Callable[[web.Request], None]:
    """Build the guard; `limits` names those that apply to a request, none for one that is free."""

    def limit_rate(request: web.Request) -> None:
        address = client_of(request)
        applying = {} if is_preflight(request) or is_within(address, exempt) else limits(request)
        if applying:
            client = client_network(address) if address else ""
            allowances = [limiter.hit(limit, name, client) for name, limit in applying.items()]
            tightest = min(allowances, key=_freedom)
            request[ANSWER_HEADERS].update(tightest.headers)
            if tightest.exceeded:
                metrics.rate_limited(_exceeded(applying, allowances))
                raise RateLimitExceeded(
                    f"more than {tightest.limit} requests; try again in {tightest.reset} seconds",
                    headers={"Retry-After": str(tightest.reset)},
                    limit=tightest.limit,
                    retry_after=tightest.reset,
                )

    return limit_rate


def _exceeded(names: Iterable[str], allowances: Iterable[Allowance]) -> list[str]:
    return [name for name, allowance in zip(names, allowances, strict=True) if allowance.exceeded]


def _freedom(allowance: Allowance) -> tuple[bool, int, int]:
    """Order allowances by what they leave; of two that leave the same, the one that ends later is tighter."""
    return not allowance.exceeded, allowance.remaining, -allowance.reset


def is_preflight(request: web.Request) -> bool:
    """Return whether a browser only asks whether it may send a request of another origin."""
    return request.method == "OPTIONS" and ACCESS_CONTROL_REQUEST_METHOD in request.headers
