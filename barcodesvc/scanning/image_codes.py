"""The codes on an image, as zxing-cpp reads them: any symbology it knows, rotated, inverted, several at once.

All that it can try is tried (rotation, downscaling, inversion, local thresholds), since what it misses somebody has to
type. It lets go of the interpreter lock meanwhile, so that images are read in parallel. Code 39 is read as it stands in
the bars: one text in ten of six characters is a valid Code 32 as well, and `A+B` would be `Ab` in full ASCII.

A text is what a scanner would send. That of a GS1 symbol stands behind its symbology identifier (ISO/IEC 15424) with
FNC1 as 0x1D; a UPC-A has its 12 digits, and a UPC-E those of the UPC-A it stands for, as its own eight could be an
EAN-8; an add-on stands behind a `+`, as it does in a product code; bytes that are no text come as the characters of
their values.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import zxingcpp
from zxingcpp import BarcodeFormat, BarcodeFormats, ContentType

if TYPE_CHECKING:
    from barcodesvc.scanning.pixels import Pixels

MOST_CODES = 64
"""Codes that are returned of an image: the first in reading order."""

NAMES = {
    BarcodeFormat.Code128: "CODE128",
    BarcodeFormat.Code39: "CODE39",
    BarcodeFormat.Code39Std: "CODE39",
    BarcodeFormat.Code93: "CODE93",
    BarcodeFormat.EAN13: "EAN13",
    BarcodeFormat.EAN8: "EAN8",
    BarcodeFormat.UPCA: "UPCA",
    BarcodeFormat.UPCE: "UPCE",
    BarcodeFormat.ITF: "ITF",
    BarcodeFormat.ITF14: "ITF14",
    BarcodeFormat.Codabar: "CODABAR",
    BarcodeFormat.PZN: "PZN",
    BarcodeFormat.DataBarOmni: "DATABAROMNI",
    BarcodeFormat.DataBarStk: "DATABARSTACKED",
    BarcodeFormat.DataBarStkOmni: "DATABARSTACKEDOMNI",
    BarcodeFormat.DataBarLtd: "DATABARLIMITED",
    BarcodeFormat.DataBarExp: "DATABAREXPANDED",
    BarcodeFormat.DataBarExpStk: "DATABAREXPANDEDSTACKED",
    BarcodeFormat.QRCode: "QR",
    BarcodeFormat.MicroQRCode: "MICROQR",
    BarcodeFormat.RMQRCode: "RMQR",
    BarcodeFormat.DataMatrix: "DATAMATRIX",
    BarcodeFormat.Aztec: "AZTEC",
    BarcodeFormat.PDF417: "PDF417",
    BarcodeFormat.MicroPDF417: "MICROPDF417",
}
"""The registry's names of symbologies."""
READ_FORMATS = (
    BarcodeFormat.Aztec,
    BarcodeFormat.Codabar,
    BarcodeFormat.Code128,
    BarcodeFormat.Code39Std,
    BarcodeFormat.Code93,
    BarcodeFormat.DataBar,
    BarcodeFormat.DataMatrix,
    BarcodeFormat.DXFilmEdge,
    BarcodeFormat.EANUPC,
    BarcodeFormat.ITF,
    BarcodeFormat.MaxiCode,
    BarcodeFormat.PDF417,
    BarcodeFormat.PZN,
    BarcodeFormat.QRCode,
    BarcodeFormat.Telepen,
)
"""Every symbology that it reads, as a family where it has one; of Code 39 the plain one and the PZN."""
NAMES_IN_GS1 = {"CODE128": "GS1-128", "QR": "GS1QR", "DATAMATRIX": "GS1DATAMATRIX"}
"""The registry's names of those that hold GS1 data, by their names without."""
_EAN13_DIGITS = 13
_ITF14_DIGITS = 14


@dataclass(frozen=True, slots=True)
class ImagePoint:
    """A point of the upright image, in pixels from its top left."""

    x: int
    y: int


_Corners = tuple[ImagePoint, ImagePoint, ImagePoint, ImagePoint]


@dataclass(frozen=True, slots=True)
class CodeOnImage:
    """A code on an image.

    `symbology` is the registry's name, or zxing-cpp's where the service cannot draw it; `corners` are the symbol's own
    top left, top right, bottom right and bottom left; those of a linear code are of the lines that read it, which lie
    level in the image also where the code does not.
    """

    text: str
    symbology: str
    corners: _Corners


@dataclass(frozen=True, slots=True)
class CodesOnImage:
    """The codes on an image in reading order, and whether there are more of them."""

    codes: tuple[CodeOnImage, ...]
    is_truncated: bool


def read_image(content: bytes) -> CodesOnImage:
    """Return the codes on an image file; raises what grey_pixels does."""
    from barcodesvc.scanning.pixels import grey_pixels  # noqa: PLC0415 - loaded at its first use, with Pillow

    codes = codes_on(grey_pixels(content))
    return CodesOnImage(codes[:MOST_CODES], len(codes) > MOST_CODES)


def read_image_in_process(_: object, content: bytes) -> CodesOnImage:
    """Return what `read_image` does, as work for a process, which reports nothing on its way."""
    return read_image(content)


def codes_on(pixels: Pixels) -> tuple[CodeOnImage, ...]:
    """Return all codes in reading order: by lines from the top, in a line from the left."""
    view = zxingcpp.ImageView(pixels.luma, pixels.width, pixels.height, zxingcpp.ImageFormat.Lum)
    found = zxingcpp.read_barcodes(
        view,
        formats=BarcodeFormats(READ_FORMATS),
        text_mode=zxingcpp.TextMode.Plain,
        ean_add_on_symbol=zxingcpp.EanAddOnSymbol.Read,
    )
    return _in_reading_order(map(_code_on_image, found))


def _code_on_image(code: zxingcpp.Barcode) -> CodeOnImage:
    corners = _corners(code.position)
    name = NAMES.get(code.format, str(code.format))
    if code.content_type == ContentType.GS1:
        return CodeOnImage(code.symbology_identifier + code.text, NAMES_IN_GS1.get(name, name), corners)
    if name in {"EAN13", "UPCE"}:
        return _retail(code.text, name, corners)
    if code.symbology_identifier == "]I1" and len(code.text) == _ITF14_DIGITS:
        name = "ITF14"
    return CodeOnImage(code.text, name, corners)


def _corners(position: zxingcpp.Position) -> _Corners:
    points = (position.top_left, position.top_right, position.bottom_right, position.bottom_left)
    top_left, top_right, bottom_right, bottom_left = (ImagePoint(point.x, point.y) for point in points)
    return top_left, top_right, bottom_right, bottom_left


def _retail(digits: str, name: str, corners: _Corners) -> CodeOnImage:
    """Return a code of 13 digits, those of a UPC with a zero in front, and the digits of an add-on behind them."""
    number, add_on = digits[:_EAN13_DIGITS], digits[_EAN13_DIGITS:]
    if number.startswith("0"):
        name = "UPCA" if name == "EAN13" else name
        number = number[1:]
    return CodeOnImage(f"{number}+{add_on}" if add_on else number, name, corners)


def _in_reading_order(codes: Iterable[CodeOnImage]) -> tuple[CodeOnImage, ...]:
    """Order codes by lines: of a code and the first one on its line, one is level with the middle of the other."""
    lines: list[list[CodeOnImage]] = []
    for code in sorted(codes, key=_top):
        first = lines[-1][0] if lines else None
        if first and (_top(code) < _middle(first) or _middle(code) < _bottom(first)):
            lines[-1].append(code)
        else:
            lines.append([code])
    return tuple(code for line in lines for code in sorted(line, key=_left))


def _top(code: CodeOnImage) -> int:
    return min(corner.y for corner in code.corners)


def _bottom(code: CodeOnImage) -> int:
    return max(corner.y for corner in code.corners)


def _middle(code: CodeOnImage) -> float:
    return (_top(code) + _bottom(code)) / 2


def _left(code: CodeOnImage) -> int:
    return min(corner.x for corner in code.corners)
