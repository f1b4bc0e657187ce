"""The queue of a printer, whatever the printer is: tries, cancelling, printing again, and what a crash leaves."""

import asyncio
from functools import partial
from typing import Any

import pytest

from barcodesvc.clock import Clock
from barcodesvc.errors import InvalidContent, PrintJobNotFound, RenderOverload
from barcodesvc.print_jobs import JobState, PrinterState, PrintJob, PrintJobStateDiffers
from barcodesvc.printers import print_run, printers
from barcodesvc.printers.connection import Document, Printer
from barcodesvc.printers.printers import ONLY_PROCESS
from barcodesvc.printers.queue_context import MakeDocument
from barcodesvc.store import print_jobs
from barcodesvc.store.database import Database
from barcodesvc.store.print_jobs import (
    HeldPrinter,
    NewJob,
    QueuedJob,
    QueueLimits,
    cancel,
    delete_old,
    get_job,
    list_unsettled_jobs,
    queue,
    settle,
    waiting_jobs,
)
from barcodesvc.store.script import Script
from tests.printers import queued as shops
from tests.printers.ipp_printer import IppPrinter
from tests.printers.queued import NOON, free_port, label, queued, rest, shop, zebra
from tests.servers.label_printer import LabelPrinter

COMPLETED, ABORTED, CANCELLED, PROCESSING = 9, 8, 7, 5
BUSY = 0x0507
HOUR = 3600.0
NOON_SECONDS = 1769860800.0
"""NOON, from 1970 on."""


def office(port: int, name: str = "zebra") -> str:
    """Return the address of a printer in settings."""
    return f"{name}=ipp://127.0.0.1:{port}/ipp/print?label=50x30mm"


async def test_a_job_waits_for_a_printer_that_is_off(database: Database) -> None:
    """It is printed once the printer is on, and the other printer prints meanwhile."""
    port = free_port()
    off = zebra(port).replace("zebra", "off")
    async with IppPrinter().running() as other, shop(database, office(other.port), off) as opened:
        job_id = await opened.queue(3, "off")
        job = await opened.when(job_id, lambda job: bool(job.message), "off")
        assert (job.state, await opened.state("off")) == (JobState.WAITING, PrinterState.NOT_REACHABLE)
        assert (await opened.over(await opened.queue(2))).state is JobState.PRINTED
        async with LabelPrinter().running(port) as printer:
            assert (await opened.over(job_id, "off")).state is JobState.PRINTED
    assert printer.printed == [label(number) for number in (1, 2, 3)]
    assert opened.observed.labels == {"zebra": 2, "off": 3}


async def test_a_job_waits_for_a_person_before_its_first_label(database: Database) -> None:
    """It says what the printer lacks, and is printed then."""
    printer = IppPrinter(reasons=("media-empty-error",), is_stopped=True)
    async with printer.running(), shop(database, office(printer.port)) as opened:
        job_id = await opened.queue(3)
        job = await opened.when(job_id, lambda job: bool(job.message))
        printer.reasons, printer.is_stopped = ("none",), False
        assert (await opened.over(job_id)).state is JobState.PRINTED
    assert (job.state, job.message) == (JobState.WAITING, "the printer is out of paper")


async def test_tries_end(database: Database) -> None:
    """A printer that cannot be reached for too long fails the job: nothing went out."""
    async with shop(database, office(free_port()), tries=0.2) as opened:
        job = await opened.over(await opened.queue(3))
    assert (job.state, job.labels_sure, job.labels_unsure) == (JobState.FAILED, 0, 0)
    assert job.message.endswith("given up")


async def test_tries_begin_again_after_printed_labels(database: Database) -> None:
    """A printer that fails now and then is not given up as long as the job advances; then the job has not failed."""
    hours = [0.0]
    clock = Clock(wall=lambda: NOON_SECONDS + hours[0] * HOUR)
    printer = IppPrinter(refuses=BUSY, job_states=(PROCESSING,))
    async with printer.running(), shop(database, office(printer.port), tries=24 * HOUR, clock=clock) as opened:
        job_id = await opened.queue(12)
        await opened.when(job_id, lambda job: bool(job.message))
        hours[0] = 23.0
        printer.takes = 1
        await opened.when(job_id, lambda job: job.labels_unsure == 10)
        hours[0] = 25.0
        printer.job_states = (COMPLETED,)
        job = await opened.when(job_id, lambda job: bool(job.message))
        assert (job.state, job.labels_sure, job.message) == (JobState.SENDING, 10, "the printer takes no jobs now")
        hours[0] = 50.0
        opened.printers.note(job)
        job = await opened.over(job_id)
    assert (job.state, job.labels_sure, job.labels_unsure) == (JobState.IN_DOUBT, 10, 0)
    assert job.message == "the printer takes no jobs now; given up"
    assert opened.observed.jobs["zebra", JobState.FAILED] == 0


async def test_tries_go_on_if_nothing_went_out(database: Database) -> None:
    """A document that the printer refuses again and again is no progress."""
    hours = [0.0]
    clock = Clock(wall=lambda: NOON_SECONDS + hours[0] * HOUR)
    printer = IppPrinter(refuses=BUSY)
    async with printer.running():
        async with shop(database, office(printer.port), tries=24 * HOUR, clock=clock) as opened:
            job = await opened.when(await opened.queue(12), lambda job: bool(job.message))
            assert job.state is JobState.WAITING
        hours[0] = 25.0
        async with shop(database, office(printer.port), tries=24 * HOUR, clock=clock) as opened:
            job = await opened.over(job.id)
    assert (job.state, job.message) == (JobState.FAILED, "the printer takes no jobs now; given up")


async def test_jobs_behind_it_have_waited_too(database: Database) -> None:
    """Once a printer was off for the whole time of a job, the job fails with those before it."""
    hours = [0.0]
    clock = Clock(wall=lambda: NOON_SECONDS + hours[0] * HOUR)
    async with shop(database, office(free_port()), tries=2 * HOUR, clock=clock) as opened:
        first, second = await opened.queue(3), await opened.queue(3)
        await opened.when(first, lambda job: bool(job.message))
        assert (await opened.job(second)).message == ""
        hours[0] = 2.0
        opened.printers.note(await opened.job(first))
        ended = [await opened.over(first), await opened.over(second)]
    assert [job.state for job in ended] == [JobState.FAILED, JobState.FAILED]


async def test_jobs_of_a_printer_that_is_gone_end(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """They do not take room in the queue forever, but a setting may come back for as long as a printer is tried."""
    monkeypatch.setattr(printers, "HOUSEKEEPING_PAUSE", 0.02)
    hours = [1.9]
    clock = Clock(wall=lambda: NOON_SECONDS + hours[0] * HOUR)
    gone = await queued(database, 3, "gone")
    async with shop(database, office(free_port()), tries=2 * HOUR, clock=clock) as opened:
        await asyncio.sleep(0.1)
        assert (await opened.job(gone.id, "gone")).state is JobState.WAITING
        hours[0] = 2.1
        job = await opened.over(gone.id, "gone")
    assert (job.state, job.message) == (JobState.FAILED, "the settings do not name the printer any more")
    assert opened.observed.jobs == {("gone", JobState.FAILED): 1}


async def broken(*_: Any) -> Document:
    """Fail to make a document."""
    raise LookupError


async def unfit(*_: Any) -> Document:
    """Refuse what is to be printed."""
    raise InvalidContent("EAN13: the number is too long")


async def test_a_job_that_cannot_be_drawn_delays_nothing(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends and says why, without the words of a failure of the service itself, and the next one is printed."""
    makers: list[MakeDocument] = [broken, unfit, shops.make_document]

    async def make(printer: Printer, job: QueuedJob, done: int, media_types: tuple[str, ...]) -> Document:
        return await makers.pop(0)(printer, job, done, media_types)

    monkeypatch.setattr(shops, "make_document", make)
    async with IppPrinter().running() as printer, shop(database, office(printer.port)) as opened:
        ended = [await opened.over(await opened.queue(1)) for _ in range(3)]
    assert [(job.state, job.message) for job in ended] == [
        (JobState.FAILED, "unexpected failure while its labels were drawn"),
        (JobState.FAILED, "EAN13: the number is too long"),
        (JobState.PRINTED, ""),
    ]


async def overloaded(*_: Any) -> Document:
    """Have no room to draw a document."""
    raise RenderOverload("too many label sheets are waiting", retry_after=1)


async def test_a_service_that_is_busy_is_no_failure_of_the_printer(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The labels are drawn a moment later, as often as it takes, and the job does not say that it waits."""
    makers: list[MakeDocument] = [*[overloaded] * 9, shops.make_document]

    async def make(printer: Printer, job: QueuedJob, done: int, media_types: tuple[str, ...]) -> Document:
        return await makers.pop(0)(printer, job, done, media_types)

    monkeypatch.setattr(shops, "make_document", make)
    monkeypatch.setattr(print_run, "RECORD_PAUSE", 0.01)
    async with IppPrinter().running() as printer, shop(database, office(printer.port), tries=0.0) as opened:
        job = await opened.over(await opened.queue(3))
    assert (job.state, makers) == (JobState.PRINTED, [])
    assert "waits" not in caplog.text


@pytest.mark.each_engine
async def test_what_a_dead_process_was_sending_is_in_doubt(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels that had begun are unsure and stay so; a job of which nothing had begun is printed."""
    monkeypatch.setattr(print_jobs, "LEASE", 0.5)
    first, second = await queued(database, 12), await queued(database, 2)
    dead = HeldPrinter(database, "zebra", ONLY_PROCESS)
    assert await dead.claim(NOON) == []
    assert await dead.begin_document(first.id, 10, NOON)
    async with IppPrinter().running() as printer, shop(database, office(printer.port)) as opened:
        doubted, printed = await opened.over(first.id), await opened.over(second.id)
    assert (doubted.state, doubted.labels_sure, doubted.labels_unsure) == (JobState.IN_DOUBT, 0, 10)
    assert (printed.state, len(printer.documents)) == (JobState.PRINTED, 1)


async def test_a_job_between_two_documents_goes_on_after_a_crash(database: Database) -> None:
    """Nothing of it is unsure, so the next labels follow those that are sure."""
    job = await queued(database, 12)
    dead = HeldPrinter(database, "zebra", ONLY_PROCESS)
    await dead.claim(NOON)
    await dead.begin_document(job.id, 10, NOON)
    await dead.confirm_documents(job.id, 10, NOON)
    async with IppPrinter().running() as printer, shop(database, office(printer.port)) as opened:
        assert (await opened.over(job.id)).state is JobState.PRINTED
    assert [document.said["job-name"] for document in printer.documents] == ["2 labels"]


@pytest.mark.each_engine
async def test_a_waiting_job_is_cancelled_at_once(database: Database) -> None:
    """It can be cancelled once only, and another printer does not know it."""
    job = await queued(database, 3)
    assert (await database.change(lambda: cancel("zebra", job.id, NOON))).state is JobState.CANCELLED
    with pytest.raises(PrintJobStateDiffers):
        await database.change(lambda: cancel("zebra", job.id, NOON))
    with pytest.raises(PrintJobNotFound):
        await database.change(lambda: cancel("other", job.id, NOON))


CANCELLING = "cancelled; the printer still prints the labels that it has"
BEING_PRINTED = "cancelled while labels were being printed"


async def test_a_job_that_is_cancelled_ends_after_the_labels_that_the_printer_has(database: Database) -> None:
    """Nothing more is sent, but the printer prints on, so the job is over once the printer says what it has printed."""
    printer = IppPrinter(job_states=(PROCESSING,))
    async with printer.running(), shop(database, office(printer.port)) as opened:
        job_id = await opened.queue(25)
        await opened.when(job_id, lambda _: bool(printer.documents))
        cancelled = await opened.cancel(job_id)
        assert (cancelled.state, cancelled.message) == (JobState.SENDING, CANCELLING)
        asked = printer.asked
        await opened.when(job_id, lambda _: printer.asked > asked + 1)
        assert await opened.job(job_id) == cancelled
        printer.job_states = (COMPLETED,)
        job = await opened.over(job_id)
    assert (job.state, job.labels_sure, job.labels_unsure, job.message) == (JobState.CANCELLED, 10, 0, "")
    assert len(printer.documents) == 1


async def test_a_job_whose_last_document_is_being_printed_is_cancelled_too(database: Database) -> None:
    """All labels are sure, and the job shows that somebody cancelled it."""
    printer = IppPrinter(job_states=(PROCESSING,))
    async with printer.running(), shop(database, office(printer.port)) as opened:
        job_id = await opened.queue(3)
        await opened.when(job_id, lambda _: bool(printer.documents))
        await opened.cancel(job_id)
        printer.job_states = (COMPLETED,)
        job = await opened.over(job_id)
    assert (job.state, job.labels_sure) == (JobState.CANCELLED, 3)
    assert opened.observed.jobs["zebra", JobState.CANCELLED] == 1


@pytest.mark.parametrize(
    ("ended", "message"),
    [(ABORTED, "the printer ended the job"), (CANCELLED, "the job was cancelled at the printer")],
)
async def test_a_cancelled_job_that_the_printer_ends_is_in_doubt(database: Database, ended: int, message: str) -> None:
    """How many of the labels in the printer came out is not known."""
    printer = IppPrinter(job_states=(PROCESSING,))
    async with printer.running(), shop(database, office(printer.port)) as opened:
        job_id = await opened.queue(25)
        await opened.when(job_id, lambda _: bool(printer.documents))
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


HELD, STOPPED = 4, 6


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


STUCK = {"held": HELD, "processing": PROCESSING, "stopped": STOPPED, "unknown": 77}


@pytest.mark.parametrize("state", STUCK)
async def test_a_job_that_never_ends_is_cancelled(
    database: Database, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    """After a while without progress it is in doubt, and the next job is sent."""
    monkeypatch.setattr(print_run, "PROGRESS_WAIT", 0.5)
    printer = IppPrinter(job_states=(STUCK[state],))
    async with printer.running(), shop(database, office(printer.port)) as opened:
        job_id, after = await opened.queue(3), await opened.queue(1)
        await opened.when(job_id, lambda job: bool(job.message))
        await opened.cancel(job_id)
        job = await opened.over(job_id)
        printer.job_states = (COMPLETED,)
        assert (await opened.over(after)).state is JobState.PRINTED
    assert (job.state, job.labels_unsure) == (JobState.IN_DOUBT, 3)
    assert job.message == BEING_PRINTED


async def test_a_job_that_never_ends_is_given_up(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what it waits for, and is in doubt after the time for which a printer is tried."""
    monkeypatch.setattr(print_run, "PROGRESS_WAIT", 0.3)
    seconds = [0.0]
    clock, printer = Clock(wall=lambda: NOON_SECONDS + seconds[0]), IppPrinter(job_states=(PROCESSING,))
    async with printer.running(), shop(database, office(printer.port), tries=HOUR, clock=clock) as opened:
        job_id = await opened.queue(3)
        said = (await opened.when(job_id, lambda job: bool(job.message))).message
        seconds[0] = HOUR
        job = await opened.over(job_id)
    assert said == "the printer has not said yet that it has printed the labels"
    assert (job.state, job.message) == (JobState.IN_DOUBT, f"{said}; given up")


async def test_a_fault_counts_from_when_it_began(database: Database) -> None:
    """A printer that has printed for hours before it is out of paper is not given up at once."""
    seconds = [0.0]
    clock, printer = Clock(wall=lambda: NOON_SECONDS + seconds[0]), IppPrinter(job_states=(PROCESSING,))
    async with printer.running(), shop(database, office(printer.port), tries=HOUR, clock=clock) as opened:
        job_id = await opened.queue(3)
        await opened.when(job_id, lambda _: printer.asked > 0)
        seconds[0] = HOUR
        printer.reasons = ("media-empty-error",)
        await opened.when(job_id, lambda job: bool(job.message))
        looks = printer.looks
        waiting = await opened.when(job_id, lambda _: printer.looks > looks + 1)
        seconds[0] = 2 * HOUR
        job = await opened.over(job_id)
    assert (waiting.state, waiting.message) == (JobState.SENDING, "the printer is out of paper")
    assert (job.state, job.message) == (JobState.IN_DOUBT, "the printer is out of paper; given up")


async def test_a_refusal_after_printed_labels_counts_them(database: Database) -> None:
    """A job of which labels are printed has not failed: they are sure, and the rest is known."""
    printing = IppPrinter(refuses=0x040A, takes=1)
    async with printing.running() as printer, shop(database, office(printer.port)) as opened:
        job = await opened.over(await opened.queue(12))
    assert (job.state, job.labels_sure, job.labels_unsure) == (JobState.IN_DOUBT, 10, 0)


async def test_a_printer_that_tells_nothing_and_takes_no_more_leaves_doubt(database: Database) -> None:
    """It may have lost the labels that it took before, so the rest is not sent later as if they were printed."""
    printer = IppPrinter(job_states=(None,), refuses=BUSY, takes=1)
    async with printer.running(), shop(database, office(printer.port)) as opened:
        job = await opened.over(await opened.queue(12))
    assert (job.state, job.labels_sure, job.labels_unsure) == (JobState.IN_DOUBT, 0, 10)
    assert job.message == "the printer takes no jobs now"


async def test_a_printer_that_tells_no_state_of_a_job_tells_nothing(database: Database) -> None:
    """Its labels are sent, and the queue goes on."""
    async with IppPrinter(job_states=(None,)).running() as printer, shop(database, office(printer.port)) as opened:
        assert (await opened.over(await opened.queue(3))).state is JobState.SENT


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


async def test_the_job_that_is_being_sent_does_not_wait(database: Database) -> None:
    """Those that follow it do."""
    printer = IppPrinter(job_states=(PROCESSING,))
    async with printer.running(), shop(database, office(printer.port)) as opened:
        job_id = await opened.queue(3)
        await opened.when(job_id, lambda job: job.state is JobState.SENDING)
        [alone] = await opened.printers.report()
        await opened.queue(3)
        [followed] = await opened.printers.report()
        printer.job_states = (COMPLETED,)  # the stop waits for what is being printed
    assert (alone.jobs_waiting, followed.jobs_waiting) == (0, 1)


async def test_the_rest_of_a_job_is_a_new_one(database: Database) -> None:
    """It begins with the label that is asked for, and a job that is not over has no rest."""
    async with IppPrinter().running() as printer, shop(database, office(printer.port)) as opened:
        job_id = await opened.queue(25)
        await opened.over(job_id)
        again = await rest(database, job_id, 24)
        with pytest.raises(PrintJobStateDiffers):
            await rest(database, again.id, 1)
        with pytest.raises(PrintJobStateDiffers):
            await rest(database, job_id, 26)
        opened.printers.note(again)
        assert (await opened.over(again.id)).resend_of == job_id
    assert b"^FD24^FS" in printer.documents[-1].content
    assert b"^FD23^FS" not in printer.documents[-1].content


async def test_a_printed_job_has_no_rest_unless_a_label_is_named(database: Database) -> None:
    """No label is printed twice for a request that does not say which."""
    async with IppPrinter().running() as printer, shop(database, office(printer.port)) as opened:
        job_id = await opened.queue(3)
        await opened.over(job_id)
        with pytest.raises(PrintJobStateDiffers, match="all labels are printed; give from_label"):
            await rest(database, job_id)
        assert (await rest(database, job_id, 3)).labels == 1


async def test_a_rest_of_a_rest_counts_labels_as_the_first_request_does(database: Database) -> None:
    """What is asked for counts the labels of the job that is printed again."""
    first = await queued(database, 60)
    counted = [(first.from_label, first.labels)]
    for asked in (13, 15):
        await database.change(partial(cancel, "zebra", first.id, NOON))
        first = await rest(database, first.id, asked)
        counted.append((first.from_label, first.labels))
    assert counted == [(1, 60), (13, 48), (27, 34)]
    assert (await get_job(database, "zebra", first.id)) == first


@pytest.mark.each_engine
async def test_a_job_needs_a_person_until_it_is_settled(database: Database) -> None:
    """One that is in doubt or has failed does, until somebody has seen to it or sent its rest; the first time stays."""
    held = HeldPrinter(database, "zebra", ONLY_PROCESS)
    await held.claim(NOON)
    ids = [(await queued(database, 3)).id for _ in range(4)]
    with pytest.raises(PrintJobStateDiffers, match="the job is waiting"):
        await database.change(partial(settle, "zebra", ids[0], NOON))
    for job_id, state in zip(
        ids, (JobState.IN_DOUBT, JobState.PRINTED, JobState.FAILED, JobState.IN_DOUBT), strict=True
    ):
        await held.end_job(job_id, state, "", NOON)
    assert await unsettled(database) == [ids[3], ids[2], ids[0]]
    assert (await database.change(partial(settle, "zebra", ids[0], NOON))).settled_at == NOON
    assert (await database.change(partial(settle, "zebra", ids[0], "2026-02-01T12:00:00.000Z"))).settled_at == NOON
    await rest(database, ids[3])
    assert await unsettled(database) == [ids[2]]
    with pytest.raises(PrintJobNotFound):
        await database.change(partial(settle, "other", ids[2], NOON))


async def unsettled(database: Database) -> list[int]:
    """Return the ids of the jobs that need a person, newest first."""
    return [job.id for job in await list_unsettled_jobs(database, "zebra", 1000, None)]


@pytest.mark.each_engine
async def test_the_oldest_jobs_make_room(database: Database) -> None:
    """Jobs that are over go first; those that wait never go, and then there is no room."""
    limits = QueueLimits(jobs=3, request_bytes=25)
    old = await database.change(lambda: queue(NewJob("zebra", 1, "x" * 20, NOON), limits))
    with pytest.raises(RenderOverload):
        await database.change(lambda: queue(NewJob("zebra", 1, "x" * 20, NOON), limits))
    await database.change(lambda: cancel("zebra", old.id, NOON))
    new = await database.change(lambda: queue(NewJob("zebra", 1, "x" * 20, NOON), limits))
    with pytest.raises(PrintJobNotFound):
        await get_job(database, "zebra", old.id)
    assert await waiting_jobs(database) == {"zebra": 1}
    await delete_old(database, "9999")
    assert (await get_job(database, "zebra", new.id)).state is JobState.WAITING


@pytest.mark.each_engine
async def test_jobs_that_are_queued_at_the_same_time_are_limited_too(database: Database) -> None:
    """Each sees those before it."""
    limits = QueueLimits(jobs=2, request_bytes=1000)
    queueing = (database.change(partial(queue, NewJob("zebra", 1, "{}", NOON), limits)) for _ in range(20))
    ended = await asyncio.gather(*queueing, return_exceptions=True)
    assert [type(each) for each in ended].count(PrintJob) == len(await shops.jobs(database)) == 2


@pytest.mark.each_engine
async def test_no_more_jobs_make_room_than_necessary(database: Database) -> None:
    """One by one, the oldest first; those in doubt and those that failed last, because a person may need them."""
    limits, held = QueueLimits(jobs=100, request_bytes=100), HeldPrinter(database, "zebra", ONLY_PROCESS)
    await held.claim(NOON)
    for state in (JobState.IN_DOUBT, JobState.CANCELLED, JobState.FAILED, JobState.PRINTED, JobState.SENT):
        job = await database.change(lambda: queue(NewJob("zebra", 1, "x" * 20, NOON), limits))
        await held.end_job(job.id, state, "", NOON)
    left = []
    for size in (20, 30, 60):
        job = await database.change(partial(queue, NewJob("zebra", 1, "x" * size, NOON), limits))
        await held.end_job(job.id, JobState.IN_DOUBT, "", "2026-02-01T12:00:00.000Z")
        left.append([job.id for job in await shops.jobs(database)])
    assert left == [[6, 5, 4, 3, 1], [7, 6, 3, 1], [8, 7]]


@pytest.mark.each_engine
async def test_a_job_without_room_deletes_no_others(database: Database) -> None:
    """It is refused before anything is written, so that other changes in the same transaction remain."""
    limits = QueueLimits(jobs=3, request_bytes=25)
    old = await database.change(lambda: queue(NewJob("zebra", 1, "x" * 20, NOON), limits))
    await database.change(lambda: cancel("zebra", old.id, NOON))

    def together() -> Script[PrintJob]:
        with pytest.raises(RenderOverload):
            yield from queue(NewJob("zebra", 1, "x" * 26, NOON), limits)
        return (yield from queue(NewJob("zebra", 1, "x" * 5, NOON), limits))

    assert (await database.change(together)).state is JobState.WAITING
    assert (await get_job(database, "zebra", old.id)).state is JobState.CANCELLED
