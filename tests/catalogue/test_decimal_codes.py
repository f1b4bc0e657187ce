import pytest

from barcodesvc.catalogue.decimal_codes import DecimalCodes


@pytest.mark.parametrize("digits", ["4006381333931", "96385074", "036000291452", "04006381333931"])
def test_a_number_with_a_right_check_digit_loses_its_decimals(digits: str) -> None:
    """Whatever the other codes of the file are."""
    assert DecimalCodes(lambda: ["A-1"]).read(f"{digits}.0") == digits


def test_a_whole_column_loses_its_decimals() -> None:
    """A program has computed with it."""
    assert DecimalCodes(lambda: ["1001.0", "1002.0"]).read("1001.0") == "1001"


@pytest.mark.parametrize("code", ["1.0", "4006381333932.0", "1.00", "A.0", ".0", "1.1", "1"])
def test_other_decimals_stay(code: str) -> None:
    """`1.0` is a code like `1.1`."""
    assert DecimalCodes(lambda: ["1.0", "1.1"]).read(code) == code
