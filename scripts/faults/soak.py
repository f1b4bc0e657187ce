"""The soak: mixed traffic over everything for a long time, and what the service holds at the end of it.

A full one takes 10 minutes, or SOAK_SECONDS: 7200 for the two hours of a release. Its first fifth warms up: caches
fill, pools have all of their threads, and the allocator reaches its size.
"""

import asyncio
import os
import statistics
import time
from collections.abc import Iterator
from dataclasses import replace

from scripts.benchmarks.report import Figure, at_least, at_most
from scripts.faults.launched import Holdings, LaunchedService, launched
from scripts.faults.soak_traffic import Traffic, slow_requests

_SECONDS, _BRIEF_SECONDS = float(os.environ.get("SOAK_SECONDS", "600")), 20.0
_WARMING = 0.2
_PAUSE = 0.5
"""Seconds between two looks at the process."""
_STEADY = 5
"""Looks that must show the same."""
_SETTLED_WITHIN = 20.0
_UNDER_WAY = 0.5
"""Seconds after which slow requests are all being handled, and none is answered."""
_LONGEST_STOP = 120.0
_MOST_GROWTH = 30.0
"""MB between the first and the last quarter after the warm-up, including what waits for a full garbage collection."""
_MOST_LIVE_GROWTH = 0.05
"""Share by which live objects may grow while caches of recent requests are not full yet."""
_KEPT = 5
"""Processes for small images, which the service keeps with its default settings."""
_FEW = 8
"""What a pool may start late, for the first time; a leak of one a minute would be more."""
_MB = 1_000_000

Sample = tuple[float, int]
"""Seconds, and bytes resident in the service's own process."""


def soak(*, brief: bool) -> Iterator[Figure]:
    """Print what grew, what was left over, and how the service exited under load."""
    with launched(cache_bytes=8 * 1024 * 1024) as service:
        yield from asyncio.run(_soaked(service, _BRIEF_SECONDS if brief else _SECONDS))


async def _soaked(service: LaunchedService, seconds: float) -> list[Figure]:
    traffic = Traffic(service.port)
    async with traffic.connected():
        await traffic.each_once()
        await traffic.fill_memories()
        await traffic.run(seconds * _WARMING)
    before = await _settled(service)
    samples: list[Sample] = []
    async with traffic.connected():
        sampling = asyncio.create_task(_sample(service, samples))
        await traffic.run(seconds * (1 - _WARMING))
        sampling.cancel()
    after = await _settled(service)
    left = [Figure("temporary files left over", len(service.left_files()), "", at_most(0))]
    ended = await _ended_under_load(service, traffic)
    return [*_responses(traffic), *_growth(samples, before, after), *_left_over(before, after), *left, *ended]


async def _sample(service: LaunchedService, samples: list[Sample]) -> None:
    begin = time.perf_counter()
    while True:
        samples.append((time.perf_counter() - begin, service.server.process.memory_info().rss))
        await asyncio.sleep(_PAUSE)


async def _settled(service: LaunchedService) -> Holdings:
    """Return what the service holds when nothing has changed for a while: clearing up after clients takes time."""
    deadline = time.perf_counter() + _SETTLED_WITHIN
    seen = [await asyncio.to_thread(service.holdings)]
    while time.perf_counter() < deadline:
        await asyncio.sleep(_PAUSE)
        seen.append(await asyncio.to_thread(service.holdings))
        if len({replace(holdings, blocks=0) for holdings in seen[-_STEADY:]}) == 1 and len(seen) >= _STEADY:
            break
    return seen[-1]


def _responses(traffic: Traffic) -> Iterator[Figure]:
    yield Figure("responses", traffic.answered, "", at_least(1))
    shown = "; ".join(f"{count} x {what}" for what, count in traffic.unexpected.most_common(5))
    yield Figure("responses of another status than expected, or cut", traffic.unexpected.total(), "", at_most(0), shown)


def _growth(samples: list[Sample], before: Holdings, after: Holdings) -> Iterator[Figure]:
    quarter = max(1, len(samples) // 4)
    first, last = (statistics.median(size for _, size in part) for part in (samples[:quarter], samples[-quarter:]))
    slope, _ = statistics.linear_regression(*zip(*samples, strict=True))
    note = f"{first / _MB:.1f} -> {last / _MB:.1f} MB resident, {slope * 60 / _MB:+.2f} MB a minute"
    yield Figure("growth from the first to the last quarter", (last - first) / _MB, "MB", at_most(_MOST_GROWTH), note)
    shown = f"{before.blocks:,} -> {after.blocks:,} blocks"
    grown = after.blocks / before.blocks - 1
    yield Figure("live objects more than at first", grown, "%", at_most(_MOST_LIVE_GROWTH), shown)


def _left_over(before: Holdings, after: Holdings) -> Iterator[Figure]:
    yield Figure("file descriptors more than at first", after.descriptors - before.descriptors, "", at_most(_FEW))
    yield Figure("threads more than at first", after.threads - before.threads, "", at_most(_FEW))
    yield Figure("tasks more than at first", after.tasks - before.tasks, "", at_most(0), f"{after.tasks} tasks")
    yield Figure("child processes besides those that read small images", after.processes - _KEPT, "", at_most(0))


async def _ended_under_load(service: LaunchedService, traffic: Traffic) -> list[Figure]:
    async with traffic.connected():
        running = asyncio.create_task(traffic.run(_LONGEST_STOP))
        slow = asyncio.create_task(slow_requests(traffic))
        await asyncio.sleep(_UNDER_WAY)
        traffic.is_ending = True
        begin = time.perf_counter()
        end = await asyncio.to_thread(service.stop)
        seconds = time.perf_counter() - begin
        await running
        responses = await slow
    answered, left = sum(map(bool, responses)), len(list(service.temporary.iterdir()))
    return [
        Figure("slow requests in flight at the end, all answered", answered, "", at_least(len(responses))),
        Figure("exit status", end.status, "", at_most(0)),
        Figure("end under load", seconds, "s", at_most(60.0)),
        Figure("bytes on standard error", len(end.errors), "", at_most(0), end.errors[-500:]),
        Figure("temporary folders left behind", left, "", at_most(0)),
    ]
