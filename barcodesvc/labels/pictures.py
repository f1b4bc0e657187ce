"""Pictures on labels: black and white pixels, which become dots of a printer.

Rule: a picture is scaled to whole dots. A dot is dark if at least half of what it covers is.
"""

from dataclasses import dataclass
from typing import Literal

from barcodesvc.drawing.raster import Bitmap

MOST_DOTS = 4_000_000
"""Dots of a picture on a label, such as 169 x 169 mm at 300 dpi."""
Place = Literal["left", "right", "above"]
"""Where a picture is, as seen from the rest of the label."""
_DARK_FROM_HALF = [0] * 128 + [1] * 128
"""By the dark part of a dot, in 255ths."""


@dataclass(frozen=True, slots=True)
class Picture(Bitmap):
    """A bitmap of pixels, which become dots of another number."""

    def __post_init__(self) -> None:
        """Raise ValueError if there are not as many pixels as the sides say."""
        if len(self.rows) != self.height * self.row_bytes or not self.rows:
            raise ValueError(f"{len(self.rows)} bytes for {self.width} x {self.height} pixels")

    def height_of(self, width: int) -> int:
        """Return how many dots it is high if it is `width` dots wide."""
        return max(1, round(self.height * width / self.width))

    def scaled(self, width: int) -> tuple[bytes, ...]:
        """Return rows of dots, `width` of them across, with one byte for each, 1 for dark."""
        from PIL import Image  # noqa: PLC0415 - loaded at its first use

        image = Image.frombytes("1", (self.width, self.height), self.rows).convert("L")
        dots = image.resize((width, self.height_of(width)), Image.Resampling.BOX).point(_DARK_FROM_HALF).tobytes()
        return tuple(dots[start : start + width] for start in range(0, len(dots), width))
