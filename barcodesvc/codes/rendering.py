"""Render keys and renderings: frozen keys in, pictures and warnings out. Pure, so any thread may render.

A key contains everything that the picture depends on, in normalised form (symbology, whole pixels as from
`layout.normal_width`), so that equal pictures have equal keys and one cache entry.
"""

import json
from base64 import b64encode
from dataclasses import dataclass, field
from math import ceil

from barcodesvc.codes.layout import (
    CodePicture,
    ModuleWidth,
    Width,
    draw_bars,
    draw_bars_with_text,
    draw_matrix,
    draw_matrix_in_square,
)
from barcodesvc.codes.png import png
from barcodesvc.codes.svg import svg
from barcodesvc.symbols.modules import MM_PER_INCH, Matrix
from barcodesvc.symbols.print_warnings import print_warnings
from barcodesvc.symbols.qr import ErrorCorrection, qr
from barcodesvc.symbols.registry import Symbology, find_symbology

_EXACT_DECIMALS = 6
"""Decimals of a number of dots that floats compute exactly: 0.25 mm at 304.8 dpi are 3, not 3.0000000000000004."""
_QR = find_symbology("QR")


@dataclass(frozen=True)
class Rendering:
    """A rendered code: the SVG document in UTF-8, the PNG file, and sentences of warning about the picture.

    `svg_json` is the document as a JSON string, `png_uri_json` the file as one with a `data:` URI (RFC 2397). They are
    made by the thread that renders, and kept because the same codes are requested all day.
    """

    svg: bytes
    png: bytes
    warnings: tuple[str, ...] = ()
    svg_json: bytes = field(init=False, repr=False)
    png_uri_json: bytes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Make the JSON strings."""
        object.__setattr__(self, "svg_json", json.dumps(self.svg.decode(), ensure_ascii=False).encode())
        object.__setattr__(self, "png_uri_json", b'"data:image/png;base64,%b"' % b64encode(self.png))

    @property
    def weight(self) -> int:
        """Bytes that it occupies in the cache, with its JSON strings."""
        pictures = (self.svg, self.svg_json, self.png, self.png_uri_json)
        return sum(map(len, pictures)) + sum(map(len, self.warnings))


@dataclass(frozen=True, slots=True)
class BarcodeKey:
    """Everything that the picture of a barcode depends on.

    `height` is the height of the bars in pixels; `dpi` is the printer's resolution if pixels are its dots.
    """

    symbology: Symbology
    content: str
    width: Width
    height: int
    with_text: bool
    dpi: float | None = None

    def render(self) -> Rendering:
        """Encode and draw; raises InvalidContent for content that does not fit the symbology or the width."""
        picture = self._picture()
        warnings = (
            *print_warnings(self.symbology, self.content),
            *_module_warnings(picture.module, self.symbology, self.dpi),
        )
        return _rendering(picture, self.content, self.dpi, warnings)

    def _picture(self) -> CodePicture:
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

    `side` is the side of the image in pixels, or the width of a module; `title` is the accessible name of the picture,
    by default the content; `dpi` is as for barcodes.
    """

    content: str
    error_correction: ErrorCorrection
    side: int | ModuleWidth
    title: str | None = None
    dpi: float | None = None

    def render(self) -> Rendering:
        """Encode and draw; raises InvalidContent for content that does not fit the symbol or the size."""
        picture = self._picture()
        return _rendering(
            picture, self.title or self.content, self.dpi, _module_warnings(picture.module, _QR, self.dpi)
        )

    def _picture(self) -> CodePicture:
        symbol = qr(self.content, self.error_correction)
        if isinstance(self.side, ModuleWidth):
            return draw_matrix(symbol, self.side.pixels)
        return draw_matrix_in_square(symbol, self.side)


RenderKey = BarcodeKey | QrKey


def _rendering(picture: CodePicture, title: str, dpi: float | None, warnings: tuple[str, ...]) -> Rendering:
    return Rendering(svg(picture, title, dpi).encode(), png(picture, dpi), warnings)


def _module_warnings(module: int, symbology: Symbology, dpi: float | None) -> tuple[str, ...]:
    """Return a warning if modules are narrower than the symbology's least X-dimension at this resolution."""
    if dpi is None:
        return ()
    least = ceil(round(symbology.least_module * dpi / MM_PER_INCH, _EXACT_DECIMALS))
    if module >= least:
        return ()
    warning = (
        f"a module of {module * MM_PER_INCH / dpi:.3f} mm is narrower than {symbology.least_module} mm, the minimum "
        f"for {symbology.name}; at {dpi:g} dpi that is {least} pixels a module"
    )
    return (warning,)
