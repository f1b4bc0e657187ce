"""GS1 element strings: a chain of application identifiers (AIs) and their values.

Two spellings of the same elements:

    (01)04012345678901(10)ABC(21)7      bracketed, as people read and type it
    010401234567890110ABC<FNC1>217      raw, as a symbol carries it; scanners send FNC1 as the character 0x1D

In the raw form an element ends where its AI's predefined length ends, otherwise at the next separator. The
first two digits of an AI alone decide whether its length is predefined (GS1 General Specifications 7.8.5).

Rule: the AI, length, characters and check digit of a parsed element are valid. Any other fault leaves its neighbours
readable, and is checked only before printing.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from barcodesvc.gs1.application_identifiers import CHARACTERS, CHARACTERS_IN_WORDS, FORMATS, Format, is_predefined
from barcodesvc.gs1.gtin import check_digit, is_digits

FNC1 = "\x1d"
GS1_IDENTIFIERS = frozenset({"C1", "Q3", "Q4", "d2", "d5", "e0", "J1", "z1", "z4"})
"""The symbology identifiers that announce an element string, without their `]` (ISO/IEC 15424)."""


class Gs1Error(ValueError):
    """The text is not a GS1 element string; `position` is that of the first fault, in characters from 1."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position


class Element(NamedTuple):
    """One application identifier, without brackets, and its value."""

    ai: str
    value: str


def parse_bracketed(text: str) -> tuple[Element, ...]:
    """Read elements written as `(01)04012345678901(10)ABC`; spaces around values are ignored.

    So are spaces between digits, as in `(01) 0401 2345 678901`, under an AI that takes nothing else. A bracket inside a
    value belongs to the value unless it encloses two to four digits. Raises Gs1Error.
    """
    return tuple(iter_bracketed(text))


def parse_element_string(text: str) -> tuple[Element, ...]:
    r"""Read elements as a symbol carries them, `0104012345678901\x1d10ABC`, with "\x1d" for FNC1.

    Separators at the beginning and end, doubled ones, and those after a predefined length are ignored. Raises Gs1Error.
    """
    return tuple(iter_element_string(text))


def to_element_string(elements: Iterable[Element]) -> str:
    r"""Write valid elements as a symbol carries them, without symbology identifier or FNC1 in first position.

    "\x1d" follows each element without predefined length but the last one (GS1 General Specifications 7.8.4).
    """
    return "".join(
        element.ai + element.value + ("" if is_predefined(element.ai) else FNC1) for element in elements
    ).removesuffix(FNC1)


def to_bracketed(elements: Iterable[Element]) -> str:
    """Write elements as people read them, with their identifiers in brackets (GS1 General Specifications 4.14)."""
    return "".join(f"({element.ai}){element.value}" for element in elements)


def checked_element(ai: str, value: str) -> Element:
    """Return the element of an AI and its value; raises Gs1Error if the AI is unknown or its value is invalid."""
    return _valid_element(ai, value, 0, 0)


def iter_bracketed(text: str) -> Iterator[Element]:
    """Yield the elements as `parse_bracketed` reads them; raises Gs1Error only on reaching the first bad element."""
    marks = list(re.finditer(r"\(([0-9]{2,4})\)", text))
    if not marks or text[: marks[0].start()].strip(" "):
        raise Gs1Error("bracketed element strings start with an application identifier such as (01)", 1)
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    for mark, end in zip(marks, ends, strict=True):
        value = text[mark.end() : end]
        start = end - len(value.lstrip(" "))
        yield _grouped_element(mark[1], value.strip(" "), mark.start(1), start)


def iter_element_string(text: str) -> Iterator[Element]:
    """Yield the elements as `parse_element_string` reads them; raises Gs1Error only on reaching the first bad one."""
    position = _skip_separators(text, 0)
    if position == len(text):
        raise Gs1Error("an element string contains at least one application identifier and its value", 1)
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
        if ai in FORMATS:
            return ai
    raise Gs1Error(f"no application identifier begins with {text[position : position + 4]!r}", position + 1)


def _value_end(text: str, ai: str, start: int) -> int:
    limit = start + max(FORMATS[ai].lengths) if is_predefined(ai) else len(text)
    separator = text.find(FNC1, start, limit)
    return min(limit, len(text)) if separator < 0 else separator


def _valid_element(ai: str, value: str, ai_start: int, start: int) -> Element:
    known = FORMATS.get(ai)
    if known is None:
        raise Gs1Error(f"({ai}) is not a GS1 application identifier", ai_start + 1)
    if known.uniform is None or not known.uniform.issuperset(value):
        _require_characters(ai, value, known, start)
    if len(value) not in known.lengths:
        raise Gs1Error(f"({ai}) takes {_in_words(known.lengths)} characters, not {len(value)}", start + 1)
    _require_check_digit(ai, value, known, start)
    return Element(ai, value)


def _grouped_element(ai: str, value: str, ai_start: int, start: int) -> Element:
    """Return the element of a value whose digits may be in groups."""
    known, digits = FORMATS.get(ai), value.replace(" ", "")
    if digits == value or known is None or known.uniform != CHARACTERS["N"] or not is_digits(digits):
        return _valid_element(ai, value, ai_start, start)
    try:
        return _valid_element(ai, digits, ai_start, start)
    except Gs1Error as error:
        places = [place for place, character in enumerate(value) if character != " "]
        index = max(error.position - 1 - start, 0)
        raise Gs1Error(str(error), start + 1 + places[min(index, len(places) - 1)]) from None


def _require_characters(ai: str, value: str, known: Format, start: int) -> None:
    for index, (charset, character) in enumerate(zip(known.charsets, value, strict=False)):
        if character not in CHARACTERS[charset]:
            message = f"({ai}) takes {CHARACTERS_IN_WORDS[charset]} here, not {character!r}"
            raise Gs1Error(message, start + index + 1)


def _require_check_digit(ai: str, value: str, known: Format, start: int) -> None:
    if known.checked is None:
        return
    expected = check_digit(value[: known.checked])
    if value[known.checked] != expected:
        message = f"({ai}) has the check digit {value[known.checked]} instead of {expected}"
        raise Gs1Error(message, start + known.checked + 1)


def _in_words(lengths: frozenset[int]) -> str:
    least, most = min(lengths), max(lengths)
    if least == most:
        return str(least)
    if len(lengths) == most - least + 1:
        return f"{least} to {most}"
    return " or ".join(map(str, sorted(lengths)))
