"""What is rendered and what comes out: frozen keys in, pictures and warnings out; pure, so that any thread may do it.

A key holds everything that the picture depends on, already normalised (canonical symbology name, whole pixels
as `layout.normal_width` gives them), so that equal pictures have equal keys and one cache entry.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from barcodesvc.render.layout import (
    Drawing,
    ModuleWidth,
    Width,
    draw_bars,
    draw_bars_with_text,
    draw_matrix,
    draw_matrix_in_square,
)
from barcodesvc.render.png import png
from barcodesvc.render.svg import svg
from barcodesvc.symbols.modules import Matrix
from barcodesvc.symbols.print_warnings import print_warnings
from barcodesvc.symbols.qr import ErrorCorrection, qr
from barcodesvc.symbols.registry import Symbology, find_symbology

_MM_PER_INCH = 25.4
_EXACT_DECIMALS = 6
"""Decimals of a number of dots that floats give exactly: 0.25 mm at 304.8 dpi are 3, not 3.0000000000000004."""
_QR = find_symbology("QR")


@dataclass(frozen=True, slots=True)
class Rendering:
    """A rendered code: the SVG document, the PNG file, and what speaks against the picture, in sentences."""

    svg: str
    png: bytes
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BarcodeKey:
    """Everything that the picture of a barcode depends on.

    `height` of the bars in pixels; `dpi` where the pixels are dots of a printer with so many to the inch.
    """

    symbology: Symbology
    content: str
    width: Width
    height: int
    with_text: bool
    dpi: float | None = None

    def render(self) -> Rendering:
        """Encode and draw; raises InvalidContent for what the symbology or the width cannot hold."""
        drawing = self._drawing()
        warnings = (
            *print_warnings(self.symbology.name, self.content),
            *_module_warnings(drawing.module, self.symbology, self.dpi),
        )
        return _rendering(drawing, self.content, self.dpi, warnings)

    def _drawing(self) -> Drawing:
        symbol = self.symbology.encode(self.content)
        module = self.width.module(symbol.width)
        if isinstance(symbol, Matrix):
            return draw_matrix(symbol, module)
        if self.with_text:
            return draw_bars_with_text(symbol, module, self.height)
        return draw_bars(symbol, module, self.height)


@dataclass(frozen=True, slots=True)
class QrKey:
    """Everything that the picture of a QR code depends on.

    `side` of the image in pixels, or the width of a module; `title` is the picture's accessible name, which is the
    content where None is given; `dpi` as above.
    """

    content: str
    error_correction: ErrorCorrection
    side: int | ModuleWidth
    title: str | None = None
    dpi: float | None = None

    def render(self) -> Rendering:
        """Encode and draw; raises InvalidContent for what the symbol or the size cannot hold."""
        drawing = self._drawing()
        return _rendering(
            drawing, self.title or self.content, self.dpi, _module_warnings(drawing.module, _QR, self.dpi)
        )

    def _drawing(self) -> Drawing:
        symbol = qr(self.content, self.error_correction)
        if isinstance(self.side, ModuleWidth):
            return draw_matrix(symbol, self.side.pixels)
        return draw_matrix_in_square(symbol, self.side)


RenderKey = BarcodeKey | QrKey


def _rendering(drawing: Drawing, title: str, dpi: float | None, warnings: tuple[str, ...]) -> Rendering:
    return Rendering(svg(drawing, title, dpi), png(drawing, dpi), warnings)


def _module_warnings(module: int, symbology: Symbology, dpi: float | None) -> tuple[str, ...]:
    """Return a warning where modules are narrower than the symbology's least X-dimension at this resolution."""
    if dpi is None:
        return ()
    least = ceil(round(symbology.least_module * dpi / _MM_PER_INCH, _EXACT_DECIMALS))
    if module >= least:
        return ()
    warning = (
        f"a module of {module * _MM_PER_INCH / dpi:.3f} mm is narrower than the {symbology.least_module} mm that "
        f"{symbology.name} needs at least; at {dpi:g} dpi that is {least} pixels a module"
    )
    return (warning,)
