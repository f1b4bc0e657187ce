"""Symbols built directly with the encoding libraries, pages rendered at 600 dpi, and measured symbols."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

import barcode
import pypdfium2
import pytest
import segno
from PIL.Image import Image

from barcodesvc.symbols.modules import Bars, Caption, Matrix, Symbol

Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels, in Pillow's order."""
_INKED = [255] * 195 + [0] * 61
"""Which greys count as ink, for Image.point: more than a quarter of a pixel."""


@dataclass(frozen=True)
class Measured:
    """A symbol in a picture, in pixels: its dark modules' edges, those of its quiet zone, the width of a module."""

    dark: Box
    zone: Box
    module: float

    def zone_is_white(self, picture: Image) -> bool:
        """Whether the quiet zone is empty; a grey pixel along either edge comes from a renderer."""
        left, top, right, bottom = self.dark
        west, north, east, south = self.zone
        strips = (
            (west + 1, north, left - 1, south),
            (right + 1, north, east - 1, south),
            (west, north + 1, east, top - 1),
            (west, bottom + 1, east, south - 1),
        )
        wide = (each for each in strips if each[0] < each[2] and each[1] < each[3])
        return not any(picture.crop(each).point(_INKED).getbbox() for each in wide)


def _runs(modules: str) -> tuple[int, ...]:
    return tuple(len(list(run)) for _, run in groupby(modules))


def _code128(content: str) -> Bars:
    runs = _runs(barcode.get("code128", content).build()[0])
    return Bars(runs, 10, 10, (Caption(content, 10, 10 + sum(runs)),))


def _ean13(content: str) -> Bars:
    ean = barcode.get("ean13", content)
    digits = ean.get_fullcode()
    captions = (Caption(digits[0], 0, 9), Caption(digits[1:7], 14, 56), Caption(digits[7:], 61, 103))
    runs = _runs(ean.build()[0].replace("G", "1"))
    return Bars(runs, 11, 7, captions, frozenset({0, 2, 28, 30, 56, 58}))


def _qr(content: str) -> Matrix:
    return Matrix(tuple(bytes(row) for row in segno.make(content, micro=False).matrix), 4)


def _rendered(pdf: bytes) -> list[Image]:
    document = pypdfium2.PdfDocument(pdf)
    return [page.render(scale=600 / 72, grayscale=True).to_pil() for page in document]


def _ink(picture: Image) -> Box:
    return picture.point(_INKED).getbbox() or (0, 0, 0, 0)


def _measured(picture: Image, symbol: Symbol) -> Measured:
    inked = _ink(picture)
    return _measured_matrix(inked, symbol) if isinstance(symbol, Matrix) else _measured_bars(picture, inked, symbol)


def _measured_matrix(inked: Box, matrix: Matrix) -> Measured:
    left, top, right, _ = inked
    module = (right - left) / len(matrix.rows[0])
    bottom, quiet = top + round(module * len(matrix.rows)), round(module * matrix.quiet)
    zone = (left - quiet, top - quiet, right + quiet, bottom + quiet)
    return Measured((left, top, right, bottom), zone, module)


def _measured_bars(picture: Image, inked: Box, bars: Bars) -> Measured:
    left, top, right, bottom = inked
    bearers = bool(bars.bearer)
    module = (right - left) / (bars.width if bearers else sum(bars.runs))
    quiet_left, quiet_right = round(bars.quiet_left * module), round(bars.quiet_right * module)
    if bearers:
        left, right = left + quiet_left, right - quiet_right
    third_bar = left + round(module * (sum(bars.runs[:4]) + bars.runs[4] / 2))
    _, upper, _, lower = _ink(picture.crop((third_bar, top, third_bar + 1, bottom)))
    thickness = round(bars.bearer * module) + bearers
    top, bottom = top + upper + thickness, top + lower - thickness
    return Measured((left, top, right, bottom), (left - quiet_left, top, right + quiet_right, bottom), module)


@pytest.fixture(scope="session")
def measured() -> Callable[[Image, Symbol], Measured]:
    """Return a function that measures a symbol in a picture that is otherwise white at its sides and above it.

    The height of bars is that of the third one, which is not a guard of EAN and UPC, between bearers.
    """
    return _measured


@pytest.fixture(scope="session")
def code128() -> Callable[[str], Bars]:
    """Return an encoder of Code 128 with its content as caption."""
    return _code128


@pytest.fixture(scope="session")
def ean13() -> Callable[[str], Bars]:
    """Return an encoder of EAN-13 with its digits split around the guards."""
    return _ean13


@pytest.fixture(scope="session")
def qr() -> Callable[[str], Matrix]:
    """Return an encoder of QR codes."""
    return _qr


@pytest.fixture(scope="session")
def encoders() -> dict[str, Callable[[str], Bars | Matrix]]:
    """Return encoders of any text by name."""
    return {"code128": _code128, "qr": _qr}


@pytest.fixture(scope="session")
def rendered() -> Callable[[bytes], list[Image]]:
    """Return a renderer of PDF pages, 600 pixels an inch, grey."""
    return _rendered
