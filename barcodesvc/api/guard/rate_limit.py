"""Rate limits: a number of requests per client and window, counted by the `limits` library.

A window begins with a client's first request and ends a fixed time later; at its very end a new one begins. An upload
counts against both limits, and its response shows whichever has less left.

The counters live in a table of fixed size, least recently used out first: a million addresses take no more memory than
100,000 (30 MiB), and a client that keeps trying stays in it. An attacker needs 100,000 addresses (of IPv6: /64
networks) to evict a counter, and gains nothing by it.

Several replicas can count in one store, see `shared_limits`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from aiohttp import web
from aiohttp.hdrs import ACCESS_CONTROL_REQUEST_METHOD
from cachetools import LRUCache
from limits import RateLimitItem
from limits.storage import Storage
from limits.strategies import FixedWindowRateLimiter

from barcodesvc.api.client_address import client_network, client_of, is_within
from barcodesvc.api.keys import RESPONSE_HEADERS
from barcodesvc.api.observe.metrics import Metrics
from barcodesvc.config import Network
from barcodesvc.errors import RateLimitExceeded

CLIENTS_KEPT = 100_000
_SETTERS = {
    "requests": "; BARCODESVC_RATE_LIMIT sets this limit",
    "uploads": "; BARCODESVC_UPLOAD_RATE_LIMIT sets this limit",
    "page_requests": "; BARCODESVC_PAGE_RATE_LIMIT sets this limit",
}
"""The end of a refusal, by the name of the limit: an operator finds the setting there."""


class WindowTable(Storage):
    """Counters of windows, at most `size` of them; `now` is the time in seconds, until it is set again."""

    STORAGE_SCHEME = None

    def __init__(self, size: int = CLIENTS_KEPT) -> None:
        super().__init__()
        self.now = 0.0
        self._windows: LRUCache[str, tuple[int, float]] = LRUCache(size)

    def __len__(self) -> int:
        return len(self._windows)

    @property
    def base_exceptions(self) -> type[Exception]:
        """No error: a dictionary does not fail."""
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
        """The headers of the response."""
        return {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset),
        }


class RateLimiter:
    """Counts requests per client on an injected clock in seconds, for at most `clients` of them."""

    def __init__(self, clock: Callable[[], float], clients: int = CLIENTS_KEPT) -> None:
        self._clock = clock
        self._table = WindowTable(clients)
        self._windows = FixedWindowRateLimiter(self._table)

    def hit(self, limit: RateLimitItem, name: str, client: str) -> Allowance:
        """Count one request against the limit of this name; the clock is read once, so that count and end agree."""
        self._table.now = self._clock()
        allowed = self._windows.hit(limit, name, client)
        return self._allowance(limit, name, client, exceeded=not allowed)

    def hits(self, limits: Mapping[str, RateLimitItem], client: str) -> list[Allowance]:
        """Count one request against each of the limits."""
        return [self.hit(limit, name, client) for name, limit in limits.items()]

    def _allowance(self, limit: RateLimitItem, name: str, client: str, *, exceeded: bool) -> Allowance:
        window = self._windows.get_window_stats(limit, name, client)
        reset = max(1, math.ceil(window.reset_time - self._table.now))
        return Allowance(limit.amount, window.remaining, reset, exceeded)


@dataclass(frozen=True, slots=True)
class AppliedLimits:
    """Applies limits to requests: `limits` returns those of a request by name, none if it is not limited."""

    limits: Callable[[web.Request], dict[str, RateLimitItem]]
    exempt: tuple[Network, ...]
    metrics: Metrics

    def to(self, request: web.Request) -> tuple[dict[str, RateLimitItem], str]:
        """Return the limits of a request by their names, and the client that it counts for."""
        address = client_of(request)
        applying = {} if is_preflight(request) or is_within(address, self.exempt) else self.limits(request)
        return applying, client_network(address) if applying and address else ""

    def settle(self, request: web.Request, names: Iterable[str], allowances: Sequence[Allowance]) -> None:
        """Show in the response what is left; raises RateLimitExceeded if nothing was left."""
        name, tightest = min(zip(names, allowances, strict=True), key=lambda each: _freedom(each[1]))
        request[RESPONSE_HEADERS].update(tightest.headers)
        if tightest.exceeded:
            self.metrics.rate_limited(_exceeded(names, allowances))
            raise RateLimitExceeded(
                f"more than {tightest.limit} requests; try again in {tightest.reset} seconds{_SETTERS.get(name, '')}",
                headers={"Retry-After": str(tightest.reset)},
                limit=tightest.limit,
                retry_after=tightest.reset,
            )


def rate_limit_guard(limiter: RateLimiter, applied: AppliedLimits) -> Callable[[web.Request], None]:
    """Build the guard of a service that counts alone."""

    def limit_rate(request: web.Request) -> None:
        applying, client = applied.to(request)
        if applying:
            applied.settle(request, applying, limiter.hits(applying, client))

    return limit_rate


def _exceeded(names: Iterable[str], allowances: Iterable[Allowance]) -> list[str]:
    return [name for name, allowance in zip(names, allowances, strict=True) if allowance.exceeded]


def _freedom(allowance: Allowance) -> tuple[bool, int, int]:
    """Order allowances by what they leave; of two that leave the same, the one that ends later is tighter."""
    return not allowance.exceeded, allowance.remaining, -allowance.reset


def is_preflight(request: web.Request) -> bool:
    """Return whether a browser only asks whether it may send a request of another origin."""
    return request.method == "OPTIONS" and ACCESS_CONTROL_REQUEST_METHOD in request.headers
