"""Print jobs in the database: their rest, who has to see to them, and which make room for new ones."""

import asyncio
from functools import partial

import pytest

from barcodesvc.errors import RenderOverload
from barcodesvc.print_jobs import JobState, PrintJob, PrintJobNotFound, PrintJobStateDiffers
from barcodesvc.printers.printers import ONLY_PROCESS
from barcodesvc.store.database import Database
from barcodesvc.store.print_jobs import (
    HeldPrinter,
    NewJob,
    QueueLimits,
    cancel,
    delete_old,
    get_job,
    list_jobs,
    list_unsettled_jobs,
    queue,
    settle,
    waiting_jobs,
)
from barcodesvc.store.script import Script
from tests.printers.queued import NOON, queued, rest

LATER = "2026-02-01T12:00:00.000Z"


async def held(database: Database) -> HeldPrinter:
    """Return the printer as its process holds it."""
    printer = HeldPrinter(database, "zebra", ONLY_PROCESS)
    await printer.claim(NOON)
    return printer


def of_size(size: int) -> NewJob:
    """Return a new job whose request has as many bytes."""
    return NewJob("zebra", 1, "x" * size, NOON)


async def unsettled(database: Database) -> list[int]:
    """Return the ids of the jobs that need a person, newest first."""
    return [job.id for job in await list_unsettled_jobs(database, "zebra", 1000, None)]


@pytest.mark.each_engine
async def test_a_waiting_job_is_cancelled_at_once(database: Database) -> None:
    """It can be cancelled once only, and another printer does not know it."""
    job = await queued(database, 3)
    assert (await database.change(lambda: cancel("zebra", job.id, NOON))).state is JobState.CANCELLED
    with pytest.raises(PrintJobStateDiffers):
        await database.change(lambda: cancel("zebra", job.id, NOON))
    with pytest.raises(PrintJobNotFound):
        await database.change(lambda: cancel("other", job.id, NOON))


async def test_the_rest_of_a_job_is_a_new_one(database: Database) -> None:
    """Only a job that is over has a rest, and a printed one only behind a label that is named.

    So no label is printed twice for a request that does not say which.
    """
    job = await queued(database, 25)
    with pytest.raises(PrintJobStateDiffers):
        await rest(database, job.id, 1)
    printer = await held(database)
    await printer.begin_document(job.id, 25, NOON)
    await printer.confirm_documents(job.id, 25, NOON)
    await printer.end_job(job.id, JobState.PRINTED, "", NOON)
    with pytest.raises(PrintJobStateDiffers):
        await rest(database, job.id, 26)
    with pytest.raises(PrintJobStateDiffers, match="all labels are printed; give from_label"):
        await rest(database, job.id)
    again = await rest(database, job.id, 24)
    assert (again.labels, again.from_label, again.resend_of) == (2, 24, job.id)


async def test_a_rest_of_a_rest_counts_labels_as_the_first_request_does(database: Database) -> None:
    """What is asked for counts the labels of the job that is printed again."""
    job = await queued(database, 60)
    counted = [(job.from_label, job.labels)]
    for asked in (13, 15):
        await database.change(partial(cancel, "zebra", job.id, NOON))
        job = await rest(database, job.id, asked)
        counted.append((job.from_label, job.labels))
    assert counted == [(1, 60), (13, 48), (27, 34)]
    assert (await get_job(database, "zebra", job.id)) == job


@pytest.mark.each_engine
async def test_a_job_needs_a_person_until_it_is_settled(database: Database) -> None:
    """One that is in doubt or has failed does, until somebody has seen to it or sent its rest; the first time stays."""
    printer, ids = await held(database), [(await queued(database, 3)).id for _ in range(4)]
    with pytest.raises(PrintJobStateDiffers, match="the job is waiting"):
        await database.change(partial(settle, "zebra", ids[0], NOON))
    states = (JobState.IN_DOUBT, JobState.PRINTED, JobState.FAILED, JobState.IN_DOUBT)
    for job_id, state in zip(ids, states, strict=True):
        await printer.end_job(job_id, state, "", NOON)
    assert await unsettled(database) == [ids[3], ids[2], ids[0]]
    assert (await database.change(partial(settle, "zebra", ids[0], NOON))).settled_at == NOON
    assert (await database.change(partial(settle, "zebra", ids[0], LATER))).settled_at == NOON
    await rest(database, ids[3])
    assert await unsettled(database) == [ids[2]]
    with pytest.raises(PrintJobNotFound):
        await database.change(partial(settle, "other", ids[2], NOON))


@pytest.mark.each_engine
async def test_the_oldest_jobs_make_room(database: Database) -> None:
    """Jobs that are over go first; those that wait never go, and then there is no room."""
    limits = QueueLimits(jobs=3, request_bytes=25)
    old = await database.change(lambda: queue(of_size(20), limits))
    with pytest.raises(RenderOverload):
        await database.change(lambda: queue(of_size(20), limits))
    await database.change(lambda: cancel("zebra", old.id, NOON))
    new = await database.change(lambda: queue(of_size(20), limits))
    with pytest.raises(PrintJobNotFound):
        await get_job(database, "zebra", old.id)
    assert await waiting_jobs(database) == {"zebra": 1}
    await delete_old(database, "9999")
    assert (await get_job(database, "zebra", new.id)).state is JobState.WAITING


@pytest.mark.each_engine
async def test_jobs_that_are_queued_at_the_same_time_are_limited_too(database: Database) -> None:
    """Each sees those before it."""
    limits = QueueLimits(jobs=2, request_bytes=1000)
    queueing = (database.change(partial(queue, of_size(2), limits)) for _ in range(20))
    ended = await asyncio.gather(*queueing, return_exceptions=True)
    assert [type(each) for each in ended].count(PrintJob) == 2
    assert await waiting_jobs(database) == {"zebra": 2}


@pytest.mark.each_engine
async def test_no_more_jobs_make_room_than_necessary(database: Database) -> None:
    """One by one, the oldest first; those in doubt and those that failed last, because a person may need them."""
    limits, printer = QueueLimits(jobs=100, request_bytes=100), await held(database)
    for state in (JobState.IN_DOUBT, JobState.CANCELLED, JobState.FAILED, JobState.PRINTED, JobState.SENT):
        job = await database.change(lambda: queue(of_size(20), limits))
        await printer.end_job(job.id, state, "", NOON)
    left = []
    for size in (20, 30, 60):
        job = await database.change(partial(queue, of_size(size), limits))
        await printer.end_job(job.id, JobState.IN_DOUBT, "", LATER)
        left.append([job.id for job in await list_jobs(database, "zebra", 1000, 2**31)])
    assert left == [[6, 5, 4, 3, 1], [7, 6, 3, 1], [8, 7]]


@pytest.mark.each_engine
async def test_a_job_without_room_deletes_no_others(database: Database) -> None:
    """It is refused before anything is written, so that other changes in the same transaction remain."""
    limits = QueueLimits(jobs=3, request_bytes=25)
    old = await database.change(lambda: queue(of_size(20), limits))
    await database.change(lambda: cancel("zebra", old.id, NOON))

    def together() -> Script[PrintJob]:
        with pytest.raises(RenderOverload):
            yield from queue(of_size(26), limits)
        return (yield from queue(of_size(5), limits))

    assert (await database.change(together)).state is JobState.WAITING
    assert (await get_job(database, "zebra", old.id)).state is JobState.CANCELLED
