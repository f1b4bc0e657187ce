"""What a cell with a number shows: its digits, a code, a date, a price."""

from decimal import Decimal

import pytest
from hypothesis import given, strategies as st
from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH

from barcodesvc.spreadsheets.cells import CellProblem, MaskedNumber
from barcodesvc.spreadsheets.number_formats import shown_as
from tests.sweeps import sweep


def shown(stored: str, code: str = "General") -> str | CellProblem:
    """Return the text that a cell with this number format shows."""
    return shown_as(164, code, WINDOWS_EPOCH)(stored)


@sweep(
    ("stored", "text"),
    [
        ("12345.0", "12345"),
        ("007", "7"),
        (" 7 ", "7"),
        ("-0.0", "0"),
        ("1.2345E+12", "1234500000000"),
        ("1e22", "10000000000000000000000"),
        ("1.1000000000000001", "1.1"),
        ("0.30000000000000004", "0.3"),
        ("0.00000015", "0.00000015"),
        ("-12.5", "-12.5"),
        ("9007199254740993", "9007199254740993"),
    ],
)
def test_numbers_are_plain_decimal_digits(stored: str, text: str) -> None:
    """Numbers do not lose digits or show floating-point noise or an exponent."""
    assert shown(stored) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_any_float_is_shown_without_exponent_at_its_value(value: float) -> None:
    """The digits shown are those of the value, to the 15 that a spreadsheet calculates with."""
    text = shown(repr(value))
    assert isinstance(text, str)
    assert "e" not in text.lower()
    assert Decimal(text) == (int(value) if value.is_integer() else Decimal(f"{value:.15g}"))


@sweep(
    ("code", "stored", "text"),
    [
        ("00000000", "12345.0", "00012345"),
        ("000", "12345", "12345"),
        ("00000", "-5", "-00005"),
        ("00000", "12.5", "12.5"),
        ("[$-409]00000", "5", "00005"),
        ("00000;-00000", "5", "00005"),
        ("0 00000 00000 0", "12345678905", "0 12345 67890 5"),
        ("00000-0000", "1234567890", "123456-7890"),
        ('"SKU-"0000', "7", "SKU-0007"),
        ("\\A00", "7", "A07"),
        ('"0"0', "96", "096"),
        ("[Blue]00000", "99", "00099"),
        ("#00000", "89", "00089"),
        ("00000#", "87", "000087"),
        ("00000.", "85", "00085"),
        ("000,000", "86", "000086"),
        ("_-0000_-", "94", "0094"),
        ("0000*x\\ ", "94", "0094"),
        ("0000;-0000", "-7", "-0007"),
        ("00-00", "1.5", "1.5"),
        ('"a;b"00;0', "5", "a;b05"),
        ("\\;00;0", "5", ";05"),
    ],
)
def test_a_format_that_pads_with_zeros_is_that_of_a_code(code: str, stored: str, text: str) -> None:
    """A code is as LibreOffice shows it, by the section before the first bare semicolon, without blanks at its ends."""
    assert shown(stored, code) == text


@sweep(
    "code",
    [
        *("0", "#,##0", "0.00", "0%", "0.00E+00", "# ?/?", "00/00", "00:00"),
        *('"$"#,##0.00', '_("$"* #,##0_)', '0" pcs"', "[Red]0;[$-407]0"),
        *('"x"', '"00', "", "0;", ";;;", "0" * 65, "[" * 255, '"' * 255, "\\" * 255),
        *('[=1]0" piece";0" pieces"', "[>9]0.0;0", '"[<5]"0', "\\[<5]0"),
    ],
)
def test_other_formats_leave_the_digits_alone(code: str) -> None:
    """Separators, currencies, units, fractions, conditions and invalid formats are not part of a number."""
    cell = shown("5", code)
    assert cell == "5"
    assert not isinstance(cell, MaskedNumber) or cell.number == "5"


@sweep(
    "code",
    ["[<=99999]00000;00000-0000", "[<=9999999]###-####;(000) 000-0000", "0;[<9]00-00", "[<x]00"],
)
def test_a_code_format_with_conditions_is_a_problem(code: str) -> None:
    """No code is guessed; the message says what to do."""
    problem = shown("9", code)
    assert isinstance(problem, CellProblem)
    assert "format the cell as text" in problem.message


def test_a_masked_number_keeps_its_number() -> None:
    """Text around the digits belongs to a code and not to a level."""
    cell = shown("-5", '00" Stk"')
    assert isinstance(cell, MaskedNumber)
    assert (cell, cell.number, cell.code) == ("-05 Stk", "-5", "-05 Stk")


@sweep(
    ("code", "stored", "text"),
    [
        ('"SKU-"0', "5", "SKU-5"),
        ("\\S\\K\\U0", "5", "SKU5"),
        ('"SKU-"#,##0', "5000", "SKU-5000"),
        ('"SKU "#\\ ##0', "5000", "SKU 5000"),
        ("##\\-##", "1234", "12-34"),
        ('"SKU-"General', "5", "SKU-5"),
        ('"SKU-"@', "5", "SKU-5"),
        ('0"/2024"', "17", "17/2024"),
        ('"SKU-"0;-0', "-5", "-SKU-5"),
        ('"CHF "0', "5", "CHF 5"),
        ('[<100]"A-"0;"B-"0', "99", "99"),
        ('[<5]0" x"', "9", "9"),
        ("#\\ ##0", "1234", "1234"),
        ("#\\'##0", "1234", "1234"),
        ('#,##0\\ "\u20ac"', "1234", "1234"),
        ('"$"#,##0_);\\("$"#,##0\\)', "1234", "1234"),
        ('"US$ "0', "5", "5"),
        ('"SKU-"0.00', "5", "5"),
        ('"SKU-"0', "1.5", "1.5"),
        ('"SKU-"', "5", "5"),
        ("@", "5", "5"),
    ],
)
def test_the_literals_of_a_format_belong_to_a_code_alone(code: str, stored: str, text: str) -> None:
    """Quoted or escaped text is part of a code; separators and currency symbols are not; texts are plain digits."""
    cell = shown(stored, code)
    assert cell == stored
    assert (cell.code if isinstance(cell, MaskedNumber) else cell) == text


@sweep("stored", ["", "x", "NaN", "inf", "1e999", "1_000", "0x10", "\uff11\uff12", "1e99999"])
@sweep("code", ["General", "00000", "yyyy-mm-dd", "[h]:mm", "[<5]000;00-00"])
def test_what_is_no_number_is_a_problem(stored: str, code: str) -> None:
    """Damaged number cells are reported, not guessed."""
    assert isinstance(shown(stored, code), CellProblem)


@sweep(
    ("code", "stored", "text"),
    [
        ("d.m.yyyy hh:mm", "45370.5625", "2024-03-19T13:30:00"),
        ("hh:mm", "0.5625", "13:30:00"),
        ("[h]:mm:ss", "1.5", "36:00:00"),
        ("[h]:mm", "-0.25", "-06:00:00"),
        ("[S]", "45370", "1088880:00:00"),
        ("yyyy-mm-dd" + " " * 245, "45370", "2024-03-19"),
        ("[$-409]mmm", "45370", "2024-03-19"),
        ('";"d', "45370", "2024-03-19"),
        ('"d"0.0', "45370", "45370"),
        ("[Red]0.0", "45370", "45370"),
        ("0.0_d", "45370", "45370"),
        ("*d0.0", "45370", "45370"),
        ("\\d0.0", "45370", "45370"),
        ("[$d", "45370", "45370"),
        ('"d', "45370", "45370"),
    ],
)
def test_only_letters_that_stand_for_a_date_make_one(code: str, stored: str, text: str) -> None:
    """A date is its ISO 8601 text, without a time at midnight; quoted, escaped, filled or unclosed text makes none."""
    assert shown(stored, code) == text


@sweep(("code", "stored"), [("yyyy", "-1"), ("yyyy", "9999999"), ("[h]:mm", "1e300")])
def test_a_date_outside_the_calendar_is_a_problem(code: str, stored: str) -> None:
    """A serial number outside the calendar is reported as such."""
    assert "calendar" in shown(stored, code).message  # type: ignore[union-attr] # text would fail, as it should


def test_dates_count_from_the_epoch_of_the_workbook() -> None:
    """A workbook of the 1904 system counts its days from there, in built-in formats too."""
    assert shown_as(14, None, MAC_EPOCH)("0.0") == "00:00:00"
    assert shown_as(14, None, MAC_EPOCH)("1") == "1904-01-02"
    assert shown_as(57, None, WINDOWS_EPOCH)("45370") == "2024-03-19"
    assert shown_as(0, None, WINDOWS_EPOCH)("45370") == "45370"


@pytest.mark.parametrize("code", ["[" * 256, "yyyy-mm-dd" + " " * 246, "0" * 13 + "_ " * 122])
def test_a_format_over_255_characters_is_ignored(code: str) -> None:
    """No spreadsheet program writes it, so it says nothing about its numbers, and is never parsed."""
    assert shown("45370", code) == "45370"


@sweep(
    ("code", "stored", "price"),
    [
        ('#,##0.00 "€"', "4.1", "4.10"),
        ('_-* #,##0.00\\ "€"_-;-* #,##0.00\\ "€"_-', "1234", "1234.00"),
        ("[$€-407] # ##0.00", "-4.125", "-4.13"),
        ('"$"#,##0_);("$"#,##0)', "4.5", "5"),
        ("0.00", "3.3333333333333335", "3.33"),
        ("0.0#", "4.1", "4.1"),
        ("0.0#", "4", "4.0"),
        ("0.000", "1e-7", "0.000"),
        ("0%", "0.19", "19%"),
        ("0.0%", "0.195", "19.5%"),
    ],
)
def test_a_price_keeps_the_decimals_that_its_format_shows(code: str, stored: str, price: str) -> None:
    """For attributes; the number and the code still have the digits of the value."""
    number = shown(stored, code)
    assert isinstance(number, MaskedNumber)
    assert number.price == price
    assert number == number.code == number.number == shown(stored)


@sweep("code", ["General", "0", "#,##0", "[$-407]0", "0.00E+00", "# ?/?", "0.00,", "@", "00000"])
def test_any_other_format_shows_no_price(code: str) -> None:
    """Neither decimals nor a currency are in it, or it shows another number than the stored one."""
    assert not isinstance(shown("4.5", code), MaskedNumber)
