"""Numbers with check digits: completed, verified, taken as they are printed; and the short form of a UPC-A."""

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given, settings, strategies as st

from barcodesvc.errors import InvalidContent
from barcodesvc.gs1.gtin import check_digit
from barcodesvc.numbers.check_digits import (
    completed_gtin,
    completed_isbn10,
    completed_isbn13,
    completed_issn,
    completed_pzn,
    luhn_digit,
)
from barcodesvc.numbers.upce import completed_upce, expanded, suppressed
from tests.properties import examples
from tests.sweeps import sweep

Completion = Callable[[str], str]


ean13 = partial(completed_gtin, "EAN13", length=13)
ean8 = partial(completed_gtin, "EAN8", length=8)
upca = partial(completed_gtin, "UPCA", length=12)
itf14 = partial(completed_gtin, "ITF14", length=14)
KNOWN = [
    (ean13, "4006381333931"),
    (ean8, "96385074"),
    (upca, "036000291452"),
    (itf14, "15400141288763"),
    (completed_isbn13, "9780306406157"),
    (completed_isbn13, "9791034304998"),
    (completed_isbn10, "0306406152"),
    (completed_isbn10, "080442957X"),
    (completed_issn, "03785955"),
    (completed_issn, "2434561X"),
    (completed_pzn, "12345626"),
    (completed_pzn, "06313728"),
]
BODIES: list[tuple[Completion, str, int]] = [
    (ean13, "", 12),
    (ean8, "", 7),
    (upca, "", 11),
    (itf14, "", 13),
    (completed_isbn13, "979", 9),
    (completed_isbn10, "", 9),
    (completed_issn, "", 7),
    (completed_pzn, "", 7),
]


@sweep(("completed", "number"), KNOWN)
def test_a_check_digit_is_added_or_verified(completed: Completion, number: str) -> None:
    """A published number without its last character gets it back; another last digit is refused with the right one."""
    assert completed(number[:-1]) == completed(number) == number
    for wrong in set("0123456789") - {number[-1]}:
        with pytest.raises(InvalidContent, match=f"check digit {wrong} .* expected {number[-1]}") as refusal:
            completed(number[:-1] + wrong)
        expected = {"rule": "check digit", "position": len(number), "expected": number[-1], "fits": number}
        assert refusal.value.details == expected


@pytest.mark.parametrize(("digits", "check"), [("80523", "4"), ("7992739871", "3"), ("0", "0")])
def test_luhn_digits(digits: str, check: str) -> None:
    """Luhn's well-known number among them."""
    assert luhn_digit(digits) == check


@settings(deadline=None, derandomize=True)
@given(st.sampled_from(BODIES), st.text("0123456789", min_size=13, max_size=13))
def test_completing_twice_changes_nothing(body: tuple[Completion, str, int], digits: str) -> None:
    """A completed number is complete, for every number that has a check digit at all."""
    completed, prefix, length = body
    unchecked = prefix + digits[:length]
    try:
        number = completed(unchecked)
    except InvalidContent:
        assert completed is completed_pzn
        return
    assert number.startswith(unchecked)
    assert completed(number) == number


@sweep(
    ("completed", "written", "number"),
    [
        (completed_isbn13, "978-0-306-40615-7", "9780306406157"),
        (completed_isbn13, "978 0 306 40615", "9780306406157"),
        (completed_isbn10, "0-8044-2957-x", "080442957X"),
        (completed_issn, "2434-561x", "2434561X"),
        (completed_pzn, "PZN - 12345626", "12345626"),
        (completed_pzn, "pzn-1234567", "12345678"),
        (completed_pzn, "-12345626", "12345626"),
    ],
)
def test_numbers_are_taken_as_they_are_printed(completed: Completion, written: str, number: str) -> None:
    """Hyphens, spaces and the letters PZN, as printed on products, are not part of the number."""
    assert completed(written) == number


@sweep(
    ("completed", "content", "position"),
    [
        (ean13, "40063813339x", 12),
        (ean8, "963-8507", 4),
        (upca, "03600029145٢", 12),
        (itf14, " 1234567890123", 1),
        (completed_isbn13, "978-0-3O6-40615", 8),
        (completed_isbn10, "0-8044-X957", 8),
        (completed_issn, "2434-5X1", 7),
        (completed_issn, "123456X", 7),
        (completed_issn, "2434-56XX", 8),
        (completed_pzn, "PZN-12E", 7),
    ],
)
def test_a_strange_character_is_named_with_its_position(completed: Completion, content: str, position: int) -> None:
    """The position counts the characters of the content as sent, from 1, including prefixes and hyphens."""
    with pytest.raises(InvalidContent, match=f"at position {position} is not a digit") as refusal:
        completed(content)
    assert refusal.value.details == {"rule": "alphabet", "position": position, "fits": "digits 0-9"}


@sweep(
    ("completed", "content", "position", "fits"),
    [
        (ean13, "40063813339311", 14, "12 or 13 digits"),
        (ean8, "963850", 7, "7 or 8 digits"),
        (upca, "", 1, "11 or 12 digits"),
        (itf14, "4006381333", 11, "13 or 14 digits"),
        (completed_isbn13, "978-030640", 11, "12 or 13 digits"),
        (completed_isbn10, "978-0-306-40615", 14, "9 or 10 digits"),
        (completed_issn, "977-2434-5610", 11, "7 or 8 digits"),
        (completed_pzn, "PZN", 4, "7 or 8 digits"),
        (completed_pzn, "PZN - 123456789", 15, "7 or 8 digits"),
    ],
)
def test_a_refusal_of_a_wrong_length_names_the_right_ones(
    completed: Completion, content: str, position: int, fits: str
) -> None:
    """The refusal names the first surplus character, or the position after the last if one is missing."""
    with pytest.raises(InvalidContent, match=f"at position {position}; .* with the check digit") as refusal:
        completed(content)
    assert refusal.value.details == {"rule": "length", "position": position, "fits": fits}


def test_an_isbn_begins_with_978_or_979() -> None:
    """Another prefix is rejected with the valid ones."""
    with pytest.raises(InvalidContent, match="prefix 400 at position 1 is neither 978 nor 979") as refusal:
        completed_isbn13("400-6381333931")
    assert refusal.value.details == {"rule": "prefix", "position": 1, "fits": "978… or 979…"}


def test_a_pzn_without_check_digit_is_refused() -> None:
    """A number whose check digit would be 10 does not exist, with or without a digit after it."""
    for content in ("1000006", "10000060"):
        with pytest.raises(InvalidContent, match="never assigned") as refusal:
            completed_pzn(content)
        assert refusal.value.details == {"rule": "check digit", "position": 8, "fits": "an assigned PZN"}


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
@given(st.sampled_from("01"), st.text("0123456789", min_size=6, max_size=6))
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
@given(st.sampled_from("01"), st.text("0123456789", min_size=10, max_size=10))
def test_a_upca_without_its_zeros_in_place_has_no_number(system: str, ten: str) -> None:
    """Zeros are only left out if there are four or five of them in the middle."""
    if "0000" not in ten:
        assert suppressed(system + ten) is None
