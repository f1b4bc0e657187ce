from collections.abc import Callable

import pytest
from hypothesis import given, settings, strategies as st

from barcodesvc.errors import InvalidContent
from barcodesvc.numbers.check_digits import (
    completed_gtin,
    completed_isbn10,
    completed_isbn13,
    completed_issn,
    completed_pzn,
)
from tests.sweeps import sweep

Completion = Callable[[str], str]


def ean13(content: str) -> str:
    """Complete an EAN-13."""
    return completed_gtin("EAN13", content, 13)


def ean8(content: str) -> str:
    """Complete an EAN-8."""
    return completed_gtin("EAN8", content, 8)


def upca(content: str) -> str:
    """Complete a UPC-A."""
    return completed_gtin("UPCA", content, 12)


def itf14(content: str) -> str:
    """Complete a GTIN-14."""
    return completed_gtin("ITF14", content, 14)


KNOWN = [
    (ean13, "4006381333931"),
    (ean13, "5901234123457"),
    (ean8, "96385074"),
    (ean8, "73513537"),
    (upca, "036000291452"),
    (upca, "012345678905"),
    (itf14, "15400141288763"),
    (itf14, "98898765432106"),
    (completed_isbn13, "9780306406157"),
    (completed_isbn13, "9791034304998"),
    (completed_isbn10, "0306406152"),
    (completed_isbn10, "080442957X"),
    (completed_isbn10, "316148410X"),
    (completed_issn, "03785955"),
    (completed_issn, "2434561X"),
    (completed_issn, "03178471"),
    (completed_issn, "1050124X"),
    (completed_pzn, "12345626"),
    (completed_pzn, "06313728"),
    (completed_pzn, "04877970"),
]
KNOWN_IDS = [number for _, number in KNOWN]
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
def test_a_missing_check_digit_is_added(completed: Completion, number: str) -> None:
    """A published number without its last character gets that character back."""
    assert completed(number[:-1]) == number


@sweep(("completed", "number"), KNOWN)
def test_a_present_check_digit_is_verified(completed: Completion, number: str) -> None:
    """A published number is accepted; with any other last digit it is rejected and the expected one named."""
    assert completed(number) == number
    for wrong in set("0123456789") - {number[-1]}:
        with pytest.raises(InvalidContent, match=f"check digit {wrong} .* expected {number[-1]}") as refusal:
            completed(number[:-1] + wrong)
        expected = {"rule": "check digit", "position": len(number), "expected": number[-1], "fits": number}
        assert refusal.value.details == expected


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


@pytest.mark.parametrize(
    ("completed", "written", "number"),
    [
        (completed_isbn13, "978-0-306-40615-7", "9780306406157"),
        (completed_isbn13, "978 0 306 40615", "9780306406157"),
        (completed_isbn10, "0-8044-2957-x", "080442957X"),
        (completed_isbn10, "0 306 40615", "0306406152"),
        (completed_issn, "2434-561x", "2434561X"),
        (completed_issn, "0378 5955", "03785955"),
        (completed_pzn, "PZN - 12345626", "12345626"),
        (completed_pzn, "pzn-1234567", "12345678"),
        (completed_pzn, "PZN 4987629", "04987629"),
        (completed_pzn, "-12345626", "12345626"),
    ],
)
def test_numbers_are_taken_as_they_are_printed(completed: Completion, written: str, number: str) -> None:
    """Hyphens, spaces and the letters PZN, as printed on products, are not part of the number."""
    assert completed(written) == number


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
