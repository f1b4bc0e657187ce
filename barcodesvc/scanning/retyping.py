"""What a scanner has sent, if the computer has another keyboard layout.

A wedge scanner acts as a keyboard: it presses the keys of an American one. On a computer set to another layout, `112`
arrives as `&&é` (French), and `{"a"` as `ÜÄaÄ` (German); with Caps Lock on, letters arrive in the other case. A dead
key before a letter yields a letter with its accent, and before another character the accent and that character. A
scanner that is set to the layout may still lose Shift, which digits need on a French keyboard: `HA112` arrives as
`HA&&é`.

Rule: a text is only turned back by layouts that can type all of its ASCII characters. Several may fit.
"""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from string import ascii_letters

from barcodesvc.scanning.keyboard_layouts import AMERICAN, LAYOUTS
from barcodesvc.scanning.payload import with_case_inverted

MOST_READINGS = 48
_LONGEST = 1024
"""Characters; more than a payload with a long description has."""
PAYLOAD = '"product_code"'
"""A part of the service's QR payload; the rest may be in any script."""
_ASCII = frozenset(map(chr, range(0x21, 0x7F)))
_USUAL = ascii_letters + "0123456789-./ "
"""The characters of most codes."""
_MARKS = {
    "`": "\u0300",
    "\u00b4": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "\u00a8": "\u0308",
    "\u00b0": "\u030a",
    "\u02c7": "\u030c",
    "\u00b8": "\u0327",
    "\u02db": "\u0328",
}
"""The combining marks of the accents that dead keys have."""
_ACCENTED = {
    accent: {one: letter for letter in ascii_letters if len(one := unicodedata.normalize("NFC", letter + mark)) == 1}
    for accent, mark in _MARKS.items()
}
_AS_QUOTES = {"\u00b4": "'", "\u00a8": '"'}
"""Accents that some systems write as quotes."""


def retyped(text: str) -> list[str]:
    """Return the other texts that a scanner may have sent, at most 48, which differ in more than case.

    Digits alone stay as they are: a keyboard that types them for other keys types them for signs, which no scanner
    sends.
    """
    if not text or len(text) > _LONGEST or (text.isascii() and text.isdigit()):
        return []
    readings = {text.lower(): text}
    for reading in _readings(text):
        if reading.isascii() or PAYLOAD in reading.lower():
            readings.setdefault(reading.lower(), reading)
    return list(readings.values())[1 : 1 + MOST_READINGS]


def _readings(text: str) -> Iterator[str]:
    for typed in (text, with_case_inverted(text)):
        needed, characters = _ASCII.intersection(typed), list(map(ord, set(typed)))
        layouts = _usual_layouts() if needed.issubset(_USUAL) and typed.isascii() else _layouts()
        fitting = (meant for types, meant in layouts if needed <= types)
        different = {tuple(map(meant.get, characters)): meant for meant in fitting}
        yield from map(typed.translate, different.values())


@lru_cache(1)
def _layouts() -> list[tuple[frozenset[str], dict[int, str]]]:
    """Return for each layout the ASCII characters that it types, and what each of its characters may mean."""
    found: list[dict[str, str]] = []
    for layout in LAYOUTS.values():
        pressed = _pressed(layout)
        found += [pressed, _heard(pressed), _without_shift(layout)]
    return [(_ASCII.intersection(meant), str.maketrans(meant)) for meant in found if meant]


@lru_cache(1)
def _usual_layouts() -> list[tuple[frozenset[str], dict[int, str]]]:
    """Return the layouts that differ in the characters of most codes, which are a quarter of all."""
    characters = list(map(ord, _USUAL))
    return list({tuple(map(one[1].get, characters)): one for one in _layouts()}.values())


def _pressed(layout: str) -> dict[str, str]:
    """Return the American characters of the keys that are pressed for each character; without Shift come first."""
    pressed = dict(zip(reversed(layout), reversed(AMERICAN), strict=True))
    for accent, accented in _ACCENTED.items():
        if accent not in pressed:
            continue
        for composed, letter in accented.items():
            if letter in pressed:
                pressed.setdefault(composed, pressed[accent] + pressed[letter])
        if accent in _AS_QUOTES:
            pressed.setdefault(_AS_QUOTES[accent], pressed[accent])
    return pressed


def _heard(pressed: dict[str, str]) -> dict[str, str]:
    """Return the same for the web app, which hears dead keys as American ones; none if the layout has no accents."""
    accents = [pressed[accent] for accent in _MARKS if accent in pressed]
    return pressed | dict(zip(accents, accents, strict=True)) if accents else {}


def _without_shift(layout: str) -> dict[str, str]:
    """Return the characters of a layout whose digits need Shift, and the digits if Shift is lost; otherwise none."""
    plain, shifted = layout[: len(layout) // 2], layout[len(layout) // 2 :]
    digits = {one: other for one, other in zip(plain, shifted, strict=True) if other in "0123456789"}
    return dict(zip(layout, layout, strict=True)) | digits if digits else {}
