"""A shutdown under load: every request is answered completely, or its connection ends before the first byte.

Many clients request everything there is, over kept connections, in pipelines and on new ones; then the service gets
SIGTERM. All received bytes must be complete responses, each to a request.
"""

from __future__ import annotations

import asyncio
import json
import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count

import psutil
import uvloop

from scripts.benchmarks.load import get, post
from scripts.benchmarks.report import Figure, at_least, at_most
from scripts.benchmarks.servers import LOOPBACK, Server
from scripts.faults.extent import Extent
from scripts.faults.launched import launched

_ROUNDS = {Extent.BRIEF: 2, Extent.FULL: 10}
_CLIENTS = 24
_LONGEST_STOP = 15.0
_HEAD = re.compile(rb"HTTP/1\.1 ([0-9]{3}) [^\r]*\r\n(.*?)\r\n\r\n", re.DOTALL)
_LENGTH = re.compile(rb"content-length: *([0-9]+)", re.IGNORECASE)
_CHUNK = re.compile(rb"([0-9a-f]+)\r\n")


@dataclass(slots=True)
class _Seen:
    """What became of the requests of a round."""

    answered: int = 0
    cut: list[bytes] = field(default_factory=list)
    """What remained of incomplete responses."""
    between: int = 0
    """Pipelines of which some requests were answered, the last of them without `Connection: close`."""
    statuses: Counter[int] = field(default_factory=Counter)


def _stopped(extent: Extent) -> Iterator[Figure]:
    """Yield the results of all rounds together, and how long the slowest shutdown took."""
    seen, longest, accepted = _Seen(), 0.0, 0
    for _ in range(_ROUNDS[extent]):
        with launched() as service:
            took, late = uvloop.run(_round(service.server, seen))
        longest, accepted = max(longest, took), accepted + late
    statuses = ", ".join(f"{number} x {status}" for status, number in sorted(seen.statuses.items()))
    yield Figure("responses", seen.answered, "", at_least(100), statuses)
    yield Figure("responses that were cut", len(seen.cut), "", at_most(0), repr(seen.cut[:1]) if seen.cut else "")
    yield Figure("responses other than 200, 404 and 503", _wrong(seen), "", at_most(0))
    yield Figure("pipelines ended between two responses", seen.between, "", None, "their other requests were not begun")
    yield Figure("connections accepted after the signal", accepted, "", at_most(0))
    yield Figure("longest stop", longest, "s", at_most(_LONGEST_STOP))


def _wrong(seen: _Seen) -> int:
    return sum(number for status, number in seen.statuses.items() if status not in (200, 404, 503))


async def _round(server: Server, seen: _Seen) -> tuple[float, int]:
    port = server.ports[0]
    await _one(port, post("/api/products", b'{"product_code":"P-1","description":"x"}'))
    clients = [asyncio.create_task(_client(port, number, seen)) for number in range(_CLIENTS)]
    await asyncio.sleep(1.0)
    begin = time.perf_counter()
    server.process.send_signal(signal.SIGTERM)
    await asyncio.sleep(0.2)
    accepted = await _accepted(port)
    await asyncio.to_thread(_await_end, server.process)
    took = time.perf_counter() - begin
    await asyncio.gather(*clients)
    return took, accepted


def _await_end(process: psutil.Process) -> None:
    while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)


async def _accepted(port: int) -> int:
    with suppress(OSError):
        _, writer = await asyncio.open_connection(LOOPBACK, port)
        writer.close()
        return 1
    return 0


async def _client(port: int, number: int, seen: _Seen) -> None:
    """Send requests until the service is gone: every third client in pipelines, the others one after the other."""
    turns = count(number)
    with suppress(OSError):
        while True:
            reader, writer = await asyncio.open_connection(LOOPBACK, port)
            await _until_closed(reader, writer, number, turns, seen)
            writer.close()


async def _until_closed(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int, turns: Iterator[int], seen: _Seen
) -> None:
    while True:
        turn = next(turns)
        requests = _pipeline(turn) if number % 3 == 0 else [_request(turn)]
        received = bytearray()
        with suppress(ConnectionError):
            writer.write(b"".join(requests))
            while _responses_in(bytes(received)).number < len(requests) and (chunk := await reader.read(65536)):
                received += chunk
        responses = _responses_in(bytes(received))
        _count(responses, len(requests), seen)
        if responses.number < len(requests) or b"connection: close" in responses.last_head:
            return


def _pipeline(turn: int) -> list[bytes]:
    return [
        get("/api/products/1"),
        post("/api/codes/barcode", b'{"product_code":"%d"}' % turn),
        get("/api/codes/formats"),
    ]


def _request(turn: int) -> bytes:
    labels = json.dumps({"products": [f"C-{turn}-{label}" for label in range(300)]}).encode()
    kinds = (
        lambda: get("/api/inventory/export?include_history=true"),
        lambda: get("/api/inventory/export?format=csv"),
        lambda: post("/api/codes/printable", labels),
        lambda: post("/api/inventory/1/adjust", b'{"delta":1}'),
        lambda: post("/api/codes/qrcode", b'{"product_code":"%d"}' % turn),
        lambda: post("/api/codes/decode", b'{"code_data":"P-1"}'),
        lambda: get("/api/inventory"),
    )
    return kinds[turn % len(kinds)]()


async def _one(port: int, request: bytes) -> None:
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    writer.write(request)
    await reader.readuntil(b"\r\n\r\n")
    writer.close()


@dataclass(slots=True)
class _Responses:
    """The complete responses at the beginning of some bytes, and the rest."""

    number: int
    statuses: list[int]
    last_head: bytes
    left: bytes


def _responses_in(received: bytes) -> _Responses:
    responses = _Responses(0, [], b"", received)
    while head := _HEAD.match(responses.left):
        rest = _after_body(head[2], responses.left[head.end() :])
        if rest is None:
            break
        responses.number += 1
        responses.statuses.append(int(head[1]))
        responses.last_head, responses.left = head[2].lower(), rest
    return responses


def _count(responses: _Responses, asked: int, seen: _Seen) -> None:
    seen.answered += responses.number
    seen.statuses.update(responses.statuses)
    if responses.left:
        seen.cut.append(responses.left[:200])
    if 0 < responses.number < asked and b"connection: close" not in responses.last_head:
        seen.between += 1


def _after_body(head: bytes, rest: bytes) -> bytes | None:
    """Return what follows the body of a response, None if that is incomplete."""
    length = _LENGTH.search(head)
    if length:
        return rest[int(length[1]) :] if len(rest) >= int(length[1]) else None
    while chunk := _CHUNK.match(rest):
        size = int(chunk[1], 16)
        end = chunk.end() + size + 2
        if len(rest) < end:
            return None
        rest = rest[end:]
        if not size:
            return rest
    return None


PARTS: Mapping[str, Callable[[Extent], Iterator[Figure]]] = {"load": _stopped}
