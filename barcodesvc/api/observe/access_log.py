"""The access log: one JSON object per request and line, from a logger of its own through a queue to its writer.

The event loop only puts a record into the queue. The listener's thread makes text of the records and writes many lines
at once, so that a reader which is slow, or has stopped, holds up no request. What does not fit into the queue meanwhile
is dropped, and a line says how many were, as soon as lines can be written again.

Rule: whatever a client sent is cut, and stands in a line as JSON in ASCII: no line can be forged or broken.
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
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from aiohttp import web

from barcodesvc.clock import as_timestamp

_LOG = logging.getLogger(__name__)

STANDARD_OUTPUT = 1
MOST_LINES = 10_000
"""Lines that may wait; with the longest of all they take some 10 MB."""
LONGEST_PATH = 512
LONGEST_AGENT = 200
"""Characters that are kept of what a client sent."""
MOST_SECONDS_AT_END = 2.0
"""Seconds that a stop waits for the reader to take what is left."""
_LINES_AT_ONCE = 500
_PAUSE = 0.1
"""Seconds in which lines gather."""
_quoted = json.encoder.encode_basestring_ascii
"""Returns a text as it stands in JSON, quotes included, in ASCII."""


class AccessLogLine(NamedTuple):
    """One answered request; `wall` is the end of the answer in seconds since 1970, `sent` its bytes, head included."""

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
    """Lines on their way to a file descriptor; `opened` runs the thread that writes them."""

    def __init__(
        self,
        descriptor: int,
        wall: Callable[[], float],
        most_lines: int = MOST_LINES,
        most_seconds_at_end: float = MOST_SECONDS_AT_END,
    ) -> None:
        queue: SimpleQueue[Any] = SimpleQueue()
        self._entry = _BoundedQueueHandler(queue, most_lines)
        self._writer = _LineWriter(descriptor, wall, lambda: self.dropped)
        self._listener = _GatheringListener(queue, self._writer)
        self._most_seconds_at_end = most_seconds_at_end
        self._logger = logging.Logger("barcodesvc.access")  # noqa: LOG001 - each application has one, outside of the tree
        self._logger.addHandler(self._entry)

    @property
    def dropped(self) -> int:
        """How many lines were not written."""
        return self._entry.refused + self._writer.lost

    def add(self, line: AccessLogLine) -> None:
        """Put a line into the queue, or drop it where too many wait."""
        self._logger.handle(_LineRecord(line))

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Write inside of the block, and at its end what is left, as far as the reader takes it soon."""
        self._listener.start()
        try:
            yield
        finally:
            # a daemon, as the listener's own: a reader that has stopped must not keep the process from ending
            stopping = threading.Thread(target=self._stop, name="access-log-stop", daemon=True)
            stopping.start()
            await asyncio.to_thread(stopping.join, self._most_seconds_at_end)

    def _stop(self) -> None:
        self._listener.stop()
        self._writer.write_lines()


ACCESS_LOG = web.AppKey("access_log", AccessLog)


class _LineRecord(logging.LogRecord):
    """A record that holds a line alone: who logged it, and in which thread, takes longer to find out than the rest."""

    def __init__(self, line: AccessLogLine) -> None:
        self.levelno = logging.INFO
        self.msg = line  # any object may be the message


class _BoundedQueueHandler(QueueHandler):
    """Refuses records beyond a bound, counts them in `refused`, and leaves the text to the listener's thread."""

    queue: SimpleQueue[Any]

    def __init__(self, queue: SimpleQueue[Any], most: int) -> None:
        super().__init__(queue)
        self._most = most
        self.refused = 0

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        """Return the record as it is: no other handler gets it."""
        return record

    def enqueue(self, record: logging.LogRecord) -> None:
        """Put a record into the queue, or count it as refused."""
        if self.queue.qsize() >= self._most:
            self.refused += 1
        else:
            self.queue.put_nowait(record)


class _GatheringListener(QueueListener):
    """Lets records gather, so that many are written at once and no request wakes the thread."""

    queue: SimpleQueue[Any]

    def __init__(self, queue: SimpleQueue[Any], writer: _LineWriter) -> None:
        super().__init__(queue, writer)
        self._writer = writer
        self._stopping = threading.Event()

    def enqueue_sentinel(self) -> None:
        """End the thread behind the records that wait, without letting more gather."""
        self._stopping.set()
        super().enqueue_sentinel()

    def dequeue(self, block: bool) -> logging.LogRecord:  # noqa: FBT001 - the standard library's
        """Return the next record; where there is none, write those that there were and wait."""
        try:
            return super().dequeue(block=False)
        except Empty:
            self._writer.write_lines()
        record = super().dequeue(block)
        self._stopping.wait(_PAUSE)
        return record


class _LineWriter(logging.Handler):
    """Writes lines to a file descriptor, many at once; `lost` are those that could not be written."""

    def __init__(self, descriptor: int, wall: Callable[[], float], dropped: Callable[[], int]) -> None:
        super().__init__()
        self.setFormatter(_JsonFormatter())
        self._descriptor, self._wall, self._dropped = descriptor, wall, dropped
        self._lines: list[str] = []
        self._reported = 0
        self._failing = False
        self.lost = 0

    def createLock(self) -> None:  # noqa: N802 - the name in the standard library
        """Have no lock: the end of the process would wait for one that a stopped reader holds up."""
        self.lock = None

    def emit(self, record: logging.LogRecord) -> None:
        """Put a line aside, and write all when they are many."""
        self._lines.append(self.format(record))
        if len(self._lines) >= _LINES_AT_ONCE:
            self.write_lines()

    def write_lines(self) -> None:
        """Write the lines put aside, and how many were dropped since that was last written."""
        lines, self._lines = self._lines, []
        dropped = self._dropped()
        text = "".join(lines)
        if dropped > self._reported:
            text += f'{{"time":"{_timestamp(self._wall())}","dropped":{dropped - self._reported}}}\n'
        if not text or self._write(text.encode("ascii")):
            self._reported = dropped
        else:
            self.lost += len(lines)

    def _write(self, content: bytes) -> bool:
        # a line that was cut in the middle ends here
        rest = memoryview(b"\n" + content if self._failing else content)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            if not self._failing:
                _LOG.warning("the access log cannot be written: %s", error.strerror)
            self._failing = True
            return False
        self._failing = False
        return True


class _JsonFormatter(logging.Formatter):
    """Makes the JSON of a record's line; put together by hand, it takes a third of the time that an encoder does."""

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
