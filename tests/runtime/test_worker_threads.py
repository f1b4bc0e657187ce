import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from barcodesvc.runtime.body_thread import BodyThread
from barcodesvc.runtime.threads import WorkDiedError, WorkerThreads, run_to_end
from tests.fixture_types import Until

MOMENT = 0.05
"""Seconds within which an unwanted event would have happened."""


class PanicError(BaseException):
    """What a library written in Rust raises: a BaseException that is not an Exception."""


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Return a gate that is opened at the end, so that no thread remains behind it."""
    gate = threading.Event()
    yield gate
    gate.set()


def _fail(error: BaseException) -> None:
    raise error


async def test_threads_are_as_many_as_asked_for(threads: WorkerThreads, gate: threading.Event, until: Until) -> None:
    """While both threads, named after their pool, are busy, more work waits, and runs when one is free."""
    begun: list[str] = []

    def wait() -> None:
        begun.append(threading.current_thread().name)
        gate.wait()

    jobs = [asyncio.create_task(threads.run(wait)) for _ in range(4)]
    await until(lambda: len(begun) == 2)
    await asyncio.sleep(MOMENT)
    assert sorted(begun) == ["files_0", "files_1"]
    gate.set()
    await asyncio.gather(*jobs)
    assert len(begun) == 4


@pytest.mark.parametrize("error", [MemoryError(), KeyError("x")], ids=repr)
async def test_an_exception_comes_out_as_it_is(threads: WorkerThreads, error: Exception) -> None:
    """The caller handles it, and the thread continues."""
    with pytest.raises(type(error)) as raised:
        await threads.run(_fail, error)
    assert raised.value is error
    assert await threads.run(int, "7") == 7


@pytest.mark.parametrize(
    "error",
    [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), StopIteration(1), asyncio.CancelledError(), PanicError()],
    ids=repr,
)
async def test_what_is_no_exception_becomes_one(threads: WorkerThreads, error: BaseException) -> None:
    """It neither ends the event loop nor blocks its caller, and the thread continues."""
    with pytest.raises(WorkDiedError, match=type(error).__name__) as raised:
        await asyncio.wait_for(threads.run(_fail, error), 10)
    assert raised.value.__cause__ is error
    assert await threads.run(int, "7") == 7


async def test_work_waits_for_the_event_loop(threads: WorkerThreads, gate: threading.Event, until: Until) -> None:
    """An idle thread takes no work by itself, however much waits: the loop runs in between."""
    begun: list[int] = []

    def wait(number: int) -> None:
        begun.append(number)
        gate.wait()

    jobs = [asyncio.create_task(threads.run(wait, number)) for number in range(20)]
    await until(lambda: len(begun) == 2)
    gate.set()
    threading.Event().wait(10 * MOMENT)  # the event loop is busy
    assert sorted(begun) == [0, 1]
    await asyncio.gather(*jobs)
    assert len(begun) == 20


async def test_work_that_hangs_costs_its_thread_alone(threads: WorkerThreads, gate: threading.Event) -> None:
    """The other thread does later work, and `busy` counts the blocked one."""
    hanging = asyncio.create_task(threads.run(gate.wait))
    assert [await threads.run(int, "7") for _ in range(5)] == [7] * 5
    assert (threads.busy, hanging.done()) == (1, False)
    gate.set()
    await hanging


async def test_a_caller_who_leaves_frees_no_thread(threads: WorkerThreads, gate: threading.Event, until: Until) -> None:
    """As long as the thread works, no other caller gets it."""
    jobs = [asyncio.create_task(threads.run(gate.wait)) for _ in range(2)]
    await until(lambda: threads.busy == 2)
    for job in jobs:
        job.cancel()
    await asyncio.wait(jobs)
    waiting = asyncio.create_task(threads.run(int, "7"))
    await asyncio.sleep(MOMENT)
    assert not waiting.done()
    gate.set()
    assert await waiting == 7


async def test_closing_waits_for_the_work_and_ends_the_threads(
    threads: WorkerThreads, gate: threading.Event, until: Until
) -> None:
    """Work in progress finishes first; closing again has no effect."""
    job = asyncio.create_task(threads.run(gate.wait))
    await until(lambda: threads.busy == 1)
    closing = asyncio.create_task(threads.close())
    await asyncio.sleep(MOMENT)
    assert not closing.done()
    gate.set()
    await closing
    assert await job is True
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("files_")]
    await threads.close()


async def test_a_thread_that_cannot_be_started_costs_no_slot(
    threads: WorkerThreads, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the system has no thread left, the caller gets an error, its work is never done, and the next tries again."""
    done: list[str] = []
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", lambda _: _fail(RuntimeError("can't start new thread")))
        for _ in range(3):
            with pytest.raises(RuntimeError, match="can't start"):
                await threads.run(done.append, "refused")
    await threads.run(done.append, "taken")
    assert done == ["taken"]


def test_work_that_outlives_its_event_loop_ends_quietly(
    gate: threading.Event, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is logged if the result is no longer awaited, and the thread stays usable."""
    pool = WorkerThreads("lost", 1)
    started = threading.Event()

    def work() -> None:
        started.set()
        gate.wait()

    async def leave_in_the_middle() -> None:
        job = asyncio.create_task(pool.run(work))
        await asyncio.to_thread(started.wait)
        job.cancel()

    async def go_on() -> int:
        return await pool.start(int, "7")

    asyncio.run(leave_in_the_middle())
    gate.set()
    assert asyncio.run(go_on()) == 7
    assert caplog.records == []


async def test_who_is_cancelled_waits_for_the_end(threads: WorkerThreads, gate: threading.Event) -> None:
    """`run_to_end` returns only after the thread has finished, even if it is cancelled."""
    job = asyncio.create_task(run_to_end(threads, gate.wait))
    await asyncio.sleep(0.01)
    job.cancel()
    await asyncio.sleep(MOMENT)
    assert not job.done()
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await job


@pytest.mark.parametrize(("took", "begins"), [(0.0, True), (600.0, False)])
async def test_the_thread_for_bodies_rests_as_long_as_it_has_worked(*, took: float, begins: bool) -> None:
    """Others get their turns before the next large body, because its parser blocks them."""
    times = iter((0.0, took, took, took))
    thread = BodyThread(lambda: next(times))
    others: list[str] = []
    assert await thread.run(len, "abc") == 3
    with suppress(TimeoutError):
        await asyncio.wait_for(thread.run(others.append, "next"), 0.1)
    assert bool(others) is begins
    await thread.close()
