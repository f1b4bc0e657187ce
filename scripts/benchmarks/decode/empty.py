"""5,000 pictures without codes, each read with `normal` effort: how many codes are read although there are none."""

from collections.abc import Iterator

from scripts.benchmarks.report import Figure, at_most
from tests.scanning.pictures.drawn_codes import codes_on, pixels_of
from tests.scanning.pictures.empty_pictures import empty_picture

PICTURES = 5_000


def measure() -> Iterator[Figure]:
    """Yield the number of pictures on which a code is read."""
    read = [seed for seed in range(PICTURES) if codes_on(pixels_of(empty_picture(seed)))]
    yield Figure(f"{PICTURES:,} pictures without codes, read", len(read), "", at_most(0), ", ".join(map(str, read)))
