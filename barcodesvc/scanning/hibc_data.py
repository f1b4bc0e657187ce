"""The secondary data of HIBC codes: lot, serial number, expiry and quantity.

    $LOT7   $+S-17               a lot, a serial number
    29090LOT7                    the expiry YYJJJ, JJJ the day of the year, and a lot
    $$0329LOT7                   the expiry MMYY and a lot: the first digit of the month is 0 or 1
    $$2…7                        2 MMDDYY, 3 YYMMDD, 4 YYMMDDHH, 5 YYJJJ, 6 YYJJJHH, 7 no expiry; then a lot
    $$8QQ…   $$9QQQQQ…           a quantity of two or five digits, then perhaps an expiry as above, and a lot
    $$+…                         the same with a serial number in place of the lot
    …/S77DEFG45/14D20290331/Q5   after slashes: a serial number, the expiry YYYYMMDD, a quantity; others, such as 16D,
                                 the date of manufacture, are left out

Sources: ANSI/HIBC 2.6, its tables of secondary data formats and of supplemental data. Rule: what is damaged or unknown
is left out, and the rest is read.
"""

import re
from collections.abc import Mapping

_TEXT = re.compile(r"\$(\+?)([^$+].*)")
_JULIAN = re.compile(r"([0-9]{5})(.*)")
_FLAGGED = re.compile(
    r"\$\$(?P<serial>\+?)(?:8(?P<pair>[0-9]{2})|9(?P<five>[0-9]{5}))?"
    r"(?:(?P<month>[01][0-9])(?P<year>[0-9]{2})|2(?P<american>[0-9]{6})|3(?P<day>[0-9]{6})|4(?P<hour>[0-9]{6})[0-9]{2}"
    r"|5(?P<julian>[0-9]{5})|6(?P<julian_hour>[0-9]{5})[0-9]{2}|7)?(?P<text>.*)"
)
_SUPPLEMENTS = (
    (re.compile(r"S(.+)"), "serial"),
    (re.compile(r"14D([0-9]{8})"), "expiry"),
    (re.compile(r"Q([0-9]{1,5})"), "quantity"),
)


def secondary_data(secondary: str) -> dict[str, str]:
    """Return what secondary data say, by the names of `PackData`; a date has 6, 8, or as YYJJJ 5 digits."""
    first, *others = secondary.split("/")
    said = _first(first)
    for supplement in others if said else (first, *others):
        for pattern, name in _SUPPLEMENTS:
            found = pattern.fullmatch(supplement)
            if found:
                said[name] = found[1]
    return said


def _first(text: str) -> dict[str, str]:
    flagged = _FLAGGED.fullmatch(text)
    if flagged:
        return _said(
            flagged["serial"], flagged["text"], _expiry(flagged.groupdict()), flagged["pair"] or flagged["five"]
        )
    plain = _TEXT.fullmatch(text)
    if plain:
        return _said(plain[1], plain[2], None, None)
    julian = _JULIAN.fullmatch(text)
    return _said("", julian[2], julian[1], None) if julian else {}


def _said(is_serial: str, text: str, expiry: str | None, quantity: str | None) -> dict[str, str]:
    named = {"serial" if is_serial else "lot": text, "expiry": expiry, "quantity": quantity}
    return {name: value for name, value in named.items() if value}


def _expiry(found: Mapping[str, str | None]) -> str | None:
    """Return the date as YYMMDD, or as YYJJJ; the day 00 is the last one of its month."""
    if found["month"]:
        return f"{found['year']}{found['month']}00"
    if found["american"]:
        return found["american"][4:] + found["american"][:4]
    return found["day"] or found["hour"] or found["julian"] or found["julian_hour"]
