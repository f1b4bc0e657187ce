"""One look at an image with zxing-cpp: any symbology that the service draws, rotated, inverted, several at once.

zxing-cpp tries everything that it can (right angles, downscaling, inversion, local thresholds), because a person has to
type each missed code. Meanwhile it releases the interpreter lock, so images are read in parallel. Code 39 is read
literally: one in ten texts of six characters is also a valid Code 32, and `A+B` would be `Ab` in full ASCII.

A text is what a scanner would send. That of a GS1 symbol follows its symbology identifier (ISO/IEC 15424), with FNC1 as
0x1D. A UPC-A has its 12 digits, and a UPC-E those of its UPC-A, because its eight digits could be an EAN-8. An add-on
follows a `+`, as in a product code. Bytes that are not text become the characters of their values.

The bars of a retail number are higher than those of its add-on, so zxing-cpp may return one symbol twice: with the
add-on and without. The longer text counts, along the lines of both. If lines of one symbol give different add-ons, the
number alone counts.

A symbology that the registry does not have is read only where it is named: the one parity bit of a DX Film Edge is
right in much noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

import zxingcpp
from zxingcpp import BarcodeFormat, BarcodeFormats, Binarizer, ContentType

from barcodesvc.gs1.gtin import GTIN14_DIGITS
from barcodesvc.scanning.images.add_ons import add_on_of, number_of
from barcodesvc.scanning.images.codes import NOT_DRAWN, CodeOnImage, Corners, ImagePoint, extended
from barcodesvc.scanning.images.paper import has_paper_around
from barcodesvc.symbols.registry import SYMBOLOGIES, known_symbology
from barcodesvc.symbols.trust import ITF

if TYPE_CHECKING:
    from barcodesvc.scanning.images.looks import Look
    from barcodesvc.scanning.images.pixels import Pixels

NAMES = {
    code_format: drawn.name
    for name, code_format in BarcodeFormat.__members__.items()
    if (drawn := known_symbology(name))
}
"""The registry's names of the symbologies that zxing-cpp reads; its own names are among their aliases."""
_FORMATS = {BarcodeFormat.__members__[entry.read_as]: entry.is_read_turned for entry in SYMBOLOGIES if entry.read_as}
READ_FORMATS = tuple(_FORMATS)
"""All in the registry that it reads, by family if there is one; of Code 39 only the plain one and the PZN."""
LIMITED_FORMATS = tuple(each for each, is_read_turned in _FORMATS.items() if not is_read_turned)
"""Symbologies that it does not find at every angle, or in white on black."""
_NOT_DRAWN = {name: zxingcpp.barcode_format_from_str(name) for name in NOT_DRAWN}
NAMES_IN_GS1 = {symbology.name: symbology.with_elements for symbology in SYMBOLOGIES if symbology.with_elements}
"""The registry's names of symbologies with GS1 data, by their names without."""
_NEED_PAPER = frozenset(symbology.name for symbology in SYMBOLOGIES if symbology.trust.needs_paper)
_BINARIZERS = {
    "local": Binarizer.LocalAverage,
    "global": Binarizer.GlobalHistogram,
    "fixed": Binarizer.FixedThreshold,
}
"""By what tells black from white."""
_TWO_DIMENSIONAL = frozenset(
    {
        *(BarcodeFormat.Aztec, BarcodeFormat.DataMatrix, BarcodeFormat.MaxiCode, BarcodeFormat.MicroPDF417),
        *(BarcodeFormat.MicroQRCode, BarcodeFormat.PDF417, BarcodeFormat.QRCode, BarcodeFormat.RMQRCode),
    }
)
"""Symbologies with corners that tell a symbol from its mirror image; bars do not."""
_WIDEST_GAP = 0.25
"""The gap between the lines that read a symbol with its add-on and those without, relative to the symbol's height."""
_EAN13_DIGITS = 13


def codes_in(pixels: Pixels, symbology: str = "") -> list[CodeOnImage]:
    """Return the codes that one look at a picture shows, each once, in any order; short ones of this symbology, too."""
    formats = _with_named(READ_FORMATS, symbology)
    codes = _read(pixels, formats, Binarizer.LocalAverage) + _short_codes(pixels, symbology)
    return list(_once_for_each_symbol(codes))


def codes_in_look(look: Look, symbology: str = "") -> Iterator[CodeOnImage]:
    """Yield the codes that a further look shows; their corners are those in the original."""
    formats = _with_named(READ_FORMATS if look.has_all_symbologies else LIMITED_FORMATS, symbology)
    pixels = look.pixels()
    codes = _read(pixels, formats, _BINARIZERS[look.threshold]) + _short_codes(pixels, symbology)
    for code in _once_for_each_symbol(codes):
        places = (look.original((corner.x, corner.y)) for corner in code.corners)
        top_left, top_right, bottom_right, bottom_left = (ImagePoint(round(x), round(y)) for x, y in places)
        yield replace(code, corners=(top_left, top_right, bottom_right, bottom_left))


def _with_named(formats: tuple[BarcodeFormat, ...], symbology: str) -> tuple[BarcodeFormat, ...]:
    """Return the formats, and that of a named symbology that is not drawn."""
    return (*formats, _NOT_DRAWN[symbology]) if symbology in _NOT_DRAWN else formats


def _short_codes(pixels: Pixels, symbology: str) -> list[CodeOnImage]:
    """Return codes that zxing-cpp reads only where it searches for nothing else: ITF of 2 and 4 digits."""
    if symbology != "ITF":
        return []
    codes = _read(pixels, (BarcodeFormat.ITF,), Binarizer.LocalAverage)
    return [code for code in codes if len(code.text) < ITF.least_length]


def _read(pixels: Pixels, formats: Iterable[BarcodeFormat], binarizer: Binarizer) -> list[CodeOnImage]:
    found = zxingcpp.read_barcodes(
        zxingcpp.ImageView(pixels.luma, pixels.width, pixels.height, zxingcpp.ImageFormat.Lum),
        formats=BarcodeFormats(tuple(formats)),
        text_mode=zxingcpp.TextMode.Plain,
        binarizer=binarizer,
        ean_add_on_symbol=zxingcpp.EanAddOnSymbol.Read,
    )
    codes = (_code_on_image(code) for code in found)
    return [code for code in codes if code.symbology not in _NEED_PAPER or has_paper_around(code, pixels)]


def _code_on_image(code: zxingcpp.Barcode) -> CodeOnImage:
    corners = _corners(code)
    name = NAMES.get(code.format, str(code.format))
    if code.content_type == ContentType.GS1:
        return CodeOnImage(code.symbology_identifier + code.text, NAMES_IN_GS1.get(name, name), corners)
    if name in {"EAN13", "UPCE"}:
        return _retail(code.text, name, corners)
    if code.symbology_identifier == "]I1" and len(code.text) == GTIN14_DIGITS:
        name = "ITF14"
    return CodeOnImage(code.text, name, corners)


def _corners(code: zxingcpp.Barcode) -> Corners:
    """Return the corners, of bars clockwise: zxing-cpp has their ends as they are read, but the upper line on top."""
    at = code.position
    points = (at.top_left, at.top_right, at.bottom_right, at.bottom_left)
    top_left, top_right, bottom_right, bottom_left = (ImagePoint(point.x, point.y) for point in points)
    if code.format not in _TWO_DIMENSIONAL and _are_mirrored(top_left, top_right, bottom_left):
        return bottom_left, bottom_right, top_right, top_left
    return top_left, top_right, bottom_right, bottom_left


def _are_mirrored(top_left: ImagePoint, top_right: ImagePoint, bottom_left: ImagePoint) -> bool:
    across = top_right.x - top_left.x, top_right.y - top_left.y
    down = bottom_left.x - top_left.x, bottom_left.y - top_left.y
    return across[0] * down[1] < across[1] * down[0]


def _retail(digits: str, name: str, corners: Corners) -> CodeOnImage:
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
    for symbol in symbols:
        yield _along_all_lines(symbol)


def _along_all_lines(symbol: Sequence[CodeOnImage]) -> CodeOnImage:
    """Return the reading with the longest text, with the lines of all; without its add-on if another one differs."""
    longest, *others = symbol
    corners = reduce(extended, (other.corners for other in others), longest.corners)
    differ = any(add_on_of(other) and not longest.text.startswith(other.text) for other in others)
    return CodeOnImage(number_of(longest) if differ else longest.text, longest.symbology, corners)


def _is_of_symbol(code: CodeOnImage, readings: Iterable[CodeOnImage]) -> bool:
    """Return whether a code is another reading of a retail symbol with an add-on."""
    return any(
        add_on_of(reading) and number_of(reading) == number_of(code) and _are_in_line(reading, code)
        for reading in readings
    )


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
