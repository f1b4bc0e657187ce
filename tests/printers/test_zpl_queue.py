"""What is special to ZPL: the question for its state, buffers that take labels unseen, and device files."""

import asyncio
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from barcodesvc.print_jobs import JobState, PrinterState
from barcodesvc.printer_addresses import printer_of
from barcodesvc.printers import device_file, print_run, zpl
from barcodesvc.printers.connection import ZPL, BrokenOffError, Document, NotReachableError
from barcodesvc.printers.device_file import open_device
from barcodesvc.printers.link import FRESH
from barcodesvc.printers.zpl import HostStatus, taken_statuses
from barcodesvc.store.database import Database
from tests.printers import queued
from tests.printers.queued import LABEL_BYTES, LABELS_OF_DOCUMENT, numbers, shop, zebra
from tests.servers.label_printer import Behaviour, LabelPrinter
from tests.sweeps import sweep

DOCUMENT_BYTES = LABEL_BYTES * LABELS_OF_DOCUMENT
QUESTION_BYTES = len(b"~HS\r\n")
CAPACITY = 4096


def on_paper(printer: LabelPrinter) -> list[int]:
    """Return the numbers of the labels on paper."""
    return numbers(b"".join(printer.printed))


FIRST = {
    "030,0,0,1245,000,0,0,0,000,0,0,0": (PrinterState.READY, 0),
    "030,1,0,1245,000,0,0,0,000,0,0,0": (PrinterState.OUT_OF_PAPER, 0),
    "030,0,1,1245,000,0,0,0,000,0,0,0": (PrinterState.PAUSED, 0),
    "030,0,0,1245,003,0,0,1,000,0,0,0": (PrinterState.BUSY, 4),
}
SECOND = {
    "001,0,1,0,1,2,6,0,00000000,1,000": (PrinterState.HEAD_OPEN, 0),
    "001,0,0,1,1,2,6,0,00000000,1,000": (PrinterState.RIBBON_OUT, 0),
    "001,0,0,0,1,2,6,0,00000007,1,000": (PrinterState.BUSY, 7),
}
READY = "030,0,0,1245,000,0,0,0,000,0,0,0", "001,0,0,0,1,2,6,0,00000000,1,000"


@sweep(
    ("first", "second", "said"),
    [
        *((first, READY[1], said) for first, said in FIRST.items()),
        *((READY[0], second, said) for second, said in SECOND.items()),
    ],
)
def test_a_status_is_what_the_manual_says(first: str, second: str, said: tuple[PrinterState, int]) -> None:
    """Its fields tell faults, and how many formats and labels are not printed yet."""
    received = bytearray(f"\x02{first}\x03\r\n\x02{second}\x03\r\n\x021234,0\x03\r\n".encode())
    assert taken_statuses(received) == [HostStatus(*said)]


NONSENSE = [b"", b"\x02" * 5000, b"\x02,\x03" * 3, bytes(range(256)), b"\x02030,1,0,1245,000,0,0,0,000,0,0,0\x03"]


@sweep("received", NONSENSE)
def test_nonsense_is_no_status(received: bytes) -> None:
    """Only three whole strings with numbers in their places are a status."""
    assert taken_statuses(bytearray(received)) == []


async def test_jobs_are_printed_in_order_over_one_connection(database: Database) -> None:
    """Jobs that arrive at the same time come out one after the other."""
    async with LabelPrinter().running() as printer, shop(database, zebra(printer.port)) as opened:
        ids = await asyncio.gather(*(opened.queue(labels) for labels in (12, 3, 1)))
        ended = [await opened.over(job_id) for job_id in sorted(ids)]
    assert {job.state for job in ended} == {JobState.PRINTED}
    assert on_paper(printer) == [number for job in ended for number in range(1, job.labels + 1)]
    assert printer.connections == 1


@pytest.mark.parametrize("status", ["silent", "nonsense", "letters"])
async def test_a_printer_that_says_nothing_gets_the_labels(database: Database, status: str) -> None:
    """Its job is sent, not printed, and it is asked once in a connection, because it may print the question."""
    behaviour = Behaviour(status=status)
    async with LabelPrinter(behaviour).running() as printer, shop(database, zebra(printer.port)) as opened:
        job = await opened.over(await opened.queue(25))
        assert await opened.state() is PrinterState.UNKNOWN
    assert (job.state, job.labels_sure, job.labels_unsure) == (JobState.SENT, 0, 25)
    assert on_paper(printer) == list(range(1, 26))
    assert printer.letters == (printer.connections if status == "letters" else 0)


async def test_a_printer_that_must_not_be_asked_is_not_asked(database: Database) -> None:
    """With status=off it never prints the question."""
    printer = LabelPrinter(Behaviour(status="letters"))
    async with printer.running(), shop(database, zebra(printer.port, "&status=off")) as opened:
        job = await opened.over(await opened.queue(3))
        assert await opened.state() is PrinterState.UNKNOWN
    assert (job.state, printer.letters) == (JobState.SENT, 0)


SILENT_PLACES = {
    "within the first label": LABEL_BYTES // 2,
    "the end of the first document": DOCUMENT_BYTES,
    "within the last document": 2 * DOCUMENT_BYTES + 100,
}


@pytest.mark.parametrize("moment", SILENT_PLACES)
async def test_a_reset_of_a_silent_printer_is_accounted_for(database: Database, moment: str) -> None:
    """None of its labels is sure, and none is printed twice."""
    printer = LabelPrinter(Behaviour(status="silent"))
    async with printer.running(), shop(database, zebra(printer.port)) as opened:
        printer.behaviour.reset_at = QUESTION_BYTES + SILENT_PLACES[moment]
        job = await opened.over(await opened.queue(25))
        assert on_paper(printer) == list(range(1, len(printer.printed) + 1))
        assert (job.state, job.labels_sure) in ((JobState.IN_DOUBT, 0), (JobState.SENT, 0))
        assert len(printer.printed) <= job.labels_unsure
        assert job.state is JobState.IN_DOUBT or job.labels_unsure == job.labels
        assert (await opened.over(await opened.queue(1))).state is JobState.SENT


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
        assert on_paper(printer) == [1, 2, 3, 4, 5]
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
    assert (job.state, on_paper(printer)) == (JobState.PRINTED, list(range(1, 13)))


async def test_a_printer_that_wakes_up_gets_the_labels(database: Database) -> None:
    """It accepts a connection, and reads nothing for longer than an answer is waited for; no label is lost."""
    printer = LabelPrinter(Behaviour(wake_seconds=2 * zpl.PATIENCE))
    async with printer.running(), shop(database, zebra(printer.port)) as opened:
        job = await opened.over(await opened.queue(12))
        await opened.when(job.id, lambda _: len(printer.printed) == 12)
    assert (job.state, job.labels_unsure) == (JobState.SENT, 12)
    assert on_paper(printer) == list(range(1, 13))


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


@pytest.fixture
def device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a device that takes CAPACITY bytes and then nothing, and whose limit without progress is short."""
    monkeypatch.setattr(device_file, "PROGRESS_WAIT", 0.2)
    path = tmp_path / "lp0"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, CAPACITY)
    yield path
    os.close(reader)


async def test_a_device_that_takes_nothing_gets_the_document_later(device: Path) -> None:
    """Nothing of it went out, so it can be sent again; one that stopped in the middle leaves doubt."""
    connection = await open_device(printer_of(f"usb=file://{device}?label=50x30mm"))
    with pytest.raises(BrokenOffError, match="took nothing"):
        await connection.send(Document(9, ZPL, b"x" * (CAPACITY + 1)))
    with pytest.raises(NotReachableError, match="took nothing"):
        await connection.send(Document(1, ZPL, b"x"))
    await connection.close()
