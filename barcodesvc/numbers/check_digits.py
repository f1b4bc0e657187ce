"""Numbers with check digits: a missing check digit is added, a present one verified.

A refusal names the position of the fault and the expected digit. Positions count characters from 1 in the requested
content, including those that are not part of the number, such as a prefix or hyphens. The position of a wrong length is
that of the first character too many, or the one after the last if one is missing.

GTIN: GS1 General Specifications 7.9 (weights 3 and 1 from the right); ISSN and ISBN-10: ISO 3297 and ISO 2108 (modulo
11, weights down to 2, X for ten); PZN: IFA (modulo 11, weights 1 to 7).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from barcodesvc.errors import InvalidContent
from barcodesvc.gs1.gtin import is_digits, with_check_digit
from barcodesvc.numbers.words import without_word

_WORDS_OF_BOOKS = ("ISBN", "ISMN", "ISSN", "EAN", "GTIN")
_ISBN_PREFIXES = ("978", "979")
_SEPARATORS = "- "
_ISBN10_LENGTH, _ISBN13_LENGTH = 10, 13
_PZN8_LENGTH, _PZN_LENGTHS = 8, (7, 8)
_BEFORE_PZN = re.compile(r"^(?:PZN(?:-?[78](?![0-9]))?)?[-: ]*", re.IGNORECASE)
CODE39 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%"
"""The characters of Code 39 in the order of their check values (ISO/IEC 16388)."""
_CODE39_VALUES = {character: value for value, character in enumerate(CODE39)}


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A number as it was requested, and the name of its symbology, with which every refusal begins.

    ignored: characters of `content` that are not part of the number; offset: how many characters precede `content`.
    """

    name: str
    content: str
    ignored: str = ""
    offset: int = 0

    @property
    def characters(self) -> str:
        """The number without the ignored characters."""
        return "".join(self.content[index] for index in self._indexes())

    def position(self, index: int) -> int:
        """Return the position of the number's character `index`, or the one after the last."""
        return self.offset + 1 + (*self._indexes(), len(self.content))[index]

    def require_digits(self) -> None:
        """Raise InvalidContent at the first character that is neither a digit 0-9 nor ignored."""
        for index in self._indexes():
            if not "0" <= self.content[index] <= "9":
                position = self.offset + index + 1
                raise InvalidContent(
                    f"{self.name}: character {self.content[index]!r} at position {position} is not a digit",
                    rule="alphabet",
                    position=position,
                    fits="digits 0-9",
                )

    def require_length(self, lengths: tuple[int, ...], holds: str, fits: str) -> None:
        """Raise InvalidContent unless the number has one of these lengths; `holds` and `fits` describe them."""
        count = len(self.characters)
        if count in lengths:
            return
        kept = max((length for length in lengths if length < count), default=count)
        position = self.position(kept)
        what = "the next is missing" if kept == count else "the first too many is"
        raise InvalidContent(
            f"{self.name}: {count} digits, {what} at position {position}; it takes {holds}",
            rule="length",
            position=position,
            fits=fits,
        )

    def _indexes(self) -> Iterator[int]:
        return (index for index, character in enumerate(self.content) if character not in self.ignored)


def completed_gtin(name: str, content: str, length: int, offset: int = 0) -> str:
    """Return the `length` digits of a GTIN given with or without its check digit.

    `offset` is how many characters precede `content`. Raises InvalidContent for other characters, other lengths and a
    wrong check digit. Hyphens and spaces are allowed in a number with its check digit.
    """
    is_whole = content[:1].isdigit() and sum(map(str.isdigit, content)) >= length
    written = WrittenNumber(name, content, _SEPARATORS if is_whole else "", offset)
    written.require_digits()
    _require_length(written, length)
    return verified(written, with_check_digit(written.characters[: length - 1]))


def completed_isbn13(content: str) -> str:
    """Return the 13 digits of an ISBN-13; hyphens, spaces and a word before it are dropped."""
    number = without_word(content, *_WORDS_OF_BOOKS)
    written = WrittenNumber("ISBN13", number, _SEPARATORS, offset=len(content) - len(number))
    _require_digits_before_x(written, _ISBN10_LENGTH)
    _require_length(written, _ISBN13_LENGTH, {_ISBN10_LENGTH: "ISBN10"})
    digits = written.characters
    if not digits.startswith(_ISBN_PREFIXES):
        position = written.position(0)
        raise InvalidContent(
            f"ISBN13: prefix {digits[:3]} at position {position} is neither 978 nor 979",
            rule="prefix",
            position=position,
            fits="978… or 979…",
        )
    return verified(written, with_check_digit(digits[:12]))


def completed_isbn10(content: str) -> str:
    """Return the ten characters of an ISBN-10, whose last may be X; hyphens and spaces are dropped."""
    return _completed_modulo_11("ISBN10", content, _ISBN10_LENGTH, {_ISBN13_LENGTH: "ISBN13"})


def ean_of_isbn10(content: str) -> str:
    """Return the EAN-13 of an ISBN-10: 978 and its first nine digits (ISO 2108)."""
    return gtin_of_isbn10(completed_isbn10(content)[:9]).removeprefix("0")


def ean_of_issn(content: str) -> str:
    """Return the EAN-13 of an ISSN: 977, its first seven digits and variant 00 (ISO 3297)."""
    return gtin_of_issn(completed_issn(content)[:7]).removeprefix("0")


def gtin_of_isbn10(body: str) -> str:
    """Return the GTIN-14 of an ISBN-10, from its first nine digits (ISO 2108)."""
    return with_check_digit(f"0978{body}")


def gtin_of_issn(body: str) -> str:
    """Return the GTIN-14 of an ISSN, from its first seven digits, with variant 00 (ISO 3297)."""
    return with_check_digit(f"0977{body}00")


def completed_issn(content: str) -> str:
    """Return the eight characters of an ISSN, whose last may be X; hyphens and spaces are dropped."""
    return _completed_modulo_11("ISSN", content, 8)


def completed_pzn(content: str) -> str:
    """Return the eight digits of a PZN8, which may begin with `PZN` or `-`.

    A number whose check digit would be 10 is never assigned.
    """
    digits = _BEFORE_PZN.sub("", content)
    written = WrittenNumber("PZN", digits, _SEPARATORS, offset=len(content) - len(digits))
    written.require_digits()
    _require_length(written, 8)
    characters = written.characters
    after_word = pzn_after_word(characters) if digits != content else None
    if after_word:
        return after_word
    check = pzn_digit(characters[:7])
    if not check:
        raise InvalidContent(
            f"PZN: {characters[:7]} is never assigned, since it has no check digit for position {written.position(7)}",
            rule="check digit",
            position=written.position(7),
            fits="an assigned PZN",
        )
    return verified(written, characters[:7] + check)


def pzn_after_word(digits: str) -> str | None:
    """Return the eight digits of a PZN from the seven or eight after `PZN` or `-`, None if they are not one.

    Seven that end with a check digit lack the first zero: until 2019 a PZN had seven. Others lack the check digit.
    """
    if len(digits) not in _PZN_LENGTHS or not is_digits(digits):
        return None
    if len(digits) < _PZN8_LENGTH and pzn_digit(f"0{digits[:-1]}") == digits[-1]:
        return f"0{digits}"
    check = pzn_digit(digits[:7])
    return digits[:7] + check if check and check.startswith(digits[7:]) else None


def pzn_digit(body: str) -> str:
    """Return the check digit of the seven digits of a PZN, "" if there is none."""
    remainder = sum(weight * int(digit) for weight, digit in enumerate(body, start=1)) % 11
    return str(remainder) if remainder < 10 else ""  # noqa: PLR2004 - modulo 11 has eleven remainders, and ten digits


def modulo_43_character(text: str) -> str:
    """Return the check character of Code 39 (ISO/IEC 16388), "" for a text with other characters."""
    if not _CODE39_VALUES.keys() >= set(text):
        return ""
    return CODE39[sum(map(_CODE39_VALUES.__getitem__, text)) % len(CODE39)]


def luhn_digit(digits: str) -> str:
    """Return the Luhn check digit of ASCII digits (ISO/IEC 7812-1)."""
    doubled = sum(sum(divmod(2 * int(digit), 10)) for digit in digits[::-2])
    return str(-(doubled + sum(map(int, digits[-2::-2]))) % 10)


def modulo_11_character(body: str) -> str:
    """Return the check digit, or X, for the digits of an ISBN-10 or ISSN; their weights go down to 2."""
    weights = range(len(body) + 1, 1, -1)
    return "0X987654321"[sum(weight * int(digit) for weight, digit in zip(weights, body, strict=True)) % 11]


def verified(written: WrittenNumber, completed: str) -> str:
    """Return the completed number; raises InvalidContent if it was requested with another check digit."""
    given = written.characters.upper()
    if len(given) == len(completed) and given != completed:
        position = written.position(len(given) - 1)
        raise InvalidContent(
            f"{written.name}: check digit {given[-1]} at position {position} of {given} is wrong; "
            f"expected {completed[-1]}",
            rule="check digit",
            position=position,
            expected=completed[-1],
            fits=completed,
        )
    return completed


def _completed_modulo_11(name: str, content: str, length: int, formats: dict[int, str] | None = None) -> str:
    number = without_word(content, *_WORDS_OF_BOOKS)
    written = WrittenNumber(name, number, _SEPARATORS, offset=len(content) - len(number))
    _require_digits_before_x(written, length)
    _require_length(written, length, formats)
    body = written.characters[: length - 1]
    return verified(written, body + modulo_11_character(body))


def _require_digits_before_x(written: WrittenNumber, length: int) -> None:
    """Raise InvalidContent at the first character that is not a digit, except for an X at the end."""
    ends_in_x = len(written.characters) == length and written.content[-1] in "Xx"
    (replace(written, content=written.content[:-1]) if ends_in_x else written).require_digits()


def _require_length(written: WrittenNumber, length: int, formats: dict[int, str] | None = None) -> None:
    """Raise InvalidContent for other lengths; `formats` maps lengths to the symbologies that take them."""
    holds, fits = f"{length - 1}, or {length} with the check digit", f"{length - 1} or {length} digits"
    count = len(written.characters)
    if formats and count in formats:
        holds, fits = f"{holds}; {formats[count]} takes {count}", f"{fits}, or {formats[count]} as the format"
    written.require_length((length - 1, length), holds, fits)
