from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, get_args

import pytest
from PIL import Image

from barcodesvc.clock import Clock
from barcodesvc.errors import (
    FileTooLarge,
    GenerationFailure,
    InvalidFileFormat,
    RenderOverload,
    Stopping,
)
from barcodesvc.models import ProductDraft
from barcodesvc.runtime.processes import ProcessLimits, WorkerProcesses
from barcodesvc.scanning import images
from barcodesvc.scanning.codes_on_images import CodeOnImage, CodesOnImage, EffortName, ImageFile, ImagePoint
from barcodesvc.scanning.image_reading import read_image
from barcodesvc.scanning.images import LIMITS, SMALL_FILE, ImageReader, resolve_codes
from barcodesvc.scanning.resolver import Resolved, Resolver
from barcodesvc.scanning.unresolved import UnresolvedScan
from barcodesvc.store.database import Database
from tests.scanning.symbol_images import PAPER, file_of, finder_patterns, on_paper, symbol
from tests.stock import insert_all
from tests.worker_processes import kept_processes, worker_processes

CORNERS = (ImagePoint(0, 0), ImagePoint(9, 0), ImagePoint(9, 9), ImagePoint(0, 9))
TINY = file_of(Image.new("L", (9, 9), PAPER))
NOTHING = CodesOnImage((), is_truncated=False, looks=1)
WAITING = 16
NOW = "2026-01-31T12:00:00.000Z"

Until = Callable[[Callable[[], bool]], Awaitable[None]]


@pytest.fixture
async def processes() -> AsyncIterator[WorkerProcesses]:
    """Return processes that are stopped after the test."""
    processes = WorkerProcesses()
    yield processes
    processes.end()


@pytest.fixture
async def reader(processes: WorkerProcesses) -> AsyncIterator[ImageReader]:
    """Return a reader with two slots for large images and four for small ones, for images of up to 1000 bytes."""
    reader = ImageReader(2, processes, 1000, WAITING)
    yield reader
    processes.end()
    await reader.close()


def always() -> bool:
    """Say that a client waits for the image."""
    return True


async def read(
    reader: ImageReader, content: bytes, client: str = "a", is_wanted: Callable[[], bool] = always
) -> CodesOnImage:
    """Look at an image once for one client, which waits for it."""
    return await reader.read(ImageFile(content, "quick"), client, is_wanted)


def reading(reader: ImageReader, content: bytes, count: int, client: str = "a") -> list[asyncio.Task[CodesOnImage]]:
    """Begin to read the image this many times."""
    return [asyncio.create_task(read(reader, content, client)) for _ in range(count)]


async def found(database: Database, stored: list[str], *codes: CodeOnImage) -> list[tuple[str, str] | None]:
    """Return for each code its product and the rule, None without a product, with these products in stock."""
    drafts = [ProductDraft(product_code=code, description="x") for code in stored]
    await database.change(lambda: insert_all(drafts, NOW))
    resolved = await resolve_codes(Resolver(database, Clock()), codes)
    outcomes = [one.outcome for one in resolved]
    return [(one.product.product_code, one.match.value) if isinstance(one, Resolved) else None for one in outcomes]


async def test_an_image_is_read(reader: ImageReader) -> None:
    """The contents of the codes come back from the process."""
    found = await read(reader, file_of(on_paper((symbol(), (50, 50)))))
    assert [code.text for code in found.codes] == ["AB-12345"]


async def test_a_refusal_is_handed_on(reader: ImageReader) -> None:
    """A file that is not an image is the sender's mistake."""
    with pytest.raises(InvalidFileFormat):
        await read(reader, b"no image")


async def test_a_failure_is_a_generation_failure(reader: ImageReader, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unexpected error is logged and becomes a GENERATION_ERROR; the test breaks the reader, as no image does."""
    monkeypatch.setattr(images, "small_codes_from_json", lambda _: 1 / 0)
    with pytest.raises(GenerationFailure, match="could not be read"):
        await read(reader, TINY)


@pytest.mark.parametrize(
    ("size", "padding", "is_small"),
    [((1200, 1000), 0, True), ((1201, 1000), 0, False), ((9, 9), SMALL_FILE, False)],
    ids=["small", "of many pixels", "of many bytes"],
)
async def test_a_large_image_has_a_process_to_itself(
    reader: ImageReader, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], padding: int, *, is_small: bool
) -> None:
    """A small one is read in a process that stays."""
    started: list[ProcessLimits] = []
    run = WorkerProcesses.run

    def run_and_note(processes: WorkerProcesses, limits: ProcessLimits, *arguments: Any, **options: Any) -> Any:
        started.append(limits)
        return run(processes, limits, *arguments, **options)

    monkeypatch.setattr(WorkerProcesses, "run", run_and_note)
    assert await read(reader, file_of(Image.new("L", size, PAPER)) + bytes(padding)) == NOTHING
    assert started == ([] if is_small else [LIMITS])


@pytest.mark.parametrize("side", [600, 1200], ids=["small", "large"])
async def test_a_process_finds_what_is_found_without_one(reader: ImageReader, side: int) -> None:
    """Codes, names and positions cross unharmed."""
    content = file_of(on_paper((symbol(), (50, 50)), (symbol("QR", "B-1", 3), (50, 300)), side=side))
    for effort in get_args(EffortName):
        image = ImageFile(content, effort)
        assert await reader.read(image, "a", always) == read_image(image)


@pytest.mark.parametrize("side", [600, 1200], ids=["small", "large"])
async def test_damage_is_refused(reader: ImageReader, side: int) -> None:
    """A truncated image is the sender's mistake, whichever process reads it."""
    content = file_of(on_paper((symbol(), (50, 50)), side=side))
    with pytest.raises(InvalidFileFormat, match="truncated or damaged"):
        await read(reader, content[:-200])


async def test_an_image_that_takes_too_long_is_refused(reader: ImageReader, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process is gone, its slot is free, and the next image is read."""
    monkeypatch.setattr(images, "LIMITS", replace(images.LIMITS, seconds=1.0))
    with pytest.raises(InvalidFileFormat) as refusal:
        await read(reader, finder_patterns(2500))
    assert refusal.value.message == "the image takes more than 1 seconds to read; send a smaller or cropped one"
    assert (worker_processes(), reader.used) == ([], 0)
    assert await read(reader, TINY) == NOTHING


async def test_an_image_that_takes_too_much_memory_is_refused(
    reader: ImageReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the sender's mistake, not the service's; 49 megapixels take more than the limit here."""
    monkeypatch.setattr(images, "LIMITS", replace(images.LIMITS, bytes=70_000_000))
    with pytest.raises(FileTooLarge, match="takes too much memory to read"):
        await read(reader, file_of(Image.new("RGB", (7000, 7000))))


async def test_an_end_of_the_service_ends_the_reading_of_large_images(
    reader: ImageReader, processes: WorkerProcesses, until: Until
) -> None:
    """Two are being read, the third has not begun; all are rejected at once."""
    tasks = reading(reader, finder_patterns(2500), 3)
    await until(lambda: len(worker_processes()) == 2)
    processes.end()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [Stopping] * 3


def is_refused(reader: ImageReader, client: str) -> bool:
    """Return whether a large image of this client would be rejected before it arrives."""
    try:
        reader.require(client, SMALL_FILE + 1)
    except RenderOverload:
        return True
    return False


async def test_images_that_wait_are_bounded(reader: ImageReader, processes: WorkerProcesses, until: Until) -> None:
    """The queue is full; the refusal of the next one says when to come back, and another client is accepted."""
    tasks = reading(reader, finder_patterns(2500), 2 + WAITING)
    await until(lambda: is_refused(reader, "a"))
    reader.require("a", 1000)
    assert not is_refused(reader, "b")
    with pytest.raises(RenderOverload) as refusal:
        await read(reader, finder_patterns(2500))
    assert refusal.value.headers == {"Retry-After": "2"}
    processes.end()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert reader.used == 0
    assert reader.most == 2 + WAITING + 4 + WAITING


async def test_small_images_do_not_wait_for_large_ones(reader: ImageReader, until: Until) -> None:
    """While all slots for large ones are taken and more wait, a small one of the same client is read."""
    tasks = reading(reader, finder_patterns(2500), 5)
    await until(lambda: len(worker_processes()) == 2)
    assert await read(reader, TINY) == NOTHING
    assert not any(task.done() for task in tasks)


async def test_small_images_do_not_wait_for_hard_ones(
    processes: WorkerProcesses, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow small image gives its slot up when another client comes, and is read later."""
    monkeypatch.setattr(images, "SMALL_SLICE", 0.05)
    monkeypatch.setattr(images, "SMALL_LIMITS", replace(images.SMALL_LIMITS, seconds=60))
    reader = ImageReader(1, processes, 1000, WAITING)
    try:
        await asyncio.gather(*reading(reader, TINY, 2))  # both places have a process that is ready
        before = kept_processes()
        tasks = reading(reader, finder_patterns(1090), 3)
        await until(lambda: reader.used == 3)
        assert await read(reader, TINY, "b") == NOTHING
        assert not all(task.done() for task in tasks)
        assert await asyncio.gather(*tasks) == [NOTHING] * 3
        assert not all(process.is_running() for process in before)  # an image gives its place up with its process
    finally:
        await reader.close()


async def test_no_client_keeps_more_than_half_of_the_places(
    processes: WorkerProcesses, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large image beyond its client's half makes room for another client's, and is read later."""
    # however busy the machine is, the short one ends within its slice, and the long ones do not end
    monkeypatch.setattr(images, "LIMITS", replace(images.LIMITS, seconds=600.0, niceness=0))
    monkeypatch.setattr(images, "LARGE_SLICE", 3.0)
    reader = ImageReader(2, processes, 1000, WAITING)
    try:
        tasks = reading(reader, finder_patterns(6000), 3)
        await until(lambda: len(worker_processes()) == 2)
        assert await read(reader, file_of(Image.new("L", (1201, 1000), PAPER)), "b") == NOTHING
        assert not any(task.done() for task in tasks)
        await until(lambda: len(worker_processes()) == 2)
    finally:
        processes.end()
        await asyncio.gather(reader.close(), *tasks, return_exceptions=True)


@pytest.mark.parametrize("side", [1090, 2500], ids=["small", "large"])
async def test_an_image_whose_client_has_left_releases_its_place(reader: ImageReader, until: Until, side: int) -> None:
    """Its process is stopped, and a waiting image is skipped."""
    is_wanted = [True]
    content = finder_patterns(side)
    tasks = [asyncio.create_task(read(reader, content, "a", lambda: is_wanted[0])) for _ in range(5)]
    await until(lambda: bool(worker_processes()) if side > 1100 else reader.used == 5)
    is_wanted[0] = False
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert {*map(type, outcomes)} <= {GenerationFailure, CodesOnImage}
    assert GenerationFailure in map(type, outcomes)
    assert (worker_processes(), reader.used) == ([], 0)
    assert await read(reader, TINY) == NOTHING


async def test_a_small_image_whose_client_is_gone_ends_its_process(reader: ImageReader, until: Until) -> None:
    """However long it would take; here its process is stopped."""
    await read(reader, TINY)
    for process in kept_processes():
        process.suspend()
    is_wanted = [True]
    task = asyncio.create_task(read(reader, TINY, "a", lambda: is_wanted[0]))
    await until(lambda: reader.used == 1)
    is_wanted[0] = False
    with pytest.raises(GenerationFailure):
        await task


async def test_a_close_leaves_no_process(reader: ImageReader) -> None:
    """Processes kept for small images end with the reader."""
    await read(reader, TINY)
    assert kept_processes()
    await reader.close()
    assert kept_processes() == []


async def test_the_bytes_of_arriving_images_are_bounded(reader: ImageReader) -> None:
    """As many uploads of the full size fit as may wait, however they are spread; an end or a failure frees space."""
    with ExitStack() as held:
        acquires = [held.enter_context(reader.arriving_bytes.held(0)) for _ in range(50)]
        for number in range(WAITING * 10):
            acquires[number % 50](100)
        with pytest.raises(RenderOverload) as refusal, reader.arriving_bytes.held(0) as acquire:
            acquire(1)
        assert reader.arriving_bytes.free == 0
    assert refusal.value.headers == {"Retry-After": "2"}
    assert reader.arriving_bytes.free == WAITING * 1000


async def test_as_many_large_images_are_read_at_once_as_there_are_places(reader: ImageReader, until: Until) -> None:
    """Two are being read, and the others wait."""
    tasks = reading(reader, finder_patterns(2500), 4)
    await until(lambda: len(worker_processes()) == 2)
    await asyncio.wait(tasks, timeout=0.1)
    assert len(worker_processes()) == 2
    assert reader.used == 4


async def test_each_code_is_resolved(database: Database) -> None:
    """Codes come back in order, with their products, or why there is none."""
    codes = [CodeOnImage(text, "CODE128", CORNERS) for text in ("A-1", "unknown", "A-1", "B-1")]
    assert await found(database, ["A-1", "B-1"], *codes) == [("A-1", "exact"), None, ("A-1", "exact"), ("B-1", "exact")]


async def test_the_codes_on_an_image_are_looked_up_together(database: Database, asked: list[str]) -> None:
    """Sixty codes take two or three statements, not one each."""
    codes = [CodeOnImage(f"A-{number}", "CODE128", CORNERS) for number in range(60)]
    assert await found(database, ["A-7"], *codes) == [("A-7", "exact") if code is codes[7] else None for code in codes]
    assert 1 <= asked.count("resolve_scans") <= 3


async def test_a_miss_says_why(database: Database) -> None:
    """The outcome of a code without a product is the same error as for a text scan."""
    [one] = await resolve_codes(Resolver(database, Clock()), [CodeOnImage("A-1", "QR", CORNERS)])
    assert isinstance(one.outcome, UnresolvedScan)


async def test_a_gs1_symbol_names_its_product_by_its_gtin(database: Database) -> None:
    """The identifier and the separators are used."""
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
    """It finds the UPC-A, else a code with that notation, and never the EAN-8 that its eight digits could be."""
    code = CodeOnImage("012345000065", "UPCE", CORNERS)
    assert await found(database, stored, code) == [expected]
