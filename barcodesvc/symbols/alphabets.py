"""The alphabets of symbologies, for encoders and, in words, for people (`…_FITS`).

A refusal names the first character outside the alphabet, and its position.
"""

from barcodesvc.errors import InvalidContent

PRINTABLE_ASCII = "".join(map(chr, range(32, 127)))
PRINTABLE_ASCII_FITS = "printable ASCII"
SET_A = PRINTABLE_ASCII[: PRINTABLE_ASCII.index("`")]
SET_A_FITS = "printable ASCII from space to _, without small letters"
DIGITS = "0123456789"
PAIRS_FIT = "an even number of digits 0-9"
CODE39_FITS = "A-Z, 0-9, space and - . $ / + %"
CODABAR = "0123456789-$:/.+"
CODABAR_FITS = "0-9 and - $ : / . +, between two letters A-D, which are A and A if not given"
PHARMACODE_FITS = "a number from 3 to 131070 without leading zeros"


def require_alphabet(name: str, content: str, alphabet: str, fits: str, offset: int = 0) -> None:
    """Raise InvalidContent if there is no content, or not all of it is in the alphabet, which `fits` describes.

    Positions count from 1 in the requested content, of which `offset` characters precede `content`.
    """
    if not content:
        raise nothing_to_encode(name, fits, offset + 1)
    for position, character in enumerate(content, start=1 + offset):
        if character not in alphabet:
            raise InvalidContent(
                f"{name}: character {character!r} at position {position} is not in its alphabet ({fits})",
                rule="alphabet",
                position=position,
                fits=fits,
            )


def require_pairs(name: str, content: str) -> None:
    """Raise InvalidContent unless the content is an even number of digits above zero."""
    require_alphabet(name, content, DIGITS, PAIRS_FIT)
    if len(content) % 2:
        position = len(content) + 1
        raise InvalidContent(
            f"{name}: {len(content)} digits, the next is missing at position {position}; digits are encoded in pairs",
            rule="length",
            position=position,
            fits=PAIRS_FIT,
        )


def nothing_to_encode(name: str, fits: str, position: int = 1) -> InvalidContent:
    """Return the refusal of empty content; `position` is that of its missing first character."""
    return InvalidContent(
        f"{name}: there is nothing to encode at position {position}", rule="length", position=position, fits=fits
    )
