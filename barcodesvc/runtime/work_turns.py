"""Fair scheduling of long work on the event loop: one piece of it in each turn, and other requests between the pieces.

What a client can send by the thousand, such as parameters, segments of a path, fields of a body or entries of a page,
costs milliseconds. Without turns, all such requests that arrive together run one after the other in one turn of the
loop, and `/health` waits for all of them.

Rule: short requests never wait here, so a kiosk's requests overtake the long ones.
"""

from __future__ import annotations

import asyncio
from collections import deque

FEW_ENTRIES = 50
"""Entries of a list that may become JSON without a turn."""
SHORT = 512
"""Bytes of an address or a body that needs no turn."""


class WorkTurns:
    """The pieces of work that wait for their turns, in their order."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def take(self) -> None:
        """Wait for a turn of the loop in which no other piece of work begins."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting.append(turn)
        if len(self._waiting) == 1:
            loop.call_soon(self._give)
        await turn

    def _give(self) -> None:
        """Resume the first piece of work; one that was cancelled needs no turn."""
        while self._waiting and self._waiting[0].done():
            self._waiting.popleft()
        if self._waiting:
            self._waiting[0].set_result(None)
            asyncio.get_running_loop().call_soon(self._give)
