"""Modules from zxing-cpp, which only returns pictures.

At scale 1 and without quiet zones, each pixel of the picture is a module: 0 for dark, 255 for light. A linear symbol is
the first row, a matrix symbol all rows (PDF417, stacked DataBar and their relatives already repeat each row to its
height). Content that an encoder refuses after its alphabet has been checked is too long for the largest symbol.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from typing import TYPE_CHECKING

from barcodesvc.errors import InvalidContent

if TYPE_CHECKING:
    import zxingcpp

_DARK_IS_ONE = bytes([1]) + bytes(255)
_RUN = re.compile(b"\0+|\xff+")


def encoded(content: str, symbology: str, **options: bool | str) -> zxingcpp.Barcode:
    """Return the symbol of content in a symbology, as zxing-cpp names it; raises ValueError if it does not fit."""
    import zxingcpp  # noqa: PLC0415 - loaded at its first use

    return zxingcpp.create_barcode(content, getattr(zxingcpp.BarcodeFormat, symbology), **options)


def runs_of(symbol: zxingcpp.Barcode) -> tuple[int, ...]:
    """Return the widths of bar, space, bar, … bar of a linear symbol, in modules."""
    pixels, width, _ = _picture(symbol)
    return tuple(map(len, _RUN.findall(pixels[:width])))


def rows_of(symbol: zxingcpp.Barcode) -> tuple[bytes, ...]:
    """Return the rows of a symbol, one byte for each module, 1 for dark."""
    pixels, width, height = _picture(symbol)
    modules = pixels.translate(_DARK_IS_ONE)
    return tuple(modules[row * width : (row + 1) * width] for row in range(height))


def _picture(symbol: zxingcpp.Barcode) -> tuple[bytes, int, int]:
    import zxingcpp  # noqa: PLC0415 - as above

    picture = zxingcpp.write_barcode_to_image(symbol, scale=1, add_quiet_zones=False)
    height, width = picture.shape[:2]
    pixels = memoryview(picture)  # type: ignore[arg-type]  # it is a buffer, which its stub leaves out
    return pixels.tobytes(), width, height


def too_long(name: str, content: str, fits: str, position: int) -> InvalidContent:
    """Return the refusal of content that is too long for all sizes of the symbol, from this position on."""
    return InvalidContent(
        f"{name}: {len(content)} characters are too many, from position {position} on",
        rule="length",
        position=position,
        fits=fits,
    )


def first_too_many(encode: Callable[[int], object], count: int) -> int:
    """Return the least number of parts, up to `count`, for which `encode` raises ValueError."""

    def is_too_many(parts: int) -> bool:
        try:
            encode(parts)
        except ValueError:
            return True
        return False

    return bisect_left(range(count), True, lo=1, key=is_too_many)  # noqa: FBT003 - what is looked for
