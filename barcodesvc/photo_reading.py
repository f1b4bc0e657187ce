"""Images wait for a thread that reads the codes on them, and what was seen there meets the catalogue.

The bound is of bodies as much as of work: whoever sends an image takes a place before the first byte of it is kept. An
image that is being read is read to its end, because a thread cannot be stopped; its place is free only then.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from barcodesvc.decoding import Decoded, Decoder
from barcodesvc.errors import GenerationFailure, ProductNotFound, RenderOverload, ServiceError
from barcodesvc.photos.codes import Photo, SeenCode, read_photo
from barcodesvc.worker_threads import run_to_end

_LOG = logging.getLogger(__name__)

WAITING = 16
"""Images that may arrive or wait beside those that are being read."""
_RETRY_AFTER = {"Retry-After": "2"}


class PhotoReader:
    """Reads images in `threads` threads named `photo`; WAITING more may arrive or wait."""

    def __init__(self, threads: int) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="photo")
        self._free = threads + WAITING

    @property
    def free_places(self) -> int:
        """How many more images are taken at this moment."""
        return self._free

    @contextmanager
    def place(self) -> Iterator[None]:
        """Hold a place for an image; raises RenderOverload where all are taken."""
        if self._free <= 0:
            raise RenderOverload("too many images are waiting to be read; try again in a moment", headers=_RETRY_AFTER)
        self._free -= 1
        try:
            yield
        finally:
            self._free += 1

    async def read(self, content: bytes) -> Photo:
        """Return the codes on an image file, for which a place is held.

        Raises InvalidFileFormat and FileTooLarge, and GenerationFailure where reading itself fails.
        """
        try:
            return await run_to_end(self._threads, read_photo, content)
        except ServiceError:
            raise
        except Exception as error:
            _LOG.exception("reading an image of %d bytes failed", len(content))
            raise GenerationFailure("the image could not be read; the log says why") from error

    async def close(self) -> None:
        """Finish the images that are being read and end the threads."""
        await asyncio.to_thread(self._threads.shutdown)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A code on an image and what the catalogue knows of it: the product it names, or why it names none."""

    code: SeenCode
    outcome: Decoded | ProductNotFound


async def resolve_codes(decoder: Decoder, codes: Iterable[SeenCode]) -> list[Resolved]:
    """Return what each code names; one that stands on the image several times is looked up once."""
    outcomes: dict[tuple[str, str], Decoded | ProductNotFound] = {}
    resolved = []
    for code in codes:
        known = code.text, code.symbology
        if known not in outcomes:
            outcomes[known] = await _outcome(decoder, code)
        resolved.append(Resolved(code, outcomes[known]))
    return resolved


async def _outcome(decoder: Decoder, code: SeenCode) -> Decoded | ProductNotFound:
    try:
        return await decoder.decode(code.text, code.symbology)
    except ProductNotFound as missing:
        return missing
