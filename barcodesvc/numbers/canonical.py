"""Canonical numbers: one spelling for each GTIN, ISBN, ISSN, UPC-E, SSCC or PZN, whatever a product code looks like.

    4006381333931, 4 006381 333931, (01) 04006381333931     04006381333931
    0-8044-2957-X, 080442957x, 978 0 8044 2957 3            09780804429573
    1234-5679, 977-1234-567-003                             09771234567003
    04252614, 0 425261 4, 0-42100-00526-4                   00042100005264
    9771234567003+05, 1234-5679+05                          09771234567003+05
    3 4012345 000000000 0, (00) 340123450000000000          (00)340123450000000000
    PZN - 1234567, -12345678                                -12345678
    PZN: 04987629, PZN 4987629, 9N110498762989              -04987629
    (10) LOT7 (21) 5, ]C110LOT7                             (10)LOT7(21)5, (10)LOT7
    +EHWD3551419G, +EHWD3551419/$$900100F                   +EHWD3551419

Only a number with a valid check digit has a canonical form; after `PZN` or `-` the check digit may be missing. Seven
digits there that are a PZN without its leading zero are that one: until 2019 a PZN had seven, with the check digit.

Eight bare digits can be a GTIN-8, a UPC-E or an ISSN. They are read as the GTIN-8 if its check digit is valid,
otherwise as the only other number whose check digit is valid. Hyphens and spaces in their usual places decide first:
`1234-5679` is an ISSN, `0 425261 4` a UPC-E and `1234 5670` a GTIN-8. `36000 29145 2` is a UPC-A without its first
zero. So does a word before the number (see `words`). Zeros alone are not a number.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from barcodesvc.gs1.element_strings import (
    GS1_IDENTIFIERS,
    Element,
    Gs1Error,
    parse_bracketed,
    parse_element_string,
    to_bracketed,
)
from barcodesvc.gs1.gtin import gtin14, has_valid_check_digit, is_digits
from barcodesvc.numbers.check_digits import (
    gtin_of_isbn10,
    gtin_of_issn,
    modulo_11_character,
    pzn_after_word,
)
from barcodesvc.numbers.hibc import read_hibc
from barcodesvc.numbers.upce import gtin_of_upce, suppressed
from barcodesvc.numbers.words import FIRST_LETTERS, WordedNumber, worded_number
from barcodesvc.texts import LONGEST_CODE

_FIRST = frozenset("0123456789(-+*]") | FIRST_LETTERS
_WRITTEN = re.compile(r"[0-9](?:[- ]*[0-9])*(?:[- ]*[Xx])?")
_PZN = re.compile(r"-[- ]*([0-9]{7,8})")
_PPN_IDENTIFIER = "9N"
_PPN = re.compile(r"11([0-9]{8})[0-9]{2}")
_IDENTIFIED = re.compile(r"\]([A-Za-z][0-9A-Za-z])([^\]].*)")
_WITH_ADD_ON = re.compile(r"(.+)\+([0-9]{2}|[0-9]{5})|([0-9]{12,13}) ([0-9]{2}|[0-9]{5})")
_AS_ISSN = re.compile(r"[0-9]{4}-[0-9]{3}[0-9Xx]")
_AS_UPCE = re.compile(r"[0-9][- ][0-9]{6}[- ][0-9]")
_UPCA_WITHOUT_ZERO = 11
_AS_UPCA_WITHOUT_ZERO = re.compile(r"[0-9]{5}[- ][0-9]{5}[- ][0-9]")
_AS_GTIN8 = re.compile(r"[0-9]{4} ?[0-9]{4}")
_COMPACT = re.compile(r"[0-9]+X?(?:\+(?:[0-9]{2}|[0-9]{5}))?")
_ISBN10_LENGTH, _EIGHT, _GLN_LENGTH = 10, 8, 13
_SSCC_LENGTH = 18
_OF_GTIN, _OF_GLN = "01", "(414)"
_COMPLETED = frozenset({"ISBN", "ISSN"})
"""Words of numbers to which printing adds a check digit, in groups."""
_IDENTIFIERS = {16: _OF_GTIN, 20: "00"}
"""The identifiers of a GTIN-14 and an SSCC, by the digits of both together."""


class EightCharacters(NamedTuple):
    """The GTIN-14s of eight characters read as a GTIN-8, a UPC-E and an ISSN, None where the check digit is wrong."""

    gtin8: str | None
    upce: str | None
    issn: str | None

    @property
    def without_gtin8(self) -> tuple[str, ...]:
        """The numbers other than the GTIN-8; both are equally likely."""
        return tuple(number for number in (self.upce, self.issn) if number)


def number_key(code: str) -> str | None:
    """Return the key by which scans find a product code as a number, None if it is not a number.

    The key is the canonical number. That of a number in groups or after a word without a valid check digit is its
    characters, because its symbol completes it; that of an element string is the string without spaces.
    """
    if code[:1] not in _FIRST:
        return None
    number = canonical_number(code)
    if number:
        return number
    if code.startswith("("):
        return code.replace(" ", "")
    worded = worded_number(code)
    written = worded.number if worded and worded.word in _COMPLETED else code
    characters = compact(written)
    is_written = written[0].isdigit() and (characters != code or "+" in code)
    return characters if is_written and _COMPACT.fullmatch(characters) else None


def canonical_number(code: str) -> str | None:
    """Return the canonical spelling of a code that is a number, None for any other code."""
    if code[:1] not in _FIRST or len(code) > LONGEST_CODE:
        return None
    if code[0].isdigit():
        return _number(code, code) if is_digits(code) else _written_number(code)
    if code[0] == "(":
        return _elements(code)
    if code[0] == "]":
        return _identified(code)
    return _prefixed(code)


def _written_number(code: str) -> str | None:
    """Return the canonical number of digits with hyphens, spaces, an add-on, or 9N for a PPN."""
    parted = _WITH_ADD_ON.fullmatch(code)
    if parted:
        number = _with_add_on(parted[1] or parted[3])
        return f"{number}+{parted[2] or parted[4]}" if number else None
    if code[:2].upper() == _PPN_IDENTIFIER:
        return _pzn_of_ppn(code[2:])
    return _number(code, compact(code)) if _WRITTEN.fullmatch(code) else None


def compact(code: str) -> str:
    """Return a number without its hyphens and spaces, in capitals."""
    return code.replace("-", "").replace(" ", "").upper()


def eight_characters(characters: str) -> EightCharacters:
    """Return the readings of the eight characters of a number."""
    if not is_digits(characters):
        return EightCharacters(None, None, _issn(characters))
    return EightCharacters(gtin14(characters), _upce(characters), _issn(characters))


def canonical_pzn(digits: str) -> str | None:
    """Return a `-` and the eight digits of a PZN of seven or eight digits, None if they are not a PZN."""
    whole = pzn_after_word(digits)
    return f"-{whole}" if whole else None


def canonical_gtin(code: str) -> str | None:
    """Return the GTIN-14 that a code is in any spelling, None for any other number or code."""
    number = canonical_number(code)
    return number if number and is_digits(number) else None


def _elements(code: str) -> str | None:
    """Return a bracketed element string without spaces; the GTIN-14 if its only element is a GTIN."""
    try:
        return _spelt(parse_bracketed(code.replace(" ", "")))
    except Gs1Error:
        return None


def _spelt(elements: Sequence[Element]) -> str | None:
    if len(elements) == 1 and elements[0].ai == _OF_GTIN:
        return gtin14(elements[0].value)
    return to_bracketed(elements)


def _identified(code: str) -> str | None:
    """Return the number behind a symbology identifier, as a scanner sends it: elements, if that says GS1."""
    found = _IDENTIFIED.fullmatch(code)
    if found is None:
        return None
    if found[1] not in GS1_IDENTIFIERS:
        return canonical_number(found[2])
    try:
        return _spelt(parse_element_string(found[2]))
    except Gs1Error:
        return None


def _prefixed(code: str) -> str | None:
    """Return the number of a code that begins with the `-` of a PZN, the `+` of HIBC, or a word."""
    pzn = _PZN.fullmatch(code)
    if pzn:
        return canonical_pzn(pzn[1])
    hibc = read_hibc(code)
    if hibc:
        return hibc.canonical if hibc.primary else None
    worded = worded_number(code)
    return _worded(worded) if worded else None


def _worded(worded: WordedNumber) -> str | None:
    """Return the number after a word, None if it is not what the word says."""
    characters = compact(worded.number)
    if worded.word == "PZN":
        return canonical_pzn(characters)
    if worded.word == "PPN":
        return _pzn_of_ppn(characters)
    if worded.word == "GLN":
        return (
            f"{_OF_GLN}{characters}" if len(characters) == _GLN_LENGTH and has_valid_check_digit(characters) else None
        )
    is_without_zero = worded.word == "UPC" and len(characters) == _UPCA_WITHOUT_ZERO
    number = canonical_number(f"0{characters}" if is_without_zero else worded.number)
    if len(characters) == _EIGHT and _WRITTEN.fullmatch(worded.number):
        gtin8, upce, issn = eight_characters(characters)
        number = {"ISSN": issn, "UPC": upce}.get(worded.word, gtin8)
    return number if number and worded.fits(number) else None


def _pzn_of_ppn(ppn: str) -> str | None:
    """Return the canonical PZN in a Pharmacy Product Number, None for any other text.

    A PPN is 11, for Germany, the PZN and two check digits: the ASCII codes of all others, with weights from 2 up,
    modulo 97 (IFA, PPN Code Specification).
    """
    found = _PPN.fullmatch(ppn)
    total = sum(weight * ord(character) for weight, character in enumerate(ppn[:-2], start=2))
    return canonical_pzn(found[1]) if found and f"{total % 97:02}" == ppn[-2:] else None


def _number(written: str, characters: str) -> str | None:
    characters = _without_identifier(written, characters)
    length = len(characters)
    if not characters.strip("0"):
        return None
    if length == _EIGHT:
        return _of_eight(written, eight_characters(characters))
    if length == _ISBN10_LENGTH:
        is_valid = modulo_11_character(characters[:-1]) == characters[-1]
        return gtin_of_isbn10(characters[:-1]) if is_valid else None
    if length == _SSCC_LENGTH:
        return f"(00){characters}" if has_valid_check_digit(characters) else None
    return gtin14(characters) if is_digits(characters) else None


def _without_identifier(written: str, characters: str) -> str:
    """Return digits without the identifier of an SSCC or a GTIN-14, or with the first zero that a UPC-A lacks."""
    if characters.startswith(_IDENTIFIERS.get(len(characters), "-")):
        return characters[2:]
    return f"0{characters}" if _AS_UPCA_WITHOUT_ZERO.fullmatch(written) else characters


def _of_eight(written: str, readings: EightCharacters) -> str | None:
    if readings.issn and _AS_ISSN.fullmatch(written):
        return readings.issn
    if readings.upce and _AS_UPCE.fullmatch(written):
        return readings.upce
    if readings.gtin8 and _AS_GTIN8.fullmatch(written):
        return readings.gtin8
    return _only(tuple(number for number in readings if number))


def _with_add_on(written: str) -> str | None:
    """Return the number of a symbol that may have an add-on, which a GTIN-8, a GTIN-14 and an SSCC may not."""
    if not _WRITTEN.fullmatch(written):
        return None
    characters = compact(written)
    if len(characters) == _EIGHT:
        readings = eight_characters(characters)
        return readings.issn if _AS_ISSN.fullmatch(written) and readings.issn else _only(readings.without_gtin8)
    return _number(written, characters) if len(characters) in {_ISBN10_LENGTH, 12, 13} else None


def _only(numbers: tuple[str, ...]) -> str | None:
    return numbers[0] if len(numbers) == 1 else None


def _upce(digits: str) -> str | None:
    """Return the GTIN-14 of a UPC-E with number system and check digit."""
    gtin = gtin_of_upce(digits)
    return gtin if gtin and suppressed(gtin[2:13]) == digits[:7] else None


def _issn(characters: str) -> str | None:
    is_valid = characters.strip("0") and modulo_11_character(characters[:7]) == characters[7]
    return gtin_of_issn(characters[:7]) if is_valid else None
