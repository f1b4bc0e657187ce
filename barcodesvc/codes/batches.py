"""Batches of renders: the service renders a quarter fewer new codes if it hands each of them to a thread separately."""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from barcodesvc.codes.rendering import Rendering, RenderKey
from barcodesvc.runtime.threads import WorkerThreads, as_exception

LIMIT = 0.004
"""Seconds, enough for 20 barcodes, after which a batch starts no other key, and what it has rendered is handed out."""


class Batches:
    """Renders first come, first served, in a pool for this alone; `steady` returns seconds, in any thread."""

    def __init__(self, threads: WorkerThreads, steady: Callable[[], float]) -> None:
        self._threads, self._steady = threads, steady
        self._waiting: deque[tuple[RenderKey, asyncio.Future[Rendering]]] = deque()
        self._rendered: deque[Callable[[], None]] = deque()

    def render(self, key: RenderKey) -> asyncio.Future[Rendering]:
        """Return the future of a rendering, to be awaited shielded; it fails if the system starts no thread."""
        result: asyncio.Future[Rendering] = asyncio.Future()
        self._waiting.append((key, result))
        self._start_if_idle()
        return result

    def _start_if_idle(self) -> None:
        try:
            if self._waiting and self._threads.busy < self._threads.size:
                running = self._threads.start(self._batch)
                running.add_done_callback(self._hand_out)
                asyncio.get_running_loop().call_later(LIMIT, self._hand_out, running)
        except RuntimeError as error:  # the system starts no thread
            while self._waiting:
                self._waiting.popleft()[1].set_exception(error)

    def _hand_out(self, running: asyncio.Future[None]) -> None:
        while self._rendered:
            self._rendered.popleft()()
        self._start_if_idle()
        if not running.done():
            asyncio.get_running_loop().call_later(LIMIT, self._hand_out, running)

    def _batch(self) -> None:
        end = self._steady() + LIMIT
        with suppress(IndexError):  # no key is waiting any more
            while True:
                key, result = self._waiting.popleft()
                try:
                    self._rendered.append(partial(result.set_result, key.render()))
                except BaseException as error:  # noqa: BLE001 - passed to the caller
                    self._rendered.append(partial(result.set_exception, as_exception(error)))
                if self._steady() >= end:
                    return
