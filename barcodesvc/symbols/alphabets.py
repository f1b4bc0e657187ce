"""Which characters a symbology takes; a refusal names the first one that it does not, and its position."""

from __future__ import annotations

from barcodesvc.errors import InvalidContent

PRINTABLE_ASCII = "".join(map(chr, range(32, 127)))
DIGITS = "0123456789"
CODE39 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ -.$/+%"
CODE39_FITS = "A-Z, 0-9, space and - . $ / + %"


def require_alphabet(name: str, content: str, alphabet: str, fits: str, offset: int = 0) -> None:
    """Raise InvalidContent unless there is content and all of it is in the alphabet, which `fits` describes.

    Positions count from 1 in what was asked for; `offset` is how many characters stood before `content`.
    """
    if not content:
        raise InvalidContent(f"{name}: there is nothing to encode", rule="length", fits=fits)
    for position, character in enumerate(content, start=1 + offset):
        if character not in alphabet:
            raise InvalidContent(
                f"{name}: character {character!r} at position {position} is not in its alphabet ({fits})",
                rule="alphabet",
                position=position,
                fits=fits,
            )
