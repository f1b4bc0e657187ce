r"""Symbology identifiers: three characters such as `]C1` that a scanner may put in front of what it has read.

ISO/IEC 15424: `]`, a letter for the symbology, a modifier for what the scanner did or the symbol said. Behind some of
them stand extended channel interpretations, `\000026` for UTF-8, with every other backslash doubled.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_IDENTIFIER = re.compile(r"\]([A-Za-z][0-9A-Za-z])")
_CHANNEL = re.compile(r"\\[0-9]{6}")
_CHANNEL_OR_ESCAPE = re.compile(r"\\[0-9]{6}|\\\\")

_SYMBOLOGIES = {
    "A": "CODE39",
    "C": "CODE128",
    "C1": "GS1-128",
    "E0": "EAN13",
    "E1": "EAN2",
    "E2": "EAN5",
    "E3": "EAN13",
    "E4": "EAN8",
    "F": "CODABAR",
    "G": "CODE93",
    "I": "ITF",
    "L": "PDF417",
    "M": "MSI",
    "Q": "QR",
    "Q3": "GS1QR",
    "Q4": "GS1QR",
    "d": "DATAMATRIX",
    "d2": "GS1DATAMATRIX",
    "d5": "GS1DATAMATRIX",
    "z": "AZTEC",
}
"""Canonical names by letter, or by letter and modifier. A DataBar (`e`) does not say which of seven it is."""

_GS1 = frozenset({"C1", "Q3", "Q4", "d2", "d5", "e0", "J1", "z1", "z4"})
ADDED_ON = "E3"
"""EAN-13 and the two or five digits of an add-on, in one text."""
WITHOUT_CHECK_DIGIT = frozenset({("E0", 12), ("E0", 11), ("E4", 7), ("I3", 13)})
"""Identifiers of GTINs, and how many digits they have in front of where a scanner leaves the check digit out."""
EAN_UPC = "E0"
DATABAR = "e0"
"""Also what `]E0` is with Caps Lock on."""


@dataclass(frozen=True, slots=True)
class Identified:
    """What stands behind an identifier; without one, `identifier` is empty."""

    identifier: str
    text: str

    @property
    def symbology(self) -> str | None:
        """The canonical name of the symbology, None where the identifier names none or is not known."""
        return _SYMBOLOGIES.get(self.identifier) or _SYMBOLOGIES.get(self.identifier[:1])

    @property
    def is_gs1(self) -> bool:
        """Whether the symbol said that it holds a GS1 element string."""
        return self.identifier in _GS1


def identified(text: str) -> Identified:
    """Take the identifier from a text, and the channel interpretations behind it."""
    found = _IDENTIFIER.match(text)
    if found is None:
        return Identified("", text)
    return Identified(found[1], _without_channels(text[found.end() :]))


def _without_channels(text: str) -> str:
    if not _CHANNEL.match(text):
        return text
    return _CHANNEL_OR_ESCAPE.sub(lambda escape: "\\" if escape[0] == "\\\\" else "", text)
