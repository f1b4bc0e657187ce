"""Numbers, codes and dates as the person sees them, from the stored number and its number format.

Rule: digits are never lost and never invented. Numbers too long for a spreadsheet, fractions, dates and times are
marked as such (`TypedText`). A format that pads with zeros is a code's format: whole numbers keep its leading zeros and
its other characters, as in `000-000` or `"SKU-"0000`. Any other format yields the decimal digits of the value, without
thousands separators, currency, units or exponent. Its quoted or escaped characters, as in `"SKU-"0`, are kept for a
column of codes, except for separators and currency symbols.

Whole numbers have all their digits, fractions the 15 significant digits that a spreadsheet computes with. A date is in
ISO 8601, without the time at midnight; a date format on a time of day or a duration yields `hh:mm:ss`. The first
section of a format counts. A code's format with conditions, as in `[<=99999]00000;00000-0000`, makes its cells a
problem.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from typing import NamedTuple
from unicodedata import category

from barcodesvc.spreadsheets.cells import Cell, CellProblem, MaskedNumber, TypedText

NumberFormatter = Callable[[str], Cell]
"""Converts the stored decimal digits of a number to the text of the cell."""

EPOCH_1900 = datetime(1899, 12, 30)  # noqa: DTZ001 - dates of a workbook have no time zone
EPOCH_1904 = datetime(1904, 1, 1)  # noqa: DTZ001 - as above
"""The days from which dates count: in most workbooks, and in those of old Macs (ECMA-376-1, 18.17.4.1)."""

MAX_FORMAT = 255
"""Characters of a format; a longer one, which no spreadsheet program accepts, is ignored."""

MAX_WIDTH = 64
"""Characters of a code's format; a longer one is not a code's."""

_SECTION = re.compile(r'(?:"[^"]*"|\\.|[^;"\\])*', re.DOTALL)
"""The text before an unquoted semicolon."""
_QUOTED = re.compile(r'"[^"]*"|\\.', re.DOTALL)
_CONDITION = re.compile(r"\[ *[<>=]")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_PART = re.compile(
    r"""(?P<unseen>
        \[(?:\$[^\]]*|[<>=][^\]]*|(?i:black|blue|cyan|green|magenta|red|white|yellow|color\ ?\d+))\]|_.|\*.|,|\.$
    )|"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|(?P<digit>[0\#?@]|(?i:General))|(?P<plain>[\ \-+()])""",
    re.VERBOSE | re.DOTALL,
)
"""A part of a section of a number format (ECMA-376-1, 18.8.31) that a code's format may have."""
_NOT_DATED = re.compile(
    r"""(?: "[^"]*(?:"|$) | \\. | _. | \*. | \[(?!(?:h+|m+|s+)\])[^\]]*(?:\]|$) )+""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
"""Parts of a section that are not a date, despite their letters: quoted, escaped, filled or in brackets.

An unclosed part extends to the end, so that matching takes linear time.
"""
_DURATION = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_DATE = re.compile(r"[dmhys]", re.IGNORECASE)
_DIGIT = "\0"
_NOT_SHOWN = re.compile(r'"[^"]*"|\\.|_.|\*.|\[[^\]]*\]', re.DOTALL)
"""Parts of a section that have no digits of the number: quoted, escaped, filled or in brackets."""
_DECIMALS = re.compile(r"[^.#0?/E@]*[#0?, ]*[#0?](?:\.(?P<decimals>[0#?]*))?(?:[^.#0?/E@,][^.#0?/E@]*)?")
_LOCALE = re.compile(r"\[\$-[^\]]*\]")
"""A locale without a currency."""
_MOST_PRICE_DIGITS = 15
_LITERALS = ("quoted", "escaped")
_SEPARATORS = frozenset(" \u00a0\u202f'\u2019.,")
"""Separators between the digits of a number, which are not characters of a code."""
_EXACT_DIGITS = 32
_KEPT_DIGITS = 15
"""Digits of a number that a spreadsheet keeps."""
# ECMA-376-1, 18.8.30: built-in date formats of East Asian locales, without a code in the file
_EAST_ASIAN_DATES = frozenset({*range(27, 37), *range(50, 59)})
_DAMAGED = CellProblem("contains a damaged number: type the value again and save the file")
_UNDECIDED = CellProblem("has a number format with conditions, which is not read: format the cell as text")
_NO_DATE = CellProblem("contains a date outside the calendar: correct it, or format the cell as text")


def number_text(stored: str) -> Cell:
    """Return the plain decimal digits of a stored number such as `12345.0` or `1.2345E+12`."""
    if stored.isdigit() and stored.isascii() and stored[0] != "0" and len(stored) <= _KEPT_DIGITS:
        return stored
    value = _parse(stored)
    if value is None:
        return _DAMAGED
    if value.is_integer():
        return _whole_number(stored, int(value))
    digits = f"{value:.{_KEPT_DIGITS}g}"
    return TypedText(f"{Decimal(digits):f}" if "e" in digits else digits, "fraction")


def _whole_number(stored: str, value: int) -> str:
    if abs(value) < 10**_KEPT_DIGITS:
        return str(value)
    is_exact = stored.isdigit() and stored.isascii() and len(stored) <= _EXACT_DIGITS
    return TypedText(stored.lstrip("0") if is_exact else str(value), "long number")


def padded_text(stored: str, *, width: int) -> Cell:
    """Return a number in a format of `width` zeros: whole numbers get leading zeros."""
    text = number_text(stored)
    if isinstance(text, CellProblem | TypedText):
        return text
    sign = "-" if text[0] == "-" else ""
    return sign + text.removeprefix("-").zfill(width)


@dataclass(frozen=True, slots=True)
class Mask:
    """A code's format: its characters, with _DIGIT for each digit of the number, and its least number of digits.

    A format that `pads` with zeros is a code's format in every column, any other one only in a column of codes.
    """

    characters: str
    least_digits: int
    pads: bool = True

    @property
    def is_digits_alone(self) -> bool:
        """Whether it has no other characters."""
        return not self.characters.strip(_DIGIT)


def code_mask(code: str) -> Mask | None:
    """Return the mask of a section that pads with zeros or has literals, None for any other section."""
    parts = _parts(code)
    if parts is None:
        return None
    digits = [part for part in parts if part.kind == "digit"]
    padded = next((len(digits) - at for at, part in enumerate(digits) if part.text == "0"), 0)
    shown = "".join(_DIGIT if part.kind == "digit" else part.text for part in parts).strip()
    before = shown.partition(_DIGIT)[0]
    if len(shown) > MAX_WIDTH:
        return None
    if padded > 1 or (padded == 1 and before[-1:].isdigit()):
        return Mask(shown, padded)
    return _labelled_mask(parts, padded) if digits else None


def _labelled_mask(parts: Sequence[_Part], padded: int) -> Mask | None:
    """Return the mask of a section with literals, None if all of them are separators or currency symbols."""
    digits = [at for at, part in enumerate(parts) if part.kind == "digit"]
    kept = [
        part
        for at, part in enumerate(parts)
        if not (_is_currency(part) or (digits[0] < at < digits[-1] and part.text in _SEPARATORS))
    ]
    if not any(part.kind in _LITERALS and part.text.strip() for part in kept):
        return None
    shown = "".join(_DIGIT if part.kind == "digit" else part.text for part in kept).strip()
    return Mask(shown, padded, pads=False)


def _is_currency(part: _Part) -> bool:
    return part.kind in _LITERALS and any(category(character) == "Sc" for character in part.text)


class _Part(NamedTuple):
    kind: str
    text: str


def _parts(code: str) -> list[_Part] | None:
    """Return the visible parts of a section, None if it is too long or has a part that _PART does not match."""
    parts: list[_Part] = []
    at = 0
    while at < len(code):
        match = _PART.match(code, at)
        if match is None or len(parts) > MAX_WIDTH:
            return None
        kind = match.lastgroup or ""
        if kind != "unseen":
            parts.append(_Part(kind, match[kind]))
        at = match.end()
    return parts


def masked_text(stored: str, *, mask: Mask) -> Cell:
    """Return a whole number in the digits of a mask, filled from the right; the first digit takes all that remain."""
    text = number_text(stored)
    if isinstance(text, CellProblem | TypedText):
        return text
    digits = list(text.removeprefix("-").zfill(mask.least_digits))
    first = mask.characters.index(_DIGIT)
    shown = []
    for at in range(len(mask.characters) - 1, -1, -1):
        character = mask.characters[at]
        if character != _DIGIT:
            shown.append(character)
        elif at == first:
            shown += reversed(digits)
        elif digits:
            shown.append(digits.pop())
    seen = "-" * text.startswith("-") + "".join(reversed(shown)).strip()
    return MaskedNumber(seen, text, seen) if mask.pads else MaskedNumber(text, text, seen)


class Decimals(NamedTuple):
    """How many decimals a format shows at least and at most, and whether it shows hundredths with `%`."""

    least: int
    most: int
    is_percent: bool


def shown_decimals(section: str) -> Decimals | None:
    """Return the decimals of a section that has some, or a currency, or a percent sign; None for any other one."""
    found = _DECIMALS.fullmatch(_NOT_SHOWN.sub("", section))
    is_percent = found is not None and "%" in found[0]
    if found is None or not (found["decimals"] or is_percent or _has_currency(section)):
        return None
    decimals = found["decimals"] or ""
    return Decimals(len(decimals.rstrip("#?")), len(decimals), is_percent)


def _has_currency(section: str) -> bool:
    return any(category(character) == "Sc" for character in section if character != "$") or (
        "$" in _LOCALE.sub("", section)
    )


def price_text(stored: str, *, decimals: Decimals) -> Cell:
    """Return a number with the decimals that a person sees, for an attribute, and without rounding for all else."""
    text = number_text(stored)
    if isinstance(text, CellProblem) or (isinstance(text, TypedText) and text.kind != "fraction"):
        return text
    value = Decimal(text).scaleb(2 * decimals.is_percent)
    if value.adjusted() > _MOST_PRICE_DIGITS:
        return text
    rounded = value.quantize(Decimal(1).scaleb(-decimals.most), ROUND_HALF_UP)
    whole, point, shown = f"{rounded:f}".partition(".")
    shown = shown[: decimals.least] + shown[decimals.least :].rstrip("0")
    price = whole + (point + shown if shown else "") + "%" * decimals.is_percent
    return MaskedNumber(text, text, text, price)


def date_text(stored: str, *, epoch: datetime) -> Cell:
    """Return a serial day number as ISO 8601, counted from the workbook's epoch."""
    from openpyxl.utils.datetime import from_excel  # noqa: PLC0415 - takes long to load, and few workbooks need it

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
        return TypedText(moment.date().isoformat(), "date")
    return TypedText(moment.isoformat(timespec="seconds"), "date" if isinstance(moment, datetime) else "time")


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
    return TypedText(f"{'-' if seconds < 0 else ''}{hours:02}:{minute:02}:{second:02}", "time")


def shown_as(format_id: int, code: str | None, epoch: datetime) -> NumberFormatter:
    """Return the function that formats the numbers of a cell with this number format.

    `code` is the format code in the file, None for a built-in format, which only has an id.
    """
    code = _built_in(format_id) if code is None else code
    if len(code) > MAX_FORMAT:
        return number_text
    if _CONDITION.search(_QUOTED.sub("", code)):
        masks = [mask for section in _sections(code) if (mask := code_mask(section))]
        if masks:
            return (lambda _: _UNDECIDED) if any(mask.pads for mask in masks) else number_text
    section = next(_sections(code))
    if mask := code_mask(section):
        return (
            partial(padded_text, width=mask.least_digits) if mask.is_digits_alone else partial(masked_text, mask=mask)
        )
    dated = _NOT_DATED.sub("", section)
    if _DURATION.search(dated):
        return duration_text
    if format_id in _EAST_ASIAN_DATES or _DATE.search(dated):
        return partial(date_text, epoch=epoch)
    decimals = shown_decimals(section)
    return partial(price_text, decimals=decimals) if decimals else number_text


def _built_in(format_id: int) -> str:
    if format_id == 0:
        return "General"
    from openpyxl.styles.numbers import BUILTIN_FORMATS  # noqa: PLC0415 - as above

    return BUILTIN_FORMATS.get(format_id, "General")


def _sections(code: str) -> Iterator[str]:
    """Yield the sections of a format, which semicolons separate."""
    at = 0
    while at <= len(code) and (section := _SECTION.match(code, at)):
        yield section[0]
        at = section.end() + 1


def _parse(stored: str) -> float | None:
    stored = stored.strip()
    if not _NUMBER.fullmatch(stored):
        return None
    value = float(stored)
    return value if abs(value) != float("inf") else None
