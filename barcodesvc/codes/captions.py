"""Captions: the human-readable text of a linear symbol, in FiraGO, ten modules high.

One that is wider than its room is drawn smaller, down to a legible size, and then broken into lines.
"""

import math
from collections.abc import Sequence

from barcodesvc.drawing.glyphs import Line
from barcodesvc.drawing.plain import ASCENT, DESCENT, code_line, code_pieces
from barcodesvc.drawing.shapes import Text
from barcodesvc.symbols.modules import Caption

_TEXT_MODULES = 10
_LEGIBLE = 12
"""The smallest size in pixels."""


def text_size(module: int) -> int:
    """Return the size of captions in pixels."""
    return max(_TEXT_MODULES * module, _LEGIBLE)


def is_oversize(module: int) -> bool:
    """Return whether text is larger than its modules, and needs more than the room between guards."""
    return text_size(module) > _TEXT_MODULES * module


def ascent(size: int) -> int:
    """Return how far text of a size extends above its baseline, in pixels."""
    return math.ceil(size * ASCENT)


def descent(size: int) -> int:
    """Return how far it extends below, in pixels."""
    return math.ceil(size * DESCENT)


def height_above_bars(size: int) -> int:
    """Return the height of digits above bars: round ones extend below the baseline by less than a fiftieth."""
    return ascent(size) + 1 + size // 50


def placed(captions: Sequence[Caption], module: int, top: int) -> list[Text]:
    """Place captions next to each other on one baseline, the first of them below `top`."""
    size = text_size(module)
    fitted = [_fitted(caption, module, max(round(size * caption.share), _LEGIBLE)) for caption in captions]
    first = top + ascent(max((line_size for _, line_size in fitted), default=size))
    texts = []
    for caption, (lines, line_size) in zip(captions, fitted, strict=True):
        middle, pitch = (caption.start + caption.stop) * module / 2, ascent(line_size) + descent(line_size)
        texts += [
            Text(line, line_size, round(middle - line.width * line_size / 2), first + number * pitch)
            for number, line in enumerate(lines)
        ]
    return texts


def _fitted(caption: Caption, module: int, size: int) -> tuple[list[Line], int]:
    """Return a caption in as few lines as possible at a legible size, and that size."""
    room = (caption.stop - caption.start) * module
    whole = code_line(caption.text)
    size = max(min(size, int(room / whole.width)), min(size, _LEGIBLE))
    lines, count = [whole], 1
    while count < len(caption.text) and any(line.width * size > room for line in lines):
        count += 1
        lines = code_pieces(caption.text, count)
    return lines, size
