"""Numbers, codes and dates as the person sees them, from the stored number and its number format.

Rule: digits are never lost and never invented. A format of zeros only keeps its leading zeros; every other
format gives the plain decimal digits of the value, without thousands separators, currency or exponent. Whole
numbers are written with all their digits, fractions with the 15 significant digits that a spreadsheet
computes with. A date is ISO 8601, without the time at midnight; a date format on a time of day or on a
duration gives `hh:mm:ss`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, time, timedelta
from decimal import Decimal
from functools import partial

from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format
from openpyxl.utils.datetime import from_excel

from barcodesvc.spreadsheets.rows import Cell, CellProblem

Shown = Callable[[str], Cell]
"""Turns the stored decimal digits of a number into what the cell shows."""

MAX_WIDTH = 64
"""Zeros in a format that are honoured; longer formats are no codes."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_ZEROS = re.compile(r"(?:\[\$[^\]]*\])?(0+)(?:;.*)?", re.DOTALL)
_EXACT_DIGITS = 32
# ECMA-376-1, 18.8.30: these built-in formats are dates of East Asian locales and have no code in the file
_EAST_ASIAN_DATES = frozenset({*range(27, 37), *range(50, 59)})
_DAMAGED = CellProblem("holds a damaged number: type the value again and save the file")
_NO_DATE = CellProblem("holds a date outside the calendar: correct it, or format the cell as text")


def number_text(stored: str) -> Cell:
    """Return the plain decimal digits of a stored number such as `12345.0` or `1.2345E+12`."""
    if stored.isdigit() and stored.isascii() and stored[0] != "0" and len(stored) <= _EXACT_DIGITS:
        return stored
    value = _parse(stored)
    if value is None:
        return _DAMAGED
    if value.is_integer():
        return str(int(value))
    digits = f"{value:.15g}"
    return f"{Decimal(digits):f}" if "e" in digits else digits


def padded_text(stored: str, *, width: int) -> Cell:
    """Return a number under a format of `width` zeros: whole numbers keep their leading zeros."""
    text = number_text(stored)
    if isinstance(text, CellProblem) or "." in text:
        return text
    sign = "-" if text[0] == "-" else ""
    return sign + text.removeprefix("-").zfill(width)


def date_text(stored: str, *, epoch: datetime) -> Cell:
    """Return a serial day number as ISO 8601, counted from the workbook's epoch."""
    serial = _parse(stored)
    if serial is None:
        return _DAMAGED
    if serial < 0:
        return _NO_DATE
    try:
        moment = from_excel(serial, epoch)
    except (OverflowError, ValueError):
        return _NO_DATE
    if isinstance(moment, datetime) and moment.time() == time():
        return moment.date().isoformat()
    return str(moment.isoformat(timespec="seconds"))


def duration_text(stored: str) -> Cell:
    """Return a number of days as hours, minutes and seconds, as the format `[h]:mm:ss` shows it."""
    days = _parse(stored)
    if days is None:
        return _DAMAGED
    try:
        seconds = round(timedelta(days=days).total_seconds())
    except OverflowError:
        return _NO_DATE
    minutes, second = divmod(abs(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{'-' if seconds < 0 else ''}{hours:02}:{minute:02}:{second:02}"


def shown_as(format_id: int, code: str | None, epoch: datetime) -> Shown:
    """Return how a cell with this number format shows a number.

    `code` is the format code from the file, None for a built-in format, which is known by its id alone.
    """
    code = BUILTIN_FORMATS.get(format_id, "General") if code is None else code
    zeros = _ZEROS.fullmatch(code)
    if zeros and 1 < len(zeros[1]) <= MAX_WIDTH:
        return partial(padded_text, width=len(zeros[1]))
    if is_timedelta_format(code):
        return duration_text
    if format_id in _EAST_ASIAN_DATES or (code.lower() != "general" and is_date_format(code)):
        return partial(date_text, epoch=epoch)
    return number_text


def _parse(stored: str) -> float | None:
    stored = stored.strip()
    if not _NUMBER.fullmatch(stored):
        return None
    value = float(stored)
    return value if abs(value) != float("inf") else None
