"""GS1 element strings: a chain of application identifiers (AIs) and their values.

Two spellings of the same elements:

    (01)04012345678901(10)ABC(21)7      bracketed, as people read and type it
    010401234567890110ABC<FNC1>217      raw, as a symbol carries it; scanners send FNC1 as the character 0x1D

In the raw form an element ends where its AI's predefined length ends, otherwise at the next separator. The
first two digits of an AI alone tell whether its length is predefined (GS1 General Specifications 7.8.5).

Formats are those of the GS1 Barcode Syntax Dictionary: N digits, X character set 82, Y set 39, Z set 64;
`N14` exactly 14, `X..20` 1 to 20, `[…]` optional, `#` a component that closes with a check digit. AIs are
written as ranges; `[0-5]` behind a range stands for one more digit.

Rule: an element out of a parser is valid in AI, length, characters and check digit. Dates, currencies, check
letters (8013, 8014) and which AIs belong together are not judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from string import ascii_letters, ascii_uppercase, digits
from typing import NamedTuple

from barcodesvc.gtin import check_digit

FNC1 = "\x1d"

_FORMAT_BY_AIS = {
    "00": "N18#",
    "01-03": "N14#",
    "10": "X..20",
    "11-13 15-17": "N6",
    "20": "N2",
    "21-22": "X..20",
    "235": "X..28",
    "240-241": "X..30",
    "242": "N..6",
    "243": "X..20",
    "250-251": "X..30",
    "253": "N13# [X..17]",
    "254": "X..20",
    "255": "N13# [N..12]",
    "30": "N..8",
    "310-316[0-5] 320-337[0-5] 340-357[0-5] 360-369[0-5]": "N6",
    "37": "N..8",
    "390[0-9] 392[0-9]": "N..15",
    "391[0-9] 393[0-9]": "N3 N..15",
    "394[0-3]": "N4",
    "395[0-5]": "N6",
    "400-401 403": "X..30",
    "402": "N17#",
    "410-417": "N13#",
    "420": "X..20",
    "421": "N3 X..9",
    "422 424 426": "N3",
    "423 425": "N3 [N3] [N3] [N3] [N3]",
    "427": "X..3",
    "4300-4301 4310-4311 4320": "X..35",
    "4302-4306 4312-4316": "X..70",
    "4307 4317": "X2",
    "4308 4319": "X..30",
    "4309": "N20",
    "4318": "X..20",
    "4321-4323": "N1",
    "4324-4325": "N10",
    "4326": "N6",
    "4330-4333": "N6 [X1]",
    "7001": "N13",
    "7002": "X..30",
    "7003": "N10",
    "7004": "N..4",
    "7005": "X..12",
    "7006": "N6",
    "7007": "N6 [N6]",
    "7008": "X..3",
    "7009": "X..10",
    "7010": "X..2",
    "7011": "N6 [N4]",
    "7020-7022": "X..20",
    "7023": "X..30",
    "7030-7039": "N3 X..27",
    "7040": "N1 X3",
    "7041": "X..4",
    "710-717": "X..20",
    "7230-7239": "X2 X..28",
    "7240": "X..20",
    "7241": "N2",
    "7242": "X..25",
    "7250": "N8",
    "7251": "N12",
    "7252": "N1",
    "7253-7254 7259": "X..40",
    "7255": "X..10",
    "7256": "X..90",
    "7257": "X..70",
    "7258": "X3",
    "8001": "N14",
    "8002": "X..20",
    "8003": "N14# [X..16]",
    "8004": "X..30",
    "8005": "N6",
    "8006 8026": "N14# N4",
    "8007": "X..34",
    "8008": "N8 [N2] [N2]",
    "8009": "X..50",
    "8010": "Y..30",
    "8011": "N..12",
    "8012": "X..20",
    "8013-8014 8020": "X..25",
    "8017-8018": "N18#",
    "8019": "N..10",
    "8030": "Z..90",
    "8040-8041": "N15",
    "8042": "N32",
    "8043": "N18 [N..2]",
    "8110 8112": "X..70",
    "8111": "N4",
    "8200": "X..70",
    "90": "X..30",
    "91-99": "X..90",
}

_PREDEFINED_PREFIXES = frozenset(f"{n:02}" for n in (*range(5), *range(11, 21), *range(31, 37), 41))

_CHARACTERS = {
    "N": frozenset(digits),
    "X": frozenset(ascii_letters + digits + "!\"%&'()*+,-./:;<=>?_"),
    "Y": frozenset(ascii_uppercase + digits + "#-/"),
    "Z": frozenset(ascii_letters + digits + "-_="),
}
_CHARACTERS_IN_WORDS = {
    "N": "digits",
    "X": "letters A-Z a-z, digits and !\"%&'()*+,-./:;<=>?_",
    "Y": "letters A-Z, digits and # - /",
    "Z": "letters A-Z a-z, digits and - _ =",
}


class Gs1Error(ValueError):
    """The text is not a GS1 element string; `position` is where it fails, counted in characters from 1."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


class Element(NamedTuple):
    """One application identifier, without brackets, and its value."""

    ai: str
    value: str


@dataclass(frozen=True, slots=True)
class _Format:
    """What an AI's value looks like.

    charsets: the character set of each position; uniform: the characters where all positions take the same ones;
    lengths: those allowed; checked: index of the check digit.
    """

    charsets: str
    uniform: frozenset[str] | None
    lengths: frozenset[int]
    checked: int | None


def parse_bracketed(text: str) -> tuple[Element, ...]:
    """Read elements written as `(01)04012345678901(10)ABC`; spaces around values are ignored.

    A bracket inside a value belongs to the value unless it encloses two to four digits. Raises Gs1Error.
    """
    return tuple(iter_bracketed(text))


def parse_element_string(text: str) -> tuple[Element, ...]:
    r"""Read elements as a symbol carries them, `0104012345678901\x1d10ABC`, with "\x1d" for FNC1.

    Separators in front, behind, doubled or after a predefined length are ignored. Raises Gs1Error.
    """
    return tuple(iter_element_string(text))


def to_element_string(elements: Iterable[Element]) -> str:
    r"""Write valid elements as a symbol carries them, without symbology identifier or FNC1 in first position.

    "\x1d" stands exactly where an element without predefined length is followed by another one
    (GS1 General Specifications 7.8.4).
    """
    return "".join(
        element.ai + element.value + ("" if _is_predefined(element.ai) else FNC1) for element in elements
    ).removesuffix(FNC1)


def checked_element(ai: str, value: str) -> Element:
    """Return the element of an AI and its value; raises Gs1Error if there is no such AI or it takes no such value."""
    return _valid_element(ai, value, 0, 0)


def iter_bracketed(text: str) -> Iterator[Element]:
    """Yield what `parse_bracketed` returns, raising Gs1Error only on reaching the first bad element."""
    marks = list(re.finditer(r"\(([0-9]{2,4})\)", text))
    if not marks or text[: marks[0].start()].strip(" "):
        raise Gs1Error("bracketed element strings start with an application identifier such as (01)", 1)
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    for mark, end in zip(marks, ends, strict=True):
        value = text[mark.end() : end]
        start = end - len(value.lstrip(" "))
        yield _valid_element(mark[1], value.strip(" "), mark.start(1), start)


def iter_element_string(text: str) -> Iterator[Element]:
    """Yield what `parse_element_string` returns, raising Gs1Error only on reaching the first bad element."""
    position = _skip_separators(text, 0)
    if position == len(text):
        raise Gs1Error("an element string holds at least one application identifier and its value", 1)
    while position < len(text):
        ai = _leading_ai(text, position)
        start = position + len(ai)
        end = _value_end(text, ai, start)
        yield _valid_element(ai, text[start:end], position, start)
        position = _skip_separators(text, end)


def _skip_separators(text: str, position: int) -> int:
    while text.startswith(FNC1, position):
        position += 1
    return position


def _leading_ai(text: str, position: int) -> str:
    for length in (2, 3, 4):
        ai = text[position : position + length]
        if ai in _FORMATS:
            return ai
    raise Gs1Error(f"no application identifier begins with {text[position : position + 4]!r}", position + 1)


def _value_end(text: str, ai: str, start: int) -> int:
    limit = start + max(_FORMATS[ai].lengths) if _is_predefined(ai) else len(text)
    separator = text.find(FNC1, start, limit)
    return min(limit, len(text)) if separator < 0 else separator


def _is_predefined(ai: str) -> bool:
    return ai[:2] in _PREDEFINED_PREFIXES


def _valid_element(ai: str, value: str, ai_start: int, start: int) -> Element:
    known = _FORMATS.get(ai)
    if known is None:
        raise Gs1Error(f"({ai}) is not a GS1 application identifier", ai_start + 1)
    if known.uniform is None or not known.uniform.issuperset(value):
        _require_characters(ai, value, known, start)
    if len(value) not in known.lengths:
        raise Gs1Error(f"({ai}) takes {_told(known.lengths)} characters, not {len(value)}", start + 1)
    _require_check_digit(ai, value, known, start)
    return Element(ai, value)


def _require_characters(ai: str, value: str, known: _Format, start: int) -> None:
    for index, (charset, character) in enumerate(zip(known.charsets, value, strict=False)):
        if character not in _CHARACTERS[charset]:
            message = f"({ai}) takes {_CHARACTERS_IN_WORDS[charset]} here, not {character!r}"
            raise Gs1Error(message, start + index + 1)


def _require_check_digit(ai: str, value: str, known: _Format, start: int) -> None:
    if known.checked is None:
        return
    expected = check_digit(value[: known.checked])
    if value[known.checked] != expected:
        message = f"({ai}) has check digit {value[known.checked]} where {expected} closes it"
        raise Gs1Error(message, start + known.checked + 1)


def _told(lengths: frozenset[int]) -> str:
    least, most = min(lengths), max(lengths)
    if least == most:
        return str(least)
    if len(lengths) == most - least + 1:
        return f"{least} to {most}"
    return " or ".join(map(str, sorted(lengths)))


def _expanded_ais(ais: str) -> Iterator[str]:
    for first, last, digit in re.findall(r"(\d+)(?:-(\d+))?(?:\[0-(\d)\])?", ais):
        for number in range(int(first), int(last or first) + 1):
            stem = str(number).zfill(len(first))
            yield from (f"{stem}{n}" for n in range(int(digit) + 1)) if digit else (stem,)


def _compiled(layout: str) -> _Format:
    charsets, lengths, checked = "", {0}, None
    for optional, charset, up_to, size, check in re.findall(r"(\[?)([NXYZ])(\.\.)?(\d+)(#?)", layout):
        most = int(size)
        choices = {*(range(1, most + 1) if up_to else (most,)), *((0,) if optional else ())}
        charsets += charset * most
        lengths = {length + choice for length in lengths for choice in choices}
        checked = len(charsets) - 1 if check else checked
    uniform = _CHARACTERS[charsets[0]] if len(set(charsets)) == 1 else None
    return _Format(charsets, uniform, frozenset(lengths), checked)


_FORMATS = {ai: _compiled(layout) for ais, layout in _FORMAT_BY_AIS.items() for ai in _expanded_ais(ais)}
