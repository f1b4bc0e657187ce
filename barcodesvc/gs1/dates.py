"""Dates and times inside of AI values: YYMMDD, YYYYMMDD, HHMM and their parts (GS1 General Specifications 3).

A year of two digits is taken for one of this century: whether February has 29 days turns on that, and 1900 and 2100,
the years in which it would matter, are farther away than two digits reach (7.12).
"""

from __future__ import annotations

from calendar import monthrange

from barcodesvc.gs1.faults import Fault

_CENTURY = "20"
_SOME_LEAP_YEAR = 2000


def date_fault(text: str) -> Fault | None:
    """Judge YYMMDD or YYYYMMDD."""
    return _calendar_fault(text, 1)


def date_or_month_fault(text: str) -> Fault | None:
    """Judge YYMMDD, of which DD may be 00 where only the month is known."""
    return _calendar_fault(text, 0)


def time_fault(text: str) -> Fault | None:
    """Judge HHMM."""
    minute = minute_fault(text[2:])
    return hour_fault(text[:2]) or (minute and minute.moved(2))


def hour_fault(text: str) -> Fault | None:
    """Judge an hour of the day."""
    return _fault_outside("hour", text, 0, 23)


def minute_fault(text: str) -> Fault | None:
    """Judge a minute of an hour."""
    return _fault_outside("minute", text, 0, 59)


def second_fault(text: str) -> Fault | None:
    """Judge a second of a minute."""
    return _fault_outside("second", text, 0, 59)


def _fault_outside(name: str, number: str, least: int, most: int) -> Fault | None:
    """Return the fault of a number outside of this range, as long as its bounds are written."""
    if least <= int(number) <= most:
        return None
    width = len(number)
    return Fault(0, f"{name} {number}", f"{least:0{width}} to {most:0{width}}")


def _calendar_fault(text: str, least_day: int) -> Fault | None:
    year, month, day = text[:-4], text[-4:-2], text[-2:]
    fault = _fault_outside("month", month, 1, 12)
    if fault:
        return fault.moved(len(year))
    full_year = int(year if len(year) == len("YYYY") else _CENTURY + year)
    days = monthrange(full_year or _SOME_LEAP_YEAR, int(month))[1]
    fault = _fault_outside("day", day, least_day, days)
    return fault and Fault(len(year) + len(month), f"{fault.found} of month {month}", fault.fits)
