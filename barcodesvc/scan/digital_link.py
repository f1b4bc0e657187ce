"""GS1 Digital Link: a web address that carries a GTIN in its path, and may carry more elements behind it.

    https://example.com/any/prefix/01/03178040638617/10/L2307A?17=271231#part

Any host, port and path prefix may stand in front (GS1 Digital Link Standard, URI Syntax), even a prefix
that looks like an AI; so the last pair of segments that is a key and a GTIN counts. Behind it stand qualifiers of the
trade item, in the query attributes; what is no valid element there is somebody else's and is left out. Deprecated
spellings still stand on packs: `/gtin/` for `/01/`, `/lot/` for `/10/`, and a GTIN of 8, 12 or 13 digits without its
zeros in front.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import unquote

from barcodesvc.gs1 import Element, Gs1Error, checked_element
from barcodesvc.gtin import gtin14

_WEB_ADDRESS = re.compile(r"https?://[^/?#]+/([^?#]*)(?:\?([^#]*))?", re.IGNORECASE)
_GTIN_KEYS = frozenset({"01", "gtin"})
_QUALIFIERS = {"22": "22", "10": "10", "21": "21", "235": "235", "cpv": "22", "lot": "10", "ser": "21"}
_MOST_ATTRIBUTES = 100


def elements_of_link(text: str) -> tuple[Element, ...]:
    """Return the elements of a Digital Link, its GTIN-14 first; none if the text is no such link."""
    address = _WEB_ADDRESS.match(text)
    if address is None:
        return ()
    segments = [unquote(segment) for segment in address[1].split("/")]
    for place in range(len(segments) - 2, -1, -1):
        gtin = gtin14(segments[place + 1]) if segments[place].lower() in _GTIN_KEYS else None
        if gtin is not None:
            qualifiers = _qualifiers(segments[place + 2 :])
            return (Element("01", gtin), *qualifiers, *_attributes(address[2] or ""))
    return ()


def _qualifiers(segments: list[str]) -> Iterator[Element]:
    for key, value in zip(segments[::2], segments[1::2], strict=False):
        ai = _QUALIFIERS.get(key.lower())
        if ai is None:
            return
        yield from _valid(ai, value)


def _attributes(query: str) -> Iterator[Element]:
    if not query:
        return
    for attribute in re.split("[&;]", query, maxsplit=_MOST_ATTRIBUTES)[:_MOST_ATTRIBUTES]:
        key, _, value = attribute.partition("=")
        if key != "01":
            yield from _valid(unquote(key), unquote(value))


def _valid(ai: str, value: str) -> Iterator[Element]:
    with suppress(Gs1Error):
        yield checked_element(ai, value)
