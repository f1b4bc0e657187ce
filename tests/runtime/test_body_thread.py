"""The thread for large bodies: one at a time, with a rest after each."""

import asyncio
from contextlib import suppress

import pytest

from barcodesvc.runtime.body_thread import BodyThread


@pytest.mark.parametrize(("took", "begins"), [(0.0, True), (600.0, False)])
async def test_the_thread_rests_as_long_as_it_has_worked(*, took: float, begins: bool) -> None:
    """Others get their turns before the next body, because its parser blocks them."""
    times = iter((0.0, took, took, took))
    thread = BodyThread(lambda: next(times))
    others: list[str] = []
    assert await thread.run(len, "abc") == 3
    with suppress(TimeoutError):
        await asyncio.wait_for(thread.run(others.append, "next"), 0.1)
    assert bool(others) is begins
    await thread.close()
