"""Traffic as in shops: 100,000 codes of which the n-th is requested 1/n as often as the first (Zipf's law).

The service has its default cache. The first requests fill it and are counted separately from the rest.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import accumulate
from urllib.request import urlopen

import uvloop

from barcodesvc.config import Settings
from scripts.benchmarks.codes import service
from scripts.benchmarks.codes.requests import barcode
from scripts.benchmarks.load import send_load
from scripts.benchmarks.report import Figure
from scripts.benchmarks.servers import LOOPBACK, Server, running_module

CODES = 100_000
EXPONENT = 1.0
SEED = 20
REQUESTS = 100_000
MIB = 1024 * 1024
DEFAULT_CACHE: int = Settings.model_fields["cache_bytes"].default


def measure() -> Iterator[Figure]:
    """Yield the hit ratio while the cache fills and after that, each with the throughput, and the memory."""
    with running_module(service.MODULE) as server:
        begin = server.resident_bytes()
        yield _hit_ratio(server, "while the cache fills", _traffic(SEED))
        yield _hit_ratio(server, "after that", _traffic(SEED + 1))
        end = server.resident_bytes()
        note = f"{begin / MIB:.1f} MiB resident before; the bound of the cache is {DEFAULT_CACHE / MIB:.0f} MiB"
        yield Figure(f"Zipf traffic, growth over {2 * REQUESTS:,} requests", (end - begin) / MIB, "MiB", None, note)


def _hit_ratio(server: Server, phase: str, requests: Iterator[bytes]) -> Figure:
    before = _renders(server)
    seen = uvloop.run(send_load(server, server.ports[0], requests))
    hits = 1 - (_renders(server) - before) / seen.answered
    note = f"{seen.per_second:,.0f} requests/s, {seen.cpu_microseconds:.0f} µs of processor time per request"
    return Figure(f"Zipf traffic over {CODES:,} codes, hit ratio {phase}", hits, "%", None, note)


def _traffic(seed: int) -> Iterator[bytes]:
    weights = accumulate(rank**-EXPONENT for rank in range(1, CODES + 1))
    chosen = random.Random(seed).choices(range(1, CODES + 1), cum_weights=list(weights), k=REQUESTS)  # noqa: S311 - traffic
    return map(barcode, chosen)


def _renders(server: Server) -> int:
    with urlopen(f"http://{LOOPBACK}:{server.ports[1]}/renders") as response:
        return int(response.read())
