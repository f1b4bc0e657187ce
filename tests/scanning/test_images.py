from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack
from dataclasses import replace

import pytest
from PIL import Image

from barcodesvc.clock import Clock
from barcodesvc.errors import FileTooLarge, GenerationFailure, InvalidFileFormat, ProductNotFound, RenderOverload
from barcodesvc.models import ProductDraft
from barcodesvc.runtime.processes import WorkerProcesses
from barcodesvc.scanning import images
from barcodesvc.scanning.image_codes import CodeOnImage, CodesOnImage, ImagePoint, read_image
from barcodesvc.scanning.images import SMALL_FILE, ImageReader, resolve_codes
from barcodesvc.scanning.resolver import Resolved, Resolver
from barcodesvc.store.database import Database
from tests.scanning.symbol_images import PAPER, file_of, finder_patterns, on_paper, symbol
from tests.stock import insert_all
from tests.worker_processes import worker_processes

CORNERS = (ImagePoint(0, 0), ImagePoint(9, 0), ImagePoint(9, 9), ImagePoint(0, 9))
TINY = file_of(Image.new("L", (9, 9), PAPER))
NOTHING = CodesOnImage((), is_truncated=False)
WAITING = 16
NOW = "2026-01-31T12:00:00.000Z"

Until = Callable[[Callable[[], bool]], Awaitable[None]]


@pytest.fixture
async def processes() -> AsyncIterator[WorkerProcesses]:
    """Return processes that are ended after the test."""
    processes = WorkerProcesses()
    yield processes
    processes.end()


@pytest.fixture
async def reader(processes: WorkerProcesses) -> AsyncIterator[ImageReader]:
    """Return a reader with two threads, for images of up to 1000 bytes."""
    reader = ImageReader(2, processes, 1000, WAITING)
    yield reader
    await reader.close()


async def found(database: Database, stored: list[str], *codes: CodeOnImage) -> list[tuple[str, str] | None]:
    """Return for each code the product it names and the rule, None for none, with these products in stock."""
    drafts = [ProductDraft(product_code=code, description="x") for code in stored]
    await database.change(lambda: insert_all(drafts, NOW))
    resolved = await resolve_codes(Resolver(database, Clock()), codes)
    outcomes = [one.outcome for one in resolved]
    return [(one.found.product_code, one.match.value) if isinstance(one, Resolved) else None for one in outcomes]


async def test_an_image_is_read(reader: ImageReader) -> None:
    """What the codes hold comes back from the thread."""
    found = await reader.read(file_of(on_paper((symbol(), (50, 50)))))
    assert [code.text for code in found.codes] == ["AB-12345"]


async def test_a_refusal_is_handed_on(reader: ImageReader) -> None:
    """What is no image is the sender's mistake."""
    with pytest.raises(InvalidFileFormat):
        await reader.read(b"no image")


async def test_a_failure_is_a_generation_failure(reader: ImageReader, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody foresaw is logged and becomes a GENERATION_ERROR; the reader is broken, as no image breaks it."""
    monkeypatch.setattr(images, "read_image", lambda _: 1 / 0)
    with pytest.raises(GenerationFailure, match="could not be read"):
        await reader.read(TINY)


@pytest.mark.parametrize(
    ("size", "padding", "is_small"),
    [((1200, 1000), 0, True), ((1201, 1000), 0, False), ((9, 9), SMALL_FILE, False)],
    ids=["small", "of many pixels", "of many bytes"],
)
async def test_large_images_are_read_in_a_process(
    reader: ImageReader, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], padding: int, *, is_small: bool
) -> None:
    """What a thread reads is counted; a process reads with functions of its own."""
    here: list[bytes] = []

    def watched(content: bytes) -> CodesOnImage:
        here.append(content)
        return read_image(content)

    monkeypatch.setattr(images, "read_image", watched)
    assert await reader.read(file_of(Image.new("L", size, PAPER)) + bytes(padding)) == NOTHING
    assert len(here) == is_small


async def test_a_process_finds_what_a_thread_finds(reader: ImageReader) -> None:
    """Codes, names and positions cross unharmed."""
    content = file_of(on_paper((symbol(), (50, 50)), (symbol("QR", "B-1", 3), (50, 300)), side=1200))
    assert await reader.read(content) == read_image(content)


async def test_damage_is_refused_by_a_process_too(reader: ImageReader) -> None:
    """A large image that is cut short is the sender's mistake as a small one is."""
    content = file_of(on_paper((symbol(), (50, 50)), side=1200))
    with pytest.raises(InvalidFileFormat, match="cut short or damaged"):
        await reader.read(content[:-200])


async def test_an_image_that_takes_too_long_is_refused(reader: ImageReader, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process is gone, its capacity is free, and the next image is read."""
    monkeypatch.setattr(images, "LIMITS", replace(images.LIMITS, seconds=1.0))
    with pytest.raises(InvalidFileFormat) as refusal, reader.images.held():
        await reader.read(finder_patterns(2500))
    assert refusal.value.message == "the image takes more than 1 seconds to read; send a smaller or cropped one"
    assert (worker_processes(), reader.images.free) == ([], 2 + WAITING)
    assert await reader.read(TINY) == NOTHING


async def test_an_image_that_takes_too_much_memory_is_refused(
    reader: ImageReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the sender's mistake, not the service's; 49 megapixels take more than the limit here."""
    monkeypatch.setattr(images, "LIMITS", replace(images.LIMITS, bytes=70_000_000))
    with pytest.raises(FileTooLarge, match="takes too much memory to read"):
        await reader.read(file_of(Image.new("RGB", (7000, 7000))))


async def test_an_end_of_the_service_ends_the_reading_of_large_images(
    reader: ImageReader, processes: WorkerProcesses, until: Until
) -> None:
    """Two are in work, the third has not begun; all are refused at once."""
    content = finder_patterns(2500)
    reading = [asyncio.create_task(reader.read(content)) for _ in range(3)]
    await until(lambda: len(worker_processes()) == 2)
    processes.end()
    outcomes = await asyncio.gather(*reading, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [RenderOverload] * 3


async def test_images_that_wait_are_bounded(reader: ImageReader) -> None:
    """Beside an image for each thread some more may wait; the refusal of the next one says when to come back."""
    with ExitStack() as held:
        for _ in range(2 + WAITING):
            held.enter_context(reader.images.held())
        with pytest.raises(RenderOverload) as refusal, reader.images.held():
            pass
    assert refusal.value.headers == {"Retry-After": "2"}
    assert reader.images.free == 2 + WAITING


async def test_the_bytes_of_arriving_images_are_bounded(reader: ImageReader) -> None:
    """As many uploads of the full size fit as may wait, however they are spread; who ends or fails gives room back."""
    with ExitStack() as held:
        takes = [held.enter_context(reader.arriving_bytes.held(0)) for _ in range(50)]
        for number in range(WAITING * 10):
            takes[number % 50](100)
        with pytest.raises(RenderOverload) as refusal, reader.arriving_bytes.held(0) as take:
            take(1)
        assert reader.arriving_bytes.free == 0
    assert refusal.value.headers == {"Retry-After": "2"}
    assert reader.arriving_bytes.free == WAITING * 1000


async def test_as_many_images_are_read_at_once_as_there_are_threads(
    reader: ImageReader, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two are in work, the third waits for a thread; the readings are held up, which no image does for sure."""
    begun, go_on = [], threading.Event()

    def held_up(content: bytes) -> CodesOnImage:
        begun.append(content)
        go_on.wait(10)
        return NOTHING

    monkeypatch.setattr(images, "read_image", held_up)
    reading = [asyncio.create_task(reader.read(TINY + bytes([number]))) for number in range(3)]
    await until(lambda: len(begun) == 2)
    await asyncio.wait(reading, timeout=0.05)
    assert sorted(begun) == [TINY + b"\0", TINY + b"\1"]
    go_on.set()
    await asyncio.gather(*reading)
    assert len(begun) == 3


async def test_who_leaves_gives_capacity_back_when_the_image_has_been_read(
    reader: ImageReader, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread cannot be stopped, so its capacity is taken until it ends; the reading is held up, as above."""
    begun, go_on = threading.Event(), threading.Event()

    def held_up(_: bytes) -> CodesOnImage:
        begun.set()
        go_on.wait(10)
        return NOTHING

    async def read() -> None:
        with reader.images.held():
            await reader.read(TINY)

    monkeypatch.setattr(images, "read_image", held_up)
    task = asyncio.create_task(read())
    await until(begun.is_set)
    task.cancel()
    await asyncio.wait((task,), timeout=0.05)
    assert reader.images.free == 1 + WAITING
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert reader.images.free == 2 + WAITING


async def test_each_code_is_resolved(database: Database) -> None:
    """Codes come back in their order, with the product that each names, or why none."""
    codes = [CodeOnImage(text, "CODE128", CORNERS) for text in ("A-1", "unknown", "A-1", "B-1")]
    assert await found(database, ["A-1", "B-1"], *codes) == [("A-1", "exact"), None, ("A-1", "exact"), ("B-1", "exact")]


async def test_the_codes_on_an_image_are_looked_up_together(database: Database, asked: list[str]) -> None:
    """Sixty codes take two or three statements, not one each."""
    codes = [CodeOnImage(f"A-{number}", "CODE128", CORNERS) for number in range(60)]
    assert await found(database, ["A-7"], *codes) == [("A-7", "exact") if code is codes[7] else None for code in codes]
    assert 1 <= asked.count("resolve_scans") <= 3


async def test_a_miss_says_why(database: Database) -> None:
    """The outcome of a code without a product is the error that a text scan would have met."""
    [one] = await resolve_codes(Resolver(database, Clock()), [CodeOnImage("A-1", "QR", CORNERS)])
    assert isinstance(one.outcome, ProductNotFound)


async def test_a_gs1_symbol_names_its_product_by_its_gtin(database: Database) -> None:
    """The identifier and the separators do their work."""
    code = CodeOnImage("]C110LOT7\x1d010952123454321321S1", "GS1-128", CORNERS)
    assert await found(database, ["9521234543213"], code) == [("9521234543213", "gs1")]


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (["012345000065"], ("012345000065", "exact")),
        (["0012345000065"], ("0012345000065", "gtin")),
        (["01234565"], ("01234565", "gtin")),
        (["01234565", "012345000065"], ("012345000065", "exact")),
        (["0000001234565"], None),
        ([], None),
    ],
)
async def test_a_upce_is_its_upca_or_as_it_is_printed(
    database: Database, stored: list[str], expected: tuple[str, str] | None
) -> None:
    """It finds the UPC-A, else a code written like it, and never the EAN-8 that its eight digits could be."""
    code = CodeOnImage("012345000065", "UPCE", CORNERS)
    assert await found(database, stored, code) == [expected]
