"""Symbols that the standards or the trade print, or that were derived by hand from their tables."""

from itertools import groupby

import pytest

from barcodesvc.numbers.check_digits import luhn_digit
from barcodesvc.symbols.code128 import code128, code128a, code128b, code128c, gs1_128
from barcodesvc.symbols.ean_upc import ean2, ean5, ean8, ean13, upca, upce
from barcodesvc.symbols.linear import code39, itf, msi, pharmacode
from barcodesvc.symbols.modules import Bars
from barcodesvc.symbols.registry import find_symbology
from tests.symbols.dark_rows import dark_rows

LEFT_ODD = [
    "0001101",
    "0011001",
    "0010011",
    "0111101",
    "0100011",
    "0110001",
    "0101111",
    "0111011",
    "0110111",
    "0001011",
]
"""Number set A of ISO/IEC 15420 table 1, digits 0 to 9."""
RIGHT = ["".join("10"[int(module)] for module in digit) for digit in LEFT_ODD]
"""Number set C: A with dark and light exchanged."""
LEFT_EVEN = [digit[::-1] for digit in RIGHT]
"""Number set B: C read backwards."""
SETS = {"A": LEFT_ODD, "B": LEFT_EVEN, "C": RIGHT}

SET_A_WIDTHS = ["313121", "112133", "123221", "223211", "221132", "131321"]
CODE128_WIDTHS = {
    "start A": "211412",
    "start C": "211232",
    "FNC1": "411131",
    "stop": "2331112",
    "54": "311123",
    **dict(zip("PJ123C", SET_A_WIDTHS, strict=True)),
}
"""Characters of ISO/IEC 15417 table 1 by what they are in sets A and B, `54` by its value."""


def written(digits: str, sets: str) -> str:
    """Return digits as modules, each in its number set."""
    return "".join(SETS[name][int(digit)] for digit, name in zip(digits, sets, strict=True))


def row(bars: Bars) -> str:
    """Return the one row of a linear symbol."""
    return dark_rows(bars)[0]


def test_code128_example_of_the_encyclopaedias() -> None:
    """`PJJ123C` in set A has the check character 54: start A, seven characters, check, stop."""
    characters = ["start A", "P", "J", "J", "1", "2", "3", "C", "54", "stop"]
    widths = "".join(CODE128_WIDTHS[character] for character in characters)
    assert "".join(map(str, code128a("PJJ123C").runs)) == widths


def test_code128_check_characters_worked_by_hand() -> None:
    """Set B `A`: (104 + 33) % 103 = 34, which is `B`; set C `00`: (105 + 0) % 103 = 2, which is a quotation mark."""
    assert code128b("A").runs[6:18] == (1, 1, 1, 3, 2, 3, 1, 3, 1, 1, 2, 3)
    assert code128c("00").runs[6:18] == (2, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1)
    assert code128("00") == code128c("00")


def test_gs1_128_begins_with_start_and_fnc1() -> None:
    """Start C and FNC1 together distinguish GS1-128 from Code 128 (GS1 General Specifications 5.4.3)."""
    assert (
        "".join(map(str, gs1_128("(01)09521234543213").runs[:12])) == CODE128_WIDTHS["start C"] + CODE128_WIDTHS["FNC1"]
    )


def test_ean13_4006381333931() -> None:
    """The first digit 4 is encoded by the sets ABAABB of the left half (ISO/IEC 15420 table 3)."""
    left, right = written("006381", "ABAABB"), written("333931", "CCCCCC")
    assert row(ean13("4006381333931")) == f"101{left}01010{right}101"


def test_ean8_96385074() -> None:
    """The example of encyclopaedias, four digits in set A and four in set C."""
    assert row(ean8("96385074")) == f"101{written('9638', 'AAAA')}01010{written('5074', 'CCCC')}101"


def test_upca_036000291452() -> None:
    """The example of encyclopaedias is the EAN-13 with a zero in front."""
    assert row(upca("036000291452")) == f"101{written('036000', 'AAAAAA')}01010{written('291452', 'CCCCCC')}101"
    assert upca("036000291452").runs == ean13("0036000291452").runs


@pytest.mark.parametrize(
    ("upca_number", "upce_number", "sets"),
    [("012345000065", "01234565", "BAABBA"), ("042100005264", "04252614", "BABBAA"), ("123456000070", "1234567", None)],
)
def test_upce_numbers_are_encoded_by_their_sets(upca_number: str, upce_number: str, sets: str | None) -> None:
    """Number system and check digit choose the sets of the six digits (ISO/IEC 15420 table 4)."""
    assert upce(upca_number) == upce(upce_number)
    if sets:
        assert row(upce(upce_number)) == f"101{written(upce_number[1:7], sets)}010101"


@pytest.mark.parametrize(("digits", "sets"), [("12", "AA"), ("05", "AB"), ("34", "BA"), ("99", "BB")])
def test_a_two_digit_add_on_has_the_sets_of_its_remainder(digits: str, sets: str) -> None:
    """Modulo 4, 0 to 3 mean AA, AB, BA and BB (ISO/IEC 15420 table 6): 12 is 0, 5 is 1, 34 is 2, 99 is 3."""
    first, second = (written(*digit) for digit in zip(digits, sets, strict=True))
    assert row(ean2(digits)) == f"1011{first}01{second}"


@pytest.mark.parametrize(
    ("digits", "sets"),
    [("52495", "BABAA"), ("51299", "ABAAB"), ("12345", "BABAA"), ("90000", "ABABA"), ("00000", "BBAAA")],
)
def test_a_five_digit_add_on_has_the_sets_of_its_checksum(digits: str, sets: str) -> None:
    """3 times the odd digits and 9 times the even ones, modulo 10, choose the sets (ISO/IEC 15420 table 7).

    That is 141, 138, 81, 27 and 0: BABAA means 1, ABAAB 8, ABABA 7, BBAAA 0.
    """
    assert row(ean5(digits)) == "1011" + "01".join(written(*digit) for digit in zip(digits, sets, strict=True))


@pytest.mark.parametrize(("digits", "check"), [("80523", "4"), ("1234567", "4"), ("7992739871", "3"), ("0", "0")])
def test_msi_check_digits(digits: str, check: str) -> None:
    """Luhn's well-known number among them; the caption shows the digit."""
    assert luhn_digit(digits) == check
    assert msi(digits).captions[0].text == digits + check


def test_msi_80523() -> None:
    """Start 110, four bits a digit, a bit 100 or 110, stop 1001."""
    bits = "1000" + "0000" + "0101" + "0010" + "0011" + "0100"
    assert row(msi("80523")) == "110" + "".join("110" if bit == "1" else "100" for bit in bits) + "1001"


@pytest.mark.parametrize(
    ("number", "bars"),
    [
        ("3", "nn"),
        ("4", "nw"),
        ("5", "wn"),
        ("52", "wnwnw"),
        ("177", "nwwnnwn"),
        ("1234", "nnwwnwnnww"),
        ("117480", "wwnnwnwnwwwnwnnw"),
        ("131070", "w" * 16),
    ],
)
def test_pharmacode_bars(number: str, bars: str) -> None:
    """From the right, a narrow bar is worth 1, 2, 4, … and a wide one twice that; spaces are two modules wide."""
    values = [2**index * (2 if bar == "w" else 1) for index, bar in enumerate(reversed(bars))]
    assert sum(values) == int(number)
    assert pharmacode(number).runs[::2] == tuple(3 if bar == "w" else 1 for bar in bars)
    assert set(pharmacode(number).runs[1::2]) == {2}


def test_code39_and_itf_are_encoded_by_wide_elements() -> None:
    """`A` is wide in the first and the last bar and the third space; ITF's 12 interleaves 10001 and 01001."""
    assert code39("A").runs[10:19] == (3, 1, 1, 1, 1, 3, 1, 1, 3)
    assert itf("12").runs == (1, 1, 1, 1, 3, 1, 1, 3, 1, 1, 1, 1, 3, 3, 3, 1, 1)


RECORDED = {
    ("DATABAROMNI", "09521234543213"): "41414e0178ace165780c125d",
    ("DATABARLIMITED", "09521234543213"): "1426a3dd52e5665e0b5",
    ("DATABARSTACKED", "09521234543213"): "105053805e2b2 1aba87f2ad40 2e165780c125d",
    ("DATABAREXPANDED", "(01)09521234543213(10)LOT7"): "458c6ff0b90b1a106bf0e158f3c5c8fc2e32151ec2ff38395d",
    ("MICROQR", "ABCDEF"): "1fd5 1049 1756 1758 175e 1041 1fda 6 1abe 503 1a93 121 12e8",
    ("MICROPDF417", "KIOSKLABEL"): "322863259db186f74c645 3a2ede649dfab8f46c745 3b2b19e4dd209ea11e765 "
    "33290c345d98a0c688665 372e8e344d7e4cf3196e5 37ac74e46d3ee6fd766f5",
}
"""The distinct rows of modules as hexadecimal numbers, as bwip-js 4.11.4 draws them."""


@pytest.mark.parametrize(("asked", "rows"), RECORDED.items())
def test_symbols_of_other_encoders(asked: tuple[str, str], rows: str) -> None:
    """Encoders of others, which the reader and zint do not stand for, give the same modules."""
    name, content = asked
    drawn = [modules for modules, _ in groupby(dark_rows(find_symbology(name).encode(content)))]
    assert [int(modules, 2) for modules in drawn] == [int(modules, 16) for modules in rows.split()]
