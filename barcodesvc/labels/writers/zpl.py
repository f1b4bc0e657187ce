"""The ZPL II writer: each label of a roll is one image, so that it looks as drawn on every printer.

The image is sent as `^GFA`, compressed: `z64` is deflated, in base64 with a checksum; `acs` has counts of equal digits
and marks for equal rows; `hex` is plain, for printers that know neither. A printer repeats equal labels (`^PQ`). It
does not print a label again by itself after a fault (`^JZN`): that could print one twice without anybody noticing.

Rule: a label sets how its image is placed, whatever was printed before; darkness, speed and media only if given.
"""

import re
import zlib
from binascii import b2a_base64, crc_hqx
from collections.abc import Callable, Iterator

from barcodesvc.drawing.raster import Bitmap
from barcodesvc.labels.sheet_drawing import SheetDrawing
from barcodesvc.labels.writers.page_dots import pages

_MOST_BYTES = 99_999
"""The largest image of one field; a larger label is sent in several, one below the other."""
_COMPRESSION = 3
"""Faster than level 6 for some more bytes; levels 1 and 2 make bars at 300 dpi many times as large."""
_MEDIA = {"gap": "Y", "mark": "M", "continuous": "N"}
_EQUAL_DIGITS = re.compile(rb"([0-9A-F])\1{2,}")
_MOST_EQUAL = 419
_COUNTS = {count: bytes([ord("F") + count]) for count in range(1, 20)} | {
    20 * count: bytes([ord("f") + count]) for count in range(1, 21)
}
"""`G` to `Y` are 1 to 19 equal digits, `g` to `z` 20 to 400 (ZPL II Programming Guide, alternative compression)."""


def write_zpl(
    drawing: SheetDrawing,
    graphics: str = "z64",
    *,
    darkness: int | None = None,
    speed: int | None = None,
    media: str | None = None,
) -> Iterator[bytes]:
    """Yield each label with the number of its copies; `Layout` says what the settings mean."""
    head = "" if darkness is None else f"~SD{darkness:02}\n"
    head += "^XA^JZN^LH0,0^PON^PMN^LRN"
    head += "" if media is None else f"^MN{_MEDIA[media]}"
    head += "" if speed is None else f"^PR{speed}"
    head += "^PW{}^LL{}".format(*drawing.page_size)
    for bitmap, copies in pages(drawing):
        yield b"%b%b^PQ%d^XZ\n" % (head.encode(), b"".join(_fields(bitmap, _ENCODERS[graphics])), copies)


def _fields(bitmap: Bitmap, encode: Callable[[bytes, int], bytes]) -> Iterator[bytes]:
    size = bitmap.row_bytes
    rows = _MOST_BYTES // size
    for top in range(0, bitmap.height, rows):
        part = bitmap.rows[top * size : (top + rows) * size]
        yield b"^FO0,%d^GFA,%d,%d,%d,%b^FS" % (top, len(part), len(part), size, encode(part, size))


def _z64(rows: bytes, _size: int) -> bytes:
    text = b2a_base64(zlib.compress(rows, _COMPRESSION), newline=False)
    return b":Z64:%b:%04X" % (text, crc_hqx(text, 0))


def _hexadecimal(rows: bytes, _size: int) -> bytes:
    return rows.hex().upper().encode()


def _acs(rows: bytes, size: int) -> bytes:
    written, before = [], None
    for start in range(0, len(rows), size):
        row = rows[start : start + size]
        written.append(b":" if row == before else _acs_row(row))
        before = row
    return b"".join(written)


def _acs_row(row: bytes) -> bytes:
    digits = _hexadecimal(row, len(row))
    for digit, rest in ((b"0", b","), (b"F", b"!")):
        if digits.endswith(digit):
            begin = digits.rstrip(digit)
            return _EQUAL_DIGITS.sub(_counted, begin) + rest
    return _EQUAL_DIGITS.sub(_counted, digits)


def _counted(equal: re.Match[bytes]) -> bytes:
    """Return equal digits as their count and the digit; a longer run as several."""
    length, digit = len(equal[0]), equal[1]
    whole, rest = divmod(length, _MOST_EQUAL)
    return (b"zY" + digit) * whole + (_count(rest) + digit if rest else b"")


def _count(length: int) -> bytes:
    twenties, ones = length // 20 * 20, length % 20
    return _COUNTS.get(twenties, b"") + _COUNTS.get(ones, b"")


_ENCODERS = {"z64": _z64, "acs": _acs, "hex": _hexadecimal}
