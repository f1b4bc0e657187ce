"""Glyphs in dots: outlines become bitmaps, each dot dark or light.

A dot is dark if its centre is inside the outline. A stroke so thin that it passes between two rows or columns of
centres keeps a line of dots, as in TrueType's control of dropouts; otherwise hairlines of small text would be lost. The
ends of round strokes are no hairlines.

Rule: a glyph begins on a whole dot, so that equal letters look equal. Sizes are rounded to quarters of a dot for the
shape alone, so that few shapes are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from math import ceil, floor, sqrt

import uharfbuzz as hb

from barcodesvc.labels.text.typefaces import Face

_SHAPES_KEPT = 4096
_SIZES_PER_DOT = 4

Point = tuple[float, float]
Span = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class GlyphDots:
    """The dots of a glyph: its upper left corner from its origin, and its rows, the left dot in the highest bit.

    `top` is negative above the baseline.
    """

    left: int
    top: int
    width: int
    rows: tuple[int, ...]


def glyph_dots(face: Face, glyph: int, size: float) -> GlyphDots:
    """Return the dots of a glyph at a size in dots."""
    return _shape(face, glyph, round(size * _SIZES_PER_DOT))


@lru_cache(_SHAPES_KEPT)
def _shape(face: Face, glyph: int, quarters: int) -> GlyphDots:
    scale = quarters / _SIZES_PER_DOT / face.units
    edges = list(_edges(_outline(face, glyph, scale)))
    turned = [((y0, x0), (y1, x1)) for (x0, y0), (x1, y1) in edges]
    across, down = _spans(edges), _spans(turned)
    dots = {(x, y) for y, spans in across.items() for begin, end in spans for x in _centres(begin, end)}
    dots |= {(x, y) for y, x in _lost(across)} | set(_lost(down))
    if not dots:
        return GlyphDots(0, 0, 0, ())
    left, right = min(x for x, _ in dots), max(x for x, _ in dots)
    top, bottom = min(y for _, y in dots), max(y for _, y in dots)
    rows = [0] * (bottom - top + 1)
    for x, y in dots:
        rows[y - top] |= 1 << (right - x)
    return GlyphDots(left, top, right - left + 1, tuple(rows))


def _outline(face: Face, glyph: int, scale: float) -> list[list[Point]]:
    """Return the closed contours of a glyph as points in dots, with y downwards."""
    contours: list[list[Point]] = []
    steps = 3 + int(sqrt(scale * face.units))

    def point(x: float, y: float) -> Point:
        return x * scale, -y * scale

    def curve(*points: Point) -> None:
        contours[-1] += [_on_curve((contours[-1][-1], *points), step / steps) for step in range(1, steps + 1)]

    functions = hb.DrawFuncs()
    functions.set_move_to_func(lambda x, y, _: contours.append([point(x, y)]))
    functions.set_line_to_func(lambda x, y, _: contours[-1].append(point(x, y)))
    functions.set_quadratic_to_func(lambda a, b, x, y, _: curve(point(a, b), point(x, y)))
    functions.set_cubic_to_func(lambda a, b, c, d, x, y, _: curve(point(a, b), point(c, d), point(x, y)))
    face.font.draw_glyph(glyph, functions)
    return contours


def _on_curve(points: Sequence[Point], part: float) -> Point:
    """Return a point of a Bézier curve (de Casteljau)."""
    while len(points) > 1:
        points = [(x0 + (x1 - x0) * part, y0 + (y1 - y0) * part) for (x0, y0), (x1, y1) in pairwise(points)]
    return points[0]


def _edges(contours: Sequence[Sequence[Point]]) -> Iterator[tuple[Point, Point]]:
    for contour in contours:
        yield from pairwise((*contour, contour[0]))


def _spans(edges: Sequence[tuple[Point, Point]]) -> dict[int, list[Span]]:
    """Return what is inside an outline (nonzero winding) on the line through the centres of each row of dots."""
    crossings: dict[int, list[tuple[float, int]]] = {}
    for (x0, y0), (x1, y1) in edges:
        for row in _centres(min(y0, y1), max(y0, y1)):
            x = x0 + (x1 - x0) * (row + 0.5 - y0) / (y1 - y0)
            crossings.setdefault(row, []).append((x, 1 if y1 > y0 else -1))
    return {row: list(_inside(sorted(found))) for row, found in crossings.items()}


def _inside(crossings: Sequence[tuple[float, int]]) -> Iterator[Span]:
    windings = accumulate(winding for _, winding in crossings)
    for ((begin, _), (end, _)), winding in zip(pairwise(crossings), windings, strict=False):
        if winding and end > begin:
            yield begin, end


def _lost(lines: Mapping[int, Sequence[Span]]) -> Iterator[tuple[int, int]]:
    """Yield the line and the dot of each span without a centre, but for the ends of round strokes."""
    for line, spans in lines.items():
        for span in spans:
            if not _centres(*span) and not _is_end(span, lines.get(line - 1, ()), lines.get(line + 1, ())):
                yield line, floor(sum(span) / 2)


def _is_end(span: Span, *neighbours: Sequence[Span]) -> bool:
    """Return whether a stroke is on one side of this line only, and has dots there."""
    begin, end = span
    sides = [[other for other in spans if other[0] <= end + 1 and begin - 1 <= other[1]] for spans in neighbours]
    return sum(map(bool, sides)) == 1 and any(_centres(*other) for side in sides for other in side)


def _centres(begin: float, end: float) -> range:
    """Return the dots whose centres are between two points of a row or column."""
    return range(ceil(begin - 0.5), ceil(end - 0.5))
