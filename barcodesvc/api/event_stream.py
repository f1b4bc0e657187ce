"""Server-sent events: one response streams the progress of a task, and finally its result.

The format follows the HTML standard, clause 9.2: an `event:` line, a `data:` line and a blank one; the data is JSON on
one line. Rule: a failure before the first event is raised, so that it becomes a plain envelope with its status; a
later failure becomes the event `error`, with that envelope as its data.
"""

import asyncio
import math
from collections.abc import AsyncGenerator, Callable
from typing import Any, TypeVar

from aiohttp import hdrs, web
from pydantic_core import to_json

from barcodesvc.api.guard.headers import accepted_weights
from barcodesvc.api.responses import error_envelope, unforeseen
from barcodesvc.errors import DatabaseFailure, ServiceError

T = TypeVar("T")

EVENT_STREAM = "text/event-stream"
HEADERS = {"Content-Type": f"{EVENT_STREAM}; charset=utf-8", "Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""X-Accel-Buffering keeps nginx from buffering events."""
EVENT_PAUSE = 0.3
"""The minimum number of seconds between two events of progress."""


def wants_events(request: web.Request) -> bool:
    """Return whether the request's Accept header names the event stream, with a weight above 0 (RFC 9110, 12.5.1)."""
    accepted = accepted_weights(request.headers.getall(hdrs.ACCEPT, ()))
    return any(kind.partition(";")[0] == EVENT_STREAM and weight > 0 for kind, weight in accepted)


def event(name: str, data: Any) -> bytes:
    """Return one event; dataclasses become objects."""
    return b"event: %b\ndata: %b\n\n" % (name.encode(), to_json(data))


class Progress:
    """The progress of a task: a waiting reader gets the newest state, and misses those in between."""

    def __init__(self) -> None:
        self._news = asyncio.Event()
        self._state: Any = None

    def report(self, state: Any) -> None:
        """Set the newest state."""
        self._state = state
        self._news.set()

    def wake(self, _: object = None) -> None:
        """Wake the waiting reader."""
        self._news.set()

    async def news(self) -> Any:
        """Wait for a report or a wake-up, then return the newest state; None if it has been returned before."""
        await self._news.wait()
        self._news.clear()
        state, self._state = self._state, None
        return state


async def events(
    running: asyncio.Future[T], progress: Progress, steady: Callable[[], float], data: Callable[[T], Any]
) -> AsyncGenerator[bytes]:
    """Yield `progress` events, at least EVENT_PAUSE apart, while the task runs, then its `result` or `error`.

    `data` makes that of the event of what the task returns.

    An exception of the task before the first event is raised. Closing the generator does not cancel the task.
    """
    running.add_done_callback(progress.wake)
    sent_at = -math.inf
    while not running.done():
        state = await progress.news()
        if state is not None and steady() - sent_at >= EVENT_PAUSE:
            sent_at = steady()
            yield event("progress", state)
    error = running.exception()
    if error is None:
        yield event("result", data(running.result()))
    elif sent_at == -math.inf:
        raise error
    else:
        if not isinstance(error, ServiceError):
            error = unforeseen(error, DatabaseFailure, "an import, after its first event")
        yield event("error", error_envelope(error))
