"""However a number is stored, every scan and every other notation finds it, among all its possible confusions.

For each number there are its notations, as people type them, and its neighbours: codes of other numbers with some of
its digits. All neighbours are stored at once. Each scan finds a notation that is stored with them, and if several
notations are stored, none is guessed.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest
from hypothesis import assume, given, strategies as st

from barcodesvc.gs1.gtin import gtin14, with_check_digit
from barcodesvc.numbers.canonical import compact
from barcodesvc.numbers.check_digits import modulo_11_character
from barcodesvc.numbers.upce import expanded, suppressed
from barcodesvc.scanning.spellings import less_likely, same_number, shortened, with_any_add_on, without_check_digit
from barcodesvc.store.scans import Comparison, Key
from tests.properties import examples
from tests.scanning.catalogue import Catalogue
from tests.sweeps import sweep
from tests.symbols.contents import digits

SSCC = "00340123450000000000"
LINK = "https://id.gs1.org"
WITHOUT_CHECK_DIGIT = 9
"""Digits of an ISBN that is stored without its check digit; a person who types them may mean any part number."""


class Number(NamedTuple):
    """A GTIN-14, its notations, and the symbol that holds it."""

    gtin: str
    spellings: tuple[str, ...]
    symbol: str
    content: str


def of_gtin(gtin: str) -> tuple[str, ...]:
    """Return a GTIN-14 as an element string, also in groups."""
    return gtin, f"(01){gtin}", f"(01) {gtin}", f"(01) {gtin[0]} {gtin[1:7]} {gtin[7:]}"


def ean13(body: str) -> Number:
    """Return an EAN-13 of twelve digits."""
    number = with_check_digit(body)
    in_groups = (
        number,
        f"{number[0]} {number[1:7]} {number[7:]}",
        f"{number[:3]}-{number[3:7]}-{number[7:12]}-{number[12]}",
    )
    return Number(f"0{number}", (*in_groups, *of_gtin(f"0{number}")), "EAN13", number)


def upca(body: str) -> Number:
    """Return a UPC-A of eleven digits."""
    number = with_check_digit(body)
    parts = number[0], number[1:6], number[6:11], number[11]
    in_groups = (number, " ".join(parts), "-".join(parts), f"0{number}")
    return Number(f"00{number}", (*in_groups, *of_gtin(f"00{number}")), "UPCA", number)


def ean8(body: str) -> Number:
    """Return an EAN-8 of seven digits."""
    number = with_check_digit(body)
    return Number(
        number.zfill(14), (f"{number[:4]} {number[4:]}", number.zfill(13), *of_gtin(number.zfill(14))), "EAN8", number
    )


def gtin_14(body: str) -> Number:
    """Return a GTIN-14 of thirteen digits."""
    number = with_check_digit(body)
    return Number(
        number,
        (f"{number[0]} {number[1:3]} {number[3:8]} {number[8:13]} {number[13]}", *of_gtin(number)),
        "ITF14",
        number,
    )


def isbn(body: str) -> Number:
    """Return a book of nine digits."""
    short, whole = body + modulo_11_character(body), with_check_digit(f"978{body}")
    written = (
        f"{body[0]}-{body[1:5]}-{body[5:]}-{short[-1]}",
        f"{whole[:3]} {body[0]} {body[1:5]} {body[5:]} {whole[-1]}",
    )
    return Number(f"0{whole}", (short, short.lower(), *written, written[0][:-2], whole), "EAN13", whole)


def issn(body: str) -> Number:
    """Return a periodical of seven digits."""
    short, whole = body + modulo_11_character(body), with_check_digit(f"977{body}00")
    return Number(
        f"0{whole}", (f"{short[:4]}-{short[4:]}", f"977-{body[:4]}-{body[4:]}-00{whole[-1]}", whole), "EAN13", whole
    )


def upce(six: str) -> Number:
    """Return a UPC-E of number system 0 and six digits."""
    whole = with_check_digit(expanded(f"0{six}"))
    short = f"0 {six} {whole[-1]}"
    return Number(f"00{whole}", (short, short.replace(" ", "-"), whole, f"0{whole}"), "UPCE", f"0{six}{whole[-1]}")


NUMBERS: dict[str, tuple[int, Callable[[str], Number]]] = {
    "EAN-13": (12, ean13),
    "UPC-A": (11, upca),
    "EAN-8": (7, ean8),
    "GTIN-14": (13, gtin_14),
    "ISBN": (9, isbn),
    "ISSN": (7, issn),
    "UPC-E": (6, upce),
}


def neighbours(number: Number) -> Iterator[str]:
    """Yield codes of other numbers that have digits of this one."""
    gtin = number.gtin
    yield with_check_digit(f"{(int(gtin[0]) + 1) % 10}{gtin[1:13]}")  # another level of packing
    if gtin.startswith("0"):
        yield from (f"{gtin[1:]}+05", f"{gtin[1:]}+51299")
    eight = number.content if len(number.content) == 8 else gtin[4:11] + modulo_11_character(gtin[4:11])
    if gtin14(eight):
        yield f"00000{eight}"
    if eight[0] in "01" and suppressed(expanded(eight[:7])) == eight[:7]:
        yield f"0{with_check_digit(expanded(eight[:7]))}"
    if eight[:7] + modulo_11_character(eight[:7]) == eight:
        yield with_check_digit(f"977{eight[:7]}00")
    yield from (code for code in (gtin[1:13], gtin[:13]) if gtin14(code))


def scans(number: Number) -> Iterator[tuple[str, str]]:
    """Yield what scanners send for symbols with the number, and the hints that they may need."""
    gtin = number.gtin
    if gtin.startswith("0"):
        yield from ((f"]E0{gtin[1:]}", ""), (f"]E0{gtin[1:]}\r\n", "CODE128"), (gtin[1:], ""))
    if gtin.startswith("00"):
        yield gtin[2:], ""
    yield from (
        (gtin, ""),
        (f"]C101{gtin}", ""),
        (f"]d201{gtin}17271231", ""),
        (f"01{gtin}", ""),
        (f"(01){gtin}(10)A", ""),
    )
    yield from ((f"{LINK}/01/{gtin}/10/A", ""), (f"{LINK}/01/{gtin.removeprefix('0')}", ""))
    yield from ((f"{LINK}/8004/4012345ABC?01={gtin}", ""), (f"{LINK}/00/{SSCC[2:]}?02={gtin}&37=12", ""))
    yield f"]C1{SSCC}02{gtin}3712", ""
    if number.symbol == "EAN8":
        yield from ((f"]E4{number.content}", ""), (number.content, ""))
    if number.symbol == "UPCE":
        yield from ((f"]E0{number.content}", ""), (number.content, "UPCE"), (number.content[1:7], "UPCE"))


def literal(text: str) -> str:
    """Return the product code that a scan literally is."""
    return text.strip().removeprefix("]E0").removeprefix("]E4")


def drawn(kind: str, data: st.DataObject) -> Number:
    """Draw a number that does not consist of zeros."""
    length, build = NUMBERS[kind]
    body = data.draw(digits(length))
    assume(body.strip("0"))
    number = build(body)
    if kind == "UPC-E":
        assume(suppressed(number.gtin[2:13]) == f"0{body}")
    return number


def found(shop: Catalogue, scan: tuple[str, str]) -> list[str]:
    """Return the codes that match a scan."""
    return shop.fitting(*scan)[1]


@pytest.mark.parametrize("kind", NUMBERS)
@examples(25, derandomize=True)
@given(data=st.data())
def test_each_spelling_is_found_next_to_all_neighbours(kind: str, data: st.DataObject) -> None:
    """By every scan of the number and every other notation of it; no scan ever finds another number."""
    number = drawn(kind, data)
    others = [code for code in neighbours(number) if gtin14(code) != number.gtin]
    for stored in number.spellings:
        shop = Catalogue(dict.fromkeys([stored, *others]))
        typed = [spelling for spelling in number.spellings if len(compact(spelling)) != WITHOUT_CHECK_DIGIT]
        asked = [*scans(number), *((spelling, "") for spelling in typed)]
        missed = [scan for scan in asked if literal(scan[0]) not in others and found(shop, scan) != [stored]]
        assert missed == [], stored


@pytest.mark.parametrize("kind", NUMBERS)
@examples(25, derandomize=True)
@given(data=st.data())
def test_of_several_spellings_none_is_guessed(kind: str, data: st.DataObject) -> None:
    """All stored ones are candidates, except the one that the text literally is."""
    number = drawn(kind, data)
    spellings = list(dict.fromkeys(number.spellings))
    shop = Catalogue(spellings)
    guessed = [scan for scan in scans(number) if literal(scan[0]) not in spellings and found(shop, scan) != spellings]
    assert guessed == []


@sweep(
    ("spelt", "number", "codes"),
    [
        (same_number, "04006381333931", []),  # the key covers every other notation of an EAN-13
        (same_number, "09780804429573", ["080442957", "978080442957"]),
        (same_number, "09791032301234", ["979103230123"]),
        (same_number, "09771234567003", ["1234567"]),
        (same_number, "-12345626", ["12345626", "1234562"]),
        # six and seven digits of a UPC-E, and eight that are a GTIN-8, are less than a number
        (same_number, "00042100005264", []),
        (less_likely, "00042100005264", ["0425261", "425261"]),
        (less_likely, "00012345000065", ["01234565", "0123456", "123456"]),
        (less_likely, "04006381333931", []),
        # what printing added is removed, with and without the zero of a UPC-A
        (without_check_digit, "00036000291452", ["0003600029145", "003600029145", "03600029145"]),
        # a spreadsheet leaves 4 to 11 digits of a GTIN, other than those of a GTIN-8
        (shortened, "00000000002295", ["2295".zfill(length) for length in (4, 5, 6, 7, 9, 10, 11)]),
        (shortened, "00012345678905", ["12345678905"]),
        # an add-on is behind any spelling
        (with_any_add_on, "09771234567003", ["09771234567003", "12345679", "1234567", "977123456700"]),
    ],
)
def test_notations_that_no_key_holds_are_compared_as_product_codes(
    spelt: Callable[[str], tuple[Comparison, ...]], number: str, codes: list[str]
) -> None:
    """ISBN, ISSN, PZN and UPC-E completed as in print; each rule has its own spellings."""
    assert [value for key, value in spelt(number) if key != Key.NUMBER] == codes


@given(digits(13).map(with_check_digit))
def test_what_is_left_of_a_gtin_is_no_gtin_itself(gtin: str) -> None:
    """No code is found by two rules; what lost its zeros pads to the number."""
    found = [value for key, value in shortened(gtin) if key == Key.CODE]
    assert all(4 <= len(code) <= 11 and code.zfill(14) == gtin and gtin14(code) is None for code in found)
    assert all(gtin14(code) is None for _, code in without_check_digit(gtin))
