"""A label that is laid out becomes shapes: the image of its symbol, bearer bars, and lines of text.

Guards reach down beside the text, an add-on begins lower (ISO/IEC 15420 4.2), bearer bars lie along both ends of the
bars. The quiet zone is room that stays white: no shape lies in it but the bearers.
"""

from __future__ import annotations

from barcodesvc.labels.drawing import BarImage, Extent, LabelDrawing, MatrixImage, Rectangle
from barcodesvc.labels.label_layout import Arrangement
from barcodesvc.symbols.modules import Bars, Matrix, Symbol


def label_drawing(symbol: Symbol, at: Arrangement) -> LabelDrawing:
    """Return the drawing of a label whose symbol and text stand where the arrangement says."""
    if isinstance(symbol, Matrix):
        quiet = symbol.quiet * at.module
        return LabelDrawing(MatrixImage(at.left + quiet, at.top + quiet, at.module, symbol.rows), (), at.texts)
    left = at.left + symbol.quiet_left * at.module
    image = BarImage(left, at.top, at.module, symbol.runs, _extents(symbol, at))
    return LabelDrawing(image, _bearers(symbol, at), at.texts)


def _bearers(bars: Bars, at: Arrangement) -> tuple[Rectangle, ...]:
    if not bars.bearer:
        return ()
    width, thickness = bars.width * at.module, bars.bearer * at.module
    return tuple(Rectangle(at.left, top, width, thickness) for top in (at.top, at.bottom - thickness))


def _extents(bars: Bars, at: Arrangement) -> tuple[Extent, ...]:
    ordinary = Extent(0, at.height)
    count = (len(bars.runs) + 1) // 2
    if not bars.guards and not bars.add_on:
        return (ordinary,) * count
    guard = Extent(0, at.height + at.guard_depth)
    if bars.add_on is None:
        return _with_guards(count, ordinary, guard, bars.guards)
    depth = 0 if bars.has_digit_in_gap else at.guard_depth
    before = bars.add_on.start // 2
    add_on = Extent(at.add_on_drop, at.height - at.add_on_drop + depth)
    return _with_guards(before, ordinary, guard, bars.guards) + (add_on,) * (count - before)


def _with_guards(count: int, ordinary: Extent, guard: Extent, guards: frozenset[int]) -> tuple[Extent, ...]:
    """Return the extents of bars, every second of the runs that `guards` are indexes into."""
    return tuple(guard if 2 * bar in guards else ordinary for bar in range(count))
