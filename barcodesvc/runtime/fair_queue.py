"""Fair queueing: a limited number of places for the work of many clients, so that no client blocks the others.

Without it, a user would wait minutes for one photo while another client sends hundreds.

- A free place goes to the client that holds the fewest. Among several, start-time fair queueing decides: the virtual
  time of a client advances by the slices that it has used.
- While others wait, work that has used its slice must yield its place. Its next slice is twice as long. Some places are
  reserved for first slices, so that new work does not wait for a long one (a multilevel feedback queue of two levels).
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
    start_tag: float
    slice_seconds: float
    is_wanted: Callable[[], bool]
    """Whether the client still waits for the result."""
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


@dataclass(frozen=True, slots=True)
class Slices:
    """How long work may keep its place while others wait."""

    seconds: float
    """The length of the first slice."""
    most_kept: int = 0
    """Places in which a client's oldest work never has to yield."""
    places_for_first: int = 0
    """Places reserved for work in its first slice."""


class FairQueue:
    """A number of places, and room for `most_waiting` further turns; `overload` returns the error that refuses more."""

    def __init__(
        self,
        places: int,
        most_waiting: int,
        overload: Callable[[], Overload],
        slices: Slices,
    ) -> None:
        self.most = places + most_waiting
        self._for_later_slices = places - slices.places_for_first
        self._places = places
        self._most_waiting = most_waiting
        self._overload = overload
        self._slice = slices.seconds
        self._most_kept = slices.most_kept
        self._waiting: list[Turn] = []
        self._running: list[Turn] = []
        self._virtual_time = 0.0
        self._finish_tags: dict[str, float] = {}

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
        turn = Turn(client, self._start_tag(client), self._slice, is_wanted)
        self._waiting.append(turn)
        self._hand_out()
        return turn

    def start_slice(self, turn: Turn) -> None:
        """Begin the slice of a turn that has a place, once its work can start."""
        loop = asyncio.get_running_loop()
        turn.began = loop.time()
        loop.call_later(turn.slice_seconds, self._reclaim)
        self._reclaim()

    def wait_again(self, turn: Turn) -> None:
        """Yield the place, and wait for another one."""
        self._running.remove(turn)
        self._charge(turn)
        turn.start_tag = self._start_tag(turn.client)
        turn.slice_seconds *= 2
        turn.must_yield, turn.began = False, math.inf
        turn.begins = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._hand_out()

    def leave(self, turn: Turn) -> None:
        """Remove a turn from its place or from the queue."""
        for turns in (self._waiting, self._running):
            if turn in turns:
                turns.remove(turn)
        self._charge(turn)
        self._hand_out()

    def _start_tag(self, client: str) -> float:
        """Return the virtual start time of the client's next turn; the turn is charged one slice in advance."""
        if not self.used:
            self._finish_tags.clear()
        tag = max(self._virtual_time, self._finish_tags.get(client, 0.0))
        self._finish_tags[client] = tag + 1
        return tag

    def _charge(self, turn: Turn) -> None:
        """Charge the slices that the turn has used instead of the one charged in advance."""
        had = max(0.0, asyncio.get_running_loop().time() - turn.began) / self._slice if self._slice else 1
        if turn.client in self._finish_tags:
            self._finish_tags[turn.client] += had - 1

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
            self._begin(turn)
        self._reclaim()

    def _next(self) -> Turn | None:
        """Return the turn that gets the next place, or None."""
        held = Counter(turn.client for turn in self._running)
        only_first = sum(map(self._is_later, self._running)) >= self._for_later_slices
        possible = [turn for turn in self._waiting if not (only_first and self._is_later(turn))]
        return min(possible, key=lambda turn: (held[turn.client], turn.start_tag), default=None)

    def _is_later(self, turn: Turn) -> bool:
        """Return whether a turn has used its first slice."""
        return turn.slice_seconds > self._slice

    def _begin(self, turn: Turn) -> None:
        self._waiting.remove(turn)
        self._running.append(turn)
        self._virtual_time = max(self._virtual_time, turn.start_tag)
        turn.begins.set_result(None)

    def _reclaim(self) -> None:
        """Make work yield that has used its slice while other clients wait, the latest first."""
        needed = len(self._waiting) - sum(turn.must_yield for turn in self._running)
        for turn in self._reclaimable():
            if needed > 0 and any(other.client != turn.client for other in self._waiting):
                turn.must_yield = True
                needed -= 1

    def _reclaimable(self) -> list[Turn]:
        now, held, found = asyncio.get_running_loop().time() + _TICK, Counter[str](), []
        for turn in self._running:
            held[turn.client] += 1
            if held[turn.client] > self._most_kept and now - turn.began >= turn.slice_seconds and not turn.must_yield:
                found.append(turn)
        return found[::-1]
