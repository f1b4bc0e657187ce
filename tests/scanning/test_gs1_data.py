from datetime import date

import pytest
from hypothesis import given, strategies as st

from barcodesvc.gs1.element_strings import Element, parse_bracketed
from barcodesvc.scanning.gs1_data import date_of, gs1_data


def test_what_a_symbol_says_comes_out_by_name() -> None:
    """GTIN, lot, serial, expiry, weight and price, and every element under its AI."""
    elements = parse_bracketed("(01)03140100143119(10)L2307A(21)SN1(17)271231(3103)001250(3922)1234")
    assert gs1_data(elements, 2026) == {
        "gtin": "03140100143119",
        "lot": "L2307A",
        "serial": "SN1",
        "expiry": "2027-12-31",
        "net_weight_kg": 1.25,
        "price": 12.34,
        "elements": {
            "01": "03140100143119",
            "10": "L2307A",
            "21": "SN1",
            "17": "271231",
            "3103": "001250",
            "3922": "1234",
        },
    }


def test_only_what_is_there_is_returned() -> None:
    """A pallet's number has no GTIN."""
    assert gs1_data(parse_bracketed("(00)340123450000000000"), 2026) == {"elements": {"00": "340123450000000000"}}


def test_contradicting_gtins_are_none() -> None:
    """With two trade items in one symbol, neither is chosen; the first is among the elements."""
    said = gs1_data([Element("01", "03140100143119"), Element("01", "04006381333931")], 2026)
    assert said == {"elements": {"01": "03140100143119"}}


@pytest.mark.parametrize(
    ("digits", "year", "day"),
    [
        ("271231", 2026, date(2027, 12, 31)),
        ("270200", 2026, date(2027, 2, 28)),
        ("280200", 2026, date(2028, 2, 29)),
        ("760101", 2026, date(2076, 1, 1)),
        ("770101", 2026, date(1977, 1, 1)),
        ("490101", 2099, date(2149, 1, 1)),
        ("500101", 2099, date(2050, 1, 1)),
        ("271301", 2026, None),
        ("270001", 2026, None),
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


@pytest.mark.parametrize("decimals", range(6))
def test_the_ai_says_where_the_decimal_point_is(decimals: int) -> None:
    """(310n) has n decimals."""
    said = gs1_data([Element(f"310{decimals}", "123456")], 2026)
    assert said["net_weight_kg"] == pytest.approx(123456 / 10**decimals)
