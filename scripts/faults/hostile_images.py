"""The most expensive images, from several clients: another client's small image is still read within a second."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO

import uvloop
from PIL import Image

from scripts.benchmarks.decode.image import image_file
from scripts.benchmarks.load import get, post
from scripts.benchmarks.probe import probe_idle
from scripts.benchmarks.report import Figure, at_least, at_most
from scripts.benchmarks.servers import LOOPBACK
from scripts.faults.extent import Extent
from scripts.faults.launched import launched

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
    attacks: Mapping[str, tuple[bytes, tuple[str, ...]]] = {
        "49 megapixels of finder patterns": (_finder_patterns(_DENSE), _CLIENTS),
        "50 megapixels of noise": (_noise(), _CLIENTS),
        "small ones of finder patterns": (_finder_patterns(_SMALL), _MANY),
    }
    for name, (image, clients) in attacks.items():
        with launched() as service:
            idle = asyncio.run(probe_idle(service.server, get("/health"), 2.0)).percentile(99)
            waits, health, answered = uvloop.run(_attacked(service.port, image, clients * _EACH[extent]))
        yield Figure(f"during {name}: small images answered", answered, "", at_least(_ASKED))
        yield Figure(f"during {name}: longest wait of a small image", max(waits), "s", at_most(_LONGEST))
        bound = max(_HEALTH, 3 * idle)
        yield Figure(f"during {name}: /health, p99", health * 1000, "ms", at_most(bound), f"before: {idle:.1f} ms")


async def _attacked(port: int, image: bytes, addresses: tuple[str, ...]) -> tuple[list[float], float, int]:
    """Return the waits of small images, the p99 of /health, and how many images got the right response."""
    good = _form(image_file("JPEG"))
    await _exchange(port, good)  # loads what is loaded at first use
    attack = [asyncio.create_task(_exchange(port, _form(image), address)) for address in addresses]
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


def _form(image: bytes) -> bytes:
    body = b'--XX\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\n' + image + b"\r\n--XX--\r\n"
    return post(_DECODE, body).replace(b"application/json", b"multipart/form-data; boundary=XX")


def _finder_patterns(size: tuple[int, int]) -> bytes:
    """Return a PNG full of finder patterns of QR codes, as close as possible."""
    eye = Image.new("1", (8, 8), 1)
    for edge, colour in ((0, 0), (1, 1), (2, 0)):
        eye.paste(colour, (edge, edge, 7 - edge, 7 - edge))
    row = Image.new("1", (size[0], 8), 1)
    for x in range(0, size[0], 8):
        row.paste(eye, (x, 0))
    paper = Image.new("1", size, 1)
    for y in range(0, size[1], 8):
        paper.paste(row, (0, y))
    return _file(paper, "PNG")


def _noise() -> bytes:
    """Return a JPEG of nearly 50 megapixels, each block of eight by eight in a random colour."""
    chance = random.Random(0)  # noqa: S311 - the same noise on every run
    coarse = Image.frombytes("L", (883, 883), chance.randbytes(883 * 883))
    return _file(coarse.resize((7064, 7064), Image.Resampling.NEAREST), "JPEG")


def _file(image: Image.Image, kind: str) -> bytes:
    file = BytesIO()
    image.save(file, kind)
    return file.getvalue()


PARTS: Mapping[str, Callable[[Extent], Iterator[Figure]]] = {"small": _with_small_images}
