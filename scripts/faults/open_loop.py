"""Load on a timetable: requests come when they are due, whether or not earlier ones have been answered.

So a service that slows down gets no relief. Each request uses an idle connection; its wait counts from when it was due.
A request that finds all of them busy is not sent. Responses are distinguished by status: 200 is a success, 503 a
refusal.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from scripts.benchmarks.load import Connection, connect, get
from scripts.benchmarks.probe import Latencies

CONNECTIONS = 3000
"""More than the allowed number of requests in flight."""
OK, REFUSED = 200, 503
_TICK = 0.001
_LAST_RESPONSES = 15.0
"""Seconds that the last responses may take after the last request."""


@dataclass(slots=True)
class Seen:
    """What became of the requests; waits in milliseconds by status."""

    seconds: float = 0.0
    waits: dict[int, list[float]] = field(default_factory=lambda: {OK: [], REFUSED: []})
    in_time: Counter[int] = field(default_factory=Counter)
    """Responses by status that came while requests were still being sent."""
    due: int = 0
    unsent: int = 0
    """Requests that found no connection."""
    broken: int = 0
    """Connections that ended in the middle of a request."""
    unanswered: int = 0

    def per_second(self, status: int) -> float:
        """Return the responses with this status per second."""
        return self.in_time[status] / self.seconds

    def latencies(self, status: int) -> Latencies:
        """Return the waits for responses with this status."""
        return Latencies(sorted(self.waits.get(status, ())) or [0.0])


class _Exchange(Connection):
    """A connection of `Load`."""

    def __init__(self, load: Load) -> None:
        super().__init__()
        self._load = load
        self.due = 0.0
        self.is_busy = False

    def answered(self) -> None:
        self.is_busy = False
        self._load.answered(self)

    def connection_lost(self, _: Exception | None) -> None:
        self._load.lost(self)


class Load:
    """Sends the requests at a rate, and keeps count."""

    def __init__(self, port: int, requests: Iterator[bytes]) -> None:
        self.seen = Seen()
        self._port = port
        self._requests = requests
        self._idle: list[_Exchange] = []
        self._open: set[_Exchange] = set()
        self._under_way = 0
        self._is_sending = True

    async def run(self, rate: float, seconds: float) -> Seen:
        """Send at this rate per second for as long, wait for the last responses, and return what was seen."""
        gc.collect()
        gc.freeze()
        await self._open_connections(CONNECTIONS)
        begin = time.perf_counter()
        while (now := time.perf_counter()) < begin + seconds:
            while self.seen.due < (now - begin) * rate:
                self._send_next(begin + self.seen.due / rate)
                self.seen.due += 1
            await asyncio.sleep(_TICK)
        self.seen.seconds = time.perf_counter() - begin
        self._is_sending = False
        await self._last_responses()
        return self.seen

    def answered(self, exchange: _Exchange) -> None:
        """Count a response."""
        self._under_way -= 1
        self.seen.waits.setdefault(exchange.status, []).append((time.perf_counter() - exchange.due) * 1000)
        if self._is_sending:
            self.seen.in_time[exchange.status] += 1
        self._idle.append(exchange)

    def lost(self, exchange: _Exchange) -> None:
        """Count a connection that the service has closed."""
        self._open.discard(exchange)
        if exchange.is_busy:
            self._under_way -= 1
            self.seen.broken += 1

    def _send_next(self, due: float) -> None:
        request = next(self._requests)
        while self._idle:
            exchange = self._idle.pop()
            if exchange in self._open:
                self._send(exchange, request, due)
                return
        self.seen.unsent += 1

    def _send(self, exchange: _Exchange, request: bytes, due: float) -> None:
        self._under_way += 1
        exchange.due, exchange.is_busy = due, True
        exchange.send(request)

    async def _open_connections(self, number: int) -> None:
        """Open them, and wait until the service has accepted each of them, which is not part of this load."""
        self._open = {await connect(self._port, lambda: _Exchange(self)) for _ in range(number)}
        for exchange in self._open:
            self._send(exchange, get("/health"), time.perf_counter())
        while self._under_way:  # noqa: ASYNC110 - the condition changes from outside
            await asyncio.sleep(0.01)
        self.seen = Seen()

    async def _last_responses(self) -> None:
        deadline = time.perf_counter() + _LAST_RESPONSES
        while self._under_way and time.perf_counter() < deadline:  # noqa: ASYNC110 - the condition changes from outside
            await asyncio.sleep(0.01)
        self.seen.unanswered = self._under_way
        for exchange in tuple(self._open):
            exchange.is_busy = False
            exchange.transport.abort()
