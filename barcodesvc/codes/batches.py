"""Batches of renders: a thread renders the keys that wait, one after the other, until a millisecond is over.

Without them the service renders 40 % fewer new codes a second, because giving work to a thread costs more than drawing
a barcode. Their time is limited so that the event loop runs between two of them; a loop that is late because the
machine is busy gives the next one more.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from barcodesvc.codes.rendering import Rendering, RenderKey
from barcodesvc.runtime.threads import WorkerThreads, as_exception

LIMIT = 0.001
"""Seconds after which a batch starts no further key: enough for four barcodes or one QR code."""
SHARE_OF_DELAY = 0.25
"""The limit of a batch that the event loop was late to start, as a share of that delay."""
_LATEST = 0.02
"""The greatest limit in seconds, and for how long a rendering waits for a slow key after it."""


@dataclass(eq=False, slots=True)
class Batches:
    """Renders in one thread of these; `steady` returns seconds, in any thread."""

    threads: WorkerThreads
    steady: Callable[[], float]
    _waiting: deque[tuple[RenderKey, asyncio.Future[Rendering]]] = field(default_factory=deque, init=False)
    _is_running: bool = field(default=False, init=False)

    def render(self, key: RenderKey) -> asyncio.Future[Rendering]:
        """Return the future of a rendering, to be awaited shielded; it fails if the system starts no thread."""
        result: asyncio.Future[Rendering] = asyncio.Future()
        self._waiting.append((key, result))
        if not self._is_running:
            self._start(0)
        return result

    def _start(self, delay: float) -> None:
        settle: deque[Callable[[], None]] = deque()
        try:
            running = self.threads.start(self._batch, settle, delay)
        except RuntimeError as error:  # the system starts no thread
            while self._waiting:
                self._waiting.popleft()[1].set_exception(error)
            return
        self._is_running = True
        early = asyncio.get_running_loop().call_later(_LATEST, _hand_out, settle)
        running.add_done_callback(partial(self._end, settle, early))

    def _end(self, settle: deque[Callable[[], None]], early: asyncio.TimerHandle, ran: asyncio.Future[float]) -> None:
        self._is_running = False
        early.cancel()
        _hand_out(settle)
        if self._waiting:
            self._start(self.steady() - ran.result())

    def _batch(self, settle: deque[Callable[[], None]], delay: float) -> float:
        """Render; return when the last key is rendered."""
        now = self.steady()
        last = now + min(max(LIMIT, delay * SHARE_OF_DELAY), _LATEST)
        while self._waiting and now < last:
            key, result = self._waiting.popleft()
            try:
                settle.append(partial(result.set_result, key.render()))
            except BaseException as error:  # noqa: BLE001 - passed to the caller
                settle.append(partial(result.set_exception, as_exception(error)))
            now = self.steady()
        return now


def _hand_out(settle: deque[Callable[[], None]]) -> None:
    while settle:
        settle.popleft()()
