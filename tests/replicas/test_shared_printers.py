"""A printer of two services with one PostgreSQL database."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from barcodesvc.print_jobs import JobState, PrinterState
from barcodesvc.printers import printers, queue
from barcodesvc.store import print_jobs
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.print_jobs import HeldPrinter, LeaseLostError
from tests.engines import ServerPlaces
from tests.printers.queued import NOON, free_port, queued, shop, zebra
from tests.servers.label_printer import Behaviour, LabelPrinter


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have replicas look for jobs often."""
    monkeypatch.setattr(printers, "POLL_PAUSE", 0.05)


@pytest.fixture
async def two(postgres: ServerPlaces) -> AsyncIterator[tuple[Database, Database]]:
    """Return one database, opened twice."""
    with postgres.one() as place:
        async with open_database(place) as one, open_database(place) as other:
            yield one, other


async def test_one_replica_sends_at_a_time(two: tuple[Database, Database]) -> None:
    """Jobs that come to both are printed once each, over one connection at a time."""
    one, other = two
    async with LabelPrinter(Behaviour(label_seconds=0.005)).running() as printer:
        address = zebra(printer.port)
        async with shop(one, address) as first, shop(other, address) as second:
            ids = [await shop_.queue(12) for shop_ in (first, second) * 3]
            ended = [await first.over(job_id) for job_id in ids]
            assert await first.state() is await second.state() is PrinterState.READY
    assert {job.state for job in ended} == {JobState.PRINTED}
    assert len(printer.printed) == 6 * 12
    assert printer.most_connections == 1


async def test_a_replica_that_holds_a_printer_looks_for_the_others(
    two: tuple[Database, Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question to one of them is enough for the other, which has a job that waits for its next try."""
    monkeypatch.setattr(queue, "FIRST_PAUSE", 1000.0)
    monkeypatch.setattr(queue, "LONGEST_PAUSE", 1000.0)
    one, other = two
    port = free_port()
    async with shop(one, zebra(port)) as first, shop(other, zebra(port)) as second:
        job_id = await first.queue(3)
        await first.when(job_id, lambda job: bool(job.message))
        assert await second.state() is PrinterState.NOT_REACHABLE
        async with LabelPrinter(Behaviour(head_open=True)).running(port):
            await second.until_state(PrinterState.HEAD_OPEN)
        assert (await first.job(job_id)).state is JobState.WAITING


async def test_another_replica_takes_over(two: tuple[Database, Database], monkeypatch: pytest.MonkeyPatch) -> None:
    """What a replica was sending when it died is in doubt, and the next job is printed."""
    monkeypatch.setattr(print_jobs, "LEASE", 0.5)
    one, other = two
    first, second = await queued(one, 12), await queued(one, 2)
    dead = HeldPrinter(one, "zebra", "a dead replica")
    assert await dead.claim(NOON) == []
    assert await dead.begin_document(first.id, 10, NOON)
    async with LabelPrinter().running() as printer, shop(other, zebra(printer.port)) as alive:
        doubted, printed = await alive.over(first.id), await alive.over(second.id)
    assert (doubted.state, doubted.labels_unsure, printed.state) == (JobState.IN_DOUBT, 10, JobState.PRINTED)
    with pytest.raises(LeaseLostError):
        await dead.confirm_documents(first.id, 10, NOON)


async def test_a_lease_is_held_by_one(two: tuple[Database, Database]) -> None:
    """Of two that claim a printer at once one has it, until it gives it back."""
    held = [HeldPrinter(database, "zebra", name) for database, name in zip(two, "ab", strict=True)]
    claims = await asyncio.gather(*(each.claim(NOON) for each in held))
    assert sorted(claim is None for claim in claims) == [False, True]
    holder, waiting = held if claims[0] is not None else held[::-1]
    await holder.release()
    assert await waiting.claim(NOON) == []
