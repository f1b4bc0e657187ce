"""The SVG 1.1 writer: one path for everything dark, text as text, only integers.

The path counts modules; one transform turns them into pixels. Linear symbols are filled rectangles, whose height is in
pixels, as clients request it. Matrix symbols are strokes along the rows, one module wide, which are shorter than
rectangles; they are moved by half a module, because a stroke extends to both sides of its line.

Captions are in FiraGO, as in PNG, if the viewer has it; `textLength` keeps their width in any other font. Characters
that XML 1.0 (clause 2.2) cannot contain are shown as U+FFFD.
"""

import re
from itertools import accumulate
from xml.sax.saxutils import escape

from barcodesvc.codes.layout import CodePicture
from barcodesvc.drawing.shapes import BarImage, Drawing, MatrixImage, Rectangle, Text
from barcodesvc.symbols.modules import MM_PER_INCH

_FONTS = "FiraGO,Arial,Helvetica,sans-serif"
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LONGEST_MERGED = 8


def svg(picture: CodePicture, title: str, dpi: float | None = None) -> str:
    """Return the picture as an SVG document; assistive software reads out the title.

    Its size is in pixels, or in mm if pixels are dots of a printer with a resolution of `dpi`.
    """
    width, height = picture.width, picture.height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{_length(width, dpi)}" '
        f'height="{_length(height, dpi)}" viewBox="0 0 {width} {height}"><title>{_escaped(title)}</title>'
        f'<path fill="#fff" d="M0 0h{width}v{height}H0z"/>{_dark(picture.drawing)}</svg>'
    )


def _length(pixels: int, dpi: float | None) -> str:
    return str(pixels) if dpi is None else f"{pixels * MM_PER_INCH / dpi:.4f}".rstrip("0").rstrip(".") + "mm"


def _dark(drawing: Drawing) -> str:
    if isinstance(drawing.image, MatrixImage):
        return _rows(drawing.image)
    return _bars(drawing.image, drawing.bearers) + _texts(drawing.texts)


def _bars(image: BarImage, bearers: tuple[Rectangle, ...]) -> str:
    module, widths = image.module, image.runs[::2]
    lefts = list(accumulate(image.runs, initial=image.left // module))[:-1:2]
    path = ""
    for extent in dict.fromkeys(image.extents):
        top, height = image.top + extent.top, extent.height
        ends = {width: f" {top}h{width}v{height}h-{width}z" for width in set(widths)}
        bars = zip(lefts, widths, image.extents, strict=True)
        path += "".join([f"M{left}{ends[width]}" for left, width, found in bars if found == extent])
    for left, top, width, height in bearers:
        path += f"M{left // module} {top}h{width // module}v{height}h-{width // module}z"
    return f'<path shape-rendering="crispEdges" transform="scale({module} 1)" d="{path}"/>'


def _rows(image: MatrixImage) -> str:
    module = image.module
    path = "".join(f"M0 {y}{_strokes(row)}" for y, row in enumerate(image.rows))
    for light in range(_LONGEST_MERGED, 1, -1):
        path = path.replace("m1 0" * light, f"m{light} 0")
    transform = f"translate({image.left} {image.top + module / 2:g})scale({module})"
    return f'<path shape-rendering="crispEdges" stroke="#000" transform="{transform}" d="{path}"/>'


def _strokes(row: bytes) -> str:
    """Return a move for each light module and a line along each run of dark ones."""
    return "m1 0".join(f"h{len(run)}" if run else "" for run in row.rstrip(b"\0").split(b"\0"))


def _texts(texts: tuple[Text, ...]) -> str:
    if not texts:
        return ""
    elements = "".join(
        f'<text x="{text.left}" y="{text.baseline}" font-size="{text.size}" textLength="{text.width:.0f}"'
        f' lengthAdjust="spacingAndGlyphs">{_escaped(text.line.text)}</text>'
        for text in texts
    )
    return f'<g font-family="{_FONTS}" xml:space="preserve">{elements}</g>'


def _escaped(text: str) -> str:
    return escape(_NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text))
