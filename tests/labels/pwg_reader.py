"""A reader of PWG raster (PWG 5102.4), written from the standard: pages as pictures, with their resolutions."""

import struct
from collections.abc import Iterator

from PIL import Image

HEADER = 1796


def read_pwg(file: bytes) -> Iterator[tuple[Image.Image, tuple[int, int]]]:
    """Yield each page, dark on white, and its dots per inch across and down."""
    assert file[:4] == b"RaS2"
    at = 4
    while at < len(file):
        header = file[at : at + HEADER]
        assert header.startswith(b"PwgRaster\0")
        width, height, bits, size, space = (_integer(header, offset) for offset in (372, 376, 388, 392, 400))
        assert size == (width * bits + 7) // 8
        assert (bits, space) in ((1, 3), (8, 18))
        rows, at = _rows(file, at + HEADER, height, size)
        picture = Image.frombytes("1" if bits == 1 else "L", (width, height), rows)
        dark = picture.point(lambda value: 0 if value else 255) if bits == 1 else picture
        yield dark.convert("1"), (_integer(header, 276), _integer(header, 280))


def _integer(header: bytes, offset: int) -> int:
    return int(struct.unpack_from(">I", header, offset)[0])


def _rows(file: bytes, at: int, height: int, size: int) -> tuple[bytes, int]:
    """Return the rows of a page and the offset of what follows."""
    rows = bytearray()
    while len(rows) < height * size:
        copies = file[at] + 1
        at += 1
        row = bytearray()
        while len(row) < size:
            count = file[at]
            if count < 128:
                row += file[at + 1 : at + 2] * (count + 1)
                at += 2
            else:
                row += file[at + 1 : at + 258 - count]
                at += 258 - count
        assert len(row) == size
        rows += row * copies
    assert len(rows) == height * size
    return bytes(rows), at
