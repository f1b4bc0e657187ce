"""A sheet from the lengths that a client knows: missing lengths are derived, contradictory ones are refused.

Along each axis, in mm:

    label     as given; else the pitch, so that labels touch; else an equal share of the page inside its margins
    pitch     as given; else the label, so that labels touch
    margin    as given; else the labels are centred on the page
    number    as given; else as many as fit; if no length except the margin is known either, 3 in a row, and as many in
              a column as keep a label 25 mm high

Rule: margin + (number - 1) x pitch + label <= page, and labels never overlap. Lengths that do not add up are refused
with their numbers, and never adjusted.
"""

from typing import NamedTuple

from barcodesvc.errors import InvalidInput, Problem, field_problem
from barcodesvc.labels.sheets import LABELS_PER_ROW, LEAST_LABEL_HEIGHT, LEAST_LABEL_SIDE, PageSize, Sheet

MOST_LABELS_ALONG = 100
"""The maximum number of labels in a row or column that is derived."""
_TABLE_ERROR = 0.011
"""The greatest error of lengths from tables, which are rounded to 0.01 mm."""


class Measures(NamedTuple):
    """The known lengths of a sheet along one axis, in mm; None is derived."""

    label: float | None = None
    margin: float | None = None
    pitch: float | None = None
    number: int | None = None

    @property
    def has_lengths(self) -> bool:
        """Whether a length is known."""
        return self[:3] != (None, None, None)


class _Axis(NamedTuple):
    """The fields of a layout that give the measures of an axis, in their order, and how a page extends along it."""

    label: str
    margin: str
    pitch: str
    number: str
    page: str


class _Closed(NamedTuple):
    """All measures of an axis."""

    label: float
    margin: float
    pitch: float
    number: int


_ACROSS = _Axis("label_width", "margin_left", "pitch_x", "labels_per_row", "wide")
_DOWN = _Axis("label_height", "margin_top", "pitch_y", "labels_per_column", "high")


def grid_sheet(page: PageSize, across: Measures, down: Measures) -> Sheet:
    """Return the sheet; raises InvalidInput, which names every length that contradicts the others."""
    most_rows = max(int((page.height - 2 * (down.margin or 0)) // LEAST_LABEL_HEIGHT), 1)
    x = _closed(_ACROSS, across, page.width, LABELS_PER_ROW)
    y = _closed(_DOWN, down, page.height, most_rows)
    if isinstance(x, _Closed) and isinstance(y, _Closed):
        return Sheet(page, x.number, y.number, x.label, y.label, x.margin, y.margin, x.pitch, y.pitch)
    raise InvalidInput.of(*(found for found in (x, y) if not isinstance(found, _Closed)))


def require_agreement(name: str, sheet: Sheet, page: PageSize | None, across: Measures, down: Measures) -> None:
    """Raise InvalidInput for every given length that differs from that of the named sheet."""
    axes = (
        (_ACROSS, across, (sheet.label_width, sheet.left, sheet.pitch_x, sheet.columns)),
        (_DOWN, down, (sheet.label_height, sheet.top, sheet.pitch_y, sheet.rows)),
    )
    problems = [
        field_problem(f"layout.{field}", f"sheet {name} has {own:g}, not {given:g}; leave one of them out", given)
        for axis, measures, own_measures in axes
        for field, given, own in zip(axis[:4], measures, own_measures, strict=True)
        if given is not None and abs(given - own) > _TABLE_ERROR
    ]
    if page is not None and page != sheet.page:
        size = f"{sheet.page.width:g} x {sheet.page.height:g} mm"
        problems.append(field_problem("layout.page_size", f"sheet {name} is {size}; leave one of them out"))
    if problems:
        raise InvalidInput.of(*problems)


def _closed(axis: _Axis, given: Measures, page: float, usual_number: int) -> _Closed | Problem:
    """Return all measures of an axis, or what is wrong with those that are given."""
    if (given.label, given.pitch, given.number) == (None, None, None):
        given = given._replace(number=usual_number)
    share = (page - 2 * (given.margin or 0)) / (given.number or 1)
    label = next(length for length in (given.label, given.pitch, share) if length is not None)
    pitch = label if given.pitch is None else given.pitch
    if label < LEAST_LABEL_SIDE:
        return _too_small(axis, given, label, page)
    if pitch < label - _TABLE_ERROR:
        overlap = f"labels of {label:g} mm overlap at a pitch of {pitch:g} mm"
        return field_problem(f"layout.{axis.pitch}", overlap, pitch)
    number = _most(label, given.margin or 0, pitch, page) if given.number is None else given.number
    margin = (page - (number - 1) * pitch - label) / 2 if given.margin is None else given.margin
    closed = _Closed(label, max(margin, 0.0), pitch, max(number, 1))
    reach = closed.margin + (closed.number - 1) * pitch + label
    if number < 1 or margin < -_TABLE_ERROR or reach > page + _TABLE_ERROR:
        labels = f"{closed.number} labels of {label:g} mm at a pitch of {pitch:g} mm, from {closed.margin:g} mm on"
        overrun = f"{labels}, reach {reach:g} mm; the page is {page:g} mm {axis.page}"
        return field_problem(f"layout.{axis.number}", overrun, given.number)
    return closed


def _most(label: float, margin: float, pitch: float, page: float) -> int:
    return min(int((page - margin - label + _TABLE_ERROR) // pitch) + 1, MOST_LABELS_ALONG)


def _too_small(axis: _Axis, given: Measures, label: float, page: float) -> Problem:
    """Return the problem, at the field whose value makes a label too small."""
    least = f"the smallest label is {LEAST_LABEL_SIDE:g} mm"
    if given.label is not None or given.pitch is not None:
        field = axis.pitch if given.label is None else axis.label
        return field_problem(f"layout.{field}", f"{label:g} mm is too small; {least}")
    field = axis.number if given.margin is None else axis.margin
    margins = f"inside margins of {given.margin or 0:g} mm on a page {page:g} mm {axis.page}"
    return field_problem(f"layout.{field}", f"{given.number} labels {margins} would be {label:.4g} mm; {least}")
