"""One trip of a render thread: it takes several keys that wait, one after the other, and leaves what came of them.

To hand a thread its work and to hear of its end costs as much as half a barcode, which a trip costs once. It is
bounded twice, by a count of keys and by time: so the event loop is heard between two trips, and a key that takes long
is the last of its trip.

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

Kept = TypeVar("Kept")

MOST_KEYS = 8
"""Keys that a trip takes at most."""
LONGEST_TRIP = 0.001
"""Seconds after which a trip begins with no further key: some four barcodes, and one QR code.

Measured under saturation: at 2 ms and more `/health` waits half as long again, for next to no further codes a second.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Asked(Generic[Kept]):
    """A key that waits for its rendering, with the context of who asked for it first."""

    key: RenderKey
    answer: asyncio.Future[Kept]
    context: contextvars.Context


class Trip(Generic[Kept]):
    """Takes keys from the queue `waiting` to `render`; `run` is for the thread, everything else for the event loop."""

    def __init__(
        self, render: Callable[[RenderKey], Kept], waiting: deque[Asked[Kept]], steady: Callable[[], float]
    ) -> None:
        self._render = render
        self._waiting = waiting
        self._steady = steady
        self._is_called_off = False
        self._outcomes: deque[tuple[Asked[Kept], Kept | BaseException]] = deque()

    def run(self) -> None:
        """Render keys, until there is none, or as many or as long as a trip may take."""
        last = self._steady() + LONGEST_TRIP
        for _ in range(MOST_KEYS):
            asked = self._take()
            if asked is None:
                return
            self._outcomes.append((asked, self._outcome(asked)))
            if self._steady() >= last:
                return

    def outcomes(self) -> Iterator[tuple[Asked[Kept], Kept | BaseException]]:
        """Yield what came of each key since the last time that this was asked: a rendering, or what it raised."""
        while self._outcomes:
            yield self._outcomes.popleft()

    def call_off(self) -> None:
        """Let a trip that could not begin take no key, should a thread come to it later."""
        self._is_called_off = True

    def _take(self) -> Asked[Kept] | None:
        if self._is_called_off:
            return None
        try:
            return self._waiting.popleft()
        except IndexError:  # another thread may have taken the last one meanwhile
            return None

    def _outcome(self, asked: Asked[Kept]) -> Kept | BaseException:
        try:
            return asked.context.run(self._render, asked.key)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it harms none of the other keys
            return error
