"""Fair scheduling of long work on the event loop: few pieces of it in each turn, and other requests between the turns.

What a client can send by the thousand, such as parameters, segments of a path, fields of a body or entries of a page,
costs milliseconds. Without turns, all such requests that arrive together run one after the other in one turn of the
loop, and `/health` waits for all of them.

Rule: short requests never wait here, so a kiosk's requests overtake the long ones.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

FEW_ENTRIES = 50
"""Entries of a list that may become JSON without a turn."""
SHORT = 512
"""Bytes of an address or a body that needs no turn."""
PIECE_AFTER = 0.01
"""Seconds of a turn for each further piece of work in the next one."""
MOST_PIECES = 8
"""Pieces of work in one turn, however late it is."""


class WorkTurns:
    """The pieces of work that wait for their turns, in their order; `steady` returns seconds."""

    def __init__(self, steady: Callable[[], float]) -> None:
        self._steady = steady
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._begun = 0.0  # this turn of the loop

    async def take(self) -> None:
        """Wait for a turn of the loop in which few other pieces of work begin."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting.append(turn)
        if len(self._waiting) == 1:
            self._begun = self._steady()
            loop.call_soon(self._give)
        await turn

    def _give(self) -> None:
        """Resume the first pieces of work; one that was cancelled needs no turn."""
        now = self._steady()
        pieces = min(1 + int((now - self._begun) / PIECE_AFTER), MOST_PIECES)
        self._begun = now
        while self._waiting and pieces:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                pieces -= 1
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._give)
