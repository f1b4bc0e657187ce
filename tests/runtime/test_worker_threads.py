from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from barcodesvc.errors import RenderOverload
from barcodesvc.runtime import threads as worker_threads
from barcodesvc.runtime.threads import MOST_HUNG, WorkDiedError, WorkerThreads, WorkHungError, in_use, run_to_end

MOMENT = 0.05
"""Seconds after which work counts as hung here."""
Until = Callable[[Callable[[], bool]], Any]


class PanicError(BaseException):
    """What a library written in Rust raises, which is no Exception."""


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Return a gate that is opened at the end, so that no thread stays behind it."""
    gate = threading.Event()
    yield gate
    gate.set()


@pytest.fixture
async def impatient(gate: threading.Event) -> AsyncIterator[WorkerThreads]:
    """Return a thread that gives up soon."""
    threads = WorkerThreads("work", 1, MOMENT)
    yield threads
    gate.set()
    await threads.close()


def _fail(error: BaseException) -> None:
    raise error


async def test_work_is_done_in_a_named_thread(threads: WorkerThreads) -> None:
    """The result comes back from a thread that is named after its pool, and the next work finds that thread idle."""
    names = [await threads.run(lambda: threading.current_thread().name) for _ in range(3)]
    assert names == ["files_0"] * 3


async def test_threads_are_as_many_as_asked_for(threads: WorkerThreads, gate: threading.Event, until: Until) -> None:
    """While two of two are busy, more work waits, and is done when one is free."""
    begun: list[int] = []

    def wait(number: int) -> None:
        begun.append(number)
        gate.wait()

    jobs = [asyncio.create_task(threads.run(wait, number)) for number in range(4)]
    await until(lambda: len(begun) == 2)
    assert sorted(begun) == [0, 1]
    gate.set()
    await asyncio.gather(*jobs)
    assert sorted(begun) == [0, 1, 2, 3]


@pytest.mark.parametrize("error", [MemoryError(), RecursionError(), KeyError("x")], ids=repr)
async def test_an_exception_comes_out_as_it_is(threads: WorkerThreads, error: Exception) -> None:
    """The caller judges it, and the thread goes on."""
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
    """It neither ends the event loop nor keeps its caller waiting, and the thread goes on."""
    with pytest.raises(WorkDiedError, match=type(error).__name__) as raised:
        await asyncio.wait_for(threads.run(_fail, error), 10)
    assert raised.value.__cause__ is error
    assert await threads.run(int, "7") == 7


async def test_work_that_hangs_is_given_up(impatient: WorkerThreads, gate: threading.Event) -> None:
    """Its caller is told where it hangs, and a new thread does the next work."""
    with pytest.raises(WorkHungError, match=r"(?s)^work_0 hangs; .*0\.05 seconds.*in wait"):
        await impatient.run(gate.wait)
    assert impatient.hung == 1
    assert await impatient.run(lambda: threading.current_thread().name) == "work_1"


async def test_work_may_have_a_time_of_its_own(impatient: WorkerThreads, gate: threading.Event) -> None:
    """It counts from when the work begins, not from when it begins to wait."""
    waiting = asyncio.create_task(impatient.run(gate.wait, most_seconds=60))
    behind = asyncio.create_task(impatient.run(int, "7"))
    await asyncio.sleep(2 * MOMENT)
    assert (waiting.done(), behind.done(), impatient.hung) == (False, False, 0)
    gate.set()
    assert (await waiting, await behind) == (True, 7)


async def test_a_thread_that_comes_back_is_not_counted_any_more(
    impatient: WorkerThreads, gate: threading.Event, until: Until, caplog: pytest.LogCaptureFixture
) -> None:
    """It ends, because another has its place, and its late result goes nowhere."""
    before = threading.enumerate()
    with pytest.raises(WorkHungError):
        await impatient.run(gate.wait)
    gate.set()
    await until(lambda: impatient.hung == 0)
    assert "work_0" not in [thread.name for thread in threading.enumerate() if thread not in before]
    assert [record.getMessage() for record in caplog.records] == ["work_0 has come back; 0 threads work hang"]


async def test_hung_threads_are_bounded(
    impatient: WorkerThreads, gate: threading.Event, until: Until, caplog: pytest.LogCaptureFixture
) -> None:
    """When too many hang, work is refused and the log cries out; when one comes back, work is done again."""
    for _ in range(MOST_HUNG):
        with pytest.raises(WorkHungError):
            await impatient.run(gate.wait)
    assert impatient.is_exhausted
    assert [record.levelno for record in caplog.records] == [logging.CRITICAL]
    for _ in range(2):
        with pytest.raises(RenderOverload) as refusal:
            await impatient.run(int, "7")
        assert (refusal.value.status, refusal.value.headers) == (503, {"Retry-After": "60"})
    gate.set()
    await until(lambda: not impatient.is_exhausted)
    assert await impatient.run(int, "7") == 7


async def test_a_hang_that_nobody_waits_for_is_logged(
    impatient: WorkerThreads, gate: threading.Event, until: Until, caplog: pytest.LogCaptureFixture
) -> None:
    """Where the caller has gone, the log alone tells where the thread stands."""
    job = asyncio.create_task(impatient.run(gate.wait))
    await asyncio.sleep(0)
    job.cancel()
    await until(lambda: impatient.hung == 1)
    (record,) = caplog.records
    assert (record.levelno, "in wait" in record.getMessage()) == (logging.ERROR, True)


async def test_a_caller_who_leaves_frees_no_place(threads: WorkerThreads, gate: threading.Event) -> None:
    """As long as the thread works, nobody else has its place."""
    jobs = [asyncio.create_task(threads.run(gate.wait)) for _ in range(2)]
    await asyncio.sleep(0)
    for job in jobs:
        job.cancel()
    await asyncio.wait(jobs)
    waiting = asyncio.create_task(threads.run(int, "7"))
    await asyncio.sleep(MOMENT)
    assert not waiting.done()
    gate.set()
    assert await waiting == 7


async def test_closing_waits_for_the_work_and_ends_the_threads(threads: WorkerThreads, gate: threading.Event) -> None:
    """What has begun is finished first; closing again does nothing more."""
    job = asyncio.create_task(threads.run(gate.wait))
    await asyncio.sleep(0)
    closing = asyncio.create_task(threads.close())
    await asyncio.sleep(MOMENT)
    assert not closing.done()
    gate.set()
    await closing
    assert await job is True
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("files_")]
    await threads.close()


async def test_closing_does_not_wait_for_a_hung_thread(impatient: WorkerThreads, gate: threading.Event) -> None:
    """It waits until the work is given up, and what waits behind it is refused instead of hanging as well."""
    hanging = [asyncio.create_task(impatient.run(gate.wait)) for _ in range(3)]
    await asyncio.sleep(0)
    await asyncio.wait_for(impatient.close(), 10)
    outcomes = await asyncio.gather(*hanging, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [WorkHungError, RenderOverload, RenderOverload]


async def test_a_thread_that_cannot_be_started_costs_no_place(
    threads: WorkerThreads, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the system gives no thread, the caller is told, and the next one tries again."""
    with monkeypatch.context() as patched:
        patched.setattr(worker_threads, "_Thread", lambda _: _fail(RuntimeError("can't start new thread")))
        for _ in range(3):
            with pytest.raises(RuntimeError, match="can't start"):
                await threads.run(int, "7")
    assert await threads.run(int, "7") == 7


def test_a_loop_that_is_closed_is_told_nothing() -> None:
    """Work that ends after its event loop ends quietly."""
    gate = threading.Event()
    found: list[threading.Thread] = []

    async def leave_in_the_middle() -> None:
        job = asyncio.create_task(WorkerThreads("lost", 1, 60.0).run(gate.wait))
        await asyncio.sleep(0)
        found.extend(thread for thread in threading.enumerate() if thread.name == "lost_0")
        job.cancel()

    asyncio.run(leave_in_the_middle())
    gate.set()
    (thread,) = found
    thread.join(MOMENT)
    assert thread.is_alive()


async def test_who_is_cancelled_waits_for_the_end(threads: WorkerThreads, gate: threading.Event) -> None:
    """`run_to_end` gives nothing back before the thread has finished."""
    job = asyncio.create_task(run_to_end(threads, gate.wait))
    await asyncio.sleep(0.01)
    job.cancel()
    await asyncio.sleep(MOMENT)
    assert not job.done()
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await job


@contextmanager
def _resource(left: threading.Event, lock: threading.Lock) -> Iterator[str]:
    try:
        yield "open"
    finally:
        with lock:
            left.set()


def test_a_resource_in_use_is_left_at_the_end() -> None:
    """Whether the block ends well or not, the resource is left before what follows."""
    left = threading.Event()
    with in_use(_resource(left, threading.Lock())) as entered:
        assert (entered, left.is_set()) == ("open", False)
    assert left.is_set()
    left.clear()
    with pytest.raises(ValueError, match="wrong"), in_use(_resource(left, threading.Lock())):
        raise ValueError("wrong")
    assert left.is_set()


def test_a_resource_that_a_hung_thread_holds_is_left_when_it_comes_back() -> None:
    """The event loop does not wait for its lock; a thread of its own does."""
    left, lock = threading.Event(), threading.Lock()
    lock.acquire()
    with pytest.raises(WorkHungError), in_use(_resource(left, lock)):
        raise WorkHungError("work_0 hangs")
    assert not left.is_set()
    lock.release()
    assert left.wait(10)
