"""GS1 Digital Link: a web address whose path contains a key, usually a GTIN, and perhaps more elements.

    https://example.com/any/prefix/01/03178040638617/10/L2307A?17=271231#part

Any host, port and path prefix may come first (GS1 Digital Link Standard, URI Syntax), even a prefix that looks like an
AI; so the last pair of segments that is a key and a GTIN counts. The trade item's qualifiers may follow it in the path,
and attributes in the query; a query parameter that is not a valid element belongs to another application and is left
out. Packs still carry deprecated spellings: `/gtin/` for `/01/`, `/lot/` for `/10/`, and a GTIN of 8, 12 or 13
digits without its leading zeros, in the path or in the query.

The key may also identify a pallet (00), a returnable asset (8003, 8004) or something else; only the key's own
qualifiers may follow it. The query may contain the GTIN of the contents, or of the thing itself.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import unquote

from barcodesvc.gs1.element_strings import Element, Gs1Error, checked_element
from barcodesvc.gs1.gtin import gtin14

_WEB_ADDRESS = re.compile(r"https?://[^/?#]+/([^?#]*)(?:\?([^#]*))?", re.IGNORECASE)
_GTIN_KEYS = frozenset({"01", "gtin"})
QUALIFIERS_OF_GTIN = ("22", "10", "21", "235")
"""The elements that may follow a GTIN in the path, in this order (GS1 Digital Link Standard, URI Syntax 4.9)."""
_QUALIFIERS = {**{ai: ai for ai in QUALIFIERS_OF_GTIN}, "cpv": "22", "lot": "10", "ser": "21"}
_QUALIFIERS_OF_KEYS = {
    **dict.fromkeys(("00", "253", "255", "401", "402", "416", "8003", "8004", "8013"), frozenset[str]()),
    "8006": frozenset({"22", "10", "21"}),
    "8010": frozenset({"8011"}),
    "410": frozenset({"254"}),
    "411": frozenset({"254"}),
    "412": frozenset({"254"}),
    "413": frozenset({"254"}),
    "414": frozenset({"254", "7040"}),
    "415": frozenset({"8020"}),
    "417": frozenset({"7040"}),
    "8017": frozenset({"8019"}),
    "8018": frozenset({"8019"}),
}
"""The other primary keys, and their qualifiers (GS1 Digital Link Standard, URI Syntax 4.9)."""
_OPEN_KEYS = frozenset({"401", "8004", "8010", "8013"})
"""Keys of any length without a check digit; they begin with a company prefix of at least four digits."""
_COMPANY_PREFIX = re.compile("[0-9]{4}")
_MOST_BEHIND_KEY = 6
"""Segments: three qualifiers and their values."""
_GTINS = ("01", "02")
_MOST_ATTRIBUTES = 100


def elements_of_link(text: str) -> tuple[Element, ...]:
    """Return the elements of a Digital Link, first the key in its path; none if the text is not a Digital Link."""
    address = _WEB_ADDRESS.match(text)
    if address is None:
        return ()
    segments = [unquote(segment) for segment in address[1].split("/")]
    path = _trade_item(segments) or _other_key(segments)
    return (*path, *_attributes(address[2] or "", path[0].ai)) if path else ()


def gtins_of_link(elements: tuple[Element, ...]) -> tuple[str, ...]:
    """Return the GTIN-14s of a link: the one in its path, or those of trade item and contents in its query."""
    if elements and elements[0].ai == "01":
        return (elements[0].value,)
    found = (next((element.value for element in elements if element.ai == ai), "") for ai in _GTINS)
    return tuple(gtin for gtin in found if gtin.strip("0"))


def _trade_item(segments: list[str]) -> tuple[Element, ...]:
    for index in range(len(segments) - 2, -1, -1):
        gtin = gtin14(segments[index + 1]) if segments[index].lower() in _GTIN_KEYS else None
        if gtin is not None:
            return (Element("01", gtin), *_qualifiers(segments[index + 2 :]))
    return ()


def _other_key(segments: list[str]) -> tuple[Element, ...]:
    """Return the last primary key that only its own qualifiers follow, with them."""
    segments = segments[:-1] if segments and not segments[-1] else segments
    for index in range(len(segments) - 2, max(len(segments) - 2 - _MOST_BEHIND_KEY, -1), -1):
        key, value, *behind = segments[index:]
        allowed = _QUALIFIERS_OF_KEYS.get(key)
        if allowed is None or not allowed.issuperset(behind[::2]) or len(behind) % 2:
            continue
        if key not in _OPEN_KEYS or _COMPANY_PREFIX.match(value):
            with suppress(Gs1Error):
                pairs = zip(behind[::2], behind[1::2], strict=True)
                return (checked_element(key, value), *(checked_element(ai, text) for ai, text in pairs))
    return ()


def _qualifiers(segments: list[str]) -> Iterator[Element]:
    for key, value in zip(segments[::2], segments[1::2], strict=False):
        ai = _QUALIFIERS.get(key.lower())
        if ai is None:
            return
        yield from _valid(ai, value)


def _attributes(query: str, primary_key: str) -> Iterator[Element]:
    if not query:
        return
    for attribute in re.split("[&;]", query, maxsplit=_MOST_ATTRIBUTES)[:_MOST_ATTRIBUTES]:
        key, value = map(unquote, attribute.partition("=")[::2])
        if key != primary_key:
            yield from _valid(key, (gtin14(value) or value) if key in _GTINS else value)


def _valid(ai: str, value: str) -> Iterator[Element]:
    with suppress(Gs1Error):
        yield checked_element(ai, value)
