"""Fair queueing: a limited number of places for the work of many clients, so that no client blocks the others.

Without it, a user would wait minutes for one photo while another client sends hundreds.

- A free place goes to the client with the least work in progress. Among several, it goes to the turn that has waited
  longest. No client has more than half of the places, nor half of the room to wait.
- Work that has used its slice is long, and at most half of the places are for long work. While they are taken, it gives
  up its place, and begins again once one of them is free. So new work never waits for long work to end.

Rule: turns begin and end in the event loop only; `must_yield` and `is_shared` may be read in any thread.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from barcodesvc.errors import Overload
from barcodesvc.runtime.capacity import Capacity


@dataclass(eq=False, slots=True)
class Turn:
    """A client's work, which waits for a place or has one."""

    client: str
    is_long: bool = False
    """Whether the work has used a slice."""
    must_yield: bool = False
    """Whether the work must give up its place, because those for long work are taken."""
    place: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while the turn has a place."""


class FairQueue:
    """A number of places, and room for `most_waiting` further turns; `overload` returns the error that refuses more.

    Work is long after `slice_seconds`.
    """

    def __init__(self, places: int, most_waiting: int, overload: Callable[[], Overload], slice_seconds: float) -> None:
        self.room = Capacity(places + most_waiting, overload)
        """The turns that wait or have a place."""
        self._places = places
        self._half = (places + 1) // 2
        self._slice = slice_seconds
        self._turns: list[Turn] = []

    @property
    def is_shared(self) -> bool:
        """Whether more than one turn waits or has a place."""
        return len(self._turns) > 1

    @contextmanager
    def turn(self, client: str) -> Iterator[Turn]:
        """Yield a turn, which waits for its place and has it at most until the end of the block; raises Overload."""
        with self.room.held(1, client):
            turn = Turn(client)
            self._turns.append(turn)
            self._hand_out()
            try:
                yield turn
            finally:
                self._turns.remove(turn)
                self._hand_out()

    def start_slice(self, turn: Turn) -> None:
        """Begin the slice of a turn that has a place, once its work can start; long work has none."""
        if not turn.is_long:
            asyncio.get_running_loop().call_later(self._slice, self._end_slice, turn)

    def wait_again(self, turn: Turn) -> None:
        """Yield the place, and wait for one for long work behind all others."""
        turn.must_yield = False
        turn.place.clear()
        self._turns.remove(turn)
        self._turns.append(turn)
        self._hand_out()

    def _end_slice(self, turn: Turn) -> None:
        turn.must_yield = not self._has_room_for_long
        turn.is_long = True

    @property
    def _has_room_for_long(self) -> bool:
        return sum(turn.is_long and not turn.must_yield for turn in self._turns if turn.place.is_set()) < self._half

    def _hand_out(self) -> None:
        while sum(turn.place.is_set() for turn in self._turns) < self._places and (turn := self._next()):
            turn.place.set()

    def _next(self) -> Turn | None:
        """Return the turn that gets the next place, or None."""
        begun = Counter(turn.client for turn in self._turns if turn.is_long or turn.place.is_set())
        placed = Counter(turn.client for turn in self._turns if turn.place.is_set())
        possible = (
            turn
            for turn in self._turns
            if not turn.place.is_set()
            and placed[turn.client] < self._half
            and (not turn.is_long or self._has_room_for_long)
        )
        return min(possible, key=lambda turn: begun[turn.client], default=None)
