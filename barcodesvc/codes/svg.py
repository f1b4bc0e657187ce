"""The SVG 1.1 writer: one path for everything dark, text as text, only integers.

The path counts modules; one transform turns them into pixels. Linear symbols are filled rectangles, whose height is in
pixels, as clients request it. Matrix symbols are strokes along the rows, one module wide, which are shorter than
rectangles; they are moved by half a module, because a stroke extends to both sides of its line.

Viewers use different fonts; `textLength` keeps each caption at the width of the layout. Characters that XML 1.0 (clause
2.2) cannot contain are shown as U+FFFD.
"""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

from barcodesvc.codes.layout import Band, BarsDrawing, Drawing, MatrixDrawing, PlacedText
from barcodesvc.symbols.modules import MM_PER_INCH

_FONTS = "Arial,Helvetica,sans-serif"
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LONGEST_MERGED = 8


def svg(drawing: Drawing, title: str, dpi: float | None = None) -> str:
    """Return the drawing as an SVG document; assistive software reads out the title.

    Its size is in pixels, or in mm if pixels are dots of a printer with a resolution of `dpi`.
    """
    width, height = drawing.width, drawing.height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{_length(width, dpi)}" '
        f'height="{_length(height, dpi)}" viewBox="0 0 {width} {height}"><title>{_escaped(title)}</title>'
        f'<path fill="#fff" d="M0 0h{width}v{height}H0z"/>{_dark(drawing)}</svg>'
    )


def _length(pixels: int, dpi: float | None) -> str:
    return str(pixels) if dpi is None else f"{pixels * MM_PER_INCH / dpi:.4f}".rstrip("0").rstrip(".") + "mm"


def _dark(drawing: Drawing) -> str:
    return _rows(drawing) if isinstance(drawing, MatrixDrawing) else _bars(drawing) + _texts(drawing.texts)


def _bars(drawing: BarsDrawing) -> str:
    path = "".join(map(_band, drawing.bands))
    return f'<path shape-rendering="crispEdges" transform="scale({drawing.module} 1)" d="{path}"/>'


def _band(band: Band) -> str:
    outlines = {width: f" {band.top}h{width}v{band.height}h-{width}z" for width in {width for _, width in band.bars}}
    return "".join([f"M{start}{outlines[width]}" for start, width in band.bars])


def _rows(drawing: MatrixDrawing) -> str:
    module = drawing.module
    path = "".join(f"M0 {y}{_strokes(row)}" for y, row in enumerate(drawing.rows))
    for light in range(_LONGEST_MERGED, 1, -1):
        path = path.replace("m1 0" * light, f"m{light} 0")
    transform = f"translate({drawing.left} {drawing.top + module / 2:g})scale({module})"
    return f'<path shape-rendering="crispEdges" stroke="#000" transform="{transform}" d="{path}"/>'


def _strokes(row: bytes) -> str:
    """Return a move for each light module and a line along each run of dark ones."""
    return "m1 0".join(f"h{len(run)}" if run else "" for run in row.rstrip(b"\0").split(b"\0"))


def _texts(texts: tuple[PlacedText, ...]) -> str:
    if not texts:
        return ""
    elements = "".join(
        f'<text x="{text.middle}" y="{text.baseline}" font-size="{text.size}" textLength="{text.width}"'
        f' lengthAdjust="spacingAndGlyphs">{_escaped(text.text)}</text>'
        for text in texts
    )
    return f'<g font-family="{_FONTS}" text-anchor="middle" xml:space="preserve">{elements}</g>'


def _escaped(text: str) -> str:
    return escape(_NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text))
