"""A print job: symbols meet descriptions and a sheet, in a thread of their own, so that codes and scans go on.

A symbol is encoded once per code however often it is printed. Jobs wait in bounded queues, from which one that nobody
wants any more is dropped; one that runs goes on to its end, because a thread cannot be stopped. A job that hangs is
given up, as `worker_threads` does; how long one may take grows with its labels.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from barcodesvc.errors import (
    FieldProblem,
    GenerationFailure,
    InvalidContent,
    InvalidInput,
    ProductNotFound,
    RenderOverload,
    ServiceError,
)
from barcodesvc.labels.print_settings import PrintSettings
from barcodesvc.labels.sheets import Sheet
from barcodesvc.store.database import Database
from barcodesvc.store.products import product_texts
from barcodesvc.symbols.modules import Symbol
from barcodesvc.symbols.registry import Symbology
from barcodesvc.worker_threads import WorkerThreads

_LOG = logging.getLogger(__name__)

JOBS = 8
"""Print jobs of a lane under way or waiting before a 503, unless told otherwise."""
SHORT_JOB = 200
"""Labels up to which a job takes the short lane."""
TEXT_FIELDS = ("description", "category", "unit_of_measure")
"""What of a product can stand on its label."""
_LABELS_PER_SECOND = 1000
"""Labels with QR codes that are made in a second; others are quicker."""
_LEAST_LABELS_PER_SECOND = 50
"""Labels in a second below which a job counts as hung, once the time that any may take is over."""
LONGEST_SHORT_JOB = 30.0
"""Seconds that any job may take, unless told otherwise."""

Check = Callable[[str], None]
"""Raises InvalidContent for a text that cannot be set."""


@dataclass(frozen=True, slots=True)
class PrintJob:
    """Labels to print: a code each, in order; `texts` by code, below its symbol, those that are not empty.

    places: where in the request each code stands first; lines: those of the texts that all labels have in common.
    """

    codes: Sequence[str]
    symbology: Symbology
    sheet: Sheet
    press: PrintSettings
    texts: Mapping[str, tuple[str, ...]]
    places: Mapping[str, int]
    lines: Sequence[str] = ()

    def run(self, font: Path | None = None) -> bytes:
        """Encode, lay out and write the PDF; what Helvetica lacks is set in `font`, then in those carried.

        Raises InvalidInput naming the codes that cannot be printed and the texts that no face can set.
        """
        from barcodesvc.labels.text.typefaces import named_face  # noqa: PLC0415 - put off, see loaded_later
        from barcodesvc.labels.text.typesetting import Typesetter  # noqa: PLC0415 - put off, see loaded_later
        from barcodesvc.labels.writers.pdf import Label, write_pdf  # noqa: PLC0415 - put off, see loaded_later

        face = named_face(font) if font else None
        symbols = self._symbols(Typesetter(face).check)
        labels = [Label(symbols[code], code, self.texts.get(code, ())) for code in self.codes]
        try:
            return write_pdf(labels, self.sheet, self.press, face)
        finally:
            # one by one: to free ten thousand symbols in one go is 10 ms in which no other thread has its turn
            while labels:
                labels.pop()

    def _symbols(self, check: Check) -> dict[str, Symbol]:
        _require_lines(check, self.lines)
        symbols: dict[str, Symbol] = {}
        problems: list[dict[str, Any]] = []
        for code, place in self.places.items():
            try:
                symbols[code] = self.symbology.encode(code)
            except InvalidContent as refusal:
                problems.append(_problem(place, code, refusal, refusal.message))
            try:
                for text in self.texts.get(code, ()):
                    check(text)
            except InvalidContent as refusal:
                problems.append(_problem(place, code, refusal, f"a text of {code}: {refusal.message}"))
        if problems:
            raise InvalidInput(_summary(problems), errors=problems)
        return symbols


IsWanted = Callable[[], bool]
"""Whether anybody still waits for a job."""


def _always() -> bool:
    return True


class LabelPrinter:
    """Runs print jobs in two lanes of one thread each, `print-short` and `print-long`, at most `jobs` in either.

    A sheet of a few labels never waits for thousands of QR codes. `font` is the one that the settings name.
    """

    def __init__(self, font: Path | None = None, jobs: int = JOBS, most_seconds: float = LONGEST_SHORT_JOB) -> None:
        self._short, self._long = (_Lane(name, jobs, font, most_seconds) for name in ("print-short", "print-long"))

    @property
    def threads(self) -> tuple[WorkerThreads, ...]:
        """The threads of both lanes."""
        return self._short.threads, self._long.threads

    @property
    def jobs(self) -> int:
        """How many jobs are under way or waiting."""
        return sum(self.jobs_by_lane.values())

    @property
    def jobs_by_lane(self) -> dict[str, int]:
        """How many jobs are under way or waiting in each lane."""
        return {"short": len(self._short.places), "long": len(self._long.places)}

    def require_place(self, labels: int) -> None:
        """Raise RenderOverload where a job of so many labels has no place now, before any work goes into it."""
        self._lane(labels).require_place()

    async def run(self, job: PrintJob, is_wanted: IsWanted = _always) -> bytes:
        """Return the PDF; a job that nobody wants any more is dropped before it begins.

        Raises what the job raises, RenderOverload and GenerationFailure.
        """
        printing = self._lane(len(job.codes)).begin(job, is_wanted)
        try:
            return await asyncio.shield(printing)
        except ServiceError:
            raise
        except asyncio.CancelledError:
            if printing.cancelled():
                raise RenderOverload("the service is shutting down; try again in a moment") from None
            raise
        except Exception as error:
            _LOG.exception("printing %d labels failed", len(job.codes))
            raise GenerationFailure("the label sheet could not be made") from error

    def _lane(self, labels: int) -> _Lane:
        return self._short if labels <= SHORT_JOB else self._long

    def drop_unwanted(self) -> None:
        """Drop the jobs that wait and that nobody wants any more."""
        for lane in (self._short, self._long):
            lane.drop_unwanted()

    async def close(self) -> None:
        """Finish the jobs that run, drop those that wait, and end the threads."""
        for lane in (self._short, self._long):
            await lane.close()


@dataclass(slots=True)
class _Place:
    """A job in a lane."""

    labels: int
    is_wanted: IsWanted
    has_begun: bool


class _Lane:
    """One thread and the jobs that wait for it."""

    def __init__(self, name: str, most: int, font: Path | None, most_seconds: float) -> None:
        self.threads = WorkerThreads(name, 1, most_seconds)
        self.places: dict[asyncio.Task[bytes], _Place] = {}
        self._most = most
        self._font = font
        self._most_seconds = most_seconds
        self._turn = asyncio.Lock()

    def require_place(self) -> None:
        """Raise RenderOverload where no further job has a place, telling how long those before it may take."""
        self.drop_unwanted()
        if len(self.places) >= self._most:
            waiting = sum(place.labels for place in self.places.values())
            raise RenderOverload(
                "too many label sheets are waiting; try again in a moment",
                headers={"Retry-After": str(1 + waiting // _LABELS_PER_SECOND)},
            )

    def begin(self, job: PrintJob, is_wanted: IsWanted) -> asyncio.Task[bytes]:
        """Put a job in the queue; raises RenderOverload, as `require_place` does."""
        self.require_place()
        place = _Place(len(job.codes), is_wanted, has_begun=not self.places)
        printing = asyncio.create_task(self._print(job, place))
        self.places[printing] = place
        printing.add_done_callback(self._forget)
        return printing

    def drop_unwanted(self) -> None:
        """Free the places of jobs that nobody wants; what runs goes on and keeps its place, as the bound is of work."""
        for printing, place in tuple(self.places.items()):
            if not place.is_wanted() and not place.has_begun:
                self._drop(printing)

    async def close(self) -> None:
        """Drop the jobs that wait, finish the one that runs, and end the thread."""
        for printing, place in tuple(self.places.items()):
            if not place.has_begun:
                self._drop(printing)
        if self.places:
            await asyncio.wait(self.places)
        await self.threads.close()

    async def _print(self, job: PrintJob, place: _Place) -> bytes:
        async with self._turn:
            place.has_begun = True
            most_seconds = self._most_seconds + place.labels / _LEAST_LABELS_PER_SECOND
            return await self.threads.run(job.run, self._font, most_seconds=most_seconds)

    def _drop(self, printing: asyncio.Task[bytes]) -> None:
        printing.cancel()
        del self.places[printing]

    def _forget(self, printing: asyncio.Task[bytes]) -> None:
        """Free the job's place, and mark a failure as seen even if its caller has gone away."""
        self.places.pop(printing, None)
        with suppress(asyncio.CancelledError):
            printing.exception()


async def texts_of(
    database: Database, codes: Sequence[str], fields: Sequence[str], lines: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return what is printed with every code: these of TEXT_FIELDS, then the lines, as far as not empty.

    Raises ProductNotFound listing all codes that are missing.
    """
    wanted = list(dict.fromkeys(codes))
    found = await product_texts(database, wanted)
    if len(found) < len(wanted):
        raise _not_found([code for code in wanted if code not in found])
    return await asyncio.to_thread(_below, found, [TEXT_FIELDS.index(field) for field in fields], lines)


def _below(
    found: Mapping[str, Sequence[str]], places: Sequence[int], lines: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    return {code: tuple(filter(None, (*(texts[place] for place in places), *lines))) for code, texts in found.items()}


def _not_found(missing: Sequence[str]) -> ProductNotFound:
    more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
    return ProductNotFound(f"there is no product with code {missing[0]!r}{more}", missing=missing)


def _require_lines(check: Check, lines: Sequence[str]) -> None:
    """Raise InvalidInput for lines that no face can set; they are one problem each, not one of every label."""
    problems = []
    for place, line in enumerate(lines):
        try:
            check(line)
        except InvalidContent as refusal:
            problems.append(
                {**refusal.details, **FieldProblem(f"layout.lines.{place}", refusal.message, line).as_json()}
            )
    if problems:
        raise InvalidInput(_summary(problems), errors=problems)


def _problem(place: int, code: str, refusal: InvalidContent, message: str) -> dict[str, Any]:
    return {**refusal.details, **FieldProblem(f"products.{place}", message, code).as_json()}


def _summary(problems: Sequence[Mapping[str, Any]]) -> str:
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{problems[0]['field']}: {problems[0]['message']}{more}"
