"""Codes as the service draws them, turned and damaged: how many the service reads, and other readers by themselves.

One look is a call of zxing-cpp. ZBar and libdmtx count where this machine has them. Each figure also names the
symbologies of which one of the three reads more than the service.
"""

import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from barcodesvc.scanning.images.one_look import codes_in
from scripts.benchmarks.report import Figure, at_least
from tests.scanning.pictures.drawn_codes import DAMAGES, Case, cases, codes_on, pixels_of, text_of
from tests.scanning.pictures.readers import DMTX, ZBAR, has_reader, plain, seen_by_zbar, texts_by_dmtx

STEP, STEP_OF_DAMAGED = 5, 40
"""Degrees between the angles of clean symbols, and of damaged ones."""
SERVICE, ONE_LOOK = "the service", "one look"
_IN_DMTX = {"DATAMATRIX", "GS1DATAMATRIX"}


@dataclass(slots=True)
class Tally:
    """For each reader the cases that it reads, and those of which it reads another text; and the service's time."""

    found: dict[str, Counter[str]] = field(default_factory=dict)
    wrong: dict[str, int] = field(default_factory=Counter)
    seconds: float = 0.0

    def add(self, reader: str, case: Case, texts: list[str]) -> None:
        """Count what a reader reads."""
        wanted = plain(text_of(case.name))
        read = [plain(text) for text in texts]
        self.found.setdefault(reader, Counter())[case.name] += wanted in read
        self.wrong[reader] += any(text != wanted for text in read)

    def count(self, reader: str) -> int:
        """Return how many cases the reader reads."""
        return self.found.get(reader, Counter()).total()

    def behind(self) -> list[str]:
        """Return the symbologies of which another reader reads more than the service."""
        ours = self.found[SERVICE]
        return sorted({name for theirs in self.found.values() for name in theirs if theirs[name] > ours[name]})


def measure() -> Iterator[Figure]:
    """Yield the share of the clean symbols that the service reads, and of those with each damage."""
    for damage in ("", *DAMAGES):
        wanted = cases(damage, STEP_OF_DAMAGED if damage else STEP)
        yield _figure(damage or "clean", tally(wanted), len(wanted))


def tally(wanted: list[Case]) -> Tally:
    """Return what each reader reads of these cases."""
    counted = Tally()
    with tempfile.TemporaryDirectory(prefix="barcodesvc-bench-") as folder:
        pictures = {Path(folder) / f"{number}.png": case for number, case in enumerate(wanted)}
        for path, case in pictures.items():
            picture = case.picture()
            picture.save(path, compress_level=1)
            pixels = pixels_of(picture)
            counted.add(ONE_LOOK, case, [code.text for code in codes_in(pixels)])
            begun = time.process_time()
            counted.add(SERVICE, case, [code.text for code in codes_on(pixels)])
            counted.seconds += time.process_time() - begun
        if has_reader(ZBAR):
            seen = seen_by_zbar(pictures)
            for path, case in pictures.items():
                counted.add("ZBar", case, [code.text for code in seen.get(path, [])])
        if has_reader(DMTX):
            read = texts_by_dmtx(path for path, case in pictures.items() if case.name in _IN_DMTX)
            for path, texts in read.items():
                counted.add("libdmtx", pictures[path], texts)
    return counted


def _figure(name: str, counted: Tally, cases_of_it: int) -> Figure:
    others = ", ".join(
        f"{reader} {counted.count(reader)} ({counted.wrong[reader]} wrong)"
        for reader in counted.found
        if reader != SERVICE
    )
    behind = ", ".join(counted.behind()) or "none"
    note = (
        f"{counted.count(SERVICE)} of {cases_of_it}, {counted.wrong[SERVICE]} wrong, "
        f"{1000 * counted.seconds / cases_of_it:.0f} ms each; {others}; another reads more of: {behind}"
    )
    best = max(counted.count(reader) for reader in counted.found if reader != SERVICE)
    return Figure(f"drawn codes, {name}", counted.count(SERVICE) / cases_of_it, "%", at_least(best / cases_of_it), note)
