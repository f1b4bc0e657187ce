"""Sheets of labels as PDF: symbols as filled rectangles, text as text, no images.

A label is drawn in dots of the printer on a whole dot of its page; its symbol is one path with one fill, so that
neighbouring rectangles leave no seam. A label that occurs often is a form, drawn once and repeated.

Rule: labels are printed in the order given, one area each; either all of them can be printed or none is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate

from barcodesvc.errors import FieldProblem, InvalidContent, InvalidInput
from barcodesvc.labels.label_layout import Arrangement, LabelArea, Line, arrange, least_area
from barcodesvc.labels.print_settings import POINTS_PER_MM, PrintSettings, cell_places, corrected, marks
from barcodesvc.labels.resolution import resolution
from barcodesvc.labels.sheets import LEAST_LABEL_SIDE, Sheet
from barcodesvc.labels.text.helvetica import literal
from barcodesvc.labels.text.shaping import GlyphLine
from barcodesvc.labels.text.typefaces import Face
from barcodesvc.labels.text.typesetting import Typesetter, Words
from barcodesvc.labels.writers.pdf_document import Form, switch_off_usage_statistics, write_document
from barcodesvc.labels.writers.pdf_fonts import EmbeddedFonts, embed
from barcodesvc.symbols.modules import Bars, Matrix, Symbol

__all__ = ["Label", "switch_off_usage_statistics", "write_pdf"]

_FORM_FROM = 10
"""A form is an object of its own, 0.4 kB of the file. Compression folds fewer copies into less: a form for every label
that stands twice makes a file of 10,000 labels five times as large, and takes three times as long."""
_BARS_KEPT = 256
"""Rectangles of bars, one for each width and height; a sheet has some four."""
_DARK_RUN = re.compile(b"\x01+")


@dataclass(frozen=True, slots=True)
class Label:
    """What one label shows.

    A linear symbol is printed with its own captions, a matrix symbol with `code` under it; `texts` follow, none of
    them empty.
    """

    symbol: Symbol
    code: str
    texts: tuple[str, ...] = ()


def write_pdf(labels: Sequence[Label], sheet: Sheet, press: PrintSettings, face: Face | None = None) -> bytes:
    """Return the PDF of all labels in their order.

    What Helvetica lacks is set in `face`, and what that lacks in the faces that are carried.

    Raises InvalidContent with the rule `label size` where symbols would be too small to be scanned; its details
    then tell their codes and the least label in mm that would do for all, and with the rule `font` for a character
    that no face has. Raises InvalidInput for no labels.
    """
    if not labels:
        raise InvalidInput.of(FieldProblem("products", "must name at least one product"))
    switch_off_usage_statistics()
    placed = corrected(sheet, press)
    counts = Counter(labels)
    dots = resolution(press.dpi)
    area = LabelArea(int(placed.label_width * dots.dots_per_mm), int(placed.label_height * dots.dots_per_mm), dots)
    typesetter = Typesetter(face)
    drawn, fonts = _drawn(_arranged(counts, sheet, area, press, typesetter), typesetter)
    repeated = [label for label, count in counts.items() if count >= _FORM_FROM]
    forms = {label: f"L{number}" for number, label in enumerate(repeated, start=1)}
    shown = drawn | {label: f"/{name} Do\n".encode() for label, name in forms.items()}
    return write_document(
        (placed.page.width * POINTS_PER_MM, placed.page.height * POINTS_PER_MM),
        _pages([shown[label] for label in labels], placed, area, press),
        {name: Form(drawn[label], area.width, area.height) for label, name in forms.items()},
        list(fonts.by_face.values()),
        press.created,
    )


def _drawn(
    arranged: Iterable[tuple[Label, Arrangement]], typesetter: Typesetter
) -> tuple[dict[Label, bytes], EmbeddedFonts]:
    """Return the operators of each label and the fonts that they name.

    What is in Helvetica is drawn at once, so that few arrangements are held; fonts are embedded when all is known.
    """
    drawn: dict[Label, bytes] = {}
    others: dict[Label, Arrangement] = {}
    no_fonts = EmbeddedFonts({})
    for label, at in arranged:
        if any(isinstance(line.text, GlyphLine) for line in at.lines):
            others[label] = at
        else:
            drawn[label] = _drawing(label.symbol, at, no_fonts)
    fonts = embed(_glyph_lines(others.values()), list(typesetter.uses.numbers))
    drawn |= {label: _drawing(label.symbol, others.pop(label), fonts) for label in tuple(others)}
    return drawn, fonts


def _glyph_lines(arrangements: Iterable[Arrangement]) -> Iterator[GlyphLine]:
    """Yield the lines that are not in Helvetica."""
    for arrangement in arrangements:
        yield from (line.text for line in arrangement.lines if isinstance(line.text, GlyphLine))


def _arranged(
    labels: Mapping[Label, int], sheet: Sheet, area: LabelArea, press: PrintSettings, typesetter: Typesetter
) -> Iterator[tuple[Label, Arrangement]]:
    """Yield every label with its arrangement; raises InvalidContent at the end if some are too small."""
    refused = []
    for label in labels:
        arrangement = arrange(label.symbol, label.code, _words(label, typesetter), area, press.font_size)
        if arrangement is None:
            refused.append(label.code)
        else:
            yield label, arrangement
    if refused:
        raise _too_small(refused, sheet, _least_area(labels, area, press.font_size, typesetter), press.scale)


def _words(label: Label, typesetter: Typesetter) -> tuple[Words, ...]:
    return tuple(typesetter.words(text) for text in label.texts)


def _least_area(labels: Mapping[Label, int], area: LabelArea, font_size: float, typesetter: Typesetter) -> LabelArea:
    """Return a area that takes every label; the heights are those that hold at the common width."""
    for _ in ("width", "height"):
        least = [least_area(each.symbol, each.code, _words(each, typesetter), area, font_size) for each in labels]
        area = replace(area, width=max(each.width for each in least), height=max(each.height for each in least))
    return area


def _too_small(codes: Sequence[str], sheet: Sheet, least: LabelArea, scale: float) -> InvalidContent:
    """Tell lengths as a layout gives them, before they are scaled."""
    dots_per_mm = least.resolution.dots_per_mm * scale
    width, height = (_rounded_up(dots / dots_per_mm) for dots in (least.width, least.height))
    given_width, given_height = round(sheet.label_width, 1), round(sheet.label_height, 1)
    more = f" and {len(codes) - 1} more" if len(codes) > 1 else ""
    return InvalidContent(
        f"labels of {given_width} x {given_height} mm are too small for {codes[0]}{more}: "
        f"all fit on labels of {width} x {height} mm; "
        "take fewer labels per row or column, a larger page, or a smaller font",
        rule="label size",
        product_codes=codes,
        label_width_mm=given_width,
        label_height_mm=given_height,
        least_width_mm=width,
        least_height_mm=height,
    )


def _rounded_up(millimetres: float) -> float:
    """Return a side that a label may have, in tenths of a millimetre."""
    return max((int(millimetres * 10) + 1) / 10, LEAST_LABEL_SIDE)


def _pages(drawn: Sequence[bytes], sheet: Sheet, area: LabelArea, press: PrintSettings) -> Iterator[bytes]:
    """Yield one content stream a page; the first one begins at the area where the press does."""
    places = cell_places(sheet, area.resolution, area.height)
    drawn = [b""] * (press.start_position - 1) + list(drawn)
    around = marks(sheet, press)
    for start in range(0, len(drawn), len(places)):
        on_page = zip(places, drawn[start : start + len(places)], strict=False)
        yield around + b"".join(place + label + b"Q\n" for place, label in on_page if label)


def _drawing(symbol: Symbol, at: Arrangement, fonts: EmbeddedFonts) -> bytes:
    if isinstance(symbol, Matrix):
        scale, rectangles = (at.module, at.module), _matrix_rectangles(symbol)
    else:
        scale, rectangles = (at.module, 1), _bar_rectangles(symbol, at)
    path = b"q %d 0 0 %d %d %d cm\n%bf\nQ\n" % (*scale, at.left, at.bottom, rectangles)
    return path + b"".join(_shown(line, fonts) for line in at.lines)


def _shown(line: Line, fonts: EmbeddedFonts) -> bytes:
    if isinstance(line.text, GlyphLine):
        return fonts.show(line.text, line.size, line.left, line.baseline)
    return b"BT /F %.2f Tf %.2f %.2f Td %b Tj ET\n" % (line.size, line.left, line.baseline, literal(line.text))


def _bar_rectangles(bars: Bars, at: Arrangement) -> bytes:
    """Return a path in modules across and dots upwards.

    A bar ends a hair before its edge: a renderer of one bit a pixel, as label printers have, paints
    every pixel that a path touches, and would make each bar a dot wider and each space a dot narrower.
    """
    if bars.guards or bars.add_on:
        parts = _bars_of_several_heights(bars, at)
    else:
        columns = tuple(accumulate(bars.runs, initial=bars.quiet_left))
        parts = [b"".join([_bar(run, at.height) for run in bars.runs[::2]]) % columns[:-1:2]]
    if bars.bearer:
        thickness = bars.bearer * at.module
        parts += (b"0 %d %d %d re\n" % (y, bars.width, thickness) for y in (0, at.height - thickness))
    return b"".join(parts)


@lru_cache(maxsize=_BARS_KEPT)
def _bar(width: int, height: int) -> bytes:
    """Return the rectangle of a bar from the baseline up; its column is still to be put in."""
    return b"%%d.0002 0 %d.9996 %d re\n" % (width - 1, height)


def _bars_of_several_heights(bars: Bars, at: Arrangement) -> list[bytes]:
    """Return the rectangles of a symbol with guards, which reach down, or an add-on, which begins lower."""
    parts = []
    column = bars.quiet_left
    add_on = bars.add_on.start if bars.add_on else len(bars.runs)
    add_on_depth = 0 if bars.has_digit_in_gap else at.guard_depth
    for index, run in enumerate(bars.runs):
        if index % 2 == 0:
            depth = add_on_depth if index >= add_on else at.guard_depth * (index in bars.guards)
            drop = at.add_on_drop if index >= add_on else 0
            parts.append(b"%d.0002 %d %d.9996 %d re\n" % (column, -depth, run - 1, at.height - drop + depth))
        column += run
    return parts


def _matrix_rectangles(matrix: Matrix) -> bytes:
    """Return a path in modules, the dark runs of every row, as far within their edges as bars are."""
    lowest = matrix.height - matrix.quiet - 1
    return b"".join(
        b"%d.0002 %d.0002 %d.9996 .9996 re\n"
        % (matrix.quiet + run.start(), lowest - index, run.end() - run.start() - 1)
        for index, row in enumerate(matrix.rows)
        for run in _DARK_RUN.finditer(row)
    )
