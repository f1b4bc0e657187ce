"""Photos of codes in a folder: how many codes are read, and in what time, by folder within it.

`answers` says how the expected texts and places are found. One look is a call of zxing-cpp. ZBar counts where this
machine has it.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from barcodesvc.scanning.images.codes import CodeOnImage, ImageFile
from barcodesvc.scanning.images.one_look import codes_in
from barcodesvc.scanning.images.pixels import grey_pixels
from barcodesvc.scanning.images.reading import read_image
from scripts.benchmarks.report import Figure
from tests.scanning.pictures.answers import Answer, answer_of, category_of, pictures_in
from tests.scanning.pictures.readers import ZBAR, Seen, has_reader, seen_by_zbar

SERVICE, ONE_LOOK = "the service", "one look"


@dataclass(slots=True)
class _Tally:
    """The codes of a folder, and for each reader those found and the pictures with another text; seconds."""

    codes: int = 0
    found: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)

    def add(self, reader: str, answer: Answer, seen: list[Seen]) -> None:
        """Count what a reader reads on a picture."""
        self.found[reader] += answer.found(seen)
        self.wrong[reader] += answer.is_wrong(seen)


def measure(folder: Path) -> Iterator[Figure]:
    """Yield the share of the codes of each folder that are read, and that of all."""
    answers = {picture: answer for picture in pictures_in(folder) if (answer := answer_of(picture))}
    by_zbar = seen_by_zbar(answers) if has_reader(ZBAR) else None
    every = _Tally()
    tallies: dict[str, _Tally] = defaultdict(_Tally)
    for picture, answer in answers.items():
        content, both = picture.read_bytes(), (tallies[category_of(picture)], every)
        begun = time.process_time()
        read = read_image(ImageFile(content)).codes
        seconds = time.process_time() - begun
        at_once = codes_in(grey_pixels(content))
        for tally in both:
            tally.codes += answer.codes
            tally.seconds.append(seconds)
            tally.add(SERVICE, answer, _seen(read))
            tally.add(ONE_LOOK, answer, _seen(at_once))
            if by_zbar is not None:
                tally.add("ZBar", answer, by_zbar.get(picture, []))
    yield from (_figure(name, tally) for name, tally in tallies.items())
    yield _figure("all photos", every)


def _seen(codes: list[CodeOnImage] | tuple[CodeOnImage, ...]) -> list[Seen]:
    return [Seen(code.text, tuple((corner.x, corner.y) for corner in code.corners)) for code in codes]


def _figure(name: str, tally: _Tally) -> Figure:
    readers = "; ".join(f"{reader} {tally.found[reader]} and {tally.wrong[reader]} wrong" for reader in tally.found)
    mean, most = sum(tally.seconds) / len(tally.seconds), max(tally.seconds)
    note = f"of {tally.codes}: {readers}; {mean:.2f} s each, {most:.2f} s at most"
    share = tally.found[SERVICE] / tally.codes if tally.codes else float(not tally.wrong[SERVICE])
    return Figure(f"{name}, read", share, "%", None, note)
