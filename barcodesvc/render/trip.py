"""Batches of renders: in one trip a thread takes several keys that wait, one after the other.

To hand work to a thread and to get its result costs a fifth of a barcode; a trip costs it once. A trip is bounded by a
count of keys and by time: the event loop gets its turn between two trips, and a key that takes long is the last of its
trip. Without batches the service renders a quarter fewer codes a second under load.

Rule: a thread takes a key only when it begins with it. What a slow key holds up waits in the queue for another thread.
"""

from __future__ import annotations

import contextvars
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    import asyncio

    from barcodesvc.render.rendering import RenderKey

Rendered = TypeVar("Rendered")

MOST_KEYS = 8
"""Keys that a trip takes at most."""
LONGEST_TRIP = 0.001
"""Seconds after which a trip begins with no further key: some four barcodes, and one QR code.

Measured under saturation: at 2 ms and more `/health` waits half as long again, for next to no further codes a second.
"""


@dataclass(frozen=True, slots=True, eq=False)
class PendingRender(Generic[Rendered]):
    """A key that waits for its rendering, with the context of who asked for it first."""

    key: RenderKey
    answer: asyncio.Future[Rendered]
    context: contextvars.Context


class Trip(Generic[Rendered]):
    """Takes keys from the queue `waiting` to `render`; `run` is for the thread, everything else for the event loop."""

    def __init__(
        self,
        render: Callable[[RenderKey], Rendered],
        waiting: deque[PendingRender[Rendered]],
        steady: Callable[[], float],
    ) -> None:
        self._render = render
        self._waiting = waiting
        self._steady = steady
        self._outcomes: deque[tuple[PendingRender[Rendered], Rendered | BaseException]] = deque()

    def run(self) -> None:
        """Render keys, until there is none, or as many or as long as a trip may take."""
        last = self._steady() + LONGEST_TRIP
        for _ in range(MOST_KEYS):
            pending = self._take()
            if pending is None:
                return
            self._outcomes.append((pending, self._outcome(pending)))
            if self._steady() >= last:
                return

    def outcomes(self) -> Iterator[tuple[PendingRender[Rendered], Rendered | BaseException]]:
        """Yield what came of each key since the last call: a rendering, or what it raised."""
        while self._outcomes:
            yield self._outcomes.popleft()

    def _take(self) -> PendingRender[Rendered] | None:
        try:
            return self._waiting.popleft()
        except IndexError:  # another thread may have taken the last one meanwhile
            return None

    def _outcome(self, pending: PendingRender[Rendered]) -> Rendered | BaseException:
        try:
            return pending.context.run(self._render, pending.key)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it harms none of the other keys
            return error
