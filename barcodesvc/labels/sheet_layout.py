"""Labels laid out on sheets: contents and measures in, a drawing of all pages out.

Labels that are equal are laid out and drawn once.

Rule: labels are printed in the order given, one position each; either all of them can be printed or none is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from barcodesvc.errors import FieldProblem, InvalidContent, InvalidInput
from barcodesvc.labels.drawing import LabelDrawing, Position, SheetDrawing
from barcodesvc.labels.label_drawing import label_drawing
from barcodesvc.labels.label_layout import LabelArea, arrange, least_area
from barcodesvc.labels.page_marks import marks
from barcodesvc.labels.print_settings import PrintSettings, corrected
from barcodesvc.labels.resolution import Resolution, resolution
from barcodesvc.labels.sheets import LEAST_LABEL_SIDE, Sheet
from barcodesvc.labels.text.typefaces import Face
from barcodesvc.labels.text.typesetting import Typesetter, Words
from barcodesvc.symbols.modules import Symbol


@dataclass(frozen=True, slots=True)
class Label:
    """What one label shows.

    A linear symbol is printed with its own captions, a matrix symbol with `code` under it; `texts` follow, none of
    them empty.
    """

    symbol: Symbol
    code: str
    texts: tuple[str, ...] = ()


def lay_out(labels: Sequence[Label], sheet: Sheet, settings: PrintSettings, face: Face | None = None) -> SheetDrawing:
    """Return the drawing of all labels in their order.

    What Helvetica lacks is set in `face`, and what that lacks in the faces that are carried.

    Raises InvalidInput for no labels, and where the settings move labels off their page. Labels are laid out when the
    drawing of each is asked for; the last one raises InvalidContent with the rule `label size` if symbols would be too
    small to be scanned, its details name their codes and the least label in mm that would do for all. With the rule
    `font` it is raised for a character that no face has.
    """
    if not labels:
        raise InvalidInput.of(FieldProblem("products", "must name at least one product"))
    printed, dots = corrected(sheet, settings), resolution(settings.dpi)
    area = LabelArea(int(printed.label_width * dots.dots_per_mm), int(printed.label_height * dots.dots_per_mm), dots)
    numbers: dict[Label, int] = {}
    order = [numbers.setdefault(label, len(numbers)) for label in labels]
    return SheetDrawing(
        page=printed.page,
        dpi=settings.dpi,
        label_width=area.width,
        label_height=area.height,
        positions=_positions(printed, dots),
        marks=marks(printed, dots, outlined=settings.outlines, cropped=settings.crop_marks),
        labels=_Drawn(numbers, sheet, area, settings, Typesetter(face)).labels(),
        order=order,
        start=settings.start_position - 1,
    )


def _positions(sheet: Sheet, dots: Resolution) -> tuple[Position, ...]:
    return tuple(Position(dots.dots(corner.left), dots.dots(corner.top)) for corner in sheet.corners())


@dataclass(frozen=True, slots=True)
class _Drawn:
    """The different labels of a run."""

    different: Iterable[Label]
    sheet: Sheet
    area: LabelArea
    settings: PrintSettings
    typesetter: Typesetter

    def labels(self) -> Iterator[LabelDrawing]:
        """Yield the drawing of each; raises InvalidContent at the end if some are too small."""
        refused = []
        for label in self.different:
            at = arrange(label.symbol, label.code, self._words(label), self.area, self.settings.font_size)
            if at is None:
                refused.append(label.code)
            else:
                yield label_drawing(label.symbol, at)
        if refused:
            raise self._too_small(refused)

    def _words(self, label: Label) -> tuple[Words, ...]:
        return tuple(self.typesetter.words(text) for text in label.texts)

    def _least_area(self) -> LabelArea:
        """Return an area that takes every label; the heights are those that hold at the common width."""
        area, size = self.area, self.settings.font_size
        for _ in ("width", "height"):
            least = [least_area(each.symbol, each.code, self._words(each), area, size) for each in self.different]
            area = replace(area, width=max(each.width for each in least), height=max(each.height for each in least))
        return area

    def _too_small(self, codes: Sequence[str]) -> InvalidContent:
        """Name lengths as a layout gives them, before they are scaled."""
        least = self._least_area()
        dots_per_mm = least.resolution.dots_per_mm * self.settings.scale
        width, height = (_rounded_up(dots / dots_per_mm) for dots in (least.width, least.height))
        given_width, given_height = round(self.sheet.label_width, 1), round(self.sheet.label_height, 1)
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
