"""Load on a timetable: requests come when they are due, whether or not earlier ones have been answered.

So a service that slows down gets no relief. Each request uses an idle connection; its wait counts from when it was due.
A request that finds all of them busy is not sent. Responses are distinguished by status: 200 is a success, 503 a
refusal.
"""

from __future__ import annotations

import asyncio
import gc
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from scripts.benchmarks.probe import Latencies
from scripts.benchmarks.servers import LOOPBACK

CONNECTIONS = 3000
"""More than the allowed number of requests in flight."""
OK, REFUSED = 200, 503
_HEALTH = b"GET /health HTTP/1.1\r\nHost: shop.example\r\n\r\n"
_TICK = 0.001
_LAST_RESPONSES = 15.0
"""Seconds that the last responses may take after the last request."""
_LENGTH = re.compile(rb"\r\nContent-Length: *([0-9]+)\r\n", re.IGNORECASE)


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


class _Exchange(asyncio.Protocol):
    """A connection with one request under way; see `Load`."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._head = b""
        self._pending = 0
        self.due = 0.0
        self.is_busy = False
        self.status = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)

    def send(self, request: bytes, due: float) -> None:
        self.due, self.is_busy = due, True
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        if self._pending:
            self._pending -= len(data)
        else:
            self._head += data
            end = self._head.find(b"\r\n\r\n")
            if end < 0:
                return
            length = _LENGTH.search(self._head, 0, end + 2)
            self.status = int(self._head[9:12])
            self._pending = (int(length[1]) if length else 0) + end + 4 - len(self._head)
            self._head = b""
        if not self._pending:
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
                self._send(begin + self.seen.due / rate)
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

    def _send(self, due: float) -> None:
        request = next(self._requests)
        while self._idle:
            exchange = self._idle.pop()
            if exchange in self._open:
                self._under_way += 1
                exchange.send(request, due)
                return
        self.seen.unsent += 1

    async def _connected(self) -> _Exchange:
        loop = asyncio.get_running_loop()
        _, exchange = await loop.create_connection(lambda: _Exchange(self), LOOPBACK, self._port)
        self._open.add(exchange)
        return exchange

    async def _open_connections(self, number: int) -> None:
        """Open them, and wait until the service has accepted each of them, which is not part of this load."""
        for exchange in [await self._connected() for _ in range(number)]:
            self._under_way += 1
            exchange.send(_HEALTH, time.perf_counter())
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
