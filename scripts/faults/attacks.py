"""Clients that send what costs most: how much they may use, and how little others notice.

During each attack, /health is requested on a timetable; the wait is compared with that of the idle service. These
requests do not come from the process of the attacking clients.
"""

import asyncio
import multiprocessing
import resource
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import cycle, product
from typing import Any

import uvloop

from barcodesvc.api.bodies import BODY_WAIT
from scripts.benchmarks.load import get, post
from scripts.benchmarks.report import Figure, at_least, at_most
from scripts.benchmarks.servers import LOOPBACK, Server
from scripts.benchmarks.timetable import probe_idle, probe_while
from scripts.faults.launched import launched
from tests.forms import form, form_head

_LATE = 2.0
"""Tolerance in seconds between the end of a time limit and that of the connection."""
_MANY, _BRIEF_MANY = 1_000, 200
_MB = 1_000_000
_HEAD = 8000
"""Bytes of a value that costs much to parse; a longer one is refused unread."""
_FILLERS = (
    *(b';"', b'"', b";", b"; ", b",", b", ", b" ", b"=", b"a=b;", b'a="b";', b'a="\\"', b"a*0=b;", b"(", b"(;", b"\\"),
    *(b'W/"', b'"a",', b'"a" ', b"*", b":", b"[", b"]:", b".", b"1.", b"1,", b"q=0;", b"text/event-stream,", b"\xfc"),
)
"""Input that a parser could rescan repeatedly: separators, quotes and brackets that close nothing."""
_LOOKED_AT = {
    "POST /api/products": "Content-Type Origin X-Forwarded-Host Sec-Fetch-Site Host",
    "POST /api/products/import": "Accept Content-Type",
    "POST /api/inventory/1/adjust": "Idempotency-Key X-API-Key Authorization X-Request-ID X-Forwarded-For",
    "POST /api/codes/decode": "Content-Type Expect Upgrade Accept-Encoding Forwarded",
    "GET /api/docs": "If-None-Match If-Modified-Since Range Cookie User-Agent",
    "GET /api/codes/barcode/A-1.svg": "If-None-Match",
    "GET /metrics": "Accept",
    "OPTIONS /api/products": "Access-Control-Request-Headers Access-Control-Request-Method",
}
"""Requests, and for each the headers that the service or aiohttp may parse."""
_PARTS_OF_FORMS = (b"Content-Disposition: form-data", b"Content-Type: text/plain", b"X: y")
_SEGMENTS = (b"/", b"/a", b"/..", b"/%2F")


_WAIT, _WAIT_AMONG_MANY = 100.0, 500.0
"""Milliseconds, p99, that are acceptable on a machine that does other work; the second ones while many hostile clients
send at once, which only a proxy that buffers keeps from the service."""

Connected = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Attacking = Coroutine[Any, Any, list[Figure]]
Attack = Callable[[int, int], Attacking]
"""Its arguments are the service's port and the number of clients."""


def _under_attack(attack: Attack, most_growth: float, least_wait: float, *, brief: bool) -> Iterator[Figure]:
    """Yield what the attack shows, the growth of memory during it, and how long others wait meanwhile."""
    _allow_connections()
    with launched() as service:
        clients = _BRIEF_MANY if brief else _MANY
        yield from uvloop.run(
            _attacked(service.server, partial(attack, service.port, clients), most_growth, least_wait)
        )


async def _attacked(
    server: Server, attack: Callable[[], Attacking], most_growth: float, least_wait: float
) -> list[Figure]:
    health = get("/health")
    idle = await probe_idle(server, health, 2)
    before = server.resident_bytes()
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as others:
        waits, figures = await probe_while(server, health, _run_in(others, attack))
    growth = (server.resident_bytes() - before) / _MB
    wait, bound = waits.percentile(99), at_most(max(least_wait, 3 * idle.percentile(99)))
    return [
        *figures,
        Figure("growth of resident memory", growth, "MB", at_most(most_growth)),
        Figure("wait for /health meanwhile, p99", wait, "ms", bound, f"{waits}; before: {idle}"),
    ]


async def _run_in(others: ProcessPoolExecutor, attack: Callable[[], Attacking]) -> list[Figure]:
    return await asyncio.get_running_loop().run_in_executor(others, _run, attack)


def _run(attack: Callable[[], Attacking]) -> list[Figure]:
    _allow_connections()
    return uvloop.run(attack())


async def _pipelined(port: int, clients: int) -> list[Figure]:
    """Send hundreds of requests in one packet, again and again, and read no response."""
    connections = await _connected(port, clients // 4)
    packet = get("/api/codes/formats") * 500
    taken = await asyncio.gather(*(_stuffed(writer, packet) for _, writer in connections))
    for _, writer in connections:
        writer.transport.abort()
    return [Figure("pipelining: most requests taken and not answered", max(taken) * 500, "", at_most(500 * 500))]


async def _stuffed(writer: asyncio.StreamWriter, packet: bytes) -> int:
    writer.transport.pause_reading()  # type: ignore[attr-defined]  # a socket's transport
    sent, deadline = 0, time.perf_counter() + 3
    with suppress(ConnectionError, TimeoutError):
        async with asyncio.timeout_at(asyncio.get_running_loop().time() + 3):
            while time.perf_counter() < deadline:
                writer.write(packet)
                await writer.drain()
                sent += 1
    return sent


async def _small_chunks(senders: int, port: int, clients: int) -> list[Figure]:
    """Send bodies in chunks of one byte without end, from few of the clients."""
    head = b"POST /api/products HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
    head += b"Content-Type: application/json\r\n\r\n"
    connections = await _connected(port, min(senders, clients))
    begin = time.perf_counter()
    heads = await asyncio.gather(*(_chunked(connection, head) for connection in connections))
    longest = time.perf_counter() - begin
    refused = sum(b" 400 " in head and b"Connection: close" in head for head in heads)
    return [
        Figure("small chunks: those that are refused", refused, "", at_least(len(connections))),
        Figure("small chunks: longest life", longest, "s", at_most(BODY_WAIT + _LATE)),
    ]


async def _chunked(connection: Connected, head: bytes) -> bytes:
    reader, writer = connection
    response = asyncio.create_task(_response_head(reader))
    writer.write(head)
    with suppress(ConnectionError):
        for _ in range(1000):
            writer.write(b"1\r\n \r\n" * 40_000)
            await writer.drain()
    writer.transport.abort()
    return await response


async def _costly_heads(port: int, _: int) -> list[Figure]:
    """Send every head, part of a form and path that a careless parser would scan again and again, one at a time."""
    sent = [*_heads(), *_forms(), *_paths()]
    answered = 0
    for request in sent:
        [(reader, writer)] = await _connected(port, 1)
        writer.write(request)
        answered += (await _response_head(reader))[9:10] in {b"2", b"3", b"4"}
        writer.transport.abort()
    return [Figure("costly heads: those that are not answered", len(sent) - answered, "", at_most(0))]


def _heads() -> Iterator[bytes]:
    usual = {"Host": b"localhost", "Content-Type": b"application/json", "Connection": b"close"}
    usual |= {"Origin": b"https://kiosk.example", "Access-Control-Request-Method": b"GET", "Content-Length": b"2"}
    for target, names in _LOOKED_AT.items():
        for name, filler in product(names.split(), _FILLERS):
            lines = usual | {name: (filler * _HEAD)[:_HEAD]}
            head = b"".join(b"%b: %b\r\n" % (key.encode(), value) for key, value in lines.items())
            yield b"%b HTTP/1.1\r\n%b\r\n{}" % (target.encode(), head)


def _forms() -> Iterator[bytes]:
    for path, start, filler in product(("/api/products/import", "/api/codes/decode"), _PARTS_OF_FORMS, _FILLERS):
        body = form(b"--XX\r\n" + start + b"; " + (filler * _HEAD)[: _HEAD - 100] + b"\r\n\r\nx")
        yield form_head(path, len(body)) + body


def _paths() -> Iterator[bytes]:
    return (b"GET %b HTTP/1.1\r\nHost: localhost\r\n\r\n" % (segment * _HEAD)[:_HEAD] for segment in _SEGMENTS)


async def _costly_bodies(port: int, clients: int) -> list[Figure]:
    """Send bodies of the full size that cost most to parse, from one client over several connections."""
    names = b",".join(b'"%x":1' % number for number in range(200_000))
    few_names = b",".join(b'"%x":1' % number for number in range(30))
    bodies = [
        b'{"products":[%b[]]}' % (b"[]," * 690_000),
        b"{%b}" % names,
        b'{"products":[%b{}]}' % (b"{%b}," % few_names * 10_000),
        b'{"products":["A"],"layout":{%b}}' % names,
        b'{"products":["A"],"layout":{"lines":["%b"]}}' % ("a\u2028".encode() * 500_000),
        b'{"code_type":"%b"}' % ("\u0130".encode() * 1_000_000),
    ]
    deadline = time.perf_counter() + 5
    counts = await asyncio.gather(*(_posted(port, cycle(bodies), deadline) for _ in range(clients // 25)))
    return [Figure("costly bodies: those that are parsed", sum(counts), "", at_least(10))]


async def _posted(port: int, bodies: Iterator[bytes], deadline: float) -> int:
    """Post bodies one after the other, and return how many were refused for what is in them.

    Each has a connection of its own: one that is refused because there is no room is its connection's last.
    """
    count = 0
    while time.perf_counter() < deadline:
        [(reader, writer)] = await _connected(port, 1)
        writer.write(post("/api/codes/printable", next(bodies)))
        count += b" 400 " in await _response_head(reader)
        writer.transport.abort()
    return count


async def _response_head(reader: asyncio.StreamReader) -> bytes:
    with suppress(ConnectionError, asyncio.IncompleteReadError):
        return await reader.readuntil(b"\r\n\r\n")
    return b""


async def _connected(port: int, number: int) -> list[Connected]:
    return [await asyncio.open_connection(LOOPBACK, port) for _ in range(number)]


def _allow_connections() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


PARTS: Mapping[str, Callable[..., Iterator[Figure]]] = {
    "pipelining": partial(_under_attack, _pipelined, 200, _WAIT_AMONG_MANY),
    "chunks": partial(_under_attack, partial(_small_chunks, 1), 50, _WAIT),
    "forty-chunks": partial(_under_attack, partial(_small_chunks, 40), 50, _WAIT_AMONG_MANY),
    "costly-heads": partial(_under_attack, _costly_heads, 50, _WAIT),
    "costly-bodies": partial(_under_attack, _costly_bodies, 300, _WAIT_AMONG_MANY),
}
