"""An image file as black and white pixels, for labels; work of a process for untrusted files."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import asdict, dataclass

THRESHOLD = 128
"""The least light grey."""


@dataclass(frozen=True, slots=True)
class BlackAndWhite:
    """Pixels of an image, as JSON: base64 of rows, eight pixels to a byte and 1 for dark, each from a whole byte on."""

    width: int
    height: int
    pixels: str


def black_and_white(content: bytes) -> BlackAndWhite:
    """Return the pixels of an image file, on white paper, dark ones black; raises what `grey_pixels` raises."""
    from barcodesvc.scanning.pixels import grey_pixels  # noqa: PLC0415 - loaded at its first use, with Pillow

    grey = grey_pixels(content)
    dark = grey.image().point([255 * (value < THRESHOLD) for value in range(256)], mode="1")
    return BlackAndWhite(grey.width, grey.height, b64encode(dark.tobytes()).decode())


def black_and_white_in_process(_: object, content: bytes) -> dict[str, int | str]:
    """Return the same as JSON; for a worker process, without progress reports."""
    return asdict(black_and_white(content))
