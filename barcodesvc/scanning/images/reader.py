"""Image reading in bounded capacity: worker processes read the codes on each image.

The time to read an image grows with its size, and with the square of it if the image is hostile, up to minutes. So a
fair queue ensures that a client waits neither for another client's many images nor for its hostile ones. Processes are
kept, because starting one takes longer than reading a usual image. The bytes of arriving images are limited separately.

Rule: the service itself never opens an untrusted image, and validates what the processes return.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import TypeAdapter

from barcodesvc.errors import FileTooLarge, GenerationFailure, InvalidFileFormat, RenderOverload, ServiceError
from barcodesvc.runtime.capacity import Capacity
from barcodesvc.runtime.fair_queue import FairQueue, Turn
from barcodesvc.runtime.processes import IsWanted, KeptProcess, ProcessLimits, UnwantedError, WorkerProcesses
from barcodesvc.runtime.threads import WorkerThreads, run_to_end
from barcodesvc.scanning.images.codes import CodesOnImage, ImageFile

_LOG = logging.getLogger(__name__)

SLICE = 0.1
"""Seconds, of clock and processor, after which an image is long; most take less."""
LIMITS = ProcessLimits(seconds=10.0, bytes=1_000_000_000, niceness=0)
"""Limits of a process; the largest accepted WebP needs 0.8 GB, other formats half of that."""
_MODULES = tuple(f"barcodesvc.scanning.images.{name}" for name in ("reading", "pixels", "looks"))

_FOUND = TypeAdapter(CodesOnImage)


class ImageReader:
    """Reads images in `places` places, half of them for those that take long; `waiting` more can wait.

    `arriving_bytes` is the capacity for the bytes of images that arrive.
    """

    def __init__(self, places: int, processes: WorkerProcesses, waiting: int, arriving_bytes: int) -> None:
        self._threads = WorkerThreads("images", places)
        # one more than there are places, which is used while a killed one starts again
        self._kept = [processes.kept(LIMITS, _MODULES) for _ in range(places + 1)]
        self._idle = [*self._kept]
        self._are_started = False
        self._queue = FairQueue(places, waiting, _too_many_waiting, SLICE)
        self.places = self._queue.room
        """Those for images that are read or wait."""
        self.arriving_bytes = Capacity(arriving_bytes, _too_many_arriving)

    async def read(self, image: ImageFile, client: str, is_wanted: IsWanted) -> CodesOnImage:
        """Return the codes on an image file of this client; reading stops as soon as `is_wanted` returns False.

        Raises InvalidFileFormat (also if reading takes too long), FileTooLarge, GenerationFailure if reading fails or
        the client has disconnected, and RenderOverload if too many images wait or the service shuts down.
        """
        try:
            with self._queue.turn(client) as turn:
                return await self._in_turn(turn, image, is_wanted)
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

    def _start_all(self) -> None:
        for kept in self._kept:
            kept.start()

    async def _in_turn(self, turn: Turn, image: ImageFile, is_wanted: IsWanted) -> CodesOnImage:
        """Return the codes on an image; if it has to yield its place, it is read again in a later one."""
        if not self._are_started:
            self._are_started = True
            await run_to_end(self._threads, self._start_all)
        while True:
            await turn.place.wait()
            if not is_wanted():
                raise UnwantedError
            kept = self._idle.pop()
            try:
                if not kept.is_ready:
                    await run_to_end(self._threads, kept.prepare)
                self._queue.start_slice(turn)
                return await run_to_end(self._threads, self._read_by, kept, image, turn, is_wanted)
            except UnwantedError:
                if not turn.must_yield:
                    raise
            finally:
                # a process that has to start again is used last
                self._idle.insert(len(self._idle) if kept.is_ready else 0, kept)
            self._queue.wait_again(turn)

    def _read_by(self, kept: KeptProcess, image: ImageFile, turn: Turn, is_wanted: IsWanted) -> CodesOnImage:
        from barcodesvc.scanning.images.reading import read_image_in_process  # noqa: PLC0415 - loaded at its first use

        begun = kept.processor_seconds

        def should_continue() -> bool:
            """Return whether the client waits and the work need not yield; on a busy machine a slice takes longer."""
            if kept.processor_seconds - begun < SLICE:
                return is_wanted()
            # alone it would give way only to other programs, which would keep the processor from it
            if turn.is_long and self._queue.is_shared:
                kept.give_way()
            return is_wanted() and not turn.must_yield

        with _limits_as_refusals():
            found = kept.run(read_image_in_process, image, is_wanted=should_continue)
        return codes_from_json(found)


@contextmanager
def _limits_as_refusals() -> Iterator[None]:
    """Translate an exceeded limit of time or memory into a refusal of the image."""
    try:
        yield
    except TimeoutError as error:
        late = f"the image takes more than {LIMITS.seconds:g} seconds to read; send a smaller or cropped one"
        raise InvalidFileFormat(late) from error
    except MemoryError as error:
        raise FileTooLarge("the image takes too much memory to read; send a smaller or cropped one") from error


def codes_from_json(found: object) -> CodesOnImage:
    """Return the codes that a process has found; raises ValueError for any other JSON."""
    return _FOUND.validate_python(found)


def _too_many_waiting() -> RenderOverload:
    return RenderOverload("too many images are waiting to be read; try again in a moment", retry_after=2)


def _too_many_arriving() -> RenderOverload:
    return RenderOverload("too many images are arriving; try again in a moment", retry_after=2)
