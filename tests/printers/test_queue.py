"""The queue of a printer, whatever the printer is: tries, documents, cancelling, and what a crash leaves.

The printer is one of IPP, which tells most; what both languages must get right is in `test_every_printer`.
"""

import asyncio
from functools import partial
from typing import Any

import pytest

from barcodesvc.errors import InvalidContent, RenderOverload
from barcodesvc.print_jobs import JobState, PrinterState
from barcodesvc.printers import print_run, printers
from barcodesvc.printers.connection import Document, Printer
from barcodesvc.printers.printers import ONLY_PROCESS
from barcodesvc.printers.queue_context import MakeDocument
from barcodesvc.store import print_jobs
from barcodesvc.store.database import Database
from barcodesvc.store.print_jobs import HeldPrinter, QueuedJob, cancel
from tests.printers import queued as shops
from tests.printers.ipp_printer import IppPrinter
from tests.printers.queued import NOON, Hours, free_port, numbers, office, queued, shop, zebra
from tests.servers.label_printer import LabelPrinter

COMPLETED, ABORTED, CANCELLED, PROCESSING, HELD, STOPPED = 9, 8, 7, 5, 4, 6
BUSY, REFUSED = 0x0507, 0x040A
BEING_PRINTED = "cancelled while labels were being printed"


async def test_a_job_waits_for_a_printer_that_is_off(database: Database) -> None:
    """It is printed once the printer is on, and the other printer prints meanwhile."""
    port = free_port()
    async with IppPrinter().running() as other, shop(database, office(other.port), zebra(port, name="off")) as opened:
        job_id = await opened.queue(3, "off")
        job = await opened.when(job_id, lambda job: bool(job.message), "off")
        assert (job.state, await opened.state("off")) == (JobState.WAITING, PrinterState.NOT_REACHABLE)
        assert (await opened.over(await opened.queue(2))).state is JobState.PRINTED
        async with LabelPrinter().running(port) as printer:
            assert (await opened.over(job_id, "off")).state is JobState.PRINTED
    assert numbers(b"".join(printer.printed)) == [1, 2, 3]
    assert opened.observed.labels == {"zebra": 2, "off": 3}


async def test_tries_begin_again_after_printed_labels(database: Database) -> None:
    """A printer that fails now and then is not given up as long as the job advances; then the job has not failed."""
    hours, printer = Hours(), IppPrinter(refuses=BUSY, job_states=(PROCESSING,))
    async with printer.running(), shop(database, office(printer.port), tries=24, hours=hours) as opened:
        job_id = await opened.queue(12)
        await opened.when(job_id, lambda job: bool(job.message))
        hours.passed = 23.0
        printer.takes = 1
        await opened.when(job_id, lambda job: job.labels_unsure == 10)
        hours.passed = 25.0
        printer.job_states = (COMPLETED,)
        job = await opened.when(job_id, lambda job: bool(job.message))
        assert (job.state, job.labels_sure, job.message) == (JobState.SENDING, 10, "the printer is not accepting jobs")
        hours.passed = 50.0
        opened.printers.note(job)
        job = await opened.over(job_id)
    assert (job.state, job.labels_sure, job.labels_unsure) == (JobState.IN_DOUBT, 10, 0)
    assert job.message == "the printer is not accepting jobs; given up"
    assert opened.observed.jobs["zebra", JobState.FAILED] == 0


async def test_tries_go_on_if_nothing_went_out(database: Database) -> None:
    """A document that the printer refuses again and again is no progress, and the time counts over a restart."""
    hours, printer = Hours(), IppPrinter(refuses=BUSY)
    async with printer.running():
        async with shop(database, office(printer.port), tries=24, hours=hours) as opened:
            job = await opened.when(await opened.queue(12), lambda job: bool(job.message))
            assert job.state is JobState.WAITING
        hours.passed = 25.0
        async with shop(database, office(printer.port), tries=24, hours=hours) as opened:
            job = await opened.over(job.id)
    assert (job.state, job.message) == (JobState.FAILED, "the printer is not accepting jobs; given up")


async def test_jobs_behind_it_have_waited_too(database: Database) -> None:
    """Once a printer was off for the whole time of a job, the job fails with those before it."""
    hours = Hours()
    async with shop(database, office(free_port()), tries=2, hours=hours) as opened:
        first, second = await opened.queue(3), await opened.queue(3)
        await opened.when(first, lambda job: bool(job.message))
        assert (await opened.job(second)).message == ""
        hours.passed = 2.0
        opened.printers.note(await opened.job(first))
        ended = [await opened.over(first), await opened.over(second)]
    assert [job.state for job in ended] == [JobState.FAILED, JobState.FAILED]


async def test_jobs_of_a_printer_that_is_gone_end(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """They do not take room in the queue forever, but a setting may come back for as long as a printer is tried."""
    monkeypatch.setattr(printers, "HOUSEKEEPING_PAUSE", 0.02)
    hours, gone = Hours(1.9), await queued(database, 3, "gone")
    async with shop(database, office(free_port()), tries=2, hours=hours) as opened:
        await asyncio.sleep(0.1)
        assert (await opened.job(gone.id, "gone")).state is JobState.WAITING
        hours.passed = 2.1
        job = await opened.over(gone.id, "gone")
    assert (job.state, job.message) == (JobState.FAILED, "the settings no longer name the printer")
    assert opened.observed.jobs == {("gone", JobState.FAILED): 1}


async def broken(*_: Any) -> Document:
    """Fail to make a document."""
    raise LookupError


async def unfit(*_: Any) -> Document:
    """Refuse what is to be printed."""
    raise InvalidContent("EAN13: the number is too long")


async def overloaded(*_: Any) -> Document:
    """Have no room to draw a document."""
    raise RenderOverload("too many label sheets are waiting", retry_after=1)


async def test_documents_that_cannot_be_made_delay_nothing(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A job that cannot be drawn ends and says why, without the words of a failure of the service itself.

    A service that is busy is no failure of the printer: the labels are drawn a moment later, as often as it takes.
    """
    makers: list[MakeDocument] = [broken, unfit, *[overloaded] * 9, shops.make_document]

    async def make(printer: Printer, job: QueuedJob, done: int, media_types: tuple[str, ...]) -> Document:
        return await makers.pop(0)(printer, job, done, media_types)

    monkeypatch.setattr(shops, "make_document", make)
    monkeypatch.setattr(print_run, "RECORD_PAUSE", 0.01)
    async with IppPrinter().running() as printer, shop(database, office(printer.port), tries=0) as opened:
        ended = [await opened.over(await opened.queue(1)) for _ in range(3)]
    assert [(job.state, job.message) for job in ended] == [
        (JobState.FAILED, "unexpected failure while its labels were drawn"),
        (JobState.FAILED, "EAN13: the number is too long"),
        (JobState.PRINTED, ""),
    ]
    assert "waits" not in caplog.text


@pytest.mark.each_engine
async def test_what_a_dead_process_was_sending_is_in_doubt(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels that had begun are unsure and stay so; a job of which nothing is unsure goes on behind what is sure."""
    monkeypatch.setattr(print_jobs, "LEASE", 0.5)
    jobs = [(await queued(database, labels)).id for labels in (12, 12, 2)]
    dead = HeldPrinter(database, "zebra", ONLY_PROCESS)
    assert await dead.claim(NOON) == []
    for job_id in jobs[:2]:
        assert await dead.begin_document(job_id, 10, NOON)
    await dead.confirm_documents(jobs[1], 10, NOON)
    async with IppPrinter().running() as printer, shop(database, office(printer.port)) as opened:
        ended = [await opened.over(job_id) for job_id in jobs]
    assert [(job.state, job.labels_sure, job.labels_unsure) for job in ended] == [
        (JobState.IN_DOUBT, 0, 10),
        (JobState.PRINTED, 12, 0),
        (JobState.PRINTED, 2, 0),
    ]
    assert [numbers(document.content) for document in printer.documents] == [[11, 12], [1, 2]]


@pytest.mark.each_engine
async def test_a_wish_to_cancel_survives_a_crash(database: Database) -> None:
    """Between two documents the job is cancelled, and nothing more is sent of it; within one it is in doubt."""
    between, within = await queued(database, 25), await queued(database, 25)
    dead = HeldPrinter(database, "zebra", ONLY_PROCESS)
    await dead.claim(NOON)
    for job in (between, within):
        await dead.begin_document(job.id, 10, NOON)
    await dead.confirm_documents(between.id, 10, NOON)
    for job in (between, within):
        await database.change(partial(cancel, "zebra", job.id, NOON))
    await dead.release()
    async with IppPrinter().running() as printer, shop(database, office(printer.port)) as opened:
        ended = [await opened.over(job.id) for job in (between, within)]
    assert [(job.state, job.labels_sure, job.labels_unsure) for job in ended] == [
        (JobState.CANCELLED, 10, 0),
        (JobState.IN_DOUBT, 0, 10),
    ]
    assert printer.documents == []


async def test_a_stop_waits_for_the_document_that_is_being_printed(database: Database) -> None:
    """Its labels are sure then, and the next start sends those that follow."""
    printer = IppPrinter(job_states=(PROCESSING,))
    async with printer.running():
        async with shop(database, office(printer.port)) as opened:
            job_id = await opened.queue(12)
            await opened.when(job_id, lambda _: bool(printer.documents))
            printer.job_states = (COMPLETED,)
        job = await opened.job(job_id)
        assert (job.state, job.labels_sure, job.labels_unsure) == (JobState.SENDING, 10, 0)
        async with shop(database, office(printer.port)) as opened:
            assert (await opened.over(job_id)).state is JobState.PRINTED
    assert [numbers(document.content) for document in printer.documents] == [list(range(1, 11)), [11, 12]]


async def test_a_job_whose_last_document_is_being_printed_is_cancelled_too(database: Database) -> None:
    """All labels are sure, and the job shows that somebody cancelled it; it was not one of those that wait."""
    printer = IppPrinter(job_states=(PROCESSING,))
    async with printer.running(), shop(database, office(printer.port)) as opened:
        job_id = await opened.queue(3)
        await opened.when(job_id, lambda _: bool(printer.documents))
        [alone] = await opened.printers.report()
        await opened.queue(3)
        [followed] = await opened.printers.report()
        await opened.cancel(job_id)
        printer.job_states = (COMPLETED,)
        job = await opened.over(job_id)
    assert (alone.jobs_waiting, followed.jobs_waiting) == (0, 1)
    assert (job.state, job.labels_sure) == (JobState.CANCELLED, 3)
    assert opened.observed.jobs["zebra", JobState.CANCELLED] == 1


@pytest.mark.parametrize("is_cancelled", [False, True], ids=["wanted", "cancelled"])
@pytest.mark.parametrize(
    ("ended", "message"),
    [(ABORTED, "the printer ended the job"), (CANCELLED, "the job was cancelled at the printer")],
)
async def test_a_job_that_the_printer_ends_is_in_doubt(
    database: Database, ended: int, message: str, *, is_cancelled: bool
) -> None:
    """How many of the labels in the printer came out is not known, whether the job was cancelled here too or not."""
    printer = IppPrinter(job_states=(PROCESSING,))
    async with printer.running(), shop(database, office(printer.port)) as opened:
        job_id = await opened.queue(25)
        await opened.when(job_id, lambda _: bool(printer.documents))
        if is_cancelled:
            await opened.cancel(job_id)
        printer.job_states = (ended,)
        job = await opened.over(job_id)
    assert (job.state, job.labels_sure, job.labels_unsure, job.message) == (JobState.IN_DOUBT, 0, 10, message)


async def test_a_job_that_waits_for_a_person_is_cancelled(database: Database) -> None:
    """What was sent of it is unsure, and the next job is not in its way."""
    printer = IppPrinter(holds=True)
    async with printer.running(), shop(database, office(printer.port)) as opened:
        job_id = await opened.queue(2)
        await opened.when(job_id, lambda job: job.labels_unsure == 2)
        printer.reasons = ("media-empty-error",)
        await opened.until_state(PrinterState.OUT_OF_PAPER)
        await opened.cancel(job_id)
        job = await opened.over(job_id)
        printer.holds, printer.reasons = False, ("none",)
        assert (await opened.over(await opened.queue(1))).state is JobState.PRINTED
    assert (job.state, job.labels_unsure, job.message) == (JobState.CANCELLED, 2, BEING_PRINTED)


@pytest.mark.parametrize("state", [HELD, STOPPED])
async def test_a_job_that_the_printer_holds_says_so(database: Database, state: int) -> None:
    """For example until somebody enters a PIN there; the labels are printed then."""
    printer = IppPrinter(job_states=(state,))
    async with printer.running(), shop(database, office(printer.port)) as opened:
        job_id = await opened.queue(3)
        await opened.when(job_id, lambda job: job.message == "the printer holds the labels; release them there")
        printer.job_states = (COMPLETED,)
        job = await opened.over(job_id)
    assert (job.state, job.message) == (JobState.PRINTED, "")


@pytest.mark.parametrize("state", [HELD, PROCESSING, 77], ids=["held", "processing", "unknown"])
async def test_a_job_that_never_ends_is_cancelled(
    database: Database, monkeypatch: pytest.MonkeyPatch, state: int
) -> None:
    """After a while without progress it is in doubt, and the next job is sent."""
    monkeypatch.setattr(print_run, "PROGRESS_WAIT", 0.5)
    printer = IppPrinter(job_states=(state,))
    async with printer.running(), shop(database, office(printer.port)) as opened:
        job_id, after = await opened.queue(3), await opened.queue(1)
        await opened.when(job_id, lambda job: bool(job.message))
        await opened.cancel(job_id)
        job = await opened.over(job_id)
        printer.job_states = (COMPLETED,)
        assert (await opened.over(after)).state is JobState.PRINTED
    assert (job.state, job.labels_unsure, job.message) == (JobState.IN_DOUBT, 3, BEING_PRINTED)


async def test_a_job_that_never_ends_is_given_up(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what it waits for, and is in doubt after the time for which a printer is tried."""
    monkeypatch.setattr(print_run, "PROGRESS_WAIT", 0.3)
    hours, printer = Hours(), IppPrinter(job_states=(PROCESSING,))
    async with printer.running(), shop(database, office(printer.port), tries=1, hours=hours) as opened:
        job_id = await opened.queue(3)
        said = (await opened.when(job_id, lambda job: bool(job.message))).message
        hours.passed = 1.0
        job = await opened.over(job_id)
    assert said == "the printer has not said yet that it has printed the labels"
    assert (job.state, job.message) == (JobState.IN_DOUBT, f"{said}; given up")


async def test_a_fault_counts_from_when_it_began(database: Database) -> None:
    """A printer that has printed for hours before it is out of paper is not given up at once."""
    hours, printer = Hours(), IppPrinter(job_states=(PROCESSING,))
    async with printer.running(), shop(database, office(printer.port), tries=1, hours=hours) as opened:
        job_id = await opened.queue(3)
        await opened.when(job_id, lambda _: printer.asked > 0)
        hours.passed = 1.0
        printer.reasons = ("media-empty-error",)
        await opened.when(job_id, lambda job: bool(job.message))
        looks = printer.looks
        waiting = await opened.when(job_id, lambda _: printer.looks > looks + 1)
        hours.passed = 2.0
        job = await opened.over(job_id)
    assert (waiting.state, waiting.message) == (JobState.SENDING, "the printer is out of paper")
    assert (job.state, job.message) == (JobState.IN_DOUBT, "the printer is out of paper; given up")


@pytest.mark.parametrize(("takes", "state"), [(0, JobState.FAILED), (1, JobState.IN_DOUBT)])
async def test_a_document_that_is_refused_is_not_tried_again(database: Database, takes: int, state: JobState) -> None:
    """Nothing of it is printed; a job of which labels are printed has not failed: they are sure, the rest is known."""
    printing = IppPrinter(refuses=REFUSED, takes=takes)
    async with printing.running() as printer, shop(database, office(printer.port)) as opened:
        job = await opened.over(await opened.queue(12))
    assert (job.state, job.labels_sure, job.labels_unsure) == (state, 10 * takes, 0)
    assert "0x040a" in job.message


@pytest.mark.parametrize(
    "printer", [IppPrinter(job_states=(None,)), IppPrinter(forgets=True)], ids=["no state", "forgets its jobs"]
)
async def test_a_printer_that_tells_nothing_of_a_job_gets_the_labels(database: Database, printer: IppPrinter) -> None:
    """Many keep a job only while they print it, so its labels are sent, not printed, and the queue goes on.

    One that then takes no more may have lost them, so the rest is not sent later as if they were printed.
    """
    async with printer.running(), shop(database, office(printer.port)) as opened:
        job = await opened.over(await opened.queue(12))
        assert (job.state, job.labels_sure, job.labels_unsure) == (JobState.SENT, 0, 12)
        printer.refuses, printer.takes = BUSY, 3
        job = await opened.over(await opened.queue(12))
    assert (job.state, job.labels_sure, job.labels_unsure) == (JobState.IN_DOUBT, 0, 10)
    assert job.message == "the printer is not accepting jobs"
