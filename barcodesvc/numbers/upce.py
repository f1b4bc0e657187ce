"""UPC-E numbers: zero suppression, which leaves out four or five zeros of a UPC-A (ISO/IEC 15420 table 5).

The last of the six digits says where the zeros were. A UPC-A has exactly one such number, or none: the first of the
four suppressions that keep all its digits. A later one identifies the same article, but must not be printed (notes 1 to
3 of that table). Number system 1 is not in the standard, but printers and readers support it.
"""

from itertools import takewhile

from barcodesvc.errors import InvalidContent
from barcodesvc.gs1.gtin import check_digit, gtin14, is_digits
from barcodesvc.numbers.check_digits import WrittenNumber, completed_gtin, verified

_NAME = "UPCE"
_NUMBER_SYSTEMS = "01"
UPCE_LENGTHS = (6, 7, 8, 11, 12)
"""Digits of a UPC-E without number system, without check digit or whole, and of the UPC-A that it stands for."""
_FITS = "6, 7 or 8 digits, or the 11 or 12 of a UPC-A"
_UPCA_LENGTHS = (11, 12)
_SIX = 6


def gtin_of_upce(number: str) -> str | None:
    """Return the GTIN-14 of a number system and six digits, with or without check digit; None if one is invalid."""
    if number[0] not in _NUMBER_SYSTEMS:
        return None
    upca = expanded(number[:7])
    return gtin14(upca + (number[7:] or check_digit(upca)))


def gtins_of_upce(text: str) -> tuple[str, ...]:
    """Return the GTIN-14s of UPC-E digits, none for other texts.

    There are eight digits, with number system and check digit; seven, without one of them; or six.
    """
    if not is_digits(text) or not _SIX <= len(text) <= _SIX + 2:
        return ()
    wholes = {_SIX: (f"0{text}",), _SIX + 1: (text, f"0{text}"), _SIX + 2: (text,)}[len(text)]
    return tuple(gtin for gtin in map(gtin_of_upce, wholes) if gtin)


def upces_of_gtin(gtin: str) -> tuple[str, ...]:
    """Return the UPC-E of a GTIN-14, then without its check digit, then without the number system 0; none without."""
    number = suppressed(gtin[2:13]) if gtin.startswith(("000", "001")) else None
    if number is None:
        return ()
    return (number + gtin[13], number, number[1:])[: 3 if number.startswith("0") else 2]


def completed_upce(content: str) -> str:
    """Return number system, six digits and check digit.

    The content is six digits (of number system 0), seven with the number system, eight with the check digit, or a
    UPC-A.
    Raises InvalidContent for other characters, lengths and number systems, a wrong check digit, and a UPC-A whose zeros
    cannot be left out.
    """
    written = WrittenNumber(_NAME, content)
    written.require_digits()
    written.require_length(UPCE_LENGTHS, _FITS, _FITS)
    number = content.zfill(7)
    if number[0] not in _NUMBER_SYSTEMS:
        raise InvalidContent(
            f"{_NAME}: number system {number[0]} at position 1 is neither 0 nor 1",
            rule="number system",
            position=1,
            fits="0… or 1…",
        )
    return _suppressed_upca(content) if len(content) in _UPCA_LENGTHS else _canonical(written)


def _suppressed_upca(given: str) -> str:
    upca = completed_gtin(_NAME, given, 12)
    number = suppressed(upca[:11])
    if number is None:
        position = 1 + max(_common_length(upca, expanded(number)) for number in _suppressions(upca))
        raise InvalidContent(
            f"{_NAME}: digit {given[position - 1]} at position {position} of {given} is where UPC-E leaves out zeros",
            rule="zero suppression",
            position=position,
            fits="a UPC-A such as 012345000065, or UPCA as the format",
        )
    return number + upca[11]


def _canonical(written: WrittenNumber) -> str:
    number = written.content.zfill(7)
    upca = expanded(number[:7])
    canonical = suppressed(upca)
    if canonical != number[:7]:
        position = 1 + _common_length(number, str(canonical)) - (len(number) - len(written.content))
        raise InvalidContent(
            f"{_NAME}: {number[:7]} means {upca}, which is written {canonical} from position {position} on",
            rule="zero suppression",
            position=position,
            fits=str(canonical),
        )
    return verified(written, number[:7] + check_digit(upca))


def expanded(number: str) -> str:
    """Return the 11 digits of the UPC-A, without check digit, for a number system and six digits."""
    head, last = number[:6], number[6]
    if last in "012":
        return f"{head[:3]}{last}0000{head[3:]}"
    if last in "34":
        kept = int(last) + 1
        return f"{head[:kept]}00000{head[kept:]}"
    return f"{head}0000{last}"


def suppressed(upca: str) -> str | None:
    """Return number system and six digits for 11 digits of a UPC-A, or None if its zeros cannot be left out."""
    return next((number for number in _suppressions(upca) if expanded(number) == upca), None)


def _common_length(number: str, other: str) -> int:
    """Return the length of the common beginning of two numbers."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(number, other, strict=False)))


def _suppressions(upca: str) -> tuple[str, ...]:
    return (
        upca[:3] + upca[8:] + upca[3],
        upca[:4] + upca[9:] + "3",
        upca[:5] + upca[10:] + "4",
        upca[:6] + upca[10],
    )
