"""The most expensive images, from several clients: another client's small image is still read within a second.

Two such images at once take no longer than one after the other.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO

import uvloop
from PIL import Image

from scripts.benchmarks.decode.hostile import finder_patterns
from scripts.benchmarks.decode.image import image_file
from scripts.benchmarks.load import get
from scripts.benchmarks.probe import probe_idle
from scripts.benchmarks.report import Figure, at_least, at_most
from scripts.benchmarks.servers import LOOPBACK
from scripts.faults.extent import Extent
from scripts.faults.launched import launched
from tests.forms import form, form_head, part

_DECODE = "/api/codes/decode"
_EACH = {Extent.BRIEF: 2, Extent.FULL: 4}
"""Images of each kind that each hostile client sends."""
_CLIENTS = ("127.0.0.2", "127.0.0.3")
_MANY = tuple(f"127.0.0.{host}" for host in range(2, 8))
_ASKED = 12
_PAUSE = 0.2
_LONGEST = 1.0
_HEALTH = 20.0
"""Milliseconds, p99, or three times the p99 without the images, on a machine with other work to do."""
_DENSE, _SMALL = (7000, 7000), (1095, 1095)


def _with_small_images(extent: Extent) -> Iterator[Figure]:
    """Yield how long small images, and /health, wait during images of other clients."""
    small = _file(finder_patterns(*_SMALL), "PNG")
    attacks: Mapping[str, tuple[bytes, tuple[str, ...]]] = {
        "49 megapixels of finder patterns": (_form(_file(finder_patterns(*_DENSE), "PNG")), _CLIENTS),
        "50 megapixels of noise": (_form(_noise()), _CLIENTS),
        "small ones of finder patterns": (_form(small), _MANY),
        "small ones of finder patterns, thorough": (_form(small, "thorough"), _MANY),
    }
    for name, (request, clients) in attacks.items():
        with launched() as service:
            idle = asyncio.run(probe_idle(service.server, get("/health"), 2.0)).percentile(99)
            waits, health, answered = uvloop.run(_attacked(service.port, request, clients * _EACH[extent]))
        yield Figure(f"during {name}: small images answered", answered, "", at_least(_ASKED))
        yield Figure(f"during {name}: longest wait of a small image", max(waits), "s", at_most(_LONGEST))
        bound = max(_HEALTH, 3 * idle)
        yield Figure(f"during {name}: /health, p99", health * 1000, "ms", at_most(bound), f"before: {idle:.1f} ms")


def _two_at_once(extent: Extent) -> Iterator[Figure]:
    """Yield the time of two images at once, as a multiple of that of one after the other."""
    request = _form(_file(finder_patterns(*_SMALL), "PNG"), "thorough")
    with launched() as service:
        uvloop.run(_together(service.port, request))  # starts the processes
        ratios = [uvloop.run(_together(service.port, request)) for _ in range(_EACH[extent])]
    name = "two small ones of finder patterns, thorough, at once, times one after the other"
    yield Figure(name, statistics.median(ratios), "x", at_most(1.0))


async def _together(port: int, request: bytes) -> float:
    begun = time.perf_counter()
    for address in _CLIENTS:
        await _exchange(port, request, address)
    one_by_one = time.perf_counter() - begun
    await asyncio.gather(*(_exchange(port, request, address) for address in _CLIENTS))
    return (time.perf_counter() - begun - one_by_one) / one_by_one


async def _attacked(port: int, request: bytes, addresses: tuple[str, ...]) -> tuple[list[float], float, int]:
    """Return the waits of small images, the p99 of /health, and how many images got the right response."""
    good = _form(image_file("JPEG"))
    await _exchange(port, good)  # loads what is loaded at first use
    attack = [asyncio.create_task(_exchange(port, request, address)) for address in addresses]
    health = asyncio.create_task(_probed(port))
    waits, answered = [], 0
    for _ in range(_ASKED):
        await asyncio.sleep(_PAUSE)
        begin = time.perf_counter()
        answered += b" 404 " in await _exchange(port, good)
        waits.append(time.perf_counter() - begin)
    for task in (*attack, health):
        task.cancel()
    await asyncio.gather(*attack, return_exceptions=True)
    [probes] = await asyncio.gather(health)
    return waits, sorted(probes)[len(probes) * 99 // 100], answered


async def _probed(port: int) -> list[float]:
    waits = []
    try:
        while True:
            begin = time.perf_counter()
            await _exchange(port, get("/health"))
            waits.append(time.perf_counter() - begin)
            await asyncio.sleep(0.005)
    except asyncio.CancelledError:
        return waits


async def _exchange(port: int, request: bytes, address: str = LOOPBACK) -> bytes:
    reader, writer = await asyncio.open_connection(LOOPBACK, port, local_addr=(address, 0))
    try:
        writer.write(request)
        return (await reader.readuntil(b"\r\n")).partition(b"\r\n")[0]
    finally:
        writer.transport.abort()


def _form(image: bytes, effort: str = "normal") -> bytes:
    body = form(part("effort", effort.encode()), part("image", image, filename="a"))
    return form_head(_DECODE, len(body)) + body


def _noise() -> bytes:
    """Return a JPEG of nearly 50 megapixels, each block of eight by eight in a random colour."""
    chance = random.Random(0)  # noqa: S311 - the same noise on every run
    coarse = Image.frombytes("L", (883, 883), chance.randbytes(883 * 883))
    return _file(coarse.resize((7064, 7064), Image.Resampling.NEAREST), "JPEG")


def _file(image: Image.Image, kind: str) -> bytes:
    file = BytesIO()
    image.save(file, kind)
    return file.getvalue()


PARTS: Mapping[str, Callable[[Extent], Iterator[Figure]]] = {"small": _with_small_images, "two": _two_at_once}
