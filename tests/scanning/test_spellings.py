import pytest
from hypothesis import given, strategies as st

from barcodesvc.gs1.gtin import check_digit, gtin14
from barcodesvc.scanning.spellings import less_likely, same_number, shortened, with_any_add_on, without_check_digit
from barcodesvc.store.scans import Comparison, Key

bodies = st.text("0123456789", min_size=13, max_size=13)


def codes(comparisons: tuple[Comparison, ...]) -> list[str]:
    """Return the product codes that are compared literally."""
    return [value for key, value in comparisons if key == Key.CODE]


def test_a_number_is_found_by_its_key() -> None:
    """An EAN-13 has no other notation that the key does not cover."""
    assert same_number("04006381333931") == ((Key.NUMBER, "04006381333931"),)


@pytest.mark.parametrize(
    ("number", "spelt"),
    [
        ("09780804429573", ["080442957", "978080442957"]),
        ("09791032301234", ["979103230123"]),
        ("09771234567003", ["1234567"]),
        ("-12345626", ["12345626", "1234562"]),
        ("00042100005264", []),
    ],
)
def test_spellings_without_their_check_digit_are_the_same_number(number: str, spelt: list[str]) -> None:
    """Notations that a key cannot hold are compared as product codes: ISBN, ISSN and PZN completed as in print."""
    assert codes(same_number(number)) == spelt


def test_a_upce_is_less_likely_where_its_digits_are_less_than_a_number() -> None:
    """Six and seven digits, and eight that are a GTIN-8, are compared after the number itself."""
    assert codes(less_likely("00042100005264")) == ["0425261", "425261"]
    assert codes(less_likely("00012345000065")) == ["01234565", "0123456", "123456"]
    assert codes(less_likely("04006381333931")) == []


def test_a_gtin_stored_without_its_check_digit() -> None:
    """What printing added is removed, with and without the zero of a UPC-A, but never so that it becomes a GTIN."""
    assert codes(without_check_digit("00036000291452")) == ["0003600029145", "003600029145", "03600029145"]
    assert all(gtin14(code) is None for code in codes(without_check_digit("04006381333931")))


@pytest.mark.parametrize(
    ("gtin", "stored"),
    [("00008725060002", "8725060002"), ("00000000002295", "2295"), ("00012345678905", "12345678905")],
)
def test_a_code_that_lost_its_zeros_finds_its_gtin(gtin: str, stored: str) -> None:
    """4 to 11 digits are compared with the GTIN whose zeros a spreadsheet has removed."""
    assert stored in codes(shortened(gtin))


@given(bodies.map(lambda body: body + check_digit(body)))
def test_a_shortened_gtin_is_no_gtin_itself(gtin: str) -> None:
    """No code is found by both rules, and every one pads to the number."""
    found = codes(shortened(gtin))
    assert all(4 <= len(code) <= 11 and code.zfill(14) == gtin and gtin14(code) is None for code in found)


def test_an_add_on_is_behind_any_spelling() -> None:
    """EAN-13, UPC-A and UPC-E, ISBN and ISSN, with and without check digit."""
    assert [value for _, value in with_any_add_on("09771234567003")] == [
        "09771234567003",
        "12345679",
        "1234567",
        "977123456700",
    ]
