"""GS1 element strings as they arrive from scanners and keyboards: whole, mangled or cut.

A wedge scanner cannot type 0x1D and sends characters that stand for it, or nothing. A lost separator
merges a batch number with what follows, and an end may be cut off; but the elements in front of the damage
are still good, each with its own length and check digit. So reading stops at the first bad element and
keeps those before it.

`<GS>` is also legal text inside a batch number. Taking it for a separator can shorten that text, never
change the GTIN. `elements_as_sent` takes it for text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from barcodesvc.gs1 import FNC1, Element, Gs1Error, iter_bracketed, iter_element_string, parse_element_string

_TYPED_SEPARATOR = re.compile(
    r"\{(?:GS|FNC1)\}|<(?:GS|FNC1)>|\[(?:GS|FNC1)\]|\\x1d|\\u001d|\^\]|\||\u241d", re.IGNORECASE
)

_CLOSED = frozenset(
    {"00", "01", "02", "03", "253", "255", "402", "8003", "8006", "8017", "8018", "8026"}
    | {str(ai) for ai in range(410, 418)}
)
"""AIs whose values have a check digit."""
_DATES = frozenset({"11", "12", "13", "15", "16", "17"})


class ElementString(NamedTuple):
    """The elements of a text up to the first one that breaks a rule; `is_whole` where none does."""

    elements: tuple[Element, ...]
    is_whole: bool

    @property
    def is_evident(self) -> bool:
        """Return whether the text can hardly be anything else: it is whole, and closes, or has a date and more."""
        ais = {element.ai for element in self.elements}
        return self.is_whole and not (ais.isdisjoint(_CLOSED) and (len(ais) == 1 or ais.isdisjoint(_DATES)))


NO_ELEMENTS = ElementString((), is_whole=False)


def read_element_string(text: str) -> ElementString:
    """Return the elements of a raw or bracketed element string up to the first one that breaks a rule."""
    read: list[Element] = []
    try:
        for element in _elements(text):
            read.append(element)  # noqa: PERF402 - those before an error stay
    except Gs1Error:
        return ElementString(tuple(read), is_whole=False)
    return ElementString(tuple(read), is_whole=True)


def elements_as_sent(text: str) -> tuple[Element, ...]:
    """Return the elements of a text in which what looks like a typed separator is text; none where nothing does."""
    if "<" not in text or not _TYPED_SEPARATOR.search(text):
        return ()
    with suppress(Gs1Error):
        return parse_element_string(text)
    return ()


def _elements(text: str) -> Iterator[Element]:
    if text.startswith("("):
        return iter_bracketed(text)
    return iter_element_string(text if text.isalnum() else _TYPED_SEPARATOR.sub(FNC1, text))
