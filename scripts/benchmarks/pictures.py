"""Codes on pictures, as the service draws and damages them or as photos: how many it reads, and other readers alone.

One look is a call of zxing-cpp. ZBar and libdmtx count where this machine has them.
"""

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from barcodesvc.scanning.images.codes import CodeOnImage, ImageFile
from barcodesvc.scanning.images.one_look import codes_in
from barcodesvc.scanning.images.pixels import grey_pixels
from barcodesvc.scanning.images.reading import read_image
from scripts.benchmarks.alone import timed
from scripts.benchmarks.report import Figure, at_least
from tests.scanning.pictures.answers import answer_of, category_of, pictures_in
from tests.scanning.pictures.drawn_codes import DAMAGES, Case, cases, codes_on, pixels_of, text_of
from tests.scanning.pictures.readers import DMTX, ZBAR, Seen, has_reader, plain, seen_by_zbar, texts_by_dmtx

STEP, STEP_OF_DAMAGED = 5, 40
"""Degrees between the angles of clean symbols, and of damaged ones."""
SERVICE, ONE_LOOK = "the service", "one look"
_IN_DMTX = {"DATAMATRIX", "GS1DATAMATRIX"}


@dataclass(slots=True)
class Tally:
    """For each reader the codes that it reads, by kind, and the pictures of which it reads another text."""

    codes: int = 0
    found: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    wrong: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    """Those of the service, picture by picture."""

    def add(self, reader: str, kind: str, found: int, *, is_wrong: bool) -> None:
        """Count what a reader reads on a picture."""
        self.found[reader][kind] += found
        self.wrong[reader] += is_wrong

    def add_texts(self, reader: str, case: Case, texts: Iterable[str]) -> None:
        """Count the texts that a reader reads of a drawn code."""
        wanted = plain(text_of(case.name))
        read = [plain(text) for text in texts]
        self.add(reader, case.name, wanted in read, is_wrong=any(text != wanted for text in read))

    def behind(self) -> list[str]:
        """Return the kinds of which another reader reads more than the service."""
        ours = self.found[SERVICE]
        return sorted({kind for theirs in self.found.values() for kind in theirs if theirs[kind] > ours[kind]})

    def figure(self, name: str) -> Figure:
        """Return the share of the codes that the service reads, at least that of any other reader."""
        counts = {reader: counted.total() for reader, counted in self.found.items()}
        readers = "; ".join(f"{reader} {count} and {self.wrong[reader]} wrong" for reader, count in counts.items())
        mean, most = sum(self.seconds) / len(self.seconds), max(self.seconds)
        behind = ", ".join(self.behind()) or "none"
        note = f"of {self.codes}: {readers}; {mean:.2f} s each, {most:.2f} s at most; another reads more of: {behind}"
        ours, codes = counts.pop(SERVICE), max(1, self.codes)
        return Figure(name, ours / codes, "%", at_least(max(counts.values()) / codes), note)


def drawn() -> Iterator[Figure]:
    """Yield the share of the clean symbols that the service reads, and of those with each damage."""
    for damage in ("", *DAMAGES):
        wanted = cases(damage, STEP_OF_DAMAGED if damage else STEP)
        yield tally(wanted).figure(f"drawn codes, {damage or 'clean'}")


def tally(wanted: list[Case]) -> Tally:
    """Return what each reader reads of these cases."""
    counted = Tally(len(wanted))
    with tempfile.TemporaryDirectory(prefix="barcodesvc-bench-") as folder:
        pictures = {Path(folder) / f"{number}.png": case for number, case in enumerate(wanted)}
        for path, case in pictures.items():
            picture = case.picture()
            picture.save(path, compress_level=1)
            pixels = pixels_of(picture)
            counted.add_texts(ONE_LOOK, case, [code.text for code in codes_in(pixels)])
            codes, took = timed(codes_on, pixels)
            counted.add_texts(SERVICE, case, [code.text for code in codes])
            counted.seconds.append(took.cpu_seconds)
        if has_reader(ZBAR):
            seen = seen_by_zbar(pictures)
            for path, case in pictures.items():
                counted.add_texts("ZBar", case, [code.text for code in seen.get(path, [])])
        if has_reader(DMTX):
            read = texts_by_dmtx(path for path, case in pictures.items() if case.name in _IN_DMTX)
            for path, texts in read.items():
                counted.add_texts("libdmtx", pictures[path], texts)
    return counted


def photos(folder: Path) -> Iterator[Figure]:
    """Yield the share of the codes of each folder of photos that are read, and that of all; `answers` says by what."""
    answers = {picture: answer for picture in pictures_in(folder) if (answer := answer_of(picture))}
    by_zbar = seen_by_zbar(answers) if has_reader(ZBAR) else None
    every = Tally()
    tallies: dict[str, Tally] = defaultdict(Tally)
    for picture, answer in answers.items():
        content = picture.read_bytes()
        ours, took = timed(read_image, ImageFile(content))
        seen = {
            SERVICE: _seen(ours.codes),
            ONE_LOOK: _seen(codes_in(grey_pixels(content))),
            **({} if by_zbar is None else {"ZBar": by_zbar.get(picture, [])}),
        }
        for counted in (tallies[category_of(picture)], every):
            counted.codes += answer.codes
            counted.seconds.append(took.cpu_seconds)
            for reader, codes in seen.items():
                counted.add(reader, "codes", answer.found(codes), is_wrong=answer.is_wrong(codes))
    yield from (counted.figure(f"{name}, read") for name, counted in tallies.items())
    yield every.figure("all photos, read")


def _seen(codes: Iterable[CodeOnImage]) -> list[Seen]:
    return [Seen(code.text, tuple((corner.x, corner.y) for corner in code.corners)) for code in codes]
