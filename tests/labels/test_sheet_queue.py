import asyncio
import logging
import threading
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pymupdf_fonts
import pytest

from barcodesvc.errors import (
    GenerationFailure,
    InvalidInput,
    RenderOverload,
    Stopping,
)
from barcodesvc.labels.sheet_queue import JOBS, SHORT_JOB, SheetQueue
from barcodesvc.symbols.modules import Symbol
from barcodesvc.symbols.registry import Symbology, find_symbology
from tests.labels.sheet_jobs import CODE128, lines_of, sheet_job


@pytest.fixture
async def queue() -> AsyncIterator[SheetQueue]:
    """Return queue that are closed at the end."""
    queue = SheetQueue()
    yield queue
    await queue.close()


def _held_up(gate: threading.Event, begun: threading.Event | None = None) -> Symbology:
    """Return a symbology whose encoder sets `begun` and waits, so that a job takes as long as a test needs."""

    def encode(content: str) -> Symbol:
        if begun:
            begun.set()
        gate.wait(10)
        return CODE128.encode(content)

    return replace(CODE128, encode=encode)


async def test_a_job_becomes_a_pdf(queue: SheetQueue) -> None:
    """Every code gets a label with its text, and its description if there is one."""
    pdf = await queue.run(sheet_job("A", "B", A="Blue pen"))
    assert Counter(lines_of(pdf)) == Counter({"A": 1, "Blue pen": 1, "B": 1})


async def test_the_named_face_is_used(tmp_path: Path) -> None:
    """Queues with a font use it for what the bundled faces lack."""
    path = tmp_path / "named.ttf"
    path.write_bytes(pymupdf_fonts.myfont("notos"))
    queue = SheetQueue(path)
    assert b"+NotoSans-Regular" in await queue.run(sheet_job("A", A="Łódź"))
    await queue.close()


async def test_jobs_run_one_after_the_other_in_their_own_thread(queue: SheetQueue) -> None:
    """Short jobs share one thread, named after their queue, and leave the event loop's alone."""
    names: list[str] = []

    def encode(content: str) -> Symbol:
        names.append(threading.current_thread().name)
        return CODE128.encode(content)

    await asyncio.gather(*(queue.run(sheet_job("A", symbology=replace(CODE128, encode=encode))) for _ in range(5)))
    assert names == ["sheets-short_0"] * 5


async def test_a_short_job_does_not_wait_for_a_long_one(queue: SheetQueue) -> None:
    """While a long job is held up, a sheet of one label is printed."""
    gate = threading.Event()
    long = asyncio.create_task(queue.run(sheet_job(*["A"] * (SHORT_JOB + 1), symbology=_held_up(gate))))
    await asyncio.sleep(0)
    assert await queue.run(sheet_job("B"))
    assert not long.done()
    gate.set()
    assert await long


async def test_closing_begins_no_job_that_waits() -> None:
    """At the end the running job is finished, and the waiting ones are not begun."""
    queue, gate = SheetQueue(), threading.Event()
    jobs = [asyncio.create_task(queue.run(sheet_job("A", symbology=_held_up(gate)))) for _ in range(3)]
    await asyncio.sleep(0)
    closing = asyncio.create_task(queue.close())
    await asyncio.sleep(0.05)
    assert not closing.done()
    gate.set()
    await closing
    first, *others = await asyncio.gather(*jobs, return_exceptions=True)
    assert isinstance(first, bytes)
    assert [type(other) for other in others] == [Stopping, Stopping]


async def test_the_queue_is_bounded(queue: SheetQueue) -> None:
    """Beyond JOBS under way or waiting, a job is rejected with Retry-After; all others are done."""
    gate = threading.Event()
    jobs = [asyncio.create_task(queue.run(sheet_job("A", symbology=_held_up(gate)))) for _ in range(JOBS)]
    await asyncio.sleep(0)
    with pytest.raises(RenderOverload) as refusal:
        await queue.run(sheet_job("B"))
    assert refusal.value.headers == {"Retry-After": "1"}
    gate.set()
    assert all(pdf.startswith(b"%PDF") for pdf in await asyncio.gather(*jobs))
    assert await queue.run(sheet_job("B"))


async def test_a_job_without_a_waiting_client_counts_until_it_is_done(queue: SheetQueue) -> None:
    """When a caller leaves, its job keeps its slot until it is done: the limit is on work."""
    gate = threading.Event()
    jobs = [asyncio.create_task(queue.run(sheet_job("A", symbology=_held_up(gate)))) for _ in range(JOBS)]
    await asyncio.sleep(0)
    for job in jobs:
        job.cancel()
    await asyncio.wait(jobs)
    with pytest.raises(RenderOverload):
        await queue.run(sheet_job("B"))
    gate.set()


async def test_a_job_whose_client_has_left_is_not_begun(queue: SheetQueue) -> None:
    """Jobs of clients that have left are skipped, however many labels they have, and others take their turn."""
    gate, begun = threading.Event(), threading.Event()
    first = asyncio.create_task(queue.run(sheet_job("A", symbology=_held_up(gate))))
    unwanted = [
        asyncio.create_task(queue.run(sheet_job("B", symbology=_held_up(gate, begun)), lambda: False)) for _ in range(3)
    ]
    wanted = asyncio.create_task(queue.run(sheet_job("C")))
    await asyncio.sleep(0)
    gate.set()
    assert await first
    assert await wanted
    failures = await asyncio.gather(*unwanted, return_exceptions=True)
    assert [(type(each), str(each)) for each in failures] == [(GenerationFailure, "the client has disconnected")] * 3
    assert not begun.is_set()
    assert queue.jobs_by_queue == {"short": 0, "long": 0}


async def test_long_jobs_take_no_capacity_from_short_ones(queue: SheetQueue) -> None:
    """However many long jobs wait, a sheet of one label is printed; a long one learns how long to wait."""
    gate = threading.Event()
    long = sheet_job(*["A"] * 2500, symbology=_held_up(gate))
    jobs = [asyncio.create_task(queue.run(long)) for _ in range(JOBS)]
    await asyncio.sleep(0)
    with pytest.raises(RenderOverload) as refusal:
        await queue.run(long)
    assert refusal.value.headers == {"Retry-After": "21"}
    assert await queue.run(sheet_job("B"))
    gate.set()
    await asyncio.gather(*jobs)


async def test_a_failure_without_a_waiting_client_is_retrieved(
    queue: SheetQueue, caplog: pytest.LogCaptureFixture
) -> None:
    """It is not reported as an exception that was never retrieved."""
    gate = threading.Event()
    job = asyncio.create_task(queue.run(sheet_job("x", symbology=replace(_held_up(gate), name="EAN8"))))
    refused = asyncio.create_task(queue.run(sheet_job("x", symbology=find_symbology("EAN8"))))
    await asyncio.sleep(0)
    refused.cancel()
    gate.set()
    await asyncio.wait([job, refused])
    await queue.close()
    assert caplog.records == []


async def test_a_refusal_comes_out_as_it_is(queue: SheetQueue) -> None:
    """An invalid input remains an error of the input."""
    with pytest.raises(InvalidInput):
        await queue.run(sheet_job("x", symbology=find_symbology("EAN8")))


async def test_an_unforeseen_failure_is_a_generation_failure(
    queue: SheetQueue, caplog: pytest.LogCaptureFixture
) -> None:
    """The cause is logged with its traceback and not sent; the next job is done."""

    def encode(_content: str) -> Symbol:
        raise ZeroDivisionError("/secret")

    with pytest.raises(GenerationFailure) as failure:
        await queue.run(sheet_job("A", symbology=replace(CODE128, encode=encode)))
    assert "secret" not in failure.value.message
    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [
        (logging.ERROR, "printing 1 labels failed")
    ]
    assert await queue.run(sheet_job("A"))
