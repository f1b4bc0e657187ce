"""Rate limits: so many requests per client and window.

A window begins with a client's first request and ends a fixed time later; at its very end a new one begins. An upload
counts against both limits, and its answer shows whichever has less left.

The counters live in a table of fixed size, least recently used out first: a million addresses take no more memory than
100,000 (26 MiB), and who keeps trying stays in it. Whoever has 100,000 addresses (of IPv6: /64 networks) can push a
counter out, with 100,000 requests, to gain the few of one more window; each of the addresses alone would give as many.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from aiohttp import web
from aiohttp.hdrs import ACCESS_CONTROL_REQUEST_METHOD
from aiohttp.typedefs import Handler, Middleware
from limits import RateLimitItem

from barcodesvc.api.client_address import client_network, is_within
from barcodesvc.api.keys import ANSWER_HEADERS
from barcodesvc.config import Network
from barcodesvc.errors import RateLimitExceeded

CLIENTS_KEPT = 100_000
_NO_WINDOW = (0, -math.inf)


class WindowTable:
    """Counters of windows, each with its end in seconds on the caller's clock, at most `size` of them."""

    def __init__(self, size: int = CLIENTS_KEPT) -> None:
        self._size = size
        self._windows: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._windows)

    def hit(self, key: str, now: float, seconds: float) -> tuple[int, float]:
        """Count one and return the count and the end of the window; a new one lasts so many seconds from now."""
        count, end = self._windows.get(key, _NO_WINDOW)
        window = (count + 1, end) if now < end else (1, now + seconds)
        self._windows[key] = window
        self._windows.move_to_end(key)
        if len(self._windows) > self._size:
            self._windows.popitem(last=False)
        return window


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one limit leaves a client: requests in the window and seconds to its end."""

    limit: int
    remaining: int
    reset: int
    exceeded: bool

    @property
    def headers(self) -> dict[str, str]:
        """The headers that tell the client."""
        return {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset),
        }


class RateLimiter:
    """Counts requests per client on an injected clock in seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._windows = WindowTable()

    def hit(self, limit: RateLimitItem, name: str, client: str) -> Allowance:
        """Count one request against the limit of this name; the clock is read once, so that all it says fits."""
        now = self._clock()
        count, end = self._windows.hit(f"{name} {client}", now, limit.get_expiry())
        reset = max(1, math.ceil(end - now))
        return Allowance(limit.amount, max(0, limit.amount - count), reset, exceeded=count > limit.amount)


def rate_limit_middleware(
    limiter: RateLimiter,
    limits: Callable[[web.Request], dict[str, RateLimitItem]],
    exempt: tuple[Network, ...],
) -> Middleware:
    """Build the middleware; `limits` names those that apply to a request, none for one that is free."""

    @web.middleware
    async def limit_rate(request: web.Request, handler: Handler) -> web.StreamResponse:
        applying = {} if is_preflight(request) or is_within(request.remote, exempt) else limits(request)
        if applying:
            client = client_network(request.remote) if request.remote else ""
            allowances = [limiter.hit(limit, name, client) for name, limit in applying.items()]
            tightest = min(allowances, key=_freedom)
            request[ANSWER_HEADERS].update(tightest.headers)
            if tightest.exceeded:
                raise RateLimitExceeded(
                    f"more than {tightest.limit} requests; try again in {tightest.reset} seconds",
                    headers={"Retry-After": str(tightest.reset)},
                    limit=tightest.limit,
                    retry_after=tightest.reset,
                )
        return await handler(request)

    return limit_rate


def _freedom(allowance: Allowance) -> tuple[bool, int, int]:
    """Order allowances by what they leave; of two that leave the same, the one that ends later is tighter."""
    return not allowance.exceeded, allowance.remaining, -allowance.reset


def is_preflight(request: web.Request) -> bool:
    """Tell whether a browser only asks whether it may send a request of another origin."""
    return request.method == "OPTIONS" and ACCESS_CONTROL_REQUEST_METHOD in request.headers
