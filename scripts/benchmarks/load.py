"""The load: keep-alive connections that send the next request as soon as the last one is answered.

It is the same for every measured server. Responses are read to their end, and counted if their status is 200; anything
else ends the measurement, because a refusal is quicker than the work. Besides the requests per second, it reports the
server's own processor time per request, which depends less on the sender and on other processes.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import TypeVar, cast

from scripts.benchmarks.servers import LOOPBACK, Server

CONNECTIONS = 16

_LENGTH = re.compile(rb"\r\nContent-Length: *([0-9]+)\r\n", re.IGNORECASE)
_HEAD_END = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Round:
    """What one round of load saw."""

    answered: int
    seconds: float
    cpu_seconds: float

    @property
    def per_second(self) -> float:
        """Responses per second."""
        return self.answered / self.seconds

    @property
    def cpu_microseconds(self) -> float:
        """Processor time of the server per response."""
        return self.cpu_seconds / self.answered * 1e6


class Connection(asyncio.Protocol):
    """A keep-alive connection with at most one request under way, which reads each response to its end."""

    def __init__(self) -> None:
        self.status = 0
        """That of the last response."""
        self._head = b""
        self._pending = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self.transport = cast("asyncio.Transport", transport)

    def send(self, request: bytes) -> None:
        """Send a request; the last one must have been answered."""
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        """Read a response."""
        if self._pending:
            self._pending -= len(data)
        else:
            self._head += data
            end = self._head.find(_HEAD_END)
            if end < 0:
                return
            length = _LENGTH.search(self._head, 0, end + 2)
            self.status = int(self._head[9:12])
            self._pending = (int(length[1]) if length else 0) + end + len(_HEAD_END) - len(self._head)
            self._head = b""
        if not self._pending:
            self.answered()

    def answered(self) -> None:
        """Do what follows a response."""
        raise NotImplementedError


class _Sender(Connection):
    """One of a load, which sends the next request after each response; it is `done` when there is none."""

    def __init__(self, requests: Iterator[bytes]) -> None:
        super().__init__()
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Fails when the server refuses a request or closes the connection."""
        self.count = 0
        self._requests = requests

    def send_next(self) -> None:
        request = next(self._requests, None)
        if request is not None:
            self.send(request)
        elif not self.done.done():
            self.done.set_result(None)

    def answered(self) -> None:
        self.count += 1
        if self.status == HTTPStatus.OK:
            self.send_next()
        else:
            self._fail(f"a response of status {self.status}")

    def connection_lost(self, error: Exception | None) -> None:
        self._fail(f"the server closed the connection: {error}")

    def _fail(self, why: str) -> None:
        if not self.done.done():
            self.done.set_exception(ConnectionError(why))


C = TypeVar("C", bound=Connection)


async def connect(port: int, make: Callable[[], C]) -> C:
    """Open a connection to a server on this machine."""
    _, connection = await asyncio.get_running_loop().create_connection(make, LOOPBACK, port)
    return connection


async def send_load(server: Server, port: int, requests: Iterator[bytes], connections: int = CONNECTIONS) -> Round:
    """Send the requests over some connections, until the iterator ends; return what was reached."""
    senders = [await connect(port, lambda: _Sender(requests)) for _ in range(connections)]
    cpu, begin = server.cpu_seconds(), time.perf_counter()
    for sender in senders:
        sender.send_next()
    await asyncio.gather(*(sender.done for sender in senders))
    seconds, cpu_seconds = time.perf_counter() - begin, server.cpu_seconds() - cpu
    for sender in senders:
        sender.transport.close()
    return Round(sum(sender.count for sender in senders), seconds, cpu_seconds)


def for_seconds(seconds: float, requests: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the requests for this long; the time begins with the first."""
    deadline = time.perf_counter() + seconds
    for request in requests:
        if time.perf_counter() > deadline:
            return
        yield request


def post(path: str, body: bytes | str, method: str = "POST") -> bytes:
    """Return the bytes of a request with a JSON body."""
    sent = body if isinstance(body, bytes) else body.encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(sent)}\r\n\r\n".encode() + sent


def set_level(product_id: int, level: int) -> bytes:
    """Return the bytes of a request that sets a level."""
    return post(f"/api/inventory/{product_id}", json.dumps({"new_level": level}), "PUT")


def get(path: str) -> bytes:
    """Return the bytes of a GET request."""
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
