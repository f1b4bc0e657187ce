"""The Global Trade Item Number: which digit strings are one, and how two of them are compared.

GTIN-8, -12 (UPC-A), -13 (EAN-13) and -14 are one number space: padded with zeros to 14 digits, they name
the same trade item exactly when they are equal (GS1 General Specifications, section 3, AI (01)). Leading
zeros never change the check digit, whose weights 3, 1, 3, … count from the right (clause 7.9), so padding
is always safe.

Rule: only the ASCII digits 0-9 count. Zeros alone have a valid check digit, but are not a GTIN.
"""

GTIN14_DIGITS = 14
GTIN_LENGTHS = frozenset({8, 12, 13, GTIN14_DIGITS})
GTIN_AI = "(01)"
"""Its application identifier, as people write it before the 14 digits."""
_ZERO = ord("0")


def check_digit(body: str) -> str:
    """Return the check digit of `body`, by weights 3, 1, 3, … from the right (GS1 General Specifications 7.9).

    Raises ValueError unless the body is one or more ASCII digits.
    """
    if not is_digits(body):
        raise ValueError(f"a check digit is computed over the digits 0-9, not over {body!r}")
    return str(-_weighted(f"{body}0") % 10)


def with_check_digit(body: str) -> str:
    """Return ASCII digits and their check digit."""
    return body + check_digit(body)


def has_valid_check_digit(digits: str) -> bool:
    """Return whether the last of two or more ASCII digits is the check digit of those before it."""
    return len(digits) > 1 and is_digits(digits) and _weighted(digits) % 10 == 0


def _weighted(digits: str) -> int:
    """Return the sum of the digits by weights 1, 3, 1, … from the right, beginning with the check digit."""
    values = digits.encode()
    single, tripled = values[::-2], values[-2::-2]
    return sum(single) - _ZERO * len(single) + 3 * (sum(tripled) - _ZERO * len(tripled))


def is_digits(text: str) -> bool:
    """Return whether the text is one or more of the ASCII digits 0-9."""
    return text.isascii() and text.isdigit()


def gtin14(code: str) -> str | None:
    """Return the 14-digit form of a GTIN of 8, 12, 13 or 14 digits, None if the code is not a GTIN."""
    is_gtin = len(code) in GTIN_LENGTHS and has_valid_check_digit(code) and code.strip("0")
    return code.zfill(GTIN14_DIGITS) if is_gtin else None
