"""Pictures on labels: black and white pixels, which become dots of a printer.

Rule: a picture is scaled to whole dots, once for all documents of a job. A dot is dark if at least half of what it
covers is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from barcodesvc.codes.png import png_of_dots

MOST_DOTS = 4_000_000
"""Dots of a picture on a label, such as 169 x 169 mm at 300 dpi."""
_SCALED = 4
"""Scaled pictures that are kept: a job's documents take turns with those of other printers."""
Place = Literal["left", "right", "above"]
"""Where a picture is, as seen from the rest of the label."""
_DARK = bytes.maketrans(b"01", b"\0\1")


@dataclass(frozen=True, slots=True)
class Picture:
    """Pixels row by row, 1 for dark; eight to a byte, each row from a whole byte on."""

    width: int
    height: int
    pixels: bytes

    def __post_init__(self) -> None:
        """Raise ValueError if there are not as many pixels as the sides say."""
        if len(self.pixels) != self.height * self.row_bytes or not self.pixels:
            raise ValueError(f"{len(self.pixels)} bytes for {self.width} x {self.height} pixels")

    @property
    def row_bytes(self) -> int:
        """The bytes of a row."""
        return (self.width + 7) // 8

    def height_of(self, width: int) -> int:
        """Return how many dots it is high if it is `width` dots wide."""
        return max(1, round(self.height * width / self.width))

    def rows(self) -> Iterator[bytes]:
        """Yield each row with one byte for each pixel, 1 for dark."""
        for start in range(0, len(self.pixels), self.row_bytes):
            packed = int.from_bytes(self.pixels[start : start + self.row_bytes])
            yield f"{packed:0{self.row_bytes * 8}b}"[: self.width].encode().translate(_DARK)

    def scaled(self, width: int) -> tuple[bytes, ...]:
        """Return rows of dots, `width` of them across, with one byte for each, 1 for dark."""
        return _scaled(self, width)

    def png(self) -> bytes:
        """Return the picture as a PNG file of one bit for each pixel."""
        return png_of_dots(self.width, self.height, self.pixels)


class PlacedPicture(NamedTuple):
    """A picture on every label of a run, `width` in mm."""

    picture: Picture
    width: float
    place: Place

    def size(self, dots_per_mm: float) -> tuple[int, int]:
        """Return its width and height in dots."""
        width = max(1, round(self.width * dots_per_mm))
        return width, self.picture.height_of(width)


@lru_cache(maxsize=_SCALED)
def _scaled(picture: Picture, width: int) -> tuple[bytes, ...]:
    rows = tuple(picture.rows())
    across = tuple(_spans(picture.width, width))
    down = _spans(picture.height, picture.height_of(width))
    return tuple(
        _dots([sum(column) for column in zip(*rows[top:end], strict=True)], end - top, across) for top, end in down
    )


def _spans(pixels: int, dots: int) -> Iterator[tuple[int, int]]:
    """Yield the first pixel that each dot covers, and the first one after it; at least one pixel each."""
    edges = [dot * pixels // dots for dot in range(dots + 1)]
    return ((start, max(end, start + 1)) for start, end in pairwise(edges))


def _dots(dark: list[int], rows: int, across: tuple[tuple[int, int], ...]) -> bytes:
    """Return a row of dots, from the number of dark pixels in each column of `rows` rows."""
    return bytes(2 * sum(dark[left:right]) >= rows * (right - left) for left, right in across)
