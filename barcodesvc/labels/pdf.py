"""Sheets of labels as PDF: symbols as filled rectangles, text in Helvetica, no images.

A label is drawn in dots of 1/300 inch on a whole dot of its page; its symbol is one path with one fill, so
that neighbouring rectangles leave no seam. A label that occurs often is a form, drawn once and repeated.

Rule: labels are printed in the order given, one cell each; either all of them can be printed or none is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from barcodesvc.errors import FieldProblem, InvalidContent, InvalidInput
from barcodesvc.labels.cell import DOTS_PER_MM, Arrangement, Cell, arrange, least_cell
from barcodesvc.labels.document import Form, switch_off_usage_statistics, write_document
from barcodesvc.labels.sheets import Sheet
from barcodesvc.labels.text import literal
from barcodesvc.symbols.modules import Bars, Matrix, Symbol

__all__ = ["Label", "switch_off_usage_statistics", "write_pdf"]

_POINTS_PER_MM = 72 / 25.4
_POINTS_PER_DOT = 72 / 300
_FORM_FROM = 10
"""A form is an object of its own, 0.4 kB of the file; compression folds fewer copies into less."""
_DARK_RUN = re.compile(b"\x01+")


@dataclass(frozen=True, slots=True)
class Label:
    """What one label shows.

    A linear symbol is printed with its own captions, a matrix symbol with `code` under it; the `description`
    follows, none where it is empty.
    """

    symbol: Symbol
    code: str
    description: str


def write_pdf(labels: Sequence[Label], sheet: Sheet, font_size: float) -> bytes:
    """Return the PDF of all labels in their order; `font_size` is the wanted size of text in points.

    Raises InvalidContent with the rule `label size` where a symbol would be too small to be scanned; its details
    then tell the least label in mm that would do for all. Raises InvalidInput for no labels.
    """
    if not labels:
        raise InvalidInput.of(FieldProblem("products", "must name at least one product"))
    switch_off_usage_statistics()
    counts = Counter(labels)
    cell = Cell(int(sheet.label_width * DOTS_PER_MM), int(sheet.label_height * DOTS_PER_MM))
    arrangements = _arrangements(counts, sheet, cell, font_size)
    repeated = [label for label, count in counts.items() if count >= _FORM_FROM]
    forms = {f"L{number}": label for number, label in enumerate(repeated, start=1)}
    return write_document(
        sheet.page.width * _POINTS_PER_MM,
        sheet.page.height * _POINTS_PER_MM,
        _pages(labels, sheet, cell, arrangements, {label: name for name, label in forms.items()}),
        {
            name: Form(_drawing(label.symbol, arrangements[label]), cell.width, cell.height)
            for name, label in forms.items()
        },
    )


def _arrangements(labels: Mapping[Label, int], sheet: Sheet, cell: Cell, font_size: float) -> dict[Label, Arrangement]:
    found = {}
    for label in labels:
        arrangement = arrange(label.symbol, label.code, label.description, cell, font_size)
        if arrangement is None:
            raise _too_small(label, sheet, _least_cell(labels, cell, font_size))
        found[label] = arrangement
    return found


def _least_cell(labels: Mapping[Label, int], cell: Cell, font_size: float) -> Cell:
    """Return a cell that takes every label; the heights are those that hold at the common width."""
    for _ in ("width", "height"):
        least = [least_cell(each.symbol, each.code, each.description, cell, font_size) for each in labels]
        cell = Cell(max(each.width for each in least), max(each.height for each in least))
    return cell


def _too_small(label: Label, sheet: Sheet, least: Cell) -> InvalidContent:
    width, height = _rounded_up(least.width), _rounded_up(least.height)
    return InvalidContent(
        f"labels of {sheet.label_width:.1f} x {sheet.label_height:.1f} mm are too small for {label.code}: "
        f"all fit on labels of {width} x {height} mm; "
        "take fewer labels per row or column, a larger page, or a smaller font",
        rule="label size",
        product_code=label.code,
        label_width_mm=round(sheet.label_width, 1),
        label_height_mm=round(sheet.label_height, 1),
        least_width_mm=width,
        least_height_mm=height,
    )


def _rounded_up(dots: int) -> float:
    return (int(dots / DOTS_PER_MM * 10) + 1) / 10


def _pages(
    labels: Sequence[Label],
    sheet: Sheet,
    cell: Cell,
    arrangements: Mapping[Label, Arrangement],
    forms: Mapping[Label, str],
) -> Iterator[bytes]:
    """Yield one content stream a page."""
    places = _places(sheet, cell)
    for start in range(0, len(labels), len(places)):
        parts = []
        for place, label in zip(places, labels[start : start + len(places)], strict=False):
            form = forms.get(label)
            drawn = f"/{form} Do\n".encode() if form else _drawing(label.symbol, arrangements[label])
            parts.append(place + drawn + b"Q\n")
        yield b"".join(parts)


def _places(sheet: Sheet, cell: Cell) -> list[bytes]:
    """Return the operators that move to each cell's bottom left corner and change the unit to dots."""
    page_height = sheet.page.height * _POINTS_PER_MM
    places = []
    for corner in sheet.cells():
        left = round(corner.left * DOTS_PER_MM)
        bottom = round(corner.top * DOTS_PER_MM) + cell.height
        places.append(
            b"q %.2f 0 0 %.2f %.2f %.4f cm\n"
            % (
                _POINTS_PER_DOT,
                _POINTS_PER_DOT,
                left * _POINTS_PER_DOT,
                page_height - bottom * _POINTS_PER_DOT,
            )
        )
    return places


def _drawing(symbol: Symbol, at: Arrangement) -> bytes:
    if isinstance(symbol, Matrix):
        scale, rectangles = (at.module, at.module), _matrix_rectangles(symbol)
    else:
        scale, rectangles = (at.module, 1), _bar_rectangles(symbol, at)
    path = b"q %d 0 0 %d %d %d cm\n%bf\nQ\n" % (*scale, at.left, at.bottom, rectangles)
    return path + b"".join(
        b"BT /F %.2f Tf %.2f %.2f Td %b Tj ET\n" % (line.size, line.left, line.baseline, literal(line.text))
        for line in at.lines
    )


def _bar_rectangles(bars: Bars, at: Arrangement) -> bytes:
    """Return a path in modules across and dots upwards."""
    parts = []
    column = bars.quiet_left
    add_on = bars.add_on.start if bars.add_on else len(bars.runs)
    for index, run in enumerate(bars.runs):
        if index % 2 == 0:
            depth = at.guard_depth if index in bars.guards or index >= add_on else 0
            drop = at.add_on_drop if index >= add_on else 0
            parts.append(b"%d %d %d %d re\n" % (column, -depth, run, at.height - drop + depth))
        column += run
    if bars.bearer:
        thickness = bars.bearer * at.module
        parts += (b"0 %d %d %d re\n" % (y, bars.width, thickness) for y in (0, at.height - thickness))
    return b"".join(parts)


def _matrix_rectangles(matrix: Matrix) -> bytes:
    """Return a path in modules, the dark runs of every row."""
    lowest = matrix.height - matrix.quiet - 1
    return b"".join(
        b"%d %d %d 1 re\n" % (matrix.quiet + run.start(), lowest - index, run.end() - run.start())
        for index, row in enumerate(matrix.rows)
        for run in _DARK_RUN.finditer(row)
    )
