from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import cast

from barcodesvc.api.unsent import Unsent

Until = Callable[[Callable[[], bool]], Awaitable[None]]


@dataclass
class Lying:
    """What is asked of a transport: how much it still holds, and to be cut."""

    size: int
    is_cut: bool = False

    def get_write_buffer_size(self) -> int:
        """Return what is left to send."""
        return self.size

    def abort(self) -> None:
        """Be cut."""
        self.is_cut = True


def add(unsent: Unsent, name: str, lying: Lying) -> Lying:
    """Count a transport."""
    unsent.add(name, cast("asyncio.Transport", lying))
    return lying


async def test_the_one_that_lies_longest_is_cut_where_all_are_too_much() -> None:
    """Others stay, and what was sent meanwhile counts no longer."""
    unsent = Unsent(100, 60)
    first, second = add(unsent, "first", Lying(40)), add(unsent, "second", Lying(40))
    unsent.discard("nobody")
    third = add(unsent, "third", Lying(60))
    assert ([one.is_cut for one in (first, second, third)], unsent.size, unsent.cut) == ([True, False, False], 100, 1)
    unsent.discard("second")
    fourth = add(unsent, "fourth", Lying(40))
    assert (unsent.size, third.is_cut, fourth.is_cut) == (100, False, False)


async def test_one_answer_beyond_the_bound_is_cut_itself() -> None:
    """Nothing is counted then."""
    unsent = Unsent(100, 60)
    assert (add(unsent, "only", Lying(101)).is_cut, unsent.size) == (True, 0)


async def test_who_takes_nothing_is_cut_and_who_takes_little_is_not(until: Until) -> None:
    """Every look compares with the one before; when nothing is left, there is none."""
    unsent = Unsent(1000, 0.02)
    slow, dead = add(unsent, "slow", Lying(400)), add(unsent, "dead", Lying(300))
    slow.size = 399
    await until(lambda: dead.is_cut)
    assert (slow.is_cut, unsent.size) == (False, 399)
    await until(lambda: slow.is_cut)
    assert (unsent.size, unsent.cut) == (0, 2)
