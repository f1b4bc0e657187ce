"""GS1 element strings as they arrive from scanners and keyboards: whole, damaged or cut.

A wedge scanner cannot type 0x1D and sends a placeholder for it, or nothing. A lost separator merges a batch number with
the next element, and the end may be cut off; but the elements before the damage are still valid, each with its length
and check digit. So reading stops at the first bad element and keeps those before it.

`<GS>` is also valid text in a batch number. Reading it as a separator can shorten that text, but never changes the
GTIN. `elements_as_sent` reads it as text.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from barcodesvc.gs1.application_identifiers import CHECKED_AIS, DATE_AIS
from barcodesvc.gs1.element_strings import (
    FNC1,
    Element,
    Gs1Error,
    iter_bracketed,
    iter_element_string,
    parse_element_string,
)
from barcodesvc.numbers.words import with_plain_separators

_TYPED_SEPARATOR = re.compile(
    r"\{(?:GS|FNC1)\}|<(?:GS|FNC1)>|\[(?:GS|FNC1)\]|\\x1d|\\u001d|\^\]|\||\u241d", re.IGNORECASE
)


class ElementString(NamedTuple):
    """The elements of a text up to the first invalid one; `is_whole` if all are valid."""

    elements: tuple[Element, ...]
    is_whole: bool

    @property
    def is_evident(self) -> bool:
        """Whether the text can hardly be anything else: it is whole, and has a check digit, or a date and more."""
        ais = {element.ai for element in self.elements}
        return self.is_whole and not (ais.isdisjoint(CHECKED_AIS) and (len(ais) == 1 or ais.isdisjoint(DATE_AIS)))


NO_ELEMENTS = ElementString((), is_whole=False)


def read_element_string(text: str) -> ElementString:
    """Return the elements of a raw or bracketed element string up to the first invalid one."""
    read: list[Element] = []
    try:
        for element in _elements(text):
            read.append(element)  # noqa: PERF402 - those before an error are kept
    except Gs1Error:
        return ElementString(tuple(read), is_whole=False)
    return ElementString(tuple(read), is_whole=True)


def elements_as_sent(text: str) -> tuple[Element, ...]:
    """Return the elements of a text whose apparent separators are text; none if it has no such separators."""
    if "<" not in text or not _TYPED_SEPARATOR.search(text):
        return ()
    with suppress(Gs1Error):
        return parse_element_string(text)
    return ()


def _elements(text: str) -> Iterator[Element]:
    if text.startswith("("):
        return iter_bracketed(
            with_plain_separators(text).replace(" ", "")
        )  # people group digits; no value contains a space
    return iter_element_string(text if text.isalnum() else _TYPED_SEPARATOR.sub(FNC1, text))
