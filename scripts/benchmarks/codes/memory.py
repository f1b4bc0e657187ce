"""The cache keeps to its limit: resident memory of a process whose renderer has drawn a million distinct codes.

The process holds nothing but the renderer with its default cache and threads. The codes are small, so that the cache
holds as many entries as it can and its bookkeeping weighs most.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise

import psutil
import uvloop

from barcodesvc.codes.layout import ModuleWidth
from barcodesvc.codes.renderer import Renderer
from barcodesvc.codes.rendering import BarcodeKey
from barcodesvc.config import Settings
from barcodesvc.service import RENDER_QUEUE
from barcodesvc.symbols.registry import find_symbology
from scripts.benchmarks.report import Figure, at_most

MIB = 1024 * 1024
STOPS = (0, 100_000, 250_000, 500_000, 1_000_000)
SETTLED = 500_000
"""Codes after which the cache has long been full, and churn has grown its tables to their final size."""
UNDER_WAY = 64
WARM_UP = 1000
SETTINGS = Settings(rate_limit=None)
SLACK = at_most(1.25)
"""As a multiple of the cache's limit: its entries, and what the allocator loses in addition."""
LEAK = at_most(0.05)
"""As a multiple of the cache's limit."""


def measure() -> Iterator[Figure]:
    """Yield the growth over a million codes, and after the cache has filled, as multiples of the cache's limit."""
    command = [sys.executable, "-m", "scripts.benchmarks.codes.memory"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - this very file
    resident = dict(zip(STOPS, map(int, printed.stdout.split()), strict=True))
    bound, last = SETTINGS.cache_bytes, STOPS[-1]
    course = ", ".join(f"{size / MIB:.1f} MiB after {count:,}" for count, size in resident.items())
    grown, leaked = resident[last] - resident[0], resident[last] - resident[SETTLED]
    note = f"bound {bound / MIB:.0f} MiB; resident: {course}"
    yield Figure(f"memory grown by {last:,} different codes, of the bound", grown / bound, "%", SLACK, note)
    note = f"{leaked / (last - SETTLED):.1f} bytes a code"
    yield Figure(f"memory grown after the first {SETTLED:,}, of the bound", leaked / bound, "%", LEAK, note)


async def draw() -> None:
    """Draw the codes and print the resident bytes at each of the STOPS."""
    renderer = Renderer(queue=RENDER_QUEUE, cache_bytes=SETTINGS.cache_bytes)
    for begin, end in pairwise((-WARM_UP, *STOPS)):
        codes = iter(range(begin, end))
        await asyncio.gather(*(_draw_each(renderer, codes) for _ in range(UNDER_WAY)))
        print(psutil.Process().memory_info().rss, flush=True)
    await renderer.close()


async def _draw_each(renderer: Renderer, codes: Iterator[int]) -> None:
    symbology = find_symbology("CODE128")
    for number in codes:
        key = BarcodeKey(symbology=symbology, content=f"{number:08}", width=ModuleWidth(1), height=10, with_text=False)
        await renderer.draw(key)


if __name__ == "__main__":
    uvloop.run(draw())
