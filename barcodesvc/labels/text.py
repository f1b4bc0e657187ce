"""Text in Helvetica, one of the 14 fonts that every PDF reader brings along (ISO 32000-1 9.6.2.2).

The font is not embedded, so that a sheet stays small, and its encoding is WinAnsi (Windows code page 1252):
Western European text. Lengths are in the unit of the given size; widths are those of Adobe's font metrics
for Helvetica.

Rule: one description must not spoil a run of labels. A letter that the font lacks is printed without its accent, or
as a question mark; a text that does not fit is wrapped, then made smaller, then cut with an ellipsis, in that order.
A product code, which is ASCII, is never changed and never cut.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from unicodedata import normalize

ASCENT = 0.74
"""How far ASCII reaches above the baseline, in parts of the size."""
ACCENTED_ASCENT = 0.94
"""How far capitals with accents do."""
DESCENT = 0.225
"""How far any character reaches below the baseline."""

_ELLIPSIS = "…".encode("cp1252")
_FIRST_PRINTABLE = 0x20
_DELETE = 0x7F
_SPACE = 0x20
_MOST_CODE_LINES = 3
_ESCAPED = {byte: b"\\" + bytes([byte]) for byte in b"()\\"}

# fmt: off
_WIDTHS = (0,) * 32 + (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, 0,
    556, 0, 222, 556, 333, 1000, 556, 556, 333, 1000, 667, 333, 1000, 0, 611, 0,
    0, 222, 222, 333, 333, 350, 556, 1000, 333, 1000, 500, 333, 944, 0, 500, 667,
    278, 333, 556, 556, 556, 556, 260, 556, 333, 737, 370, 556, 584, 333, 737, 333,
    400, 584, 333, 333, 333, 556, 537, 278, 333, 333, 365, 556, 834, 834, 834, 611,
    667, 667, 667, 667, 667, 667, 1000, 722, 667, 667, 667, 667, 278, 278, 278, 278,
    722, 722, 778, 778, 778, 778, 778, 584, 778, 722, 722, 722, 722, 667, 667, 611,
    556, 556, 556, 556, 556, 556, 889, 500, 556, 556, 556, 556, 278, 278, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 584, 611, 556, 556, 556, 556, 500, 556, 500,
)
# fmt: on


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines of encoded text and the one size in which they are set."""

    lines: tuple[bytes, ...]
    size: float


def encode(text: str) -> bytes:
    """Return the text in the font's encoding, a letter and its combining accent as one character.

    What the font lacks becomes the letter without its accent, or `?`.
    """
    composed = normalize("NFC", text)
    return composed.encode() if composed.isascii() and composed.isprintable() else b"".join(map(_encoded, composed))


def width(text: bytes) -> float:
    """Return the width of encoded text in parts of its size."""
    return sum(map(_WIDTHS.__getitem__, text)) / 1000


def literal(text: bytes) -> bytes:
    """Return encoded text as a PDF string (ISO 32000-1 7.3.4.2)."""
    if not any(byte in text for byte in _ESCAPED):
        return b"(%b)" % text
    return b"(%b)" % b"".join(_ESCAPED.get(byte, bytes([byte])) for byte in text)


def fit_words(text: bytes, room: float, size: float, least: float, most_lines: int) -> Paragraph:
    """Set text in one line, or two of similar length, not wider than `room`; below `least` it is cut instead.

    `room` must hold the ellipsis at the least size.
    """
    settings = [(text,), *_halves(text)][:most_lines]
    for lines in settings:
        if _widest(lines) * size <= room:
            return Paragraph(lines, size)
    fitting = room / _widest(settings[-1])
    if fitting >= least:
        return Paragraph(settings[-1], fitting)
    return Paragraph(_cut(text, room / least, most_lines), least)


def fit_code(code: bytes, room: float, size: float, least: float) -> Paragraph | None:
    """Set a product code in the fewest lines, up to three; None where it does not fit."""
    for count in range(1, _MOST_CODE_LINES + 1):
        lines = _pieces(code, count)
        fitting = min(size, room / _widest(lines))
        if fitting >= least:
            return Paragraph(lines, fitting)
    return None


def least_code_room(code: bytes, least: float) -> float:
    """Return the room that `fit_code` needs for a code at its least size."""
    return _widest(_pieces(code, _MOST_CODE_LINES)) * least


def _encoded(character: str) -> bytes:
    for form in (character, normalize("NFKD", character)):
        encoded = form.encode("cp1252", "ignore")
        if encoded and encoded[0] >= _FIRST_PRINTABLE and encoded[0] != _DELETE:
            return encoded
    return b"?"


def _widest(lines: tuple[bytes, ...]) -> float:
    return max(map(width, lines))


def _pieces(code: bytes, count: int) -> tuple[bytes, ...]:
    length = -(-len(code) // count)
    return tuple(code[start : start + length] for start in range(0, len(code), length))


def _halves(text: bytes) -> list[tuple[bytes, ...]]:
    """Return the text broken where both halves are most alike, or nothing where it has no space."""
    whole = width(text)
    used, best, at = 0.0, whole, 0
    for place, byte in enumerate(text):
        if byte == _SPACE and max(used, whole - used) < best:
            best, at = max(used, whole - used), place
        used += _WIDTHS[byte] / 1000
    return [(text[:at].rstrip(), text[at:].lstrip())] if at else []


def _cut(text: bytes, room: float, most_lines: int) -> tuple[bytes, ...]:
    if most_lines == 1:
        return (_shortened(text, room),)
    first = _filled(text, room)
    return first, _shortened(text[len(first) :].strip(), room)


def _filled(text: bytes, room: float) -> bytes:
    whole = _fitting(text, room)
    words, space, _ = text[: whole + 1].rpartition(b" ")
    return words if space and words else text[:whole]


def _shortened(text: bytes, room: float) -> bytes:
    if width(text) <= room:
        return text
    return text[: _fitting(text, room - width(_ELLIPSIS))].rstrip() + _ELLIPSIS


def _fitting(text: bytes, room: float) -> int:
    return bisect_right(list(accumulate(_WIDTHS[byte] for byte in text)), room * 1000)
