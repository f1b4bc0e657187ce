from datetime import date

import pytest
from hypothesis import given, strategies as st

from barcodesvc.gs1.dates import date_of, years_around


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


@pytest.mark.parametrize("year", [2026, 2099, 2100])
def test_two_digits_name_each_year_around_the_present_once(year: int) -> None:
    """All of their hundred values have a year, and no two the same."""
    years = years_around(year)
    assert sorted(each % 100 for each in years) == list(range(100))
    assert [date_of(f"{each % 100:02}0101", year) for each in years] == [date(each, 1, 1) for each in years]
