"""Reading images in processes: limits of time and memory, places that slow images give up, clients that leave."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import get_args

import pytest
from PIL import Image

from barcodesvc.errors import (
    FileTooLarge,
    GenerationFailure,
    InvalidFileFormat,
    RenderOverload,
    Stopping,
)
from barcodesvc.runtime.processes import WorkerProcesses
from barcodesvc.scanning.images import reader as images
from barcodesvc.scanning.images.codes import CodesOnImage, EffortName, ImageFile
from barcodesvc.scanning.images.reader import ImageReader, codes_from_json
from barcodesvc.scanning.images.reading import read_image
from tests.fixture_types import Until
from tests.scanning.symbol_images import PAPER, file_of, finder_patterns, on_paper, symbol
from tests.worker_processes import kept_processes

TINY = file_of(Image.new("L", (9, 9), PAPER))
NOTHING = CodesOnImage((), is_truncated=False, looks=1)
WAITING = 16


@pytest.fixture
async def processes() -> AsyncIterator[WorkerProcesses]:
    """Return processes that are stopped after the test."""
    processes = WorkerProcesses()
    yield processes
    processes.end()


@pytest.fixture
async def reader(processes: WorkerProcesses) -> AsyncIterator[ImageReader]:
    """Return a reader with four places, and capacity for 1000 bytes of arriving images."""
    reader = ImageReader(4, processes, WAITING, 1000)
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


async def test_a_failure_is_a_generation_failure(reader: ImageReader, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unexpected error is logged and becomes a GENERATION_ERROR; the test breaks the reader, as no image does."""
    monkeypatch.setattr(images, "codes_from_json", lambda _: 1 / 0)
    with pytest.raises(GenerationFailure, match="could not be read"):
        await read(reader, TINY)


@pytest.mark.parametrize("side", [600, 1200], ids=["small", "large"])
async def test_a_process_finds_what_is_found_without_one(reader: ImageReader, side: int) -> None:
    """Texts, names and positions cross unharmed; damage is the sender's mistake, whichever process reads the image."""
    content = file_of(on_paper((symbol(), (50, 50)), (symbol("QR", "B-1 ä€🖊", 3), (50, 300)), side=side))
    for effort in get_args(EffortName):
        image = ImageFile(content, effort)
        found = read_image(image)
        assert len(found.codes) == 2
        assert await reader.read(image, "a", always) == found
    with pytest.raises(InvalidFileFormat, match="truncated or damaged"):
        await read(reader, content[:-200])


@pytest.mark.parametrize(
    "found", [[], {}, "x", {"codes": [{"text": 1}], "is_truncated": False}, {"codes": [], "is_truncated": "perhaps"}]
)
def test_any_other_result_of_a_process_is_refused(found: object) -> None:
    """A process that a file has compromised cannot return anything but codes."""
    with pytest.raises(ValueError, match="validation error"):
        codes_from_json(found)


async def test_an_image_that_takes_too_long_is_refused(
    processes: WorkerProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its place is free, and the next image is read."""
    monkeypatch.setattr(images, "LIMITS", replace(images.LIMITS, seconds=1.0))
    reader = ImageReader(4, processes, WAITING, 1000)
    with pytest.raises(InvalidFileFormat) as refusal:
        await read(reader, finder_patterns(2500))
    assert refusal.value.message == "the image takes more than 1 seconds to read; send a smaller or cropped one"
    assert reader.places.used == 0
    assert await read(reader, TINY) == NOTHING
    await reader.close()


async def test_an_image_that_takes_too_much_memory_is_refused(
    processes: WorkerProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the sender's mistake, not the service's; 49 megapixels take more than the limit here."""
    monkeypatch.setattr(images, "LIMITS", replace(images.LIMITS, bytes=100_000_000))
    reader = ImageReader(4, processes, WAITING, 1000)
    with pytest.raises(FileTooLarge, match="takes too much memory to read"):
        await read(reader, file_of(Image.new("RGB", (7000, 7000))))
    await reader.close()


async def test_an_end_of_the_service_ends_the_reading(
    reader: ImageReader, processes: WorkerProcesses, until: Until
) -> None:
    """Two images are being read, the third has not begun; all are rejected at once."""
    tasks = reading(reader, finder_patterns(2500), 3)
    await until(lambda: reader.places.used == 3)
    processes.end()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [Stopping] * 3


async def test_images_that_wait_are_bounded(reader: ImageReader, processes: WorkerProcesses) -> None:
    """A client may have half of them; the refusal of the next one says when to come back, and others are accepted."""
    tasks = reading(reader, finder_patterns(2500), (4 + WAITING) // 2)
    await asyncio.sleep(0)
    with pytest.raises(RenderOverload) as refusal:
        await read(reader, TINY)
    assert refusal.value.headers == {"Retry-After": "2"}
    reader.places.require_for("b")
    processes.end()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert reader.places.used == 0


async def test_images_do_not_wait_for_hard_ones(reader: ImageReader, processes: WorkerProcesses) -> None:
    """Slow images of other clients are in places for long work, at most half of all, when a new image comes."""
    tasks = [task for client in "abc" for task in reading(reader, finder_patterns(2500), 2, client)]
    await asyncio.sleep(0)
    assert await read(reader, TINY, "d") == NOTHING
    assert not any(task.done() for task in tasks)
    processes.end()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_an_image_that_gave_its_place_up_is_read_later(reader: ImageReader) -> None:
    """It begins again once a place for long work is free; three take longer than a slice, and two have such a place."""
    tasks = [task for client in "abc" for task in reading(reader, finder_patterns(1090), 1, client)]
    assert await asyncio.gather(*tasks) == [NOTHING] * 3


async def test_a_long_image_gives_way_only_to_others(reader: ImageReader) -> None:
    """A process that has given way is replaced. Alone an image keeps its priority, which it needs on a busy machine.

    Kept processes end with the reader.
    """
    await read(reader, TINY)
    before = {process.pid for process in kept_processes()}
    assert await read(reader, finder_patterns(1090)) == NOTHING
    assert {process.pid for process in kept_processes()} == before
    await asyncio.gather(*reading(reader, finder_patterns(1090), 2))
    assert {process.pid for process in kept_processes()} != before
    await reader.close()
    assert kept_processes() == []


async def test_an_image_whose_client_has_left_releases_its_place(reader: ImageReader, until: Until) -> None:
    """Its process is stopped, and a waiting image is skipped."""
    is_wanted = [True]
    content = finder_patterns(2500)
    tasks = [asyncio.create_task(read(reader, content, "a", lambda: is_wanted[0])) for _ in range(5)]
    await until(lambda: reader.places.used == 5)
    is_wanted[0] = False
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert {*map(type, outcomes)} == {GenerationFailure}
    assert reader.places.used == 0
    assert await read(reader, TINY) == NOTHING


async def test_an_image_whose_client_is_gone_ends_its_process(reader: ImageReader, until: Until) -> None:
    """However long it would take; here its process is stopped."""
    await read(reader, TINY)
    for process in kept_processes():
        process.suspend()
    is_wanted = [True]
    task = asyncio.create_task(read(reader, TINY, "a", lambda: is_wanted[0]))
    await until(lambda: reader.places.used == 1)
    is_wanted[0] = False
    with pytest.raises(GenerationFailure):
        await task


async def test_the_bytes_of_arriving_images_are_bounded(reader: ImageReader) -> None:
    """However they are spread over uploads; an end or a failure frees space."""
    with ExitStack() as held:
        acquires = [held.enter_context(reader.arriving_bytes.held(0)) for _ in range(50)]
        for acquire in acquires:
            acquire(20)
        with pytest.raises(RenderOverload) as refusal, reader.arriving_bytes.held(0) as acquire:
            acquire(1)
        assert reader.arriving_bytes.free == 0
    assert refusal.value.headers == {"Retry-After": "2"}
    assert reader.arriving_bytes.free == 1000
