"""Modules from python-barcode and zxing-cpp, which no other encoder imports.

Neither's own writers are used: threads cannot share python-barcode's, and zxing-cpp only returns pictures. At scale 1
and without quiet zones, each pixel of such a picture is a module: 0 for dark, 255 for light. A linear symbol is the
first row, a matrix symbol all rows (PDF417, stacked DataBar and their relatives already repeat each row to its height).

Content that zxing-cpp refuses after its alphabet has been checked is too long for the largest symbol.

Both are loaded with the first symbol that needs them: python-barcode loads Pillow's fonts, some 4 MB.
"""

from bisect import bisect_left
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

from barcodesvc.errors import InvalidContent
from barcodesvc.symbols.modules import run_lengths

_DARK_IS_ONE = bytes([1]) + bytes(255)
_DARK, _LIGHT = b"\0", b"\xff"
_Encoded = TypeVar("_Encoded")


def barcode_runs(content: str, symbology: str, **options: Any) -> tuple[int, ...]:
    """Return the widths of bar, space, … bar, in modules; `symbology` is python-barcode's name, such as `ean13`."""
    from barcode import get_barcode_class  # noqa: PLC0415 - loaded at its first use

    return run_lengths(get_barcode_class(symbology)(content, **options).build()[0])


def code128_tables() -> ModuleType:
    """Return the tables of Code 128, such as `A` and `B` (character to value) and `CODES` (value to modules)."""
    from barcode.charsets import code128  # noqa: PLC0415 - loaded at its first use

    tables: ModuleType = code128
    return tables


def zxing_runs(content: str, symbology: str, **options: bool | str) -> tuple[int, ...]:
    """Return the widths of bar, space, … bar, in modules; `symbology` is zxing-cpp's name. Raises ValueError."""
    pixels, width, _ = _picture(content, symbology, options)
    apart = pixels[:width].replace(_DARK + _LIGHT, b"\0 \xff").replace(_LIGHT + _DARK, b"\xff \0")
    return tuple(map(len, apart.split()))


def zxing_rows(content: str, symbology: str, **options: bool | str) -> tuple[bytes, ...]:
    """Return the rows, one byte for each module, 1 for dark; `symbology` is zxing-cpp's name. Raises ValueError."""
    pixels, width, height = _picture(content, symbology, options)
    modules = pixels.translate(_DARK_IS_ONE)
    return tuple(modules[row * width : (row + 1) * width] for row in range(height))


def _picture(content: str, symbology: str, options: dict[str, bool | str]) -> tuple[bytes, int, int]:
    import zxingcpp  # noqa: PLC0415 - loaded at its first use

    symbol = zxingcpp.create_barcode(content, getattr(zxingcpp.BarcodeFormat, symbology), **options)
    picture = zxingcpp.write_barcode_to_image(symbol, scale=1, add_quiet_zones=False)
    height, width = picture.shape[:2]
    pixels = memoryview(picture)  # type: ignore[arg-type]  # it is a buffer, which its stub leaves out
    return pixels.tobytes(), width, height


def fitted(name: str, content: str, encode: Callable[[str], _Encoded], fits: str = "less text") -> _Encoded:
    """Return what `encode` makes of content; raises InvalidContent if it raises ValueError: content is too long."""
    try:
        return encode(content)
    except ValueError as error:
        position = first_too_many(lambda count: encode(content[:count]), len(content))
        raise too_long(name, content, fits, position) from error


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
