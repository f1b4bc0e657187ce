"""What is special to IPP: HTTP and TLS, the printer's own jobs and its rolls, and reasons for its state."""

import asyncio
import hashlib
import ssl

import pytest
import trustme

from barcodesvc.print_jobs import JobState, PrinterState
from barcodesvc.printers import ipp
from barcodesvc.printers.connection import PDF, Document, NotReachableError
from barcodesvc.store.database import Database
from tests.printers.ipp_printer import IppPrinter
from tests.printers.queued import connected, office, shop
from tests.sweeps import sweep


async def test_documents_say_what_they_are(database: Database) -> None:
    """Their name, and the size of their media in hundredths of a millimetre."""
    async with IppPrinter(job_states=(3, 5, 9)).running() as printer, shop(database, office(printer.port)) as opened:
        assert (await opened.over(await opened.queue(12))).state is JobState.PRINTED
    assert [document.said["job-name"] for document in printer.documents] == ["10 labels", "2 labels"]
    assert printer.documents[0].media == (5000, 3000)


async def test_a_printer_that_was_off_leaves_doubt(database: Database) -> None:
    """It was away while it printed, and does not know the job any more."""
    printer = IppPrinter(job_states=(5,))
    async with printer.running(), shop(database, office(printer.port)) as opened:
        job_id = await opened.queue(12)
        await opened.when(job_id, lambda job: job.labels_unsure == 10 and printer.asked > 0)
        printer.http_status = 503
        await opened.until_state(PrinterState.NOT_REACHABLE)
        printer.forgets, printer.http_status = True, 200
        job = await opened.over(job_id)
    assert (job.state, job.labels_unsure) == (JobState.IN_DOUBT, 10)
    assert job.message == "the printer was off, and has lost the job"


async def test_a_printer_that_stays_away_leaves_doubt(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the limit without progress its job is over, and the next one waits for it."""
    monkeypatch.setattr(ipp, "PROGRESS_WAIT", 0.3)
    printer = IppPrinter(job_states=(5,))
    async with printer.running(), shop(database, office(printer.port)) as opened:
        job_id, after = await opened.queue(12), await opened.queue(1)
        await opened.when(job_id, lambda job: job.labels_unsure == 10)
        printer.http_status = 503
        job = await opened.over(job_id)
        waiting = await opened.when(after, lambda job: bool(job.message))
    assert (job.state, job.labels_unsure, waiting.state) == (JobState.IN_DOUBT, 10, JobState.WAITING)


def test_a_printer_is_reached_by_the_loop_of_the_service() -> None:
    """The service runs on uvloop where that is installed, whose calls take fewer arguments."""
    uvloop = pytest.importorskip("uvloop")

    async def state() -> PrinterState:
        async with IppPrinter().running() as printer, connected(printer.port) as connection:
            return await connection.poll()

    assert uvloop.run(state()) is PrinterState.READY


async def test_a_printer_that_reads_slowly_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as it takes bytes there is progress."""
    monkeypatch.setattr(ipp, "PROGRESS_WAIT", 1.0)
    async with IppPrinter(rate=100_000).running() as printer, connected(printer.port) as connection:
        await connection.send(Document(1, PDF, b"x" * 300_000))
    assert len(printer.documents[0].content) == 300_000


async def test_a_document_waits_for_a_person(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A printer that is out of paper in the middle is no failure, however long: the job says so, and goes on then."""
    monkeypatch.setattr(ipp, "PROGRESS_WAIT", 1.5)
    async with IppPrinter(holds=True).running() as printer, shop(database, office(printer.port)) as opened:
        job_id = await opened.queue(12)
        await opened.when(job_id, lambda job: job.labels_unsure == 10)
        printer.reasons = ("media-empty-error",)
        async with asyncio.timeout(2.0):
            await opened.until_state(PrinterState.OUT_OF_PAPER)
            await opened.when(job_id, lambda job: job.message == "the printer is out of paper")
        looks = printer.looks
        await opened.when(job_id, lambda _: printer.looks == looks + 4)
        printer.reasons, printer.holds = ("none",), False
        await opened.when(job_id, lambda job: not job.message)
        assert (await opened.over(job_id)).state is JobState.PRINTED


async def test_a_printer_that_vanishes_in_a_document_is_noticed(database: Database) -> None:
    """Within two seconds, although the document is on its way."""
    async with IppPrinter(holds=True).running() as printer, shop(database, office(printer.port)) as opened:
        job_id = await opened.queue(12)
        await opened.until_state(PrinterState.BUSY)
        printer.is_frozen = True
        async with asyncio.timeout(2.0):
            await opened.until_state(PrinterState.NOT_REACHABLE)
        printer.is_frozen = printer.holds = False
        assert (await opened.over(job_id)).state is JobState.PRINTED


@sweep("status", [0x0502, 0x0505, 0x0506, 0x0507])
async def test_a_busy_printer_is_tried_again(status: int) -> None:
    """Nothing of the document went out to a printer that takes no jobs now."""
    async with IppPrinter(refuses=status).running() as printer, connected(printer.port) as connection:
        with pytest.raises(NotReachableError, match="the printer is not accepting jobs"):
            await connection.send(Document(1, PDF, b"x"))


@sweep(
    ("reasons", "is_stopped", "state"),
    [
        (("media-empty-error",), True, PrinterState.OUT_OF_PAPER),
        (("media-needed",), False, PrinterState.OUT_OF_PAPER),
        (("cover-open", "media-empty"), True, PrinterState.HEAD_OPEN),
        (("marker-supply-empty-warning",), True, PrinterState.RIBBON_OUT),
        (("marker-supply-empty-warning",), False, PrinterState.READY),
        (("none",), True, PrinterState.PAUSED),
    ],
)
async def test_reasons_are_states(reasons: tuple[str, ...], is_stopped: bool, state: PrinterState) -> None:  # noqa: FBT001 - a case
    """What stops the printer is its state; a warning alone is not."""
    printer = IppPrinter(reasons=reasons, is_stopped=is_stopped)
    async with printer.running(), connected(printer.port) as connection:
        assert await connection.poll() is state


async def test_nothing_is_printed_on_another_roll(database: Database) -> None:
    """The job says both sizes, and is printed on the right roll, with the margins that the printer lists."""
    printer = IppPrinter(ready=((6200, 2900),), margin=150)
    async with printer.running(), shop(database, office(printer.port)) as opened:
        job_id = await opened.queue(12)
        job = await opened.when(job_id, lambda job: bool(job.message))
        [report] = await opened.printers.report()
        printer.ready = ((6200, 2900), (5000, 3000))
        assert (await opened.over(job_id)).state is JobState.PRINTED
    assert job.message == "the printer has 62x29mm, not 50x30mm; put that in, or correct BARCODESVC_PRINTERS"
    assert (job.state, report.loaded, report.state) == (JobState.WAITING, "62x29mm", PrinterState.READY)
    assert {document.media for document in printer.documents} == {(5000, 3000, 150, 150, 150, 150)}


async def test_a_roll_that_is_changed_within_a_job_stops_it(database: Database) -> None:
    """The labels that are printed are sure, and the next ones wait for the right roll."""
    printer = IppPrinter(ready=((5000, 3000),), job_states=(5,))
    async with printer.running(), shop(database, office(printer.port)) as opened:
        job_id = await opened.queue(12)
        await opened.when(job_id, lambda _: bool(printer.documents))
        printer.ready, printer.job_states = ((6200, 2900),), (9,)
        job = await opened.when(job_id, lambda job: bool(job.message))
        assert (job.labels_sure, job.labels_unsure, len(printer.documents)) == (10, 0, 1)
        printer.ready = ((5000, 3000),)
        assert (await opened.over(job_id)).state is JobState.PRINTED


@pytest.mark.parametrize(
    ("printer", "message"),
    [
        (IppPrinter(raw=b""), None),
        (IppPrinter(raw=b"<html>" * 99), None),
        (IppPrinter(http_status=307), "the printer answers with HTTP status 307"),
    ],
    ids=["nothing", "html", "a redirect"],
)
async def test_what_does_not_speak_ipp_is_no_printer(printer: IppPrinter, message: str | None) -> None:
    """The service connects to the address of its settings alone, and follows no redirect."""
    async with printer.running(), connected(printer.port) as connection:
        with pytest.raises(NotReachableError, match=message):
            await connection.poll()


async def test_a_printer_that_sleeps_is_waited_for(database: Database) -> None:
    """It shows as not reachable while it wakes up, and prints then."""
    async with IppPrinter(is_frozen=True).running() as printer, shop(database, office(printer.port)) as opened:
        job_id = await opened.queue(2)
        assert await opened.state() is PrinterState.NOT_REACHABLE
        printer.is_frozen = False
        assert (await opened.over(job_id)).state is JobState.PRINTED


def certified() -> tuple[ssl.SSLContext, str]:
    """Return what a printer needs for TLS, and the option that pins its certificate."""
    issued = trustme.CA().issue_cert("127.0.0.1")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    issued.configure_cert(context)
    der = ssl.PEM_cert_to_DER_cert(issued.cert_chain_pems[0].bytes().decode())
    return context, f"&fingerprint={hashlib.sha256(der).hexdigest()}"


async def test_a_large_document_goes_over_tls() -> None:
    """It has more bytes than all buffers together."""
    context, pinned = certified()
    async with IppPrinter().running(context) as printer, connected(printer.port, pinned, "ipps") as connection:
        await connection.send(Document(1, PDF, b"x" * 5_000_000))
    assert len(printer.documents[0].content) == 5_000_000


async def test_a_printer_without_tls_says_what_is_wrong() -> None:
    """An address with `ipps` for a printer that speaks plain IPP is a mistake of the settings."""
    async with IppPrinter().running() as printer, connected(printer.port, scheme="ipps") as connection:
        with pytest.raises(NotReachableError, match="TLS fails: "):
            await connection.poll()


async def test_a_certificate_is_checked(database: Database) -> None:
    """An unknown one is refused, and the one of `fingerprint` is accepted."""
    context, pinned = certified()
    async with IppPrinter().running(context) as printer:
        async with shop(database, office(printer.port, scheme="ipps")) as opened:
            job = await opened.when(await opened.queue(1), lambda job: bool(job.message))
            assert "fingerprint=" in job.message
        async with shop(database, office(printer.port, pinned, "ipps")) as opened:
            assert (await opened.over(job.id)).state is JobState.PRINTED
        async with shop(database, office(printer.port, f"&fingerprint={'0' * 64}", "ipps")) as opened:
            job = await opened.when(await opened.queue(1), lambda job: bool(job.message))
            assert "not the one that fingerprint= names" in job.message
