"""The layout of sheets: labels, a sheet and settings in, a drawing of all pages out.

Equal labels are laid out and drawn once. A drawing has the image of the symbol, bearer bars and lines of text. Guards
extend down next to the text, an add-on begins lower (ISO/IEC 15420 4.2), and bearer bars are at both ends of the bars.
The quiet zone remains empty, except for the bearer bars. Around the labels of a page are marks for cutting them apart:
outlines, and crop marks next to the outermost labels.

Rule: labels are printed in the given order, one position each; if one of them cannot be printed, none is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from barcodesvc.errors import InvalidContent, InvalidInput, field_problem
from barcodesvc.labels.drawing import (
    SIDEWAYS,
    BarImage,
    Extent,
    LabelDrawing,
    Marks,
    MatrixImage,
    Position,
    Rectangle,
    SheetDrawing,
    Stroke,
    moved,
)
from barcodesvc.labels.label_content import LabelText
from barcodesvc.labels.label_layout import Arrangement, LabelArea, arrange
from barcodesvc.labels.pictures import MOST_DOTS, PlacedPicture
from barcodesvc.labels.print_settings import PrintSettings, Resolution, corrected, resolution
from barcodesvc.labels.sheets import Sheet
from barcodesvc.labels.text.typefaces import Face
from barcodesvc.labels.text.typesetting import Typesetter
from barcodesvc.labels.text_lines import Paragraph
from barcodesvc.symbols.modules import Bars, Matrix, Symbol

_HAIRLINE = 0.1
"""The thickness of marks, in mm."""
_CROP_GAP, _CROP_LENGTH = 1.0, 4.0
"""The distances of the ends of crop marks from the outermost labels, in mm."""


@dataclass(frozen=True, slots=True)
class Label:
    """The content of one label.

    A linear symbol is printed with its captions, a matrix symbol with `code` below it; `texts`, none of them empty,
    follow.
    """

    symbol: Symbol
    code: str
    texts: tuple[LabelText, ...] = ()


def lay_out(labels: Sequence[Label], sheet: Sheet, settings: PrintSettings, face: Face | None = None) -> SheetDrawing:
    """Return the drawing of all labels in their order.

    Texts are set in `face` if it has their letters, else in a bundled face.

    Raises InvalidInput if there are no labels, or if the settings move labels off their page; InvalidContent with the
    rule `font` for a character that no face has, and with the rule `label size` and the codes whose symbols would be
    too small to be scanned.
    """
    numbers: dict[Label, int] = {}
    order = [numbers.setdefault(label, len(numbers)) for label in labels]
    return lay_out_in_order(numbers, order, sheet, settings, face)


def lay_out_in_order(
    different: Iterable[Label], order: Sequence[int], sheet: Sheet, settings: PrintSettings, face: Face | None = None
) -> SheetDrawing:
    """Do the same for labels that are given once each; `order` has the index of each printed one among them."""
    if not order:
        raise InvalidInput.of(field_problem("products", "must name at least one product"))
    printed, dots = corrected(sheet, settings), resolution(settings.dpi)
    width, height = dots.whole_dots(printed.label_width), dots.whole_dots(printed.label_height)
    area = LabelArea(*((height, width) if settings.rotate in SIDEWAYS else (width, height)), dots)
    room = _room(area, settings.picture)
    return SheetDrawing(
        page=printed.page,
        resolution=dots,
        label_width=width,
        label_height=height,
        positions=tuple(Position(dots.dots(corner.left), dots.dots(corner.top)) for corner in printed.corners()),
        marks=_marks(printed, settings, dots),
        labels=tuple(_Drawn(different, sheet, room.area, settings, Typesetter(face), room.corner).labels()),
        order=order,
        start=settings.start_position - 1,
        rotate=settings.rotate,
        picture=room.picture,
    )


@dataclass(frozen=True, slots=True)
class _Room:
    """The part of each label that a picture leaves, in dots: its area, its upper left corner, and the picture."""

    area: LabelArea
    corner: Position
    picture: MatrixImage | None


def _room(area: LabelArea, placed: PlacedPicture | None) -> _Room:
    """Return the room of a label; raises InvalidInput for a picture that is too large."""
    if placed is None:
        return _Room(area, Position(0, 0), None)
    width, height = placed.size(area.resolution.dots_per_mm)
    if width > area.inner_width or height > area.inner_height or width * height > MOST_DOTS:
        raise _too_large(area, height, placed)
    middle_left, middle_top = (area.width - width) // 2, (area.height - height) // 2
    across, down = area.padding + width, area.padding + height
    if placed.place == "above":
        at, rest, corner = (middle_left, area.padding), replace(area, height=area.height - down), Position(0, down)
    elif placed.place == "left":
        at, rest, corner = (area.padding, middle_top), replace(area, width=area.width - across), Position(across, 0)
    else:
        at, rest, corner = (area.width - across, middle_top), replace(area, width=area.width - across), Position(0, 0)
    return _Room(rest, corner, MatrixImage(*at, 1, placed.picture.scaled(width)))


def _too_large(area: LabelArea, height: int, placed: PlacedPicture) -> InvalidInput:
    sides = [round(dots / area.resolution.dots_per_mm, 1) for dots in (height, area.inner_width, area.inner_height)]
    message = (
        f"the image would be {placed.width:g} x {sides[0]:g} mm large; a label has {sides[1]:g} x {sides[2]:g} mm, "
        f"and an image at most {MOST_DOTS // 1_000_000} million dots"
    )
    return InvalidInput.of(field_problem("layout.image.width", message, placed.width))


@dataclass(frozen=True, slots=True)
class _Drawn:
    """The different labels of a run."""

    different: Iterable[Label]
    sheet: Sheet
    area: LabelArea
    settings: PrintSettings
    typesetter: Typesetter
    corner: Position

    def labels(self) -> Iterator[LabelDrawing]:
        """Yield the drawing of each label; raises InvalidContent at the end if some are too small."""
        refused = []
        for label in self.different:
            texts = tuple(map(self._paragraph, label.texts))
            at = arrange(label.symbol, label.code, texts, self.area, self.settings.font_size)
            if at is None:
                refused.append(label.code)
            else:
                yield moved(_label_drawing(label.symbol, at), self.corner)
        if refused:
            raise self._too_small(list(dict.fromkeys(refused)))

    def _paragraph(self, text: LabelText) -> Paragraph:
        if isinstance(text, str):
            return Paragraph(self.typesetter.words(text))
        typesetter, size = self.typesetter.bold if text.bold else self.typesetter, self.settings.font_size
        return Paragraph(typesetter.words(text.text), (text.size or size) / size)

    def _too_small(self, codes: list[str]) -> InvalidContent:
        """Return the refusal; it names the label's size in the request, before it is scaled."""
        given_width, given_height = round(self.sheet.label_width, 1), round(self.sheet.label_height, 1)
        more = f" and {len(codes) - 1} more" if len(codes) > 1 else ""
        return InvalidContent(
            f"labels of {given_width} x {given_height} mm are too small for {codes[0]}{more}; "
            "take fewer labels per row or column, a larger page, or a smaller font",
            rule="label size",
            product_codes=codes,
            label_width_mm=given_width,
            label_height_mm=given_height,
        )


def _label_drawing(symbol: Symbol, at: Arrangement) -> LabelDrawing:
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
    """Return the extents of bars; `guards` are indexes of runs, and every second run is a bar."""
    return tuple(guard if 2 * bar in guards else ordinary for bar in range(count))


def _outlines(sheet: Sheet, dots: Resolution) -> tuple[Rectangle, ...]:
    """Return the edges of all labels, including those that remain empty."""
    whole = dots.dots
    edges = [
        (whole(left), whole(top), whole(left + sheet.label_width), whole(top + sheet.label_height))
        for left, top in ((corner.left, corner.top) for corner in sheet.corners())
    ]
    return tuple(Rectangle(left, top, right - left, bottom - top) for left, top, right, bottom in edges)


def _crop_marks(sheet: Sheet, dots: Resolution) -> tuple[Stroke, ...]:
    """Return a line beyond the outermost labels at both ends of every edge between labels."""
    lefts = [sheet.left + column * sheet.pitch_x for column in range(sheet.columns)]
    tops = [sheet.top + row * sheet.pitch_y for row in range(sheet.rows)]
    across = sorted({dots.dots(edge) for left in lefts for edge in (left, left + sheet.label_width)})
    down = sorted({dots.dots(edge) for top in tops for edge in (top, top + sheet.label_height)})
    upright = (Stroke(x, y, 0, length) for x in across for y, length in _ends(sheet.top, sheet.bottom, dots))
    level = (Stroke(x, y, length, 0) for y in down for x, length in _ends(sheet.left, sheet.right, dots))
    return tuple(chain(upright, level))


def _marks(sheet: Sheet, settings: PrintSettings, dots: Resolution) -> Marks:
    return Marks(
        _outlines(sheet, dots) if settings.outlines else (),
        _crop_marks(sheet, dots) if settings.crop_marks else (),
        max(dots.dots(_HAIRLINE), 1),
    )


def _ends(first: float, last: float, dots: Resolution) -> tuple[tuple[int, int], tuple[int, int]]:
    length = dots.dots(_CROP_LENGTH - _CROP_GAP)
    return (dots.dots(first - _CROP_GAP), -length), (dots.dots(last + _CROP_GAP), length)
