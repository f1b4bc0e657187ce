"""What the value of an application identifier may be, and which date it names."""

from datetime import date
from string import ascii_uppercase, digits
from typing import Any

import pytest
import zint
from hypothesis import given, strategies as st

from barcodesvc.gs1.application_identifiers import CHARACTERS, FORMATS, Component
from barcodesvc.gs1.dates import date_of, years_around
from barcodesvc.gs1.element_strings import Element, Gs1Error, parse_bracketed
from barcodesvc.gs1.gtin import check_digit
from barcodesvc.gs1.value_rules import Fault, fault_of
from tests.properties import examples
from tests.sweeps import sweep

COUPONS = {"8110", "8112"}
"""AIs whose inner fields zint judges, and this service does not."""
COMPANY_PREFIXES = {"401", "7023", "8004", "8010"}
"""AIs that zint knows to begin with a company prefix of four digits or more, which the service does not check."""
UNKNOWN_TO_ZINT = {"717", "8040", "8041", "8042", "8043"}
"""AIs that are newer than the edition of the dictionary in zint."""

PADDING = "="
"""Ends a base64 text; the dictionary and zint count it in threes, RFC 4648 in fours, and this test requires neither."""


def zint_takes(ai: str, value: str) -> bool:
    """Return whether zint draws an element with every warning as an error."""
    symbol = zint.Symbol()
    symbol.symbology = zint.Symbology.DATAMATRIX
    symbol.input_mode = zint.InputMode.GS1
    symbol.warn_level = zint.WarningLevel.FAIL_ALL
    try:
        symbol.encode(f"[{ai}]{value}")
    except RuntimeError:
        return False
    return True


def is_printable(ai: str, value: str) -> bool:
    """Return whether the element is well-formed and obeys the rules of its value."""
    try:
        (element,) = parse_bracketed(f"({ai}){value}")
    except Gs1Error:
        return False
    return fault_of(element) is None


@sweep(
    ("ai", "value", "index", "found", "fits"),
    [
        ("17", "991332", 2, "month 13", "01 to 12"),
        ("11", "260431", 4, "day 31 of month 04", "00 to 30"),
        ("15", "270229", 4, "day 29 of month 02", "00 to 28"),
        ("7006", "260100", 4, "day 00 of month 01", "01 to 31"),
        ("7250", "19000229", 6, "day 29 of month 02", "01 to 28"),
        ("7003", "2601012400", 6, "hour 24", "00 to 23"),
        ("7003", "2601012360", 8, "minute 60", "00 to 59"),
        ("8008", "260101235960", 10, "second 60", "00 to 59"),
        ("423", "056057", 3, "country 057", "one of ISO 3166-1"),
        ("7030", "998A", 0, "country 998", "one of ISO 3166-1, or 999"),
        ("4307", "XX", 0, "country XX", "one of ISO 3166-1"),
        ("3912", "0001", 0, "currency 000", "one of ISO 4217"),
        ("4309", "18000000013600000000", 0, "latitude 1800000001", "1800000000 at most"),
        ("4309", "18000000003600000001", 10, "longitude 3600000001", "3600000000 at most"),
        ("4300", "A%2", 1, "%2", "% and two hexadecimal digits"),
        ("4321", "2", 0, "the digit 2", "0 or 1"),
        ("4330", "000250+", 6, "the sign +", "-, for a temperature below zero"),
        ("7040", "1AB/", 3, "the importer /", "a letter, a digit, - or _"),
        ("7241", "11", 0, "media type 11", "01 to 10 or 80 to 99"),
        ("7252", "3", 0, "the digit 3", "0, 1, 2 or 9 (ISO/IEC 5218)"),
        ("7258", "3/1", 0, "3/1", "a position and a total, such as 1/3"),
        ("8001", "00010000000101", 4, "00000", "a number above zero"),
        ("8001", "00010000100121", 12, "the digit 2", "0, 1 or 9"),
        ("8003", "10401234567890", 0, "the digit 1", "0"),
        ("8006", "040123456789010302", 14, "piece 03 of 02", "one from 01 up to the total"),
        ("8007", "BE72096123456769", 2, "check digits 72", "71"),
        ("8007", "XX71096123456769", 0, "country XX", "one of ISO 3166-1"),
        ("8007", "BE71096", 0, "BE71096", "an IBAN of capitals and digits, country first"),
        ("8030", "aZ=b", 2, "=b", "one or two = only at the end"),
        ("8011", "012", 0, "012", "a number without leading zeros"),
        ("8013", "1987654Ad4X4bL5ttr2310cXK", 23, "check characters XK", "2K"),
        ("8014", "22", 0, "only digits", "a letter or sign among them"),
    ],
)
def test_what_breaks_a_rule_of_its_identifier_is_found(ai: str, value: str, index: int, found: str, fits: str) -> None:
    """A fault says what is wrong in the value, where, and what would be valid; scanners still read the value."""
    element = Element(ai, value)
    assert parse_bracketed(f"({ai}){value}") == (element,)
    assert fault_of(element) == Fault(index, found, fits)


@sweep(
    ("ai", "value"),
    [
        ("8008", "2601012359"),
        ("8007", "BE71096123456769"),
        ("7258", "1/1"),
        ("8030", "aZ=="),
        ("8013", "1987654Ad4X4bL5ttr2310c2K"),
        ("8110", "106141416543213150110120"),
        ("10", "2602309"),
    ],
)
def test_what_keeps_the_rules_has_no_fault(ai: str, value: str) -> None:
    """The examples of the specifications and free text are valid."""
    assert fault_of(Element(ai, value)) is None


@sweep(
    ("ai", "following", "codes"),
    [
        ("422", "", [f"{number:03}" for number in range(1000)]),
        ("7030", "A", [f"{number:03}" for number in range(1000)]),
        ("3910", "1", [f"{number:03}" for number in range(1000)]),
        ("4307", "", [a + b for a in ascii_uppercase for b in ascii_uppercase]),
        ("7041", "", [a + b for a in digits + ascii_uppercase for b in ("", *digits, *ascii_uppercase)]),
        ("7241", "", [f"{number:02}" for number in range(100)]),
    ],
)
def test_lists_of_codes_are_those_of_zint(ai: str, following: str, codes: list[str]) -> None:
    """Every code of a list is accepted, and no other."""
    assert [code for code in codes if is_printable(ai, code + following)] == [
        code for code in codes if zint_takes(ai, code + following)
    ]


NEAR_DATES = st.builds(
    "{}{:02}{:02}".format, st.sampled_from(["24", "25", "00"]), st.integers(0, 13), st.integers(0, 32)
)
NEAR_TIMES = st.builds("{:02}{:02}".format, st.integers(0, 25), st.integers(0, 61))
WRITTEN: dict[str, st.SearchStrategy[str]] = {
    "yymmd0": NEAR_DATES,
    "yymmdd": NEAR_DATES,
    "yyyymmdd": NEAR_DATES.map("20{}".format),
    "hhmi": NEAR_TIMES,
    "posinseqslash": st.text("0123/", min_size=3, max_size=3),
    "pcenc": st.text("%2Fg", min_size=1, max_size=8),
    "pieceoftotal": st.text("012", min_size=4, max_size=4),
    "latitude": st.integers(179_9999999, 180_0000001).map(str),
    "longitude": st.integers(359_9999999, 360_0000001).map(str),
    "iban": st.text("BEXK0123", min_size=2, max_size=16),
}


def parts_of(component: Component, charset: str) -> st.SearchStrategy[str]:
    """Build texts for a component: values that its rules concern, or any text of its alphabet and length."""
    least = 1 if component.variable else component.length
    alphabet = "".join(sorted(CHARACTERS[charset] - {PADDING}))
    anything = st.text(alphabet, min_size=least, max_size=component.length)
    return st.one_of(anything, *(WRITTEN[rule] for rule in component.rules if rule in WRITTEN))


def values_of(ai: str) -> st.SearchStrategy[str]:
    """Build values of an AI, many of which break one of its rules; check digits are valid."""
    kind = FORMATS[ai]
    starts = [sum(part.length for part in kind.components[:index]) for index in range(len(kind.components))]
    parts = [parts_of(part, kind.charsets[start]) for part, start in zip(kind.components, starts, strict=True)]

    def joined(texts: tuple[str, ...]) -> str:
        value = ("9521" if ai in COMPANY_PREFIXES else "") + "".join(texts)
        if kind.checked is None or len(value) <= kind.checked:
            return value
        return value[: kind.checked] + check_digit(value[: kind.checked]) + value[kind.checked + 1 :]

    return st.tuples(*parts).map(joined)


@pytest.mark.parametrize("ai", sorted(FORMATS.keys() - UNKNOWN_TO_ZINT - COUPONS))
@examples(30, derandomize=True)
@given(data=st.data())
def test_values_are_judged_as_zint_judges_them(ai: str, data: st.DataObject) -> None:
    """Both accept the same values of every AI, good and bad."""
    # in brackets, "(00)" within a value begins another element, for both
    value: Any = data.draw(values_of(ai).filter(lambda value: "(" not in value))
    assert is_printable(ai, value) == zint_takes(ai, value)


@pytest.mark.parametrize(
    ("digits", "year", "day"),
    [
        ("271231", 2026, date(2027, 12, 31)),
        ("270200", 2026, date(2027, 2, 28)),
        ("760101", 2026, date(2076, 1, 1)),
        ("770101", 2026, date(1977, 1, 1)),
        ("500101", 2099, date(2050, 1, 1)),
        ("271301", 2026, None),
        ("270230", 2026, None),
        ("", 2026, None),
    ],
)
def test_a_date_has_a_century_and_a_last_day(digits: str, year: int, day: date | None) -> None:
    """Fifty years ahead and fifty back (GenSpecs 7.12), day 00 is the last one, impossible days are ignored."""
    assert date_of(digits, year) == day


@given(st.dates(date(1990, 1, 1), date(2060, 12, 31)), st.integers(2020, 2030))
def test_a_date_of_these_decades_comes_back(day: date, year: int) -> None:
    """Within fifty years of the present no date is mistaken for one of another century."""
    assert date_of(day.strftime("%y%m%d"), year) == day


@pytest.mark.parametrize("year", [2026, 2099, 2100])
def test_two_digits_name_each_year_around_the_present_once(year: int) -> None:
    """All of their hundred values have a year, and no two the same."""
    years = years_around(year)
    assert sorted(each % 100 for each in years) == list(range(100))
    assert [date_of(f"{each % 100:02}0101", year) for each in years] == [date(each, 1, 1) for each in years]
