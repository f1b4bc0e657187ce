"""The shared strings of an .xlsx workbook: every text once, cells refer to it by number (ECMA-376-1, 18.4).

Rich text counts as its plain text; phonetic hints (`rPh`) are not part of it. Bounds keep the table below
about 150 MB in the worst case, a string of Python taking up to four bytes a character.
"""

from __future__ import annotations

from barcodesvc.spreadsheets.archive import Archive
from barcodesvc.spreadsheets.formula_text import unguard
from barcodesvc.spreadsheets.refusals import too_large
from barcodesvc.spreadsheets.spreadsheetml import NAMESPACES
from barcodesvc.spreadsheets.xml_events import Attributes, XmlEvents, parse
from barcodesvc.spreadsheets.xml_text import unescape

MAX_BYTES = 32 << 20
"""Bytes of the part."""

MAX_STRINGS = 1_000_000
"""Strings in the table."""


class _Table:
    def __init__(self) -> None:
        self.strings: list[str] = []
        self._pieces: list[str] = []
        self._taking = False
        self._in_hint = False

    def start_string(self, _: Attributes) -> None:
        self._pieces.clear()

    def start_hint(self, _: Attributes) -> None:
        self._in_hint = True

    def end_hint(self) -> None:
        self._in_hint = False

    def start_text(self, _: Attributes) -> None:
        self._taking = not self._in_hint

    def end_text(self) -> None:
        self._taking = False

    def text(self, piece: str) -> None:
        if self._taking:
            self._pieces.append(piece)

    def end_string(self) -> None:
        if len(self.strings) >= MAX_STRINGS:
            raise too_large(f"it has more than {MAX_STRINGS} different texts")
        self.strings.append(unguard(unescape("".join(self._pieces))))


def read_shared_strings(archive: Archive, part: str) -> list[str]:
    """Return the texts of the table in their order, as the person sees them."""
    table = _Table()
    starts = {"si": table.start_string, "rPh": table.start_hint, "t": table.start_text}
    ends = {"si": table.end_string, "rPh": table.end_hint, "t": table.end_text}
    with archive.open(part, MAX_BYTES) as stream:
        parse(stream, XmlEvents(part, NAMESPACES, starts, ends, table.text))
    return table.strings
