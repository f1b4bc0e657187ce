import asyncio

import pytest

from barcodesvc.clock import Clock
from barcodesvc.print_jobs import JobState, PrinterState
from barcodesvc.printers import print_run, zpl
from barcodesvc.printers.link import FRESH
from barcodesvc.printers.zpl import taken_statuses
from barcodesvc.store.database import Database
from tests.printers import queued
from tests.printers.queued import LABEL_BYTES, LABELS_OF_DOCUMENT, label, rest, shop, zebra
from tests.servers.label_printer import Behaviour, LabelPrinter
from tests.sweeps import sweep

DOCUMENT_BYTES = LABEL_BYTES * LABELS_OF_DOCUMENT
NOON_SECONDS = 1769860800.0
QUESTION_BYTES = len(b"~HS\r\n")


def numbers(printer: LabelPrinter) -> list[int]:
    """Return the numbers of the labels on paper."""
    return [int(content.partition(b"^FD")[2].partition(b"^FS")[0]) for content in printer.printed]


async def test_a_job_is_printed(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    """All labels come out in order, and the printer's word for it is the job's; each change is logged and counted."""
    caplog.set_level("INFO", "barcodesvc")
    async with LabelPrinter().running() as printer, shop(database, zebra(printer.port)) as opened:
        job = await opened.over(await opened.queue(25))
    assert (job.state, job.labels_sure, job.labels_unsure, job.message) == (JobState.PRINTED, 25, 0, "")
    assert printer.printed == [label(number) for number in range(1, 26)]
    assert opened.observed.jobs == {
        ("zebra", JobState.WAITING): 1,
        ("zebra", JobState.SENDING): 1,
        ("zebra", JobState.PRINTED): 1,
    }
    assert opened.observed.labels == {"zebra": 25}
    changes = [f"print job {job.id} of printer zebra is {state}" for state in ("waiting", "sending", "printed")]
    assert [each for each in caplog.messages if each.startswith("print job")] == changes
    assert "printer zebra is ready" in caplog.messages


async def test_jobs_are_printed_in_order_over_one_connection(database: Database) -> None:
    """Jobs that arrive at the same time come out one after the other."""
    async with LabelPrinter().running() as printer, shop(database, zebra(printer.port)) as opened:
        ids = await asyncio.gather(*(opened.queue(labels) for labels in (12, 3, 1)))
        ended = [await opened.over(job_id) for job_id in sorted(ids)]
    assert {job.state for job in ended} == {JobState.PRINTED}
    assert numbers(printer) == [number for job in ended for number in range(1, job.labels + 1)]
    assert printer.connections == 1


@pytest.mark.parametrize("status", ["silent", "nonsense", "letters"])
async def test_a_printer_that_says_nothing_gets_the_labels(database: Database, status: str) -> None:
    """Its job is sent, not printed, and it is asked once in a connection, because it may print the question."""
    behaviour = Behaviour(status=status)
    async with LabelPrinter(behaviour).running() as printer, shop(database, zebra(printer.port)) as opened:
        job = await opened.over(await opened.queue(25))
        assert await opened.state() is PrinterState.UNKNOWN
    assert (job.state, job.labels_sure, job.labels_unsure) == (JobState.SENT, 0, 25)
    assert numbers(printer) == list(range(1, 26))
    assert printer.letters == (printer.connections if status == "letters" else 0)


async def test_a_printer_that_must_not_be_asked_is_not_asked(database: Database) -> None:
    """With status=off it never prints the question."""
    printer = LabelPrinter(Behaviour(status="letters"))
    async with printer.running(), shop(database, zebra(printer.port, "&status=off")) as opened:
        job = await opened.over(await opened.queue(3))
        assert await opened.state() is PrinterState.UNKNOWN
    assert (job.state, printer.letters) == (JobState.SENT, 0)


FAULTS = {
    "paper_out": PrinterState.OUT_OF_PAPER,
    "head_open": PrinterState.HEAD_OPEN,
    "ribbon_out": PrinterState.RIBBON_OUT,
    "paused": PrinterState.PAUSED,
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_job_waits_for_a_person(database: Database, fault: str) -> None:
    """While the printer needs a person the job waits and says so; after that it is printed."""
    async with LabelPrinter().running() as printer, shop(database, zebra(printer.port)) as opened:
        setattr(printer.behaviour, fault, True)
        job_id = await opened.queue(3)
        await opened.until_state(FAULTS[fault])
        job = await opened.when(job_id, lambda job: job.message.startswith("the printer"))
        assert (job.state, printer.printed) == (JobState.WAITING, [])
        setattr(printer.behaviour, fault, False)
        assert (await opened.over(job_id)).state is JobState.PRINTED
    assert numbers(printer) == [1, 2, 3]


async def test_a_fault_in_the_middle_is_no_doubt(database: Database) -> None:
    """A printer that runs out of paper keeps its labels, and prints them with new paper."""
    printer = LabelPrinter(Behaviour(label_seconds=0.02))
    async with printer.running(), shop(database, zebra(printer.port)) as opened:
        job_id = await opened.queue(15)
        await opened.when(job_id, lambda _: len(printer.printed) > 2)
        printer.behaviour.paper_out = True
        async with asyncio.timeout(2.0):
            await opened.until_state(PrinterState.OUT_OF_PAPER)
            job = await opened.when(job_id, lambda job: bool(job.message))
        assert (job.state, job.message) == (JobState.SENDING, "the printer is out of paper")
        printer.behaviour.paper_out = False
        await opened.when(job_id, lambda job: not job.message)
        assert (await opened.over(job_id)).labels_sure == 15
    assert numbers(printer) == list(range(1, 16))


async def test_a_fault_in_the_middle_for_too_long_leaves_doubt(database: Database) -> None:
    """After the time for which a printer is tried, the job is over, as it would be before its first label."""
    seconds = [0.0]
    clock = Clock(wall=lambda: NOON_SECONDS + seconds[0])
    printer = LabelPrinter(Behaviour(label_seconds=0.02))
    async with printer.running(), shop(database, zebra(printer.port), tries=3600, clock=clock) as opened:
        job_id = await opened.queue(15)
        await opened.when(job_id, lambda _: len(printer.printed) > 2)
        printer.behaviour.paper_out = True
        await opened.when(job_id, lambda job: bool(job.message))
        seconds[0] = 3600.0
        job = await opened.over(job_id)
    assert (job.state, job.labels_unsure) == (JobState.IN_DOUBT, 10)
    assert job.message == "the printer is out of paper; given up"


async def test_a_printer_that_vanishes_is_noticed_within_two_seconds(database: Database) -> None:
    """It has answered before, and does not while it prints."""
    printer = LabelPrinter(Behaviour(label_seconds=0.5))
    async with printer.running(), shop(database, zebra(printer.port)) as opened:
        job_id = await opened.queue(15)
        await opened.when(job_id, lambda _: len(printer.printed) > 0)
        printer.behaviour.hang_at = 1
        async with asyncio.timeout(2.0):
            await opened.until_state(PrinterState.NOT_REACHABLE)
        await opened.when(job_id, lambda job: job.message == "the printer cannot be reached")
        printer.behaviour.hang_at = None
        await opened.until_state(PrinterState.BUSY)
        await opened.when(job_id, lambda job: not job.message)


PLACES = {
    "the first byte": 1,
    "within the first label": LABEL_BYTES // 2,
    "the end of the first label": LABEL_BYTES,
    "within the first document": 5 * LABEL_BYTES + 7,
    "the end of the first document": DOCUMENT_BYTES,
    "the question after the first document": DOCUMENT_BYTES + QUESTION_BYTES,
    "the beginning of the second document": DOCUMENT_BYTES + 2 * QUESTION_BYTES + 1,
    "within the last document": 2 * DOCUMENT_BYTES + 2 * QUESTION_BYTES + 100,
    "the end of the last document": 2 * DOCUMENT_BYTES + 4 * QUESTION_BYTES + 5 * LABEL_BYTES,
}


@pytest.mark.parametrize("status", ["zebra", "silent"])
@pytest.mark.parametrize("moment", PLACES)
async def test_a_reset_is_accounted_for(database: Database, moment: str, status: str) -> None:
    """Wherever the connection breaks off: sure labels are on paper, the others may be, and none is printed twice.

    The next job is not delayed.
    """
    printer = LabelPrinter(Behaviour(status=status))
    async with printer.running(), shop(database, zebra(printer.port)) as opened:
        job_id = await opened.queue(25)
        printer.behaviour.reset_at = QUESTION_BYTES + PLACES[moment]
        job = await opened.over(job_id)
        on_paper = numbers(printer)
        assert on_paper == list(range(1, len(on_paper) + 1))
        assert job.labels_sure <= len(on_paper) <= job.labels_sure + job.labels_unsure
        assert job.state in (JobState.IN_DOUBT, JobState.SENT) or len(on_paper) == job.labels
        assert job.state is not JobState.SENT or job.labels_unsure == job.labels
        if status == "zebra" and job.state is JobState.IN_DOUBT:
            assert job.labels_unsure <= LABELS_OF_DOCUMENT
        after = await opened.over(await opened.queue(1))
        assert after.state in (JobState.PRINTED, JobState.SENT)


async def test_a_printer_that_hangs_leaves_doubt(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the limit without progress the document is broken off, and the printer shows as what it says then."""
    monkeypatch.setattr(zpl, "PROGRESS_WAIT", 0.5)
    printer = LabelPrinter()
    async with printer.running(), shop(database, zebra(printer.port)) as opened:
        job_id = await opened.queue(25)
        printer.behaviour.hang_at = QUESTION_BYTES + DOCUMENT_BYTES + 2 * QUESTION_BYTES + 10
        job = await opened.over(job_id)
        assert (job.state, job.labels_sure, job.labels_unsure) == (JobState.IN_DOUBT, 10, 10)
        printer.behaviour.hang_at = None


async def test_labels_that_wait_in_the_system_are_not_sent(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system buffers the last labels for a printer that is off or hangs; they are in doubt."""
    monkeypatch.setattr(zpl, "PROGRESS_WAIT", 0.5)
    monkeypatch.setattr(queued, "LABEL_BYTES", 1700)
    printer = LabelPrinter(Behaviour(status="silent", hang_at=1))
    async with printer.running(), shop(database, zebra(printer.port, "&status=off")) as opened:
        job = await opened.over(await opened.queue(10))
    assert (job.state, job.labels_unsure) == (JobState.IN_DOUBT, 10)


async def test_a_printer_is_busy_while_it_takes_a_document(database: Database) -> None:
    """It is not asked between the labels, and a client that asks does not wait for it."""
    printer = LabelPrinter()
    async with printer.running(), shop(database, zebra(printer.port)) as opened:
        printer.behaviour.hang_at = QUESTION_BYTES + DOCUMENT_BYTES // 2
        job_id = await opened.queue(12)
        await opened.until_state(PrinterState.BUSY)
        assert printer.printed == [label(number) for number in range(1, 6)]
        printer.behaviour.hang_at = None
        assert (await opened.over(job_id)).state is JobState.PRINTED
    assert len(printer.printed) == 12


async def test_many_that_ask_for_the_state_ask_the_printer_no_more_often(database: Database) -> None:
    """While its state is new, the printer is left alone."""
    printer, loop = LabelPrinter(), asyncio.get_running_loop()
    async with printer.running(), shop(database, zebra(printer.port)) as opened:
        await opened.until_state(PrinterState.READY)
        begun, received = loop.time(), printer.received
        for _ in range(50):
            await opened.state()
            await asyncio.sleep(0.01)
        assert printer.received - received <= QUESTION_BYTES * (1 + (loop.time() - begun) / (FRESH / 2))


async def test_a_slow_printer_is_waited_for(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as it takes bytes there is progress."""
    monkeypatch.setattr(zpl, "PROGRESS_WAIT", 1.0)
    printer = LabelPrinter(Behaviour(rate=3000))
    async with printer.running(), shop(database, zebra(printer.port)) as opened:
        job = await opened.over(await opened.queue(12))
    assert (job.state, numbers(printer)) == (JobState.PRINTED, list(range(1, 13)))


async def test_a_printer_that_wakes_up_gets_the_labels(database: Database) -> None:
    """It accepts a connection, and reads nothing for longer than an answer is waited for; no label is lost."""
    printer = LabelPrinter(Behaviour(wake_seconds=2 * zpl.PATIENCE))
    async with printer.running(), shop(database, zebra(printer.port)) as opened:
        job = await opened.over(await opened.queue(12))
        await opened.when(job.id, lambda _: len(printer.printed) == 12)
    assert (job.state, job.labels_unsure) == (JobState.SENT, 12)
    assert numbers(printer) == list(range(1, 13))


async def test_what_a_cancelled_job_says_is_on_paper(database: Database) -> None:
    """The printer prints on what it has after the job is cancelled; the rest, printed again, doubles no label."""
    printer = LabelPrinter(Behaviour(label_seconds=0.05))
    async with printer.running(), shop(database, zebra(printer.port)) as opened:
        job_id = await opened.queue(25)
        await opened.when(job_id, lambda _: len(printer.printed) > 2)
        cancelled = await opened.cancel(job_id)
        assert (cancelled.state, cancelled.labels_sure, cancelled.labels_unsure) == (JobState.SENDING, 0, 10)
        job = await opened.over(job_id)
        assert (job.state, job.labels_sure, job.labels_unsure) == (JobState.CANCELLED, 10, 0)
        assert numbers(printer) == list(range(1, 11))
        after = await rest(database, job_id)
        opened.printers.note(after)
        await opened.over(after.id)
    assert numbers(printer) == list(range(1, 26))


async def test_a_cancelled_job_waits_for_a_slow_printer(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as labels come out there is progress, so it is known how many did."""
    monkeypatch.setattr(print_run, "PROGRESS_WAIT", 0.8)
    printer = LabelPrinter(Behaviour(label_seconds=0.2))
    async with printer.running(), shop(database, zebra(printer.port)) as opened:
        job_id = await opened.queue(15)
        await opened.when(job_id, lambda _: len(printer.printed) > 0)
        await opened.cancel(job_id)
        job = await opened.over(job_id)
    assert (job.state, job.labels_sure) == (JobState.CANCELLED, 10)


async def test_a_document_that_is_taken_without_end_is_cancelled(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A printer may take a byte now and then for hours; the job says so, and what was sent of it is unsure."""
    monkeypatch.setattr(print_run, "PROGRESS_WAIT", 0.5)
    monkeypatch.setattr(queued, "LABEL_BYTES", 1_000_000)
    printer = LabelPrinter()
    async with printer.running(), shop(database, zebra(printer.port)) as opened:
        printer.behaviour.hang_at = 2 * QUESTION_BYTES
        job_id = await opened.queue(10)
        await opened.when(job_id, lambda job: job.message == "the printer has not taken all of the labels yet")
        await opened.cancel(job_id)
        job = await opened.over(job_id)
    assert (job.state, job.labels_unsure) == (JobState.CANCELLED, 10)


async def test_a_cancelled_job_waits_for_paper(database: Database) -> None:
    """With new paper the printer prints the labels that it has, so the job is not over before."""
    printer = LabelPrinter(Behaviour(label_seconds=0.02))
    async with printer.running(), shop(database, zebra(printer.port)) as opened:
        job_id = await opened.queue(15)
        await opened.when(job_id, lambda _: len(printer.printed) > 2)
        printer.behaviour.paper_out = True
        await opened.when(job_id, lambda job: bool(job.message))
        cancelled = await opened.cancel(job_id)
        await opened.until_state(PrinterState.OUT_OF_PAPER)
        assert await opened.job(job_id) == cancelled
        printer.behaviour.paper_out = False
        job = await opened.over(job_id)
    assert (job.state, job.labels_sure, numbers(printer)) == (JobState.CANCELLED, 10, list(range(1, 11)))


async def test_a_job_of_a_printer_that_hangs_says_at_once_that_it_is_cancelled(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is in doubt after the limit without progress, because the printer may have part of the labels."""
    monkeypatch.setattr(zpl, "PROGRESS_WAIT", 1.0)
    printer = LabelPrinter()
    async with printer.running(), shop(database, zebra(printer.port)) as opened:
        printer.behaviour.hang_at = QUESTION_BYTES + DOCUMENT_BYTES // 2
        job_id = await opened.queue(25)
        await opened.when(job_id, lambda job: job.state is JobState.SENDING)
        cancelled = await opened.cancel(job_id)
        assert cancelled.message == "cancelled; the printer still prints the labels that it has"
        job = await opened.over(job_id)
        printer.behaviour.hang_at = None
    assert (job.state, job.labels_sure, job.labels_unsure) == (JobState.IN_DOUBT, 0, 10)


async def test_a_silent_printer_gets_nothing_more_of_a_cancelled_job(database: Database) -> None:
    """What it has got is unsure; 100 labels are more than its buffers take while it hangs."""
    printer = LabelPrinter(Behaviour(status="silent"))
    async with printer.running(), shop(database, zebra(printer.port)) as opened:
        printer.behaviour.hang_at = QUESTION_BYTES + DOCUMENT_BYTES // 2
        job_id = await opened.queue(100)
        await opened.when(job_id, lambda _: len(printer.printed) > 0)
        await opened.cancel(job_id)
        printer.behaviour.hang_at = None
        job = await opened.over(job_id)
        await opened.when(job_id, lambda job: len(printer.printed) == job.labels_unsure)
    assert (job.state, job.labels_sure) == (JobState.CANCELLED, 0)
    assert job.labels_unsure < 100


async def test_states_are_shown_within_two_seconds(database: Database) -> None:
    """Without jobs too, a client that asks learns of a change soon, over one connection."""
    async with LabelPrinter().running() as printer, shop(database, zebra(printer.port)) as opened:
        assert await opened.state() is PrinterState.READY
        printer.behaviour.head_open = True
        async with asyncio.timeout(2.0):
            await opened.until_state(PrinterState.HEAD_OPEN)
        assert printer.connections == 1


NONSENSE = [b"", b"\x02" * 5000, b"\x02,\x03" * 3, bytes(range(256)), b"\x02030,1,0,1245,000,0,0,0,000,0,0,0\x03"]


@sweep("received", NONSENSE)
def test_nonsense_is_no_status(received: bytes) -> None:
    """Only three whole strings with numbers in their places are a status."""
    assert taken_statuses(bytearray(received)) == []
