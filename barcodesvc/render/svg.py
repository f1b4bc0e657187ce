"""A Drawing as SVG 1.1: one path for everything dark, text as text, whole pixels throughout.

Which font a viewer finds nobody knows; `textLength` holds every caption to the width that the layout gave it. What XML
1.0 (clause 2.2) cannot hold is shown as U+FFFD.
"""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

from barcodesvc.render.layout import Drawing, PlacedText

_FONTS = "Arial,Helvetica,sans-serif"
_NOT_IN_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def svg(drawing: Drawing, title: str) -> str:
    """Return the drawing as an SVG document; the title is what assistive software reads out."""
    size = f'width="{drawing.width}" height="{drawing.height}"'
    path = "".join(f"M{box.x} {box.y}h{box.width}v{box.height}h-{box.width}z" for box in drawing.rectangles)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size} '
        f'viewBox="0 0 {drawing.width} {drawing.height}"><title>{_escaped(title)}</title>'
        f'<path fill="#fff" d="M0 0h{drawing.width}v{drawing.height}H0z"/>'
        f'<path shape-rendering="crispEdges" d="{path}"/>{_texts(drawing.texts)}</svg>'
    )


def _texts(texts: tuple[PlacedText, ...]) -> str:
    if not texts:
        return ""
    placed = "".join(
        f'<text x="{text.middle}" y="{text.baseline}" font-size="{text.size}" textLength="{text.width}"'
        f' lengthAdjust="spacingAndGlyphs">{_escaped(text.text)}</text>'
        for text in texts
    )
    return f'<g font-family="{_FONTS}" text-anchor="middle" xml:space="preserve">{placed}</g>'


def _escaped(text: str) -> str:
    return escape(_NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text))
