"""Dates of six digits, YYMMDD, as elements have them: the century that two digits leave out."""

from calendar import monthrange
from datetime import date

_YEARS_BACK, _YEARS_AHEAD = 49, 50


def years_around(year: int) -> range:
    """Return the hundred years around the current `year` that two digits name (GS1 General Specifications 7.12)."""
    return range(year - _YEARS_BACK, year + _YEARS_AHEAD + 1)


def date_of(digits: str, year: int) -> date | None:
    """Return the day that YYMMDD means in the current `year`, None if there is no such day.

    Day 00 is the last day of the month.
    """
    if len(digits) != len("YYMMDD"):
        return None
    short, month, day = int(digits[:2]), int(digits[2:4]), int(digits[4:])
    years = years_around(year)
    full = years[(short - years.start) % len(years)]
    try:
        return date(full, month, day or monthrange(full, month)[1])
    except ValueError:
        return None
