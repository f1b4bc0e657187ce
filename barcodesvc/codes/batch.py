"""Batches of renders: a thread renders waiting keys, one after the other, until its time is over.

Passing work to a thread and getting its result costs a fifth of a barcode; a batch pays for it once. Without batches
the service renders a quarter fewer codes a second under load. The time of a batch is limited, so that the event loop
can run between two batches. An overloaded loop is late to start the next one, which then has more time: with a constant
limit, a flood of other requests would leave one code for each turn of the loop.

Rule: a thread takes a key only when it starts to render it. Keys after a slow one stay in the queue for another thread.
"""

from __future__ import annotations

import contextvars
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

    from barcodesvc.codes.rendering import Rendering, RenderKey

SHORTEST_LIMIT = 0.001
"""Seconds after which a batch starts no further key, enough for four barcodes or one QR code.

Longer batches hardly render more codes a second, but `/health` waits half as long again from 2 ms on.
"""
SHARE_OF_DELAY = 0.25
"""The limit of a batch that the event loop was late to start, as a share of that delay."""
LONGEST_LIMIT = 0.025
"""Seconds; the limit of a batch after any delay, such as that of a process that was stopped."""


@dataclass(frozen=True, slots=True, eq=False)
class PendingRender:
    """A key that waits for its rendering, with the client and the context of its first request."""

    key: RenderKey
    client: str | None
    result: asyncio.Future[Rendering]
    context: contextvars.Context


class RenderBatch:
    """Renders keys from the queue `waiting`; `run` is for the thread, all other methods for the event loop."""

    def __init__(self, waiting: deque[PendingRender], steady: Callable[[], float], delay: float = 0.0) -> None:
        self._waiting = waiting
        self._steady = steady
        self._limit = min(max(SHORTEST_LIMIT, delay * SHARE_OF_DELAY), LONGEST_LIMIT)
        self.ended = steady()
        """When `run` has rendered its last key."""
        self._outcomes: deque[tuple[PendingRender, Rendering | BaseException]] = deque()
        self.early: asyncio.TimerHandle | None = None
        """When its outcomes are collected next, while it runs."""

    def run(self) -> None:
        """Render keys until none is left or the time of the batch is over."""
        self.ended = self._steady()
        last = self.ended + self._limit
        while self.ended < last and (pending := self._take()):
            self._outcomes.append((pending, self._outcome(pending)))
            self.ended = self._steady()

    def outcomes(self) -> Iterator[tuple[PendingRender, Rendering | BaseException]]:
        """Yield the outcome of each key since the last call: its rendering or its error."""
        while self._outcomes:
            yield self._outcomes.popleft()

    def _take(self) -> PendingRender | None:
        try:
            return self._waiting.popleft()
        except IndexError:  # another thread may have taken the last one
            return None

    def _outcome(self, pending: PendingRender) -> Rendering | BaseException:
        try:
            return pending.context.run(pending.key.render)
        except BaseException as error:  # noqa: BLE001 - no error may affect the other keys
            return error
