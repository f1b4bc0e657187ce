"""Quantities and codes that a program has written as texts of numbers."""

import pytest

from barcodesvc.catalogue.decimal_codes import DecimalCodes
from barcodesvc.catalogue.quantities import Quantities, WrongQuantity, proved_decimal_sign
from barcodesvc.spreadsheets.cells import MaskedNumber, TypedText

QUANTITIES = Quantities()


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("10", 10),
        ("00010", 10),
        ("10,00", 10),
        ("10.", 10),
        ("0,000", 0),
        ("1234,000", 1234),
        ("1.000.000", 1_000_000),
        ("1,000.00", 1000),
        ("1.000,00", 1000),
        ("1 000", 1000),
        ("1\u202f000,0", 1000),
        ("12'345", 12_345),
    ],
)
def test_a_quantity_is_the_number_that_was_meant(text: str, number: int) -> None:
    """Decimals that are zero, and thousands that are separated, are whole numbers."""
    assert QUANTITIES.read(text) == number


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("13,75", "type 13 or 14"),
        ("1.000,50", "type 1000 or 1001"),
        ("12 Stk.", "type 12"),
        ("10,5 kg", "type 10 or 11"),
        ("1.000 Stk.", "type 1 or 1000"),
        ("-5", "type 0 or more"),
        ("5-", "type 0 or more"),
        ("-", "type one such as 10, or leave the cell blank"),
        ("2 x 12", "type one such as 10, or leave the cell blank"),
        ("12.03.2026", "type one such as 10, or leave the cell blank"),
        (TypedText("1.125", "fraction"), "type 1 or 2"),
        (TypedText("2026-03-12", "date"), "it is a date; type one such as 10"),
    ],
)
def test_what_is_no_quantity_says_what_to_type(text: str, advice: str) -> None:
    """The number that is seen in it, if there is one."""
    assert QUANTITIES.read(text) == WrongQuantity("whole number", f"{text!r} is not a whole number from 0; {advice}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,000", "'1,000' can be 1000 or 1; type it without ','"),
        ("1.000", "'1.000' can be 1 or 1000; type it without '.'"),
        ("1.234", "'1.234' can be 1.234 or 1234; type it without '.'"),
    ],
)
def test_a_quantity_with_two_readings_names_both(text: str, message: str) -> None:
    """A guess would be wrong by a factor of a thousand."""
    assert QUANTITIES.read(text) == WrongQuantity("ambiguous", message)


@pytest.mark.parametrize(
    ("headers", "others", "number"),
    [
        (("Bestand",), (), 1000),
        (("Quantité",), (), 1000),
        (("Artikel-Nr.", "stock"), (), 1000),
        ((), ("12,5",), 1000),
        ((), ("2.000.000",), 1000),
        ((), ("10.5",), 1),
        (("Bestand",), ("10.5",), 1),
    ],
)
def test_the_file_decides_between_two_readings(headers: tuple[str, ...], others: tuple[str, ...], number: int) -> None:
    """Its other quantities first, then a language that has one decimal sign."""
    assert Quantities(headers, lambda: others).read("1.000") == number


@pytest.mark.parametrize(("headers", "others"), [(("quantity",), ()), (("cantidad",), ()), ((), ("10,5", "10.5"))])
def test_a_file_that_proves_nothing_leaves_two_readings(headers: tuple[str, ...], others: tuple[str, ...]) -> None:
    """English headers are used everywhere, Spanish ones with either sign, and contradictions prove nothing."""
    assert isinstance(Quantities(headers, lambda: others).read("1.000"), WrongQuantity)


@pytest.mark.parametrize(
    "text",
    [
        *("10", "1.000", "1,2,3", "12.03.2026", "1 000", "x", ""),
        TypedText("1.5", "fraction"),
        MaskedNumber("1.50", "1.5", "1.5"),
    ],
)
def test_some_texts_prove_no_decimal_sign(text: str) -> None:
    """Those without one, with two readings, and numbers that a spreadsheet wrote itself."""
    assert not proved_decimal_sign(text)


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
