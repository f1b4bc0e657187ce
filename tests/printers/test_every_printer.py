"""What the queue gets right with every printer: labels, faults, resets and cancelling, over ZPL and over IPP."""

import asyncio

import pytest

from barcodesvc.print_jobs import JobState, PrinterState
from barcodesvc.printers import ipp, zpl
from barcodesvc.store.database import Database
from tests.printers.ipp_printer import IppPrinter
from tests.printers.queued import LABEL_BYTES, numbers, office, rest, shop, zebra
from tests.servers.label_printer import LabelPrinter

COMPLETED, PROCESSING = 9, 5
CANCELLING = "cancelled; the printer still prints the labels that it has"
QUESTION_BYTES = len(b"~HS\r\n")
DOCUMENT_BYTES = 10 * LABEL_BYTES


class Zpl(LabelPrinter):
    """A printer that speaks ZPL, and what a test does to it."""

    def setting(self) -> str:
        """Return its address in the settings."""
        return zebra(self.port)

    def on_paper(self) -> list[int]:
        """Return the numbers of the labels that are printed."""
        return numbers(b"".join(self.printed))

    def print_slowly(self) -> None:
        """Take a while for each label from now on."""
        self.behaviour.label_seconds = 0.03

    def lack_paper(self, *, is_empty: bool) -> None:
        """Run out of paper, or have some again."""
        self.behaviour.paper_out = is_empty

    def freeze(self) -> None:
        """Answer nothing any more."""
        self.behaviour.hang_at = 1

    def hang(self) -> None:
        """Stop in the middle of the first document."""
        self.behaviour.hang_at = QUESTION_BYTES + DOCUMENT_BYTES // 2

    def go_on(self) -> None:
        """Read and answer again."""
        self.behaviour.hang_at = None

    def reset(self, place: int) -> None:
        """Reset the connection at a byte behind the first question."""
        self.behaviour.reset_at = QUESTION_BYTES + place


class Ipp(IppPrinter):
    """A printer that speaks IPP, and what a test does to it."""

    def setting(self) -> str:
        """Return its address in the settings."""
        return office(self.port)

    def on_paper(self) -> list[int]:
        """Return the numbers of the labels that have arrived."""
        return numbers(b"".join(document.content for document in self.documents))

    def print_slowly(self) -> None:
        """Take a while for each document from now on."""
        self.job_states = (PROCESSING, PROCESSING, PROCESSING, COMPLETED)

    def lack_paper(self, *, is_empty: bool) -> None:
        """Run out of paper, or have some again."""
        self.reasons = ("media-empty-error",) if is_empty else ("none",)

    def freeze(self) -> None:
        """Answer nothing any more."""
        self.is_frozen = True

    def hang(self) -> None:
        """Take the first document, and say nothing to it."""
        self.holds = True

    def go_on(self) -> None:
        """Read and answer again."""
        self.is_frozen = self.holds = False

    def reset(self, place: int) -> None:
        """Reset the connection at a byte of the first document."""
        self.reset_at = place


EITHER = pytest.mark.parametrize("kind", [Zpl, Ipp], ids=["zpl", "ipp"])
Kind = type[Zpl] | type[Ipp]


@EITHER
async def test_a_job_is_printed(database: Database, kind: Kind, caplog: pytest.LogCaptureFixture) -> None:
    """All labels come out in order, and the printer's word for it is the job's; each change is logged and counted."""
    caplog.set_level("INFO", "barcodesvc")
    async with kind().running() as printer, shop(database, printer.setting()) as opened:
        job = await opened.over(await opened.queue(25))
    assert (job.state, job.labels_sure, job.labels_unsure, job.message) == (JobState.PRINTED, 25, 0, "")
    assert printer.on_paper() == list(range(1, 26))
    states = [JobState.WAITING, JobState.SENDING, JobState.PRINTED]
    assert opened.observed.jobs == {("zebra", state): 1 for state in states}
    assert opened.observed.labels == {"zebra": 25}
    changes = [f"print job {job.id} of printer zebra is {state}" for state in states]
    assert [each for each in caplog.messages if each.startswith("print job")] == changes
    assert "printer zebra is ready" in caplog.messages


@EITHER
async def test_a_job_waits_for_a_person_before_its_first_label(database: Database, kind: Kind) -> None:
    """It says what the printer lacks, within two seconds, and is printed then."""
    async with kind().running() as printer, shop(database, printer.setting()) as opened:
        assert await opened.state() is PrinterState.READY
        printer.lack_paper(is_empty=True)
        async with asyncio.timeout(2.0):
            await opened.until_state(PrinterState.OUT_OF_PAPER)
        job_id = await opened.queue(3)
        job = await opened.when(job_id, lambda job: bool(job.message))
        assert (job.state, job.message) == (JobState.WAITING, "the printer is out of paper")
        assert printer.on_paper() == []
        printer.lack_paper(is_empty=False)
        assert (await opened.over(job_id)).state is JobState.PRINTED


@EITHER
async def test_a_fault_in_the_middle_is_no_doubt(database: Database, kind: Kind) -> None:
    """A printer that runs out of paper keeps its labels, and prints them with new paper; the job says so meanwhile."""
    async with kind().running() as printer, shop(database, printer.setting()) as opened:
        printer.print_slowly()
        job_id = await opened.queue(15)
        await opened.when(job_id, lambda job: job.labels_unsure == 10)
        printer.lack_paper(is_empty=True)
        async with asyncio.timeout(2.0):
            await opened.until_state(PrinterState.OUT_OF_PAPER)
            job = await opened.when(job_id, lambda job: bool(job.message))
        assert (job.state, job.message) == (JobState.SENDING, "the printer is out of paper")
        printer.lack_paper(is_empty=False)
        await opened.when(job_id, lambda job: not job.message)
        assert (await opened.over(job_id)).labels_sure == 15
    assert printer.on_paper() == list(range(1, 16))


@EITHER
async def test_a_printer_that_vanishes_is_noticed_within_two_seconds(
    database: Database, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has answered before, and does not while it prints; the job goes on once it is back."""
    monkeypatch.setattr(ipp, "ATTRIBUTES_WAIT", 2.0)
    async with kind().running() as printer, shop(database, printer.setting()) as opened:
        printer.print_slowly()
        job_id = await opened.queue(15)
        await opened.when(job_id, lambda job: job.labels_unsure == 10)
        printer.freeze()
        async with asyncio.timeout(2.0):
            await opened.until_state(PrinterState.NOT_REACHABLE)
        await opened.when(job_id, lambda job: job.message == "the printer cannot be reached")
        printer.go_on()
        assert (await opened.over(job_id)).state is JobState.PRINTED


@EITHER
async def test_a_printer_that_hangs_leaves_doubt(
    database: Database, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the limit without progress the document is broken off; the next job waits until the printer is back."""
    for module in (zpl, ipp):
        monkeypatch.setattr(module, "PROGRESS_WAIT", 0.6)
    async with kind().running() as printer, shop(database, printer.setting()) as opened:
        printer.hang()
        job_id, after = await opened.queue(25), await opened.queue(1)
        job = await opened.over(job_id)
        assert (job.state, job.labels_sure, job.labels_unsure) == (JobState.IN_DOUBT, 0, 10)
        printer.go_on()
        assert (await opened.over(after)).state is JobState.PRINTED


PLACES = {
    Zpl: {
        "the first byte": 1,
        "within the first label": LABEL_BYTES // 2,
        "the end of the first label": LABEL_BYTES,
        "the end of the first document": DOCUMENT_BYTES,
        "the question after the first document": DOCUMENT_BYTES + QUESTION_BYTES,
        "the beginning of the second document": DOCUMENT_BYTES + 2 * QUESTION_BYTES + 1,
        "the end of the last document": 2 * DOCUMENT_BYTES + 4 * QUESTION_BYTES + 5 * LABEL_BYTES,
    },
    Ipp: {
        "the first bytes": 8,
        "within the attributes": 150,
        "within the document": 2000,
        "before the response": 10**6,
    },
}


@pytest.mark.parametrize(("kind", "moment"), [(kind, moment) for kind, places in PLACES.items() for moment in places])
async def test_a_reset_is_accounted_for(database: Database, kind: Kind, moment: str) -> None:
    """Wherever the connection breaks off: sure labels are on paper, the others may be, and none is printed twice.

    The next job is not delayed.
    """
    async with kind().running() as printer, shop(database, printer.setting()) as opened:
        printer.reset(PLACES[kind][moment])
        job = await opened.over(await opened.queue(25))
        on_paper = printer.on_paper()
        assert on_paper == list(range(1, len(on_paper) + 1))
        assert job.labels_sure <= len(on_paper) <= job.labels_sure + job.labels_unsure
        assert job.state is JobState.IN_DOUBT or len(on_paper) == job.labels
        assert job.labels_unsure <= 10
        assert (await opened.over(await opened.queue(1))).state is JobState.PRINTED


@EITHER
@pytest.mark.parametrize("is_empty", [False, True], ids=["printing", "out of paper"])
async def test_a_cancelled_job_ends_after_the_labels_that_the_printer_has(
    database: Database, kind: Kind, *, is_empty: bool
) -> None:
    """Nothing more is sent, but the printer prints on, with new paper too; the rest doubles no label."""
    async with kind().running() as printer, shop(database, printer.setting()) as opened:
        printer.print_slowly()
        job_id = await opened.queue(25)
        await opened.when(job_id, lambda job: job.labels_unsure == 10)
        printer.lack_paper(is_empty=is_empty)
        cancelled = await opened.cancel(job_id)
        assert (cancelled.state, cancelled.message) == (JobState.SENDING, CANCELLING)
        if is_empty:
            await opened.until_state(PrinterState.OUT_OF_PAPER)
            assert (await opened.job(job_id)).state is JobState.SENDING
            printer.lack_paper(is_empty=False)
        job = await opened.over(job_id)
        assert (job.state, job.labels_sure, job.labels_unsure, job.message) == (JobState.CANCELLED, 10, 0, "")
        assert printer.on_paper() == list(range(1, 11))
        after = await rest(database, job_id)
        opened.printers.note(after)
        await opened.over(after.id)
    assert sorted(printer.on_paper()) == list(range(1, 26))
