"""Image reading in bounded capacity: worker processes read the codes on each image, which are then resolved.

The time to read an image grows with its size, and with the square of it if the image is hostile, up to minutes. So
small images have separate places, and two fair queues ensure that a client waits neither for another client's many
images nor for its hostile ones.

Each file that is not large starts in a place for small images, whose process is kept. If the header says that the image
is large, it moves on to the places for large images, each with a new process. The bytes of arriving images are limited
separately.

Rule: the service itself never opens an untrusted image, and validates what the processes return.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from pydantic import TypeAdapter

from barcodesvc.errors import (
    FileTooLarge,
    GenerationFailure,
    InvalidFileFormat,
    RenderOverload,
    ServiceError,
)
from barcodesvc.runtime.capacity import Capacity
from barcodesvc.runtime.fair_queue import FairQueue, Turn
from barcodesvc.runtime.processes import IsWanted, KeptProcess, ProcessLimits, UnwantedError, WorkerProcesses
from barcodesvc.runtime.threads import WorkerThreads, run_to_end
from barcodesvc.scanning.codes_on_images import CodeOnImage, CodesOnImage, ImageFile
from barcodesvc.scanning.resolver import Resolved, Resolver
from barcodesvc.scanning.unresolved import UnresolvedScan

_LOG = logging.getLogger(__name__)

SMALL_FILE = 2 * 1024 * 1024
"""Bytes up to which an image may be small: opening a file with a very long header takes seconds."""
SMALL_SLICE = 0.1
"""Seconds, of clock and processor, that a small image gets while new ones of other clients wait; most take far less."""
LARGE_SLICE = 0.5
"""Seconds that a large image gets while new ones of other clients wait."""
LIMITS = ProcessLimits(seconds=10.0, bytes=1_000_000_000)
"""Limits of a process that reads a large image; the largest accepted WebP needs 0.8 GB, other formats half of that."""
SMALL_LIMITS = ProcessLimits(seconds=LIMITS.seconds, bytes=250_000_000, niceness=0)
"""Limits of a process that reads small images; it has the same priority as the service's threads."""
_MODULES = tuple(f"barcodesvc.scanning.{name}" for name in ("image_reading", "pixels", "looks"))

_FOUND = TypeAdapter(CodesOnImage)
_FOUND_IF_SMALL = TypeAdapter(CodesOnImage | None)

T = TypeVar("T")


class ImageReader:
    """Reads images in `places` places for large ones and twice as many for small ones; `waiting` more of each can wait.

    `arriving_bytes` has capacity for `waiting` bodies of the largest size, `most_bytes`.
    """

    def __init__(self, places: int, processes: WorkerProcesses, most_bytes: int, waiting: int) -> None:
        small = 2 * places
        self._threads = WorkerThreads("images", small + places)
        self._processes = processes
        # one more than there are places, which is used while a killed one starts again
        self._kept = [processes.kept(SMALL_LIMITS, _MODULES) for _ in range(small + 1)]
        self._idle = [*self._kept]
        self._are_started = False
        queue = partial(FairQueue, most_waiting=waiting, overload=_too_many_waiting)
        self._small = queue(small, slice_seconds=SMALL_SLICE)
        self._large = queue(places, slice_seconds=LARGE_SLICE)
        self.arriving_bytes = Capacity(waiting * most_bytes, _too_many_arriving)

    @property
    def used(self) -> int:
        """The number of images that are read or wait."""
        return self._small.used + self._large.used

    @property
    def most(self) -> int:
        """The greatest number of images that can be read or wait."""
        return self._small.most + self._large.most

    def require(self, client: str, most_bytes: int) -> None:
        """Raise RenderOverload if an image of this client, of at most `most_bytes`, would be refused."""
        (self._small if most_bytes <= SMALL_FILE else self._large).require(client)

    async def read(self, image: ImageFile, client: str, is_wanted: IsWanted) -> CodesOnImage:
        """Return the codes on an image file of this client; reading stops as soon as `is_wanted` returns False.

        Raises InvalidFileFormat (also if reading takes too long), FileTooLarge, GenerationFailure if reading fails or
        the client has disconnected, and RenderOverload if too many images wait or the service shuts down.
        """
        try:
            is_small = len(image.content) <= SMALL_FILE
            found = await self._read_small(image, client, is_wanted) if is_small else None
            return found or await self._read_large(image, client, is_wanted)
        except ServiceError:
            raise
        except UnwantedError as error:
            raise GenerationFailure("the client has disconnected") from error
        except Exception as error:
            _LOG.exception("reading an image of %d bytes failed", len(image.content))
            raise GenerationFailure("the image could not be read; the log says why") from error

    async def close(self) -> None:
        """Finish the images that are being read, and end threads and processes."""
        await self._threads.close()
        for kept in self._kept:
            kept.end()

    async def _read_small(self, image: ImageFile, client: str, is_wanted: IsWanted) -> CodesOnImage | None:
        """Return the codes on a small image, or None if the image is large."""
        return await _in_turn(self._small, client, is_wanted, partial(self._in_kept_process, image))

    async def _read_large(self, image: ImageFile, client: str, is_wanted: IsWanted) -> CodesOnImage:
        return await _in_turn(self._large, client, is_wanted, partial(self._in_new_process, image))

    async def _in_kept_process(self, image: ImageFile, turn: Turn) -> CodesOnImage | None:
        kept = self._idle.pop()
        try:
            if not kept.is_ready:
                await run_to_end(self._threads, kept.prepare)
            self._small.start_slice(turn)
            found = await run_to_end(self._threads, _read_by, kept, image, turn)
        finally:
            # a process that has to start again is used last
            self._idle.insert(len(self._idle) if kept.is_ready else 0, kept)
        if not self._are_started:
            self._are_started = True
            await run_to_end(self._threads, self._start_all)
        return found

    def _start_all(self) -> None:
        for kept in self._kept:
            kept.start()

    async def _in_new_process(self, image: ImageFile, turn: Turn) -> CodesOnImage:
        self._large.start_slice(turn)
        return await run_to_end(self._threads, self._read_apart, image, turn)

    def _read_apart(self, image: ImageFile, turn: Turn) -> CodesOnImage:
        from barcodesvc.scanning.image_reading import read_image_in_process  # noqa: PLC0415 - loaded at its first use

        def goes_on() -> bool:
            return turn.is_wanted() and not turn.must_yield

        with _costs_limited():
            found = self._processes.run(LIMITS, read_image_in_process, image, is_wanted=goes_on)
        return codes_from_json(found)


async def _in_turn(queue: FairQueue, client: str, is_wanted: IsWanted, work: Callable[[Turn], Awaitable[T]]) -> T:
    """Do the work in a place of the queue; if it has to yield, repeat it in a later turn."""
    turn = queue.enter(client, is_wanted)
    try:
        while True:
            await turn.place()
            try:
                return await work(turn)
            except UnwantedError:
                if not turn.must_yield:
                    raise
                queue.wait_again(turn)
    finally:
        queue.leave(turn)


def _read_by(kept: KeptProcess, image: ImageFile, turn: Turn) -> CodesOnImage | None:
    from barcodesvc.scanning.image_reading import read_small_image_in_process  # noqa: PLC0415 - loaded at its first use

    begun = kept.processor_seconds

    def goes_on() -> bool:
        """Return whether the client still waits and the work need not yield; a slice on a busy machine takes longer."""
        spent = kept.processor_seconds - begun
        return turn.is_wanted() and not (turn.must_yield and spent >= SMALL_SLICE)

    with _costs_limited():
        found = kept.run(read_small_image_in_process, image, is_wanted=goes_on)
    return small_codes_from_json(found)


def small_codes_from_json(found: object) -> CodesOnImage | None:
    """Return the codes that a process has found, None if the image is large; raises ValueError for any other JSON."""
    return _FOUND_IF_SMALL.validate_python(found)


def codes_from_json(found: object) -> CodesOnImage:
    """Return the codes that a process has found; raises ValueError for any other JSON."""
    return _FOUND.validate_python(found)


@contextmanager
def _costs_limited() -> Iterator[None]:
    """Translate an exceeded limit of time or memory into a refusal of the image."""
    try:
        yield
    except TimeoutError as error:
        raise InvalidFileFormat(
            f"the image takes more than {LIMITS.seconds:g} seconds to read; send a smaller or cropped one"
        ) from error
    except MemoryError as error:
        raise FileTooLarge("the image takes too much memory to read; send a smaller or cropped one") from error


def _too_many_waiting() -> RenderOverload:
    return RenderOverload("too many images are waiting to be read; try again in a moment", retry_after=2)


def _too_many_arriving() -> RenderOverload:
    return RenderOverload("too many images are arriving; try again in a moment", retry_after=2)


@dataclass(frozen=True, slots=True)
class ResolvedCode:
    """A code on an image, and its product or the reason why it has none."""

    code: CodeOnImage
    outcome: Resolved | UnresolvedScan


async def resolve_codes(resolver: Resolver, codes: Sequence[CodeOnImage]) -> list[ResolvedCode]:
    """Return the product of each code; all of them are looked up together."""
    outcomes = await asyncio.gather(*(_outcome(resolver, code) for code in codes))
    return [ResolvedCode(code, outcome) for code, outcome in zip(codes, outcomes, strict=True)]


async def _outcome(resolver: Resolver, code: CodeOnImage) -> Resolved | UnresolvedScan:
    try:
        return await resolver.resolve(code.text, symbology=code.symbology)
    except UnresolvedScan as missing:
        return missing
