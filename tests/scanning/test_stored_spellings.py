"""However a number is stored, every scan and every other notation finds it, among all its possible confusions.

For each number there are its notations, as people type them, and its neighbours: codes of other numbers with some of
its digits. All neighbours are stored at once. Each scan finds a notation that is stored with them, and if several
notations are stored, none is guessed.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest
from hypothesis import assume, given, strategies as st

from barcodesvc.gs1.gtin import check_digit, gtin14
from barcodesvc.numbers.canonical import compact
from barcodesvc.numbers.upce import expanded, suppressed
from barcodesvc.scanning.candidates import Match
from barcodesvc.scanning.images.pixels import grey_pixels
from tests.properties import examples
from tests.scanning.conftest import Catalogue
from tests.scanning.pictures.drawn_codes import codes_on
from tests.scanning.symbol_images import file_of, symbol
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


def checked(body: str) -> str:
    """Return the digits with their GTIN check digit."""
    return body + check_digit(body)


def modulo_11(body: str) -> str:
    """Return the digits of an ISBN-10 or ISSN with their check character."""
    total = sum(weight * int(digit) for weight, digit in zip(range(len(body) + 1, 1, -1), body, strict=True))
    return body + "0123456789X"[-total % 11]


def of_gtin(gtin: str) -> tuple[str, ...]:
    """Return a GTIN-14 as an element string, also in groups."""
    return gtin, f"(01){gtin}", f"(01) {gtin}", f"(01) {gtin[0]} {gtin[1:7]} {gtin[7:]}"


def ean13(body: str) -> Number:
    """Return an EAN-13 of twelve digits."""
    number = checked(body)
    in_groups = (
        number,
        f"{number[0]} {number[1:7]} {number[7:]}",
        f"{number[:3]}-{number[3:7]}-{number[7:12]}-{number[12]}",
    )
    return Number(f"0{number}", (*in_groups, *of_gtin(f"0{number}")), "EAN13", number)


def upca(body: str) -> Number:
    """Return a UPC-A of eleven digits."""
    number = checked(body)
    parts = number[0], number[1:6], number[6:11], number[11]
    in_groups = (number, " ".join(parts), "-".join(parts), f"0{number}")
    return Number(f"00{number}", (*in_groups, *of_gtin(f"00{number}")), "UPCA", number)


def ean8(body: str) -> Number:
    """Return an EAN-8 of seven digits."""
    number = checked(body)
    return Number(
        number.zfill(14), (f"{number[:4]} {number[4:]}", number.zfill(13), *of_gtin(number.zfill(14))), "EAN8", number
    )


def gtin_14(body: str) -> Number:
    """Return a GTIN-14 of thirteen digits."""
    number = checked(body)
    return Number(
        number,
        (f"{number[0]} {number[1:3]} {number[3:8]} {number[8:13]} {number[13]}", *of_gtin(number)),
        "ITF14",
        number,
    )


def isbn(body: str) -> Number:
    """Return a book of nine digits."""
    short, whole = modulo_11(body), checked(f"978{body}")
    written = (
        f"{body[0]}-{body[1:5]}-{body[5:]}-{short[-1]}",
        f"{whole[:3]} {body[0]} {body[1:5]} {body[5:]} {whole[-1]}",
    )
    return Number(f"0{whole}", (short, short.lower(), *written, written[0][:-2], whole), "EAN13", whole)


def issn(body: str) -> Number:
    """Return a periodical of seven digits."""
    short, whole = modulo_11(body), checked(f"977{body}00")
    return Number(
        f"0{whole}", (f"{short[:4]}-{short[4:]}", f"977-{body[:4]}-{body[4:]}-00{whole[-1]}", whole), "EAN13", whole
    )


def upce(six: str) -> Number:
    """Return a UPC-E of number system 0 and six digits."""
    whole = checked(expanded(f"0{six}"))
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
    yield checked(f"{(int(gtin[0]) + 1) % 10}{gtin[1:13]}")  # another level of packing
    if gtin.startswith("0"):
        yield from (f"{gtin[1:]}+05", f"{gtin[1:]}+51299")
    eight = number.content if len(number.content) == 8 else modulo_11(gtin[4:11])
    if gtin14(eight):
        yield f"00000{eight}"
    if eight[0] in "01" and suppressed(expanded(eight[:7])) == eight[:7]:
        yield f"0{checked(expanded(eight[:7]))}"
    if modulo_11(eight[:7]) == eight:
        yield checked(f"977{eight[:7]}00")
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


def seen(number: Number) -> Iterator[tuple[str, str]]:
    """Yield the texts in a picture of its symbol, and their symbologies."""
    for code in codes_on(grey_pixels(file_of(symbol(number.symbol, number.content, 3, 60)))):
        yield code.text, code.symbology


def literal(text: str) -> str:
    """Return the product code that a scan literally is."""
    return text.strip().removeprefix("]E0").removeprefix("]E4")


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


@pytest.mark.parametrize("kind", NUMBERS)
@examples(5, derandomize=True)
@given(data=st.data())
def test_each_spelling_is_found_by_the_picture_of_its_symbol(kind: str, data: st.DataObject) -> None:
    """The maker's own bars, among all neighbours."""
    number = drawn(kind, data)
    others = [code for code in neighbours(number) if gtin14(code) != number.gtin]
    for text, symbology in seen(number):
        for stored in number.spellings:
            assert Catalogue(dict.fromkeys([stored, *others])).fitting(text, symbology=symbology)[1] == [stored]


@sweep("stored", ["3 4012345 000000000 0", "340123450000000000", "(00)340123450000000000", "(00) 340123450000000000"])
@sweep(
    "sent",
    [
        f"]C1{SSCC}",
        SSCC,
        f"(00){SSCC[2:]}",
        f"{LINK}/00/{SSCC[2:]}",
        SSCC[2:],
        "3 4012345 000000000 0",
        f"]C1{SSCC}02040063813339313712",
    ],
)
def test_an_sscc_is_found_in_groups(stored: str, sent: str) -> None:
    """A pallet's number, however it is stored, comes before the product on it."""
    assert Catalogue([stored, "4006381333931"]).fitting(sent)[1] == [stored]


@pytest.mark.parametrize(
    "typed", ["978 1 56581 231 4", "1-56581-231-X", "156581231x", "(01) 0 978156 5812314", "978-1565812314"]
)
def test_a_typed_number_is_found_by_the_rule_gtin(typed: str) -> None:
    """Typed text is a scan like any other."""
    match, fitting = Catalogue(["9781565812314"]).fitting(typed)
    assert fitting == ["9781565812314"]
    assert match is (Match.GS1 if typed.startswith("(") else Match.GTIN)


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
