"""Load on a timetable: requests come when they are due, whether or not earlier ones have been answered.

So a service that slows down gets no relief, and one long wait counts as often as users would have noticed it. Each
request uses an idle connection; its wait counts from when it was due. A request that finds all of them busy is not
sent. Responses are distinguished by status: 200 is a success, 503 a refusal.

A probe is such a load of one quick request, while the service does heavy work whose sender shares the event loop; the
same probe of the idle service shows what timers and loop add to a wait.
"""

from __future__ import annotations

import asyncio
import gc
import math
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, TypeVar

from scripts.benchmarks.load import Connection, connect, get
from scripts.benchmarks.servers import Server

CONNECTIONS = 3000
"""More than the allowed number of requests in flight."""
OK, REFUSED = 200, 503
_TICK = 0.001
_LAST_RESPONSES = 15.0
"""Seconds that the last responses may take after the last request."""
_PROBES = 200
"""Those of a probe in a second."""
_PROBE_CONNECTIONS = 256

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Latencies:
    """Waits in milliseconds, sorted."""

    waits: list[float]

    def percentile(self, percent: float) -> float:
        """Return the wait that this percentage of the requests did not exceed."""
        return self.waits[min(len(self.waits) - 1, int(len(self.waits) * percent / 100))]

    def __str__(self) -> str:
        """Return median, 99th percentile and maximum."""
        return f"p50 {self.percentile(50):.2f}, p99 {self.percentile(99):.2f}, max {self.waits[-1]:.2f} ms"


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
    """Sends the requests at a rate per second, and keeps count."""

    def __init__(self, port: int, requests: Iterator[bytes], rate: float, connections: int = CONNECTIONS) -> None:
        self.seen = Seen()
        self._port = port
        self._requests = requests
        self._rate = rate
        self._connections = connections
        self._idle: list[_Exchange] = []
        self._open: set[_Exchange] = set()
        self._under_way = 0
        self._is_sending = True

    async def run(self, seconds: float) -> Seen:
        """Send for this long, wait for the last responses, and return what was seen."""
        await self._open_connections()
        end = time.perf_counter() + seconds
        return await self._send_until(lambda: time.perf_counter() >= end)

    async def run_while(self, working: Coroutine[Any, Any, T]) -> tuple[Seen, T]:
        """Send until the work is done, and return its result too."""
        await self._open_connections()
        task = asyncio.create_task(working)
        seen = await self._send_until(task.done)
        return seen, await task

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

    async def _send_until(self, is_over: Callable[[], bool]) -> Seen:
        begin = time.perf_counter()
        while not is_over():
            now = time.perf_counter()
            while (due := begin + self.seen.due / self._rate) <= now:
                self._send_next(due)
                self.seen.due += 1
            await asyncio.sleep(max(_TICK, due - now))
        self.seen.seconds = time.perf_counter() - begin
        self._is_sending = False
        await self._last_responses()
        return self.seen

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

    async def _open_connections(self) -> None:
        """Open them, and wait until the service has accepted each of them, which is not part of this load."""
        gc.collect()
        gc.freeze()
        self._open = {await connect(self._port, lambda: _Exchange(self)) for _ in range(self._connections)}
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


async def probe_idle(server: Server, request: bytes, seconds: float) -> Latencies:
    """Probe the service while it has nothing else to do."""
    return _waits(await Load(server.ports[0], repeat(request), _PROBES, _PROBE_CONNECTIONS).run(seconds))


async def probe_while(server: Server, request: bytes, working: Coroutine[Any, Any, T]) -> tuple[Latencies, T]:
    """Probe the service until the work is done, and return its result too."""
    load = Load(server.ports[0], repeat(request), _PROBES, _PROBE_CONNECTIONS)
    seen, result = await load.run_while(working)
    return _waits(seen), result


def _waits(seen: Seen) -> Latencies:
    """Return the waits of a probe; a request that was not sent, not answered or refused has waited for ever."""
    answered = seen.waits[OK]
    return Latencies(sorted(answered) + [math.inf] * (seen.due - len(answered)))
