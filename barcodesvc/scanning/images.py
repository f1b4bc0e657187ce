"""Image reading, in bounded capacity: threads read the codes on each image, which are then resolved.

Two things are bounded: the bytes of images that are arriving, and the images that have arrived and wait or are read.

How long an image takes to read follows from no more than its size, and a hostile one takes the square of it: a second
with 1.2 megapixels, minutes with ten times as many. A thread cannot be stopped. So a thread reads small images itself;
for a large one it starts a process, which has limits, and is killed when the service ends.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from barcodesvc.errors import (
    FileTooLarge,
    GenerationFailure,
    InvalidFileFormat,
    ProductNotFound,
    RenderOverload,
    ServiceError,
)
from barcodesvc.runtime.capacity import Capacity
from barcodesvc.runtime.processes import Limits, WorkerProcesses
from barcodesvc.runtime.threads import WorkerThreads, run_to_end
from barcodesvc.scanning.image_codes import CodeOnImage, CodesOnImage, read_image, read_image_in_process
from barcodesvc.scanning.resolver import Resolved, Resolver

_LOG = logging.getLogger(__name__)

SMALL_PIXELS = 1_200_000
SMALL_FILE = 2 * 1024 * 1024
"""Bytes up to which a thread reads the image itself: a header can be so long that to open it takes seconds."""
LIMITS = Limits(seconds=10.0, bytes=1_000_000_000)
"""Of a process that reads a large image; the largest WebP that is taken needs 0.8 GB, others half of that."""


class ImageReader:
    """Reads images in `threads` threads named `images`, large ones in a process for each; `waiting` more may wait.

    Who has an image read holds one of `images`. `arriving_bytes` allows `waiting` bodies of the largest size,
    `most_bytes`.
    """

    def __init__(self, threads: int, processes: WorkerProcesses, most_bytes: int, waiting: int) -> None:
        self._threads = WorkerThreads("images", threads)
        self._processes = processes
        self.images = Capacity(threads + waiting, _too_many_waiting)
        self.arriving_bytes = Capacity(waiting * most_bytes, _too_many_arriving)

    async def read(self, content: bytes) -> CodesOnImage:
        """Return the codes on an image file, for which one of `images` is held.

        Raises InvalidFileFormat (which one that takes too long is as well) and FileTooLarge, GenerationFailure where
        reading itself fails, and RenderOverload where the service ends meanwhile.
        """
        try:
            return await run_to_end(self._threads, self._read, content)
        except ServiceError:
            raise
        except Exception as error:
            _LOG.exception("reading an image of %d bytes failed", len(content))
            raise GenerationFailure("the image could not be read; the log says why") from error

    async def close(self) -> None:
        """Finish the images that are being read and end the threads."""
        await self._threads.close()

    def _read(self, content: bytes) -> CodesOnImage:
        from barcodesvc.scanning.pixels import pixels_to_decode  # noqa: PLC0415 - loaded at its first use, with Pillow

        if len(content) <= SMALL_FILE and pixels_to_decode(content) <= SMALL_PIXELS:
            return read_image(content)
        try:
            found: CodesOnImage = self._processes.run(LIMITS, read_image_in_process, content, report=_ignore)
        except TimeoutError as error:
            raise InvalidFileFormat(
                f"the image takes more than {LIMITS.seconds:g} seconds to read; send a smaller or cropped one"
            ) from error
        except MemoryError as error:
            raise FileTooLarge("the image takes too much memory to read; send a smaller or cropped one") from error
        return found


def _too_many_waiting() -> RenderOverload:
    return RenderOverload("too many images are waiting to be read; try again in a moment", retry_after=2)


def _too_many_arriving() -> RenderOverload:
    return RenderOverload("too many images are arriving; try again in a moment", retry_after=2)


def _ignore(_: object) -> None:
    """Take what the process reports on its way, which is nothing."""


@dataclass(frozen=True, slots=True)
class ResolvedCode:
    """A code on an image and what the catalogue knows of it: the product it names, or why it names none."""

    code: CodeOnImage
    outcome: Resolved | ProductNotFound


async def resolve_codes(resolver: Resolver, codes: Sequence[CodeOnImage]) -> list[ResolvedCode]:
    """Return what each code names; all of them are looked up together."""
    outcomes = await asyncio.gather(*(_outcome(resolver, code) for code in codes))
    return [ResolvedCode(code, outcome) for code, outcome in zip(codes, outcomes, strict=True)]


async def _outcome(resolver: Resolver, code: CodeOnImage) -> Resolved | ProductNotFound:
    try:
        return await resolver.resolve(code.text, symbology=code.symbology)
    except ProductNotFound as missing:
        return missing
