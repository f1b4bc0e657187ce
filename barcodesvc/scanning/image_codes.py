"""Reading the codes on an image with zxing-cpp: any symbology that it knows, rotated, inverted, several at once.

It tries everything that it can (rotation, downscaling, inversion, local thresholds), because a person has to type each
missed code. Meanwhile it releases the interpreter lock, so images are read in parallel. Code 39 is read literally: one
in ten texts of six characters is also a valid Code 32, and `A+B` would be `Ab` in full ASCII.

A text is what a scanner would send. That of a GS1 symbol follows its symbology identifier (ISO/IEC 15424), with FNC1 as
0x1D. A UPC-A has its 12 digits, and a UPC-E those of its UPC-A, because its eight digits could be an EAN-8. An add-on
follows a `+`, as in a product code. Bytes that are not text become the characters of their values.

The bars of a retail number are higher than those of its add-on, so zxing-cpp may return one symbol twice: with the
add-on and without. The longer text counts. If lines of one symbol give different add-ons, the number alone counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import zxingcpp
from zxingcpp import BarcodeFormat, BarcodeFormats, ContentType

from barcodesvc.fields import described

if TYPE_CHECKING:
    from barcodesvc.scanning.pixels import Pixels

SMALL_PIXELS = 1_200_000
MOST_CODES = 64
"""The maximum number of codes returned for an image: the first ones in reading order."""

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
"""The registry's names of the symbologies."""
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
"""All symbologies that it reads, by family if there is one; of Code 39 only the plain one and the PZN."""
NAMES_IN_GS1 = {"CODE128": "GS1-128", "QR": "GS1QR", "DATAMATRIX": "GS1DATAMATRIX"}
"""The registry's names of symbologies with GS1 data, by their names without."""
_WITH_ADD_ONS = frozenset({"EAN13", "UPCA", "UPCE"})
_WIDEST_GAP = 0.25
"""The gap between the lines that read a symbol with its add-on and those without, relative to the symbol's height."""
_EAN13_DIGITS = 13
_ITF14_DIGITS = 14


@dataclass(frozen=True, slots=True)
class ImagePoint:
    """A point of the upright image, in pixels from its top left."""

    x: Annotated[int, described("Pixels from the left.", 40)]
    y: Annotated[int, described("Pixels from the top.", 25)]


_Corners = tuple[ImagePoint, ImagePoint, ImagePoint, ImagePoint]


@dataclass(frozen=True, slots=True)
class CodeOnImage:
    """A code on an image.

    `symbology` is the registry's name, or zxing-cpp's if the service cannot draw it. `corners` are the symbol's top
    left, top right, bottom right and bottom left; for a linear code, they are those of the lines that read it, which
    are level in the image even if the code is not.
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
    """Return the codes on an image file; raises what `grey_pixels` raises."""
    from barcodesvc.scanning.pixels import grey_pixels  # noqa: PLC0415 - loaded at its first use, with Pillow

    codes = codes_on(grey_pixels(content))
    return CodesOnImage(codes[:MOST_CODES], len(codes) > MOST_CODES)


def read_image_in_process(_: object, content: bytes) -> dict[str, Any]:
    """Return the result of `read_image` as JSON; for a worker process, without progress reports."""
    return asdict(read_image(content))


def read_small_image_in_process(_: object, content: bytes) -> dict[str, Any] | None:
    """Return the same for an image of at most SMALL_PIXELS; None for a larger one, once its header is read."""
    from barcodesvc.scanning.pixels import pixels_to_decode  # noqa: PLC0415 - loaded at its first use, with Pillow

    return asdict(read_image(content)) if pixels_to_decode(content) <= SMALL_PIXELS else None


def codes_on(pixels: Pixels) -> tuple[CodeOnImage, ...]:
    """Return all codes in reading order: line by line from the top, each from the left."""
    view = zxingcpp.ImageView(pixels.luma, pixels.width, pixels.height, zxingcpp.ImageFormat.Lum)
    found = zxingcpp.read_barcodes(
        view,
        formats=BarcodeFormats(READ_FORMATS),
        text_mode=zxingcpp.TextMode.Plain,
        ean_add_on_symbol=zxingcpp.EanAddOnSymbol.Read,
    )
    return _in_reading_order(_once_for_each_symbol(map(_code_on_image, found)))


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
    """Return a code of 13 digits (a UPC has a leading zero), which those of an add-on may follow."""
    number, add_on = digits[:_EAN13_DIGITS], digits[_EAN13_DIGITS:]
    if number.startswith("0"):
        name = "UPCA" if name == "EAN13" else name
        number = number[1:]
    return CodeOnImage(f"{number}+{add_on}" if add_on else number, name, corners)


def _once_for_each_symbol(codes: Iterable[CodeOnImage]) -> Iterator[CodeOnImage]:
    """Yield each code; for a retail symbol the text with the add-on, or the number alone if its add-ons differ."""
    symbols: list[list[CodeOnImage]] = []
    for code in sorted(codes, key=lambda code: len(code.text), reverse=True):
        readings = next((symbol for symbol in symbols if _is_of_symbol(code, symbol)), None)
        if readings is None:
            symbols.append([code])
        else:
            readings.append(code)
    for longest, *others in symbols:
        differ = any(_has_add_on(other) and other.text != longest.text for other in others)
        yield replace(longest, text=_number(longest)) if differ else longest


def _is_of_symbol(code: CodeOnImage, readings: Iterable[CodeOnImage]) -> bool:
    """Return whether a code is another reading of a retail symbol with an add-on."""
    if code.symbology not in _WITH_ADD_ONS:
        return False
    return any(
        _has_add_on(reading) and _number(reading) == _number(code) and _are_in_line(reading, code)
        for reading in readings
    )


def _has_add_on(code: CodeOnImage) -> bool:
    return code.symbology in _WITH_ADD_ONS and "+" in code.text


def _number(code: CodeOnImage) -> str:
    return code.text.partition("+")[0]


def _are_in_line(code: CodeOnImage, other: CodeOnImage) -> bool:
    """Return whether the lines of both are so close that they cross the same bars."""
    (start, end), (top, bottom) = _lines(code)
    (other_start, other_end), (other_top, other_bottom) = _lines(other)
    shared = min(end, other_end) - max(start, other_start)
    gap = max(top, other_top) - min(bottom, other_bottom)
    height = max(bottom - top, other_bottom - other_top)
    return 2 * shared > min(end - start, other_end - other_start) and gap <= _WIDEST_GAP * height


def _lines(code: CodeOnImage) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the ends of the lines of a linear code, and the places of the first and last line."""
    left, *_, right = sorted(corner.x for corner in code.corners)
    top, *_, bottom = sorted(corner.y for corner in code.corners)
    top_left, top_right, *_ = code.corners
    is_level = abs(top_right.x - top_left.x) >= abs(top_right.y - top_left.y)
    return ((left, right), (top, bottom)) if is_level else ((top, bottom), (left, right))


def _in_reading_order(codes: Iterable[CodeOnImage]) -> tuple[CodeOnImage, ...]:
    """Order codes by lines: a code is on a line if it or the line's first code is level with the other's middle."""
    lines: list[list[CodeOnImage]] = []
    for code in sorted(codes, key=_top):
        first = lines[-1][0] if lines else None
        if first and (_top(code) < _middle(first) or _middle(code) < _bottom(first)):
            lines[-1].append(code)
        else:
            lines.append([code])
    return tuple(code for line in lines for code in sorted(line, key=lambda code: min(at.x for at in code.corners)))


def _top(code: CodeOnImage) -> int:
    return min(corner.y for corner in code.corners)


def _bottom(code: CodeOnImage) -> int:
    return max(corner.y for corner in code.corners)


def _middle(code: CodeOnImage) -> float:
    return (_top(code) + _bottom(code)) / 2
