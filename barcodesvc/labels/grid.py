"""A sheet from the lengths that a client knows: missing lengths are derived, contradictory ones are refused.

Along each axis, in mm:

    label     as given; else the pitch, so that labels touch; else an equal share of the page inside its margins
    pitch     as given; else the label, so that labels touch
    margin    as given; else the labels are centred on the page
    count     as given; else as many as fit; if no length except the margin is known either, 3 in a row, and as many in
              a column as keep a label 25 mm high

Rule: margin + (count - 1) x pitch + label <= page, and labels never overlap. Lengths that do not add up are refused
with their numbers, and never adjusted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from barcodesvc.errors import InvalidInput, Problem, field_problem
from barcodesvc.labels.sheets import LABELS_PER_ROW, LEAST_LABEL_HEIGHT, LEAST_LABEL_SIDE, PageSize, Sheet

MOST_LABELS_ALONG = 100
"""The maximum number of labels in a row or column that is derived."""
_ROUNDING = 0.011
"""The error of tables that are rounded to 0.01 mm."""


@dataclass(frozen=True, slots=True)
class Measures:
    """The known lengths of a sheet along one axis, in mm; None is derived."""

    label: float | None = None
    margin: float | None = None
    pitch: float | None = None
    count: int | None = None

    @property
    def has_lengths(self) -> bool:
        """Whether a length is known."""
        return (self.label, self.margin, self.pitch) != (None, None, None)

    @property
    def is_enough(self) -> bool:
        """Whether the other values can be derived."""
        return (self.label, self.pitch, self.count) != (None, None, None)


@dataclass(frozen=True, slots=True)
class Axis:
    """The names of an axis in a request and its refusals."""

    label: str
    margin: str
    pitch: str
    count: str
    page: str


ACROSS = Axis("label_width", "margin_left", "pitch_x", "labels_per_row", "wide")
DOWN = Axis("label_height", "margin_top", "pitch_y", "labels_per_column", "high")


@dataclass(frozen=True, slots=True)
class _Closed:
    label: float
    margin: float
    pitch: float
    count: int

    @property
    def reach(self) -> float:
        """The end of the last label."""
        return self.margin + (self.count - 1) * self.pitch + self.label


def grid_sheet(page: PageSize, across: Measures, down: Measures) -> Sheet:
    """Return the sheet; raises InvalidInput, which names every length that contradicts the others."""
    closed, problems = [], []
    most_rows = max(int((page.height - 2 * (down.margin or 0)) // LEAST_LABEL_HEIGHT), 1)
    for axis, measures, side, count in (
        (ACROSS, across, page.width, LABELS_PER_ROW),
        (DOWN, down, page.height, most_rows),
    ):
        found = _closed(axis, measures if measures.is_enough else replace(measures, count=count), side)
        if isinstance(found, _Closed):
            closed.append(found)
        else:
            problems.append(found)
    if problems:
        raise InvalidInput.of(*problems)
    x, y = closed
    return Sheet(page, x.count, y.count, x.label, y.label, x.margin, y.margin, x.pitch, y.pitch)


def require_agreement(name: str, sheet: Sheet, page: PageSize | None, across: Measures, down: Measures) -> None:
    """Raise InvalidInput for every given length that differs from that of the named sheet."""
    differing = _contradictions(ACROSS, across, Measures(sheet.label_width, sheet.left, sheet.pitch_x, sheet.columns))
    differing |= _contradictions(DOWN, down, Measures(sheet.label_height, sheet.top, sheet.pitch_y, sheet.rows))
    problems = [
        field_problem(f"layout.{field}", f"sheet {name} has {own:g}, not {given:g}; leave one of them out", given)
        for field, (given, own) in differing.items()
    ]
    if page is not None and page != sheet.page:
        size = f"{sheet.page.width:g} x {sheet.page.height:g} mm"
        problems.append(field_problem("layout.page_size", f"sheet {name} is {size}; leave one of them out"))
    if problems:
        raise InvalidInput.of(*problems)


def _contradictions(axis: Axis, given: Measures, own: Measures) -> dict[str, tuple[float, float]]:
    pairs = {
        axis.label: (given.label, own.label),
        axis.margin: (given.margin, own.margin),
        axis.pitch: (given.pitch, own.pitch),
        axis.count: (given.count, own.count),
    }
    return {
        field: (said, true)
        for field, (said, true) in pairs.items()
        if said is not None and true is not None and abs(said - true) > _ROUNDING
    }


def _closed(axis: Axis, given: Measures, page: float) -> _Closed | Problem:
    label = _label(given, page)
    pitch = label if given.pitch is None else given.pitch
    if label < LEAST_LABEL_SIDE:
        return field_problem(f"layout.{_cause(axis, given)}", _too_small(axis, given, label, page))
    if pitch < label - _ROUNDING:
        return field_problem(
            f"layout.{axis.pitch}", f"labels of {label:g} mm overlap at a pitch of {pitch:g} mm", pitch
        )
    count = _most(label, given.margin or 0, pitch, page) if given.count is None else given.count
    margin = (page - (count - 1) * pitch - label) / 2 if given.margin is None else given.margin
    closed = _Closed(label, max(margin, 0.0), pitch, max(count, 1))
    if count < 1 or margin < -_ROUNDING or closed.reach > page + _ROUNDING:
        return field_problem(f"layout.{axis.count}", _overrun(closed, page, axis.page), given.count)
    return closed


def _cause(axis: Axis, given: Measures) -> str:
    """Return the field whose value makes a label too small."""
    if given.label is not None:
        return axis.label
    if given.pitch is not None:
        return axis.pitch
    return axis.count if given.margin is None else axis.margin


def _too_small(axis: Axis, given: Measures, label: float, page: float) -> str:
    least = f"the smallest label is {LEAST_LABEL_SIDE:g} mm"
    if given.label is not None or given.pitch is not None:
        return f"{label:g} mm is too small; {least}"
    margins = f"inside margins of {given.margin or 0:g} mm on a page {page:g} mm {axis.page}"
    return f"{given.count} labels {margins} would be {label:.4g} mm; {least}"


def _label(given: Measures, page: float) -> float:
    if given.label is not None:
        return given.label
    if given.pitch is not None:
        return given.pitch
    return (page - 2 * (given.margin or 0)) / (given.count or 1)


def _most(label: float, margin: float, pitch: float, page: float) -> int:
    return min(int((page - margin - label + _ROUNDING) // pitch) + 1, MOST_LABELS_ALONG)


def _overrun(closed: _Closed, page: float, direction: str) -> str:
    return (
        f"{closed.count} labels of {closed.label:g} mm at a pitch of {closed.pitch:g} mm, from {closed.margin:g} mm on,"
        f" reach {closed.reach:g} mm; the page is {page:g} mm {direction}"
    )
