"""Rules for the value of an AI beyond its format: the linters of the GS1 Barcode Syntax Dictionary, by their names.

Scanned values may break these rules; printed ones must not. Two kinds of linter are missing: `csum`, which the parser
of element strings checks already, and `key`, `keyoff1` and their relatives, which look up company prefixes in a list
that GS1 does not publish.

Each rule checks one component of a value. A year of two digits is read as 20YY: this decides only whether February has
29 days, and two digits do not reach 1900 or 2100, the century years without that day (7.12).

Sources: GS1 General Specifications 3 for each AI, 7.9.5 for check characters; ISO 13616 for IBANs.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from string import ascii_letters, ascii_uppercase, digits

from barcodesvc.gs1.application_identifiers import CHARACTERS, FORMATS
from barcodesvc.gs1.code_lists import COUNTRIES, COUNTRIES_ALPHA_2, CURRENCIES, PACKAGE_TYPES
from barcodesvc.gs1.element_strings import Element

_CENTURY = "20"
_SOME_LEAP_YEAR = 2000
_COUNTRY = "one of ISO 3166-1"
_SET_82 = "".join(sorted(CHARACTERS["X"]))
_SET_32 = "".join(character for character in digits + ascii_uppercase if character not in "01IO")
_PRIMES = [number for number in range(2, 100) if all(number % factor for factor in range(2, number))]
_MODULUS = 1021
_IBAN = re.compile(r"[A-Z]{2}[0-9A-Z]{9,}")
_IBAN_MODULUS = 97
_PADDED = re.compile("[^=]+={0,2}")
_NOT_ESCAPED = re.compile(r"%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class Fault:
    """At `index`, the value has `found` where `fits` is required."""

    index: int
    found: str
    fits: str

    def moved(self, by: int) -> Fault:
        """Return the same fault for a text with `by` more characters at its beginning."""
        return replace(self, index=self.index + by)


Rule = Callable[[str], Fault | None]


def fault_of(element: Element) -> Fault | None:
    """Return the first fault of a valid element's value, None if it has none."""
    for start, part, rules in _components(element):
        for rule in rules:
            fault = _RULES[rule](part)
            if fault:
                return fault.moved(start)
    return None


def _components(element: Element) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """Yield the index of each component in the value, its text, and the names of its rules."""
    start = 0
    for component in FORMATS[element.ai].components:
        part = element.value[start : start + component.length]
        if part:
            yield start, part, component.rules
        start += len(part)


def _one_of(values: frozenset[str], name: str, fits: str) -> Rule:
    return lambda text: None if text in values else Fault(0, f"{name} {text}", fits)


def _digit_of(allowed: str, fits: str) -> Rule:
    return _one_of(frozenset(allowed), "the digit", fits)


def _at_most(name: str, most: int) -> Rule:
    return lambda text: Fault(0, f"{name} {text}", f"{most} at most") if int(text) > most else None


def _within(name: str, least: int, most: int) -> Rule:
    """Return the rule for a number between two bounds, which a message writes with as many digits as the number."""

    def fault(text: str) -> Fault | None:
        width = len(text)
        fits = f"{least:0{width}} to {most:0{width}}"
        return None if least <= int(text) <= most else Fault(0, f"{name} {text}", fits)

    return fault


def _hour_and_minute(text: str) -> Fault | None:
    minute = _minute(text[2:])
    return _hour(text[:2]) or (minute and minute.moved(2))


def _date(text: str, least_day: int = 1) -> Fault | None:
    """Check YYMMDD or YYYYMMDD."""
    year, month, day = text[:-4], text[-4:-2], text[-2:]
    fault = _month(month)
    if fault:
        return fault.moved(len(year))
    full_year = int(year if len(year) == len("YYYY") else _CENTURY + year)
    days = monthrange(full_year or _SOME_LEAP_YEAR, int(month))[1]
    fault = _within("day", least_day, days)(day)
    return fault and Fault(len(year) + len(month), f"{fault.found} of month {month}", fault.fits)


def _date_or_month(text: str) -> Fault | None:
    """Check YYMMDD, where DD may be 00 if only the month is known."""
    return _date(text, least_day=0)


def _above_zero(text: str) -> Fault | None:
    return None if text.strip("0") else Fault(0, text, "a number above zero")


def _without_leading_zeros(text: str) -> Fault | None:
    return Fault(0, text, "a number without leading zeros") if text.startswith("0") and text != "0" else None


def _with_other_than_digits(text: str) -> Fault | None:
    return Fault(0, "only digits", "a letter or sign among them") if text.isdecimal() else None


def _piece_of_total(text: str) -> Fault | None:
    middle = len(text) // 2
    piece, total = text[:middle], text[middle:]
    if 1 <= int(piece) <= int(total):
        return None
    return Fault(0, f"piece {piece} of {total}", "one from 01 up to the total")


def _position_in_sequence(text: str) -> Fault | None:
    if re.fullmatch("[1-9]/[1-9]", text) and text[0] <= text[2]:
        return None
    return Fault(0, text, "a position and a total, such as 1/3")


def _padded_at_the_end(text: str) -> Fault | None:
    """Check where `=` is, but not how often: the dictionary and RFC 4648 differ in that."""
    if _PADDED.fullmatch(text):
        return None
    index = text.index("=")
    return Fault(index, text[index:], "one or two = only at the end")


def _escaped(text: str) -> Fault | None:
    found = _NOT_ESCAPED.search(text)
    return Fault(found.start(), text[found.start() :][:3], "% and two hexadecimal digits") if found else None


def _check_characters(text: str) -> Fault | None:
    """Check the pair of check characters at the end: the weights are the primes from the right, modulo 1021."""
    body, given = text[:-2], text[-2:]
    total = sum(_SET_82.index(character) * prime for character, prime in zip(reversed(body), _PRIMES, strict=False))
    first, second = divmod(total % _MODULUS, len(_SET_32))
    expected = _SET_32[first] + _SET_32[second]
    return None if given == expected else Fault(len(body), f"check characters {given}", expected)


def _iban(text: str) -> Fault | None:
    if not _IBAN.fullmatch(text):
        return Fault(0, text, "an IBAN of capitals and digits, country first")
    country, given, account = text[:2], text[2:4], text[4:]
    if country not in COUNTRIES_ALPHA_2:
        return Fault(0, f"country {country}", _COUNTRY)
    number = "".join(str(int(character, 36)) for character in account + country)
    expected = f"{_IBAN_MODULUS + 1 - int(number + '00') % _IBAN_MODULUS:02}"
    return None if given == expected else Fault(2, f"check digits {given}", expected)


_hour = _within("hour", 0, 23)
_minute = _within("minute", 0, 59)
_month = _within("month", 1, 12)

_RULES: dict[str, Rule] = {
    "cset64": _padded_at_the_end,
    "csumalpha": _check_characters,
    "hasnondigit": _with_other_than_digits,
    "hh": _hour,
    "hhmi": _hour_and_minute,
    "hyphen": _one_of(frozenset("-"), "the sign", "-, for a temperature below zero"),
    "iban": _iban,
    "importeridx": _one_of(frozenset(ascii_letters + digits + "-_"), "the importer", "a letter, a digit, - or _"),
    "iso3166": _one_of(COUNTRIES, "country", _COUNTRY),
    "iso3166999": _one_of(COUNTRIES | {"999"}, "country", f"{_COUNTRY}, or 999"),
    "iso3166alpha2": _one_of(COUNTRIES_ALPHA_2, "country", _COUNTRY),
    "iso4217": _one_of(CURRENCIES, "currency", "one of ISO 4217"),
    "iso5218": _digit_of("0129", "0, 1, 2 or 9 (ISO/IEC 5218)"),
    "latitude": _at_most("latitude", 180_0000000),
    "longitude": _at_most("longitude", 360_0000000),
    "mediatype": _one_of(
        frozenset(f"{number:02}" for number in (*range(1, 11), *range(80, 100))), "media type", "01 to 10 or 80 to 99"
    ),
    "mi": _minute,
    "nonzero": _above_zero,
    "nozeroprefix": _without_leading_zeros,
    "packagetype": _one_of(PACKAGE_TYPES, "package type", "one of UN/ECE Recommendation 21 or of GS1"),
    "pcenc": _escaped,
    "pieceoftotal": _piece_of_total,
    "posinseqslash": _position_in_sequence,
    "ss": _within("second", 0, 59),
    "winding": _digit_of("019", "0, 1 or 9"),
    "yesno": _digit_of("01", "0 or 1"),
    "yymmd0": _date_or_month,
    "yymmdd": _date,
    "yyyymmdd": _date,
    "zero": _digit_of("0", "0"),
}
