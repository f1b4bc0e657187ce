"""The Global Trade Item Number: which digit strings are one, and how two of them are compared.

GTIN-8, -12 (UPC-A), -13 (EAN-13) and -14 are one number space: padded with zeros to 14 digits, they name
the same trade item exactly when they are equal (GS1 General Specifications, section 3, AI (01)). Zeros in
front never change the check digit, whose weights 3, 1, 3, … count from the right (clause 7.9), so padding
is always safe.

Rule: only the ASCII digits 0-9 count. A code that is all zeros closes arithmetically, yet it is no GTIN.
"""

from __future__ import annotations

GTIN_LENGTHS = frozenset({8, 12, 13, 14})
_SHORTENED_LENGTHS = range(4, 12)
_ZERO = ord("0")


def check_digit(body: str) -> str:
    """Return the digit that closes `body` by weights 3, 1, 3, … from the right (GS1 GenSpecs 7.9).

    Raises ValueError unless the body is one or more ASCII digits.
    """
    if not is_digits(body):
        raise ValueError(f"a check digit is computed over the digits 0-9, not over {body!r}")
    digits = body.encode()
    tripled, single = digits[::-2], digits[-2::-2]
    return str(-(3 * (sum(tripled) - _ZERO * len(tripled)) + sum(single) - _ZERO * len(single)) % 10)


def is_closed(digits: str) -> bool:
    """Return whether the last of two or more ASCII digits is the check digit of those before it."""
    return len(digits) > 1 and is_digits(digits) and check_digit(digits[:-1]) == digits[-1]


def is_digits(text: str) -> bool:
    """Return whether the text is one or more of the ASCII digits 0-9."""
    return text.isascii() and text.isdigit()


def gtin14(code: str) -> str | None:
    """Return the 14-digit form of a GTIN of 8, 12, 13 or 14 digits, None if the code is not a GTIN."""
    return _padded(code) if len(code) in GTIN_LENGTHS else None


def gtin14_of_shortened(code: str) -> str | None:
    """Return the GTIN-14 whose zeros in front were lost, as spreadsheets lose them, or None.

    That is a code of 4 to 11 digits whose check digit closes, and which `gtin14` does not take already.
    """
    return _padded(code) if len(code) in _SHORTENED_LENGTHS and len(code) not in GTIN_LENGTHS else None


def _padded(code: str) -> str | None:
    return code.zfill(14) if is_closed(code) and code.strip("0") else None
