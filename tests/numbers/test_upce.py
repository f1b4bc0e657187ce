import pytest
from hypothesis import given, settings, strategies as st

from barcodesvc.errors import InvalidContent
from barcodesvc.gs1.gtin import check_digit
from barcodesvc.numbers.upce import completed_upce, expanded, suppressed
from tests.properties import examples

DIGITS = "0123456789"


@pytest.mark.parametrize("given_as", ["123456", "0123456", "01234565", "01234500006", "012345000065"])
def test_every_spelling_is_one_number(given_as: str) -> None:
    """Six digits, with number system, with check digit, and the UPC-A without and with its check digit."""
    assert completed_upce(given_as) == "01234565"


@pytest.mark.parametrize(
    ("upca", "upce"),
    [
        ("01200000789", "0127890"),
        ("01210000789", "0127891"),
        ("01220000789", "0127892"),
        ("01230000089", "0123893"),
        ("01234000009", "0123494"),
        ("01234500005", "0123455"),
        ("11234500009", "1123459"),
    ],
)
def test_the_last_digit_says_where_the_zeros_stood(upca: str, upce: str) -> None:
    """0 to 2: before the third digit of the maker's number; 3, 4: after its third, fourth; 5 to 9: after all five."""
    assert expanded(upce) == upca
    assert suppressed(upca) == upce


@examples(300, derandomize=True)
@given(st.sampled_from("01"), st.text(DIGITS, min_size=6, max_size=6))
def test_a_number_is_taken_exactly_if_it_is_the_one_of_its_upca(system: str, six: str) -> None:
    """Any six digits mean a valid UPC-A; only its canonical form is printed, and the refusal of another names it."""
    upca = expanded(system + six)
    canonical = suppressed(upca)
    assert canonical is not None
    assert expanded(canonical) == upca
    try:
        completed = completed_upce(system + six)
    except InvalidContent as refusal:
        position = next(index for index in range(7) if canonical[index] != (system + six)[index]) + 1
        assert refusal.details == {"rule": "zero suppression", "position": position, "fits": canonical}  # noqa: PT017 - one of two ways
        assert canonical != system + six
    else:
        assert completed == canonical + check_digit(upca)
        assert completed_upce(upca) == completed


@settings(derandomize=True)
@given(st.sampled_from("01"), st.text(DIGITS, min_size=10, max_size=10))
def test_a_upca_without_its_zeros_in_place_has_no_number(system: str, ten: str) -> None:
    """Zeros are only left out if there are four or five of them in the middle."""
    if "0000" not in ten:
        assert suppressed(system + ten) is None
