"""The PNG writer (ISO/IEC 15948): greyscale, one bit for each pixel, without an image object.

This is much faster than building an image and encoding it. For equal rows, zlib's level 3 is faster than level 6 and
yields some more bytes. Rows are compressed in blocks, so that the largest images take little memory.
"""

import struct
import zlib

from barcodesvc.codes.layout import CodePicture
from barcodesvc.drawing.raster import Bitmap, painted

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COMPRESSION = 3
_METRES_PER_INCH = 0.0254
_UNIT_IS_METRE = 1
_LIGHT = bytes(byte ^ 0xFF for byte in range(256))
_BLOCK = 1024
"""Rows that are compressed at once."""


def png(picture: CodePicture, dpi: float | None = None) -> bytes:
    """Return a picture as a PNG file, dark on white; `dpi`, if known, is in its pHYs chunk."""
    return png_of_dots(painted(picture.drawing, picture.width, picture.height), dpi)


def png_of_dots(bitmap: Bitmap, dpi: float | None = None) -> bytes:
    """Return a bitmap as a file, dark on white."""
    header = struct.pack(">IIBBBBB", bitmap.width, bitmap.height, 1, 0, 0, 0, 0)
    chunks = (_chunk(b"IHDR", header), _resolution(dpi), _chunk(b"IDAT", _pixels(bitmap)), _chunk(b"IEND", b""))
    return b"".join((_SIGNATURE, *chunks))


def _pixels(bitmap: Bitmap) -> bytes:
    """Return the compressed rows, 1 for light, each after its filter, 0."""
    size, packer = bitmap.row_bytes, zlib.compressobj(_COMPRESSION)
    packed = []
    for top in range(0, bitmap.height, _BLOCK):
        light = bitmap.rows[top * size : (top + _BLOCK) * size].translate(_LIGHT)
        rows = [row for (row,) in struct.iter_unpack(f"{size}s", light)]
        packed.append(packer.compress(b"\0" + b"\0".join(rows)))
    return b"".join((*packed, packer.flush()))


def _resolution(dpi: float | None) -> bytes:
    if dpi is None:
        return b""
    per_metre = round(dpi / _METRES_PER_INCH)
    return _chunk(b"pHYs", struct.pack(">IIB", per_metre, per_metre, _UNIT_IS_METRE))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return b"".join((struct.pack(">I", len(data)), kind, data, struct.pack(">I", zlib.crc32(kind + data))))
