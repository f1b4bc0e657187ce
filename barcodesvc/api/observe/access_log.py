"""The access log: one line of JSON for each request. It shows who sent what, and how long that took.

The event loop only queues a line. The thread of the standard library's queue listener formats and writes it, so that a
reader that is slow, or has stopped, delays no request. Lines beyond MOST_LINES are dropped; a line says how many.

aiohttp calls its logger once the last byte of a response has been handed to the transport, for every kind of
response: plain ones, streams, errors, refusals of malformed HTTP, and responses whose client has disconnected.

Rule: client input is cut, and written as JSON in ASCII, so that no line can be forged or broken.
"""

import asyncio
import json
import logging
import os
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import lru_cache
from logging.handlers import QueueListener
from queue import SimpleQueue
from typing import Any, NamedTuple

from aiohttp import web
from aiohttp.abc import AbstractAccessLogger
from aiohttp.typedefs import Handler

from barcodesvc.api.client_address import client_of, is_connected
from barcodesvc.api.observe.request_ids import REQUEST_CONTEXT, handler_of, new_id
from barcodesvc.clock import Clock, as_timestamp

_LOG = logging.getLogger(__name__)

STANDARD_OUTPUT = 1
MOST_LINES = 10_000
"""Lines that may wait; the longest ones take some 10 MB together."""
_LONGEST_METHOD, _LONGEST_PATH, _LONGEST_AGENT = 16, 512, 200
"""Characters of client input that are kept."""
MOST_SECONDS_AT_END = 2.0
"""Seconds that a stop waits for the reader to take the remaining lines."""
_LINES_AT_ONCE = 500
_quoted = json.encoder.encode_basestring_ascii
"""Returns a text as JSON, with quotes, in ASCII."""


class AccessLogLine(NamedTuple):
    """A finished request; `wall` is the end of its response in seconds since 1970, `sent` its bytes, head included."""

    wall: float
    request_id: str
    client: str
    method: str
    path: str
    route: str
    status: int
    sent: int
    seconds: float
    agent: str
    left: bool

    def __str__(self) -> str:
        """Return the line with its line break; it is put together by hand, because an encoder is slower."""
        left = ',"left":true' if self.left else ""
        return (
            f'{{"time":"{_timestamp(self.wall)}","id":"{self.request_id}","client":{_quoted(self.client)},'
            f'"method":{_quoted(self.method)},"path":{_quoted(self.path)},"route":"{self.route}",'
            f'"status":{self.status},"bytes":{self.sent},"ms":{self.seconds * 1000:.3f},'
            f'"agent":{_quoted(self.agent)}{left}}}\n'
        )


class AccessLog(QueueListener):
    """Writes lines to a file descriptor; `opened` runs the thread that writes them."""

    queue: SimpleQueue[Any]

    def __init__(self, descriptor: int, wall: Callable[[], float], most_lines: int = MOST_LINES) -> None:
        super().__init__(SimpleQueue())
        self._descriptor, self._wall, self._most = descriptor, wall, most_lines
        self._texts: list[str] = []
        self._refused = self._lost = self._reported = 0
        self._failing = False

    @property
    def dropped(self) -> int:
        """How many lines were not written."""
        return self._refused + self._lost

    def add(self, line: AccessLogLine) -> None:
        """Queue a line, or drop it if too many are waiting."""
        if self.queue.qsize() < self._most:
            self.queue.put_nowait(line)
        else:
            self._refused += 1

    @asynccontextmanager
    async def opened(self, most_seconds_at_end: float = MOST_SECONDS_AT_END) -> AsyncIterator[None]:
        """Write lines within the block; at its end write the remaining ones, if the reader takes them soon."""
        self.start()
        try:
            yield
        finally:
            # a daemon thread, like the listener's: a reader that has stopped must not keep the process from ending
            stopping = threading.Thread(target=self.stop, name="access-log-stop", daemon=True)
            stopping.start()
            await asyncio.to_thread(stopping.join, most_seconds_at_end)

    def stop(self) -> None:
        """Write the remaining lines, and end the thread."""
        super().stop()
        self._write_texts()

    def handle(self, record: Any) -> None:
        """Format a line, and write all that have been formatted if no other is waiting."""
        self._texts.append(str(record))
        if len(self._texts) >= _LINES_AT_ONCE or self.queue.empty():
            self._write_texts()

    def _write_texts(self) -> None:
        """Write the formatted lines, and how many were dropped since the last time."""
        texts, self._texts = self._texts, []
        dropped = self.dropped
        if dropped > self._reported:
            texts.append(f'{{"time":"{_timestamp(self._wall())}","dropped":{dropped - self._reported}}}\n')
        try:
            self._write("".join(texts).encode())
        except OSError as error:
            if not self._failing:
                _LOG.warning("the access log cannot be written: %s", error.strerror)
            self._failing = True
            self._lost += len(texts) - (dropped > self._reported)
        else:
            self._failing, self._reported = False, dropped

    def _write(self, content: bytes) -> None:
        rest = memoryview(b"\n" + content if self._failing else content)  # ends a line that was cut by a failure
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]


ACCESS_LOG = web.AppKey("access_log", AccessLog)


def handler_args(lines: AccessLog, clock: Clock, route_of: Callable[[Handler | None], str]) -> dict[str, Any]:
    """Return the arguments that make aiohttp's server log each finished request."""

    class RequestLogger(AbstractAccessLogger):
        """What aiohttp creates for each connection."""

        def log(self, request: web.BaseRequest, response: web.StreamResponse, time: float) -> None:
            """Add a request, whose duration aiohttp measures with a clock that may tick in ms."""
            context = REQUEST_CONTEXT.get(None)
            lines.add(
                AccessLogLine(
                    clock.wall(),
                    context.request_id if context else new_id(),
                    client_of(request) or "",
                    request.method[:_LONGEST_METHOD],
                    request.raw_path[:_LONGEST_PATH],
                    route_of(handler_of(request)),
                    response.status,
                    response.body_length,
                    clock.steady() - context.begun if context and context.begun is not None else time,
                    request.headers.get("User-Agent", "")[:_LONGEST_AGENT],
                    not is_connected(request),
                )
            )

    return {"access_log": _LOG, "access_log_class": RequestLogger}


def _timestamp(wall: float) -> str:
    whole = int(wall)
    return f"{_second(whole)}.{int((wall - whole) * 1000):03}Z"


@lru_cache(maxsize=2)
def _second(whole: int) -> str:
    return as_timestamp(datetime.fromtimestamp(whole, UTC))[:-5]
