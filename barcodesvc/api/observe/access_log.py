"""The access log: a queue handler and a queue listener of the standard library, and one formatter.

The event loop only queues a record. The listener's thread formats and writes it, so that a reader that is slow, or has
stopped, delays no request. Records beyond MOST_LINES are dropped; a line says how many.

Rule: client input is cut, and written as JSON in ASCII, so that no line can be forged or broken.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import lru_cache
from logging.handlers import QueueHandler, QueueListener
from queue import SimpleQueue
from typing import Any, NamedTuple

from aiohttp import web

from barcodesvc.clock import as_timestamp

_LOG = logging.getLogger(__name__)

STANDARD_OUTPUT = 1
MOST_LINES = 10_000
"""Lines that may wait; the longest ones take some 10 MB together."""
LONGEST_PATH = 512
LONGEST_AGENT = 200
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


class AccessLog:
    """Writes lines to a file descriptor; `opened` runs the thread that does."""

    def __init__(
        self,
        descriptor: int,
        wall: Callable[[], float],
        most_lines: int = MOST_LINES,
        most_seconds_at_end: float = MOST_SECONDS_AT_END,
    ) -> None:
        queue: SimpleQueue[Any] = SimpleQueue()
        self._entry = _BoundedQueueHandler(queue, most_lines)
        self._writer = _LineWriter(descriptor, self._entry, wall)
        self._listener = QueueListener(queue, self._writer)
        self._most_seconds_at_end = most_seconds_at_end

    @property
    def dropped(self) -> int:
        """How many lines were not written."""
        return self._entry.refused + self._writer.lost

    def add(self, line: AccessLogLine) -> None:
        """Queue a line, or drop it if too many are waiting."""
        self._entry.emit(_LineRecord(line))

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Write lines within the block; at its end write the remaining ones, if the reader takes them soon."""
        self._listener.start()
        try:
            yield
        finally:
            # a daemon thread, like the listener's: a reader that has stopped must not keep the process from ending
            stopping = threading.Thread(target=self._stop, name="access-log-stop", daemon=True)
            stopping.start()
            await asyncio.to_thread(stopping.join, self._most_seconds_at_end)

    def _stop(self) -> None:
        self._listener.stop()
        self._writer.write_lines()


ACCESS_LOG = web.AppKey("access_log", AccessLog)


class _LineRecord(logging.LogRecord):
    """A record that holds only a line: finding its caller and thread would take longer than everything else."""

    def __init__(self, line: AccessLogLine) -> None:
        self.msg = line  # a message can be any object


class _BoundedQueueHandler(QueueHandler):
    """Counts records beyond a bound in `refused`, and leaves formatting to the listener's thread."""

    queue: SimpleQueue[Any]

    def __init__(self, queue: SimpleQueue[Any], most: int) -> None:
        super().__init__(queue)
        self._most = most
        self.refused = 0

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        """Return the record unchanged."""
        return record

    def enqueue(self, record: logging.LogRecord) -> None:
        """Queue a record, or count it as refused."""
        if self.queue.qsize() >= self._most:
            self.refused += 1
        else:
            self.queue.put_nowait(record)


class _LineWriter(logging.Handler):
    """Writes the lines that are queued at once; `lost` counts those that could not be written."""

    def __init__(self, descriptor: int, entry: _BoundedQueueHandler, wall: Callable[[], float]) -> None:
        super().__init__()
        self.setFormatter(_JsonFormatter())
        self._descriptor, self._entry, self._wall = descriptor, entry, wall
        self._lines: list[str] = []
        self._reported = self.lost = 0
        self._failing = False

    def createLock(self) -> None:  # noqa: N802 - the name in the standard library
        """Create no lock: at exit, the process would wait for a thread that holds it for a stopped reader."""
        self.lock = None

    def handle(self, record: logging.LogRecord) -> bool:
        """Write a record without the lock, which only the listener's thread would take."""
        self.emit(record)
        return True

    def emit(self, record: logging.LogRecord) -> None:
        """Format a line, and write all that have been formatted if no other is waiting."""
        self._lines.append(self.format(record))
        if len(self._lines) >= _LINES_AT_ONCE or self._entry.queue.empty():
            self.write_lines()

    def write_lines(self) -> None:
        """Write the formatted lines, and how many were dropped since the last time."""
        lines, self._lines = self._lines, []
        dropped = self._entry.refused + self.lost
        text = "".join(lines)
        if dropped > self._reported:
            text += f'{{"time":"{_timestamp(self._wall())}","dropped":{dropped - self._reported}}}\n'
        try:
            self._write(text.encode())
        except OSError as error:
            if not self._failing:
                _LOG.warning("the access log cannot be written: %s", error.strerror)
            self._failing = True
            self.lost += len(lines)
        else:
            self._failing, self._reported = False, dropped

    def _write(self, content: bytes) -> None:
        rest = memoryview(b"\n" + content if self._failing else content)  # ends a line that was cut by a failure
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]


class _JsonFormatter(logging.Formatter):
    """Makes the JSON of a record's line; it is put together by hand, because an encoder is slower."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, its end included."""
        line: AccessLogLine = record.msg  # type: ignore[assignment]  # any object may be the message
        wall, request_id, client, method, path, route, status, sent, seconds, agent, left = line
        return (
            f'{{"time":"{_timestamp(wall)}","id":"{request_id}","client":{_quoted(client)},"method":{_quoted(method)},'
            f'"path":{_quoted(path)},"route":"{route}","status":{status},"bytes":{sent},"ms":{seconds * 1000:.3f},'
            f'"agent":{_quoted(agent)}{_LEFT if left else ""}}}\n'
        )


_LEFT = ',"left":true'


def _timestamp(wall: float) -> str:
    whole = int(wall)
    return f"{_second(whole)}.{int((wall - whole) * 1000):03}Z"


@lru_cache(maxsize=2)
def _second(whole: int) -> str:
    return as_timestamp(datetime.fromtimestamp(whole, UTC))[:-5]
