"""What is rendered and what comes out: frozen keys in, finished bytes out; pure, so that any thread may do it.

A key holds everything that the picture depends on, already normalised (canonical symbology name, whole pixels
as `normal_width` gives them), so that equal pictures have equal keys and one cache entry.
"""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import dataclass

from barcodesvc.render.layout import (
    LARGEST_MODULE,
    Drawing,
    draw_bars,
    draw_bars_with_text,
    draw_matrix,
    draw_matrix_in_square,
    module_pixels,
)
from barcodesvc.render.png import png
from barcodesvc.render.svg import svg
from barcodesvc.symbols.modules import Matrix
from barcodesvc.symbols.qr import ErrorCorrection, qr
from barcodesvc.symbols.registry import Symbology


@dataclass(frozen=True, slots=True)
class Rendering:
    """A rendered code, ready to be put into an answer.

    svg_json: the SVG document as a JSON string, quotes included; png_uri_json: the PNG as a JSON string holding a
    `data:` URI (RFC 2397). Both are UTF-8.
    """

    svg_json: bytes
    png_uri_json: bytes

    @property
    def weight(self) -> int:
        """Bytes that the rendering occupies."""
        return len(self.svg_json) + len(self.png_uri_json)


@dataclass(frozen=True, slots=True)
class BarcodeKey:
    """Everything that the picture of a barcode depends on; `width` and `height` in pixels, see `normal_width`."""

    symbology: Symbology
    content: str
    width: int
    height: int
    with_text: bool

    def render(self) -> Rendering:
        """Encode and draw; raises InvalidContent for what the symbology or the width cannot hold."""
        return _rendering(self._drawing(), self.content)

    def _drawing(self) -> Drawing:
        symbol = self.symbology.encode(self.content)
        module = module_pixels(self.width, symbol.width)
        if isinstance(symbol, Matrix):
            return draw_matrix(symbol, module)
        if self.with_text:
            return draw_bars_with_text(symbol, module, self.height)
        return draw_bars(symbol, module, self.height)


@dataclass(frozen=True, slots=True)
class QrKey:
    """Everything that the picture of a QR code depends on; `size` is the side of the image in pixels."""

    content: str
    error_correction: ErrorCorrection
    size: int

    def render(self) -> Rendering:
        """Encode and draw; raises InvalidContent for what the symbol or the size cannot hold."""
        return _rendering(draw_matrix_in_square(qr(self.content, self.error_correction), self.size), self.content)


RenderKey = BarcodeKey | QrKey


def normal_width(asked: float) -> int:
    """Return the `width` that a client asked for in whole pixels, so that 2 and 2.2 are one.

    The width of a module is rounded, the greatest width of an image is cut off; the two never turn into each other.
    """
    if asked <= LARGEST_MODULE:
        return max(1, int(asked + 0.5))
    return max(LARGEST_MODULE + 1, int(asked))


def _rendering(drawing: Drawing, title: str) -> Rendering:
    svg_json = json.dumps(svg(drawing, title), ensure_ascii=False).encode()
    return Rendering(svg_json, b'"data:image/png;base64,' + b64encode(png(drawing)) + b'"')
