"""5,000 pictures without codes, each read with `normal` effort: how many codes are read although there are none."""

from collections.abc import Iterator

from scripts.benchmarks.decode.drawn_codes import codes_on, pixels_of
from scripts.benchmarks.decode.empty_pictures import empty_picture
from scripts.benchmarks.report import Figure, at_most

PICTURES = 5_000


def measure() -> Iterator[Figure]:
    """Yield the number of pictures on which a code is read."""
    read = [seed for seed in range(PICTURES) if codes_on(pixels_of(empty_picture(seed)))]
    yield Figure(f"{PICTURES:,} pictures without codes, read", len(read), "", at_most(0), ", ".join(map(str, read)))
