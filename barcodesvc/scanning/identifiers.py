r"""Symbology identifiers: three characters such as `]C1` that a scanner may send before the data.

ISO/IEC 15424: `]`, a letter for the symbology, a modifier for options of the scanner or properties of the symbol.
Extended channel interpretations may follow, `\000026` for UTF-8, with every other backslash doubled. Some scanners send
them without an identifier.

A composite has a second identifier in one text: the data of a linear symbol, then those of the 2D component above it,
with more about the same trade item (`]e0` to `]e3`, ISO/IEC 24723). Encoders write a bar between the two; scanners send
it or leave it out:

    ]E09521234543213|]e099COMPOSITE<0x1D>98XYZ
"""

import re

from barcodesvc.symbols.registry import SYMBOLOGIES

_IDENTIFIER = re.compile(r"\]([A-Za-z][0-9A-Za-z])")
_CHANNEL = re.compile(r"\\[0-9]{6}")
_CHANNEL_OR_ESCAPE = re.compile(r"\\[0-9]{6}|\\\\")
_COMPONENT = re.compile(r"\|?\]e[0-3]")

_SYMBOLOGIES = {identifier: symbology.name for symbology in SYMBOLOGIES for identifier in symbology.aim.split()}
"""Canonical names by letter, or by letter and modifier. The letter `e` does not distinguish the seven DataBars."""

ADDED_ON = "E3"
"""EAN-13 with the two or five digits of an add-on, in one text."""
WITHOUT_CHECK_DIGIT = frozenset({("E0", 12), ("E0", 11), ("E4", 7), ("I3", 13)})
"""Identifiers of GTINs, and the number of their digits if a scanner omits the check digit."""
EAN_UPC = "E0"
DATABAR = "e0"
"""Also what `]E0` becomes with Caps Lock on."""


def split_identifier(text: str) -> tuple[str, str]:
    """Return the identifier of a text, "" without one, and the rest without the channel interpretations before it."""
    found = _IDENTIFIER.match(text)
    return (found[1], _without_channels(text[found.end() :])) if found else ("", _without_channels(text))


def symbology_of(identifier: str) -> str | None:
    """Return the canonical name of the symbology, None if the identifier names none or is unknown."""
    return _SYMBOLOGIES.get(identifier) or _SYMBOLOGIES.get(identifier[:1])


def _without_channels(text: str) -> str:
    if not _CHANNEL.match(text):
        return text
    return _CHANNEL_OR_ESCAPE.sub(lambda escape: "\\" if escape[0] == "\\\\" else "", text)


def split_composite(text: str) -> tuple[str, str]:
    """Return the data of the linear symbol and of its 2D component, "" without one or if there is nothing before it."""
    linear, *component = _COMPONENT.split(text, maxsplit=1)
    return (linear, component[0]) if linear and component else (text, "")
