"""Batches of renders: a thread renders the keys that wait, one after the other, until a millisecond is over.

Without them the service renders 40 % fewer new codes a second, because giving work to a thread costs more than drawing
a barcode. Their time is limited so that the event loop runs between two of them.
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
_LATEST = 0.02
"""Seconds for which a rendering waits at most for a slow key after it."""


@dataclass(eq=False, slots=True)
class Batches:
    """Renders in one thread of these; `steady` returns seconds, in any thread."""

    threads: WorkerThreads
    steady: Callable[[], float]
    _waiting: deque[tuple[RenderKey, asyncio.Future[Rendering]]] = field(default_factory=deque, init=False)
    _running: asyncio.Task[None] | None = field(default=None, init=False)

    def render(self, key: RenderKey) -> asyncio.Future[Rendering]:
        """Return the future of a rendering, to be awaited shielded; it fails if the system starts no thread."""
        result: asyncio.Future[Rendering] = asyncio.Future()
        self._waiting.append((key, result))
        self._running = self._running or asyncio.create_task(self._run())
        return result

    async def _run(self) -> None:
        settle: deque[Callable[[], None]] = deque()
        while self._waiting:
            try:
                running = self.threads.start(self._batch, settle)
            except RuntimeError as error:  # the system starts no thread
                self._waiting.popleft()[1].set_exception(error)
                continue
            while not running.done():
                await asyncio.wait([running], timeout=_LATEST)
                while settle:
                    settle.popleft()()
        self._running = None

    def _batch(self, settle: deque[Callable[[], None]]) -> None:
        last = self.steady() + LIMIT
        while self._waiting:
            key, result = self._waiting.popleft()
            try:
                settle.append(partial(result.set_result, key.render()))
            except BaseException as error:  # noqa: BLE001 - passed to the caller
                settle.append(partial(result.set_exception, as_exception(error)))
            if self.steady() >= last:
                return
