from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import cast

from barcodesvc.runtime.slow_readers import SlowReaders

Until = Callable[[Callable[[], bool]], Awaitable[None]]


@dataclass
class Transport:
    """The calls to a transport: how much it still buffers, and to abort."""

    size: int
    is_cut: bool = False

    def get_write_buffer_size(self) -> int:
        """Return the number of unsent bytes."""
        return self.size

    def abort(self) -> None:
        """Record the abort."""
        self.is_cut = True


def add(readers: SlowReaders, name: str, transport: Transport) -> Transport:
    """Register a transport."""
    readers.add(name, cast("asyncio.Transport", transport))
    return transport


async def test_the_one_that_has_waited_longest_is_cut_if_all_hold_too_much() -> None:
    """The others stay, and what was sent in the meantime no longer counts."""
    readers = SlowReaders(100, 60)
    first, second = add(readers, "first", Transport(40)), add(readers, "second", Transport(40))
    readers.discard("unknown")
    third = add(readers, "third", Transport(60))
    assert ([one.is_cut for one in (first, second, third)], readers.size) == ([True, False, False], 100)
    readers.discard("second")
    fourth = add(readers, "fourth", Transport(40))
    assert (readers.size, third.is_cut, fourth.is_cut) == (100, False, False)


async def test_a_response_beyond_the_limit_is_cut() -> None:
    """Nothing is counted then."""
    readers = SlowReaders(100, 60)
    assert (add(readers, "only", Transport(101)).is_cut, readers.size) == (True, 0)


async def test_clients_that_read_nothing_are_cut_and_slow_ones_are_not(until: Until) -> None:
    """Every check compares with the previous one; when nothing is left, the check ends."""
    readers = SlowReaders(1000, 0.02)
    slow, dead = add(readers, "slow", Transport(400)), add(readers, "dead", Transport(300))
    slow.size = 399
    await until(lambda: dead.is_cut)
    assert (slow.is_cut, readers.size) == (False, 399)
    await until(lambda: slow.is_cut)
    assert readers.size == 0
