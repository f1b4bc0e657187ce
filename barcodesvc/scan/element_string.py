"""GS1 element strings as they arrive from scanners and keyboards: whole, mangled or cut.

A scanner that acts as a keyboard cannot type 0x1D and sends a picture of it, or nothing. A lost separator
merges a batch number with what follows, and an end may be cut off; but the elements in front of the damage
are still good, each with its own length and check digit. So reading stops at the first bad element and
keeps those before it.

`<GS>` is also legal text inside a batch number. Taking it for a separator can shorten that text, never
change the GTIN.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from barcodesvc.gs1 import FNC1, Element, Gs1Error, iter_bracketed, iter_element_string

_TYPED_SEPARATOR = re.compile(
    r"\{(?:GS|FNC1)\}|<(?:GS|FNC1)>|\[(?:GS|FNC1)\]|\\x1d|\\u001d|\^\]|\||\u241d", re.IGNORECASE
)


def readable_elements(text: str) -> tuple[Element, ...]:
    """Return the elements of a raw or bracketed element string up to the first one that breaks a rule."""
    return tuple(_until_damage(text))


def _until_damage(text: str) -> Iterator[Element]:
    with suppress(Gs1Error):
        if text.startswith("("):
            yield from iter_bracketed(text)
        else:
            yield from iter_element_string(text if text.isalnum() else _TYPED_SEPARATOR.sub(FNC1, text))
