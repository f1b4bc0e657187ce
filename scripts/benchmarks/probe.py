"""How long quick requests wait while the service does heavy work.

A probe sends one request on a timetable, every INTERVAL seconds, whether or not the earlier responses have come, over
enough connections for that. A request is timed from when it was due, so one long wait counts as often as users would
have noticed it. The sender of the load shares the probe's event loop; the same probe of the idle service shows what
timers and loop add to a wait.
"""

import asyncio
import statistics
import time
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from scripts.benchmarks.load import SteadyConnection, connect
from scripts.benchmarks.servers import Server

INTERVAL = 0.005
SECONDS = 5.0
_CONNECTIONS = 64

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
        shown = self.percentile(50), self.percentile(99), self.waits[-1]
        return "p50 {:.2f}, p99 {:.2f}, max {:.2f} ms".format(*shown)


async def probe_idle(server: Server, request: bytes, seconds: float = SECONDS) -> Latencies:
    """Probe the service while it has nothing else to do."""
    return await _probe(server.ports[0], request, _for_seconds(seconds))


async def probe_while(server: Server, request: bytes, sending: Coroutine[Any, Any, T]) -> tuple[Latencies, T]:
    """Probe the service until the sending is over, and return its result."""
    task = asyncio.create_task(sending)
    waits = await _probe(server.ports[0], request, task.done)
    return waits, await task


def median_of(rounds: Iterable[Latencies], percent: float) -> float:
    """Return the median of this percentile over the rounds."""
    return statistics.median(waits.percentile(percent) for waits in rounds)


def shown(rounds: list[Latencies]) -> str:
    """Return the medians of median, 99th percentile and maximum."""
    return f"p50 {median_of(rounds, 50):.2f}, p99 {median_of(rounds, 99):.2f}, max {median_of(rounds, 100):.2f} ms"


def _for_seconds(seconds: float) -> Callable[[], bool]:
    deadline = time.perf_counter() + seconds
    return lambda: time.perf_counter() >= deadline


async def _probe(port: int, request: bytes, is_over: Callable[[], bool]) -> Latencies:
    waits: list[float] = []
    sent: dict[SteadyConnection, float] = {}
    idle: asyncio.Queue[SteadyConnection] = asyncio.Queue()

    def answered(connection: SteadyConnection) -> None:
        waits.append((time.perf_counter() - sent[connection]) * 1000)
        idle.put_nowait(connection)

    connections = [await connect(port, lambda: SteadyConnection(answered)) for _ in range(_CONNECTIONS)]
    for connection in connections:
        idle.put_nowait(connection)
    due = time.perf_counter()
    while not is_over():
        due += INTERVAL
        await asyncio.sleep(due - time.perf_counter())
        connection = await idle.get()
        sent[connection] = due
        connection.send(request)
    for _ in connections:
        await idle.get()
    for connection in connections:
        connection.close()
    return Latencies(sorted(waits))
