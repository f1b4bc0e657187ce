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
"""Seconds that other requests take in a turn for each further piece of work in the next one."""
MOST_PIECES = 8
"""Pieces of work in one turn, however late it is."""


class WorkTurns:
    """The pieces of work that wait for their turns, in their order; `steady` returns seconds."""

    def __init__(self, steady: Callable[[], float]) -> None:
        self._steady = steady
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._given = 0.0  # when the last pieces were chosen
        self._resumed = 0.0  # when they began: what went before was spent on other requests

    async def take(self) -> None:
        """Wait for a turn of the loop in which few other pieces of work begin."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting.append(turn)
        if len(self._waiting) == 1:
            self._given = self._steady()
            loop.call_soon(self._resume)
            loop.call_soon(self._give)
        await turn

    def _resume(self) -> None:
        """Note when the pieces of this turn begin: they follow directly."""
        self._resumed = self._steady()

    def _give(self) -> None:
        """Choose the first pieces of work for the next turn; one that was cancelled needs no turn."""
        pieces = min(1 + int((self._resumed - self._given) / PIECE_AFTER), MOST_PIECES)
        self._given = self._steady()
        loop = asyncio.get_running_loop()
        loop.call_soon(self._resume)
        while self._waiting and pieces:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                pieces -= 1
        if self._waiting:
            loop.call_soon(self._give)
