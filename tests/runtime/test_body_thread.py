"""The thread for large bodies: one at a time, with a rest after a very large one."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from barcodesvc.runtime import body_thread
from barcodesvc.runtime.body_thread import BodyThread


async def test_the_thread_rests_after_a_very_large_body(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others get their turns before the next body, because its parser blocks them; smaller bodies need no rest."""
    monkeypatch.setattr(body_thread, "REST", 600)
    thread = BodyThread()
    assert [await thread.run(size, len, "abc") for size in (9000, 9000, 300_000)] == [3, 3, 3]
    with suppress(TimeoutError):
        await asyncio.wait_for(thread.run(9000, pytest.fail, "the thread did not rest"), 0.1)
    await thread.close()
