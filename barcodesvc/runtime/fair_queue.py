"""Fair queueing: a limited number of places for the work of many clients, so that no client blocks the others.

Without it, a user would wait minutes for one photo while another client sends hundreds.

- A free place goes to the client with the least work that has begun and not ended. Among several, it goes to the turn
  that has waited longest.
- Work that has used its slice is long. It yields its place to another client's new work, the latest first, and begins
  again later. In a quarter of the places, or one, long work stays to its end, work that has yielded first: more would
  keep the processor from new work.
- If the queue is full, the client with the most turns loses its latest waiting turn to a client with fewer.

Work of a client that has disconnected is skipped.

Rule: turns begin and end in the event loop only; `must_yield` may be read in any thread.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from barcodesvc.errors import GenerationFailure, Overload, ServiceError

_TICK = 0.01
"""Seconds by which a timer of the event loop may fire early."""


@dataclass(eq=False, slots=True)
class Turn:
    """A client's work, which waits for a place or has one."""

    client: str
    is_wanted: Callable[[], bool]
    """Whether the client still waits for the result."""
    is_new: bool = True
    """Whether the work has never yielded."""
    must_yield: bool = False
    """Whether the work must give its place up, because others wait."""
    begins: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    began: float = math.inf

    async def place(self) -> None:
        """Wait for the place.

        Raises Overload if another client got the room in the queue, and GenerationFailure if the client has
        disconnected.
        """
        await asyncio.shield(self.begins)


class FairQueue:
    """A number of places, and room for `most_waiting` further turns; `overload` returns the error that refuses more.

    Work may keep its place for `slice_seconds` while others wait.
    """

    def __init__(self, places: int, most_waiting: int, overload: Callable[[], Overload], slice_seconds: float) -> None:
        self.most = places + most_waiting
        self._places = places
        self._for_long = max(1, places // 4)
        self._most_waiting = most_waiting
        self._overload = overload
        self._slice = slice_seconds
        self._waiting: list[Turn] = []
        self._running: list[Turn] = []

    @property
    def used(self) -> int:
        """The number of turns that wait or have a place."""
        return len(self._waiting) + len(self._running)

    def require(self, client: str) -> None:
        """Raise Overload if a turn of this client would be refused."""
        if self._is_full() and self._victim(client) is None:
            raise self._overload()

    def enter(self, client: str, is_wanted: Callable[[], bool]) -> Turn:
        """Return a turn that waits for its place; the caller must let it `leave`. Raises Overload."""
        if self._is_full():
            self._pass_over_the_unwanted()
        self.require(client)
        if self._is_full() and (victim := self._victim(client)):
            self._refuse(victim, self._overload())
        turn = Turn(client, is_wanted)
        self._waiting.append(turn)
        self._hand_out()
        return turn

    def start_slice(self, turn: Turn) -> None:
        """Begin the slice of a turn that has a place, once its work can start."""
        loop = asyncio.get_running_loop()
        turn.began = loop.time()
        loop.call_later(self._slice, self._reclaim)

    def wait_again(self, turn: Turn) -> None:
        """Yield the place, and wait for another one behind all others."""
        self._running.remove(turn)
        turn.is_new = turn.must_yield = False
        turn.began = math.inf
        turn.begins = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._hand_out()

    def leave(self, turn: Turn) -> None:
        """Remove a turn from its place or from the queue."""
        for turns in (self._waiting, self._running):
            if turn in turns:
                turns.remove(turn)
        self._hand_out()

    def _is_full(self) -> bool:
        return len(self._waiting) >= self._most_waiting

    def _victim(self, client: str) -> Turn | None:
        """Return the turn that makes room for this client: the latest waiting one of the client with most turns."""
        turns = Counter(turn.client for turn in (*self._waiting, *self._running))
        latest = max(reversed(self._waiting), key=lambda turn: turns[turn.client])
        return latest if turns[latest.client] > turns[client] + 1 else None

    def _pass_over_the_unwanted(self) -> None:
        for turn in [turn for turn in self._waiting if not turn.is_wanted()]:
            self._refuse(turn, GenerationFailure("the client has disconnected"))

    def _refuse(self, turn: Turn, error: ServiceError) -> None:
        self._waiting.remove(turn)
        turn.begins.set_exception(error)
        turn.begins.exception()  # marked as retrieved, because a cancelled waiter does not

    def _hand_out(self) -> None:
        self._pass_over_the_unwanted()
        while len(self._running) < self._places and (turn := self._next()):
            self._waiting.remove(turn)
            self._running.append(turn)
            turn.begins.set_result(None)
        self._reclaim()

    def _next(self) -> Turn | None:
        """Return the turn that gets the next place, or None."""
        has_yielded = [turn for turn in self._waiting if not turn.is_new]
        begun = Counter(turn.client for turn in (*self._running, *has_yielded))
        is_for_long = has_yielded and len(self._long()) < self._for_long
        possible = has_yielded if is_for_long else [turn for turn in self._waiting if turn.is_new]
        return min(possible, key=lambda turn: begun[turn.client], default=None)

    def _long(self) -> list[Turn]:
        """Return the long work that has a place: what has yielded before, then what has used its first slice."""
        begun_before = asyncio.get_running_loop().time() + _TICK - self._slice
        has_yielded = [turn for turn in self._running if not turn.is_new]
        return has_yielded + [turn for turn in self._running if turn.is_new and turn.began <= begun_before]

    def _reclaim(self) -> None:
        """Make long work yield to new work of other clients."""
        yielding = sum(turn.must_yield for turn in self._running)
        for turn in reversed(self._long()[self._for_long :]):
            others = sum(other.is_new and other.client != turn.client for other in self._waiting)
            if others > yielding and not turn.must_yield:
                turn.must_yield = True
                yielding += 1
