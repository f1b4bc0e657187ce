"""The shared strings of an .xlsx workbook: every text once, cells refer to it by number (ECMA-376-1, 18.4).

Rich text counts as its plain text; phonetic hints (`rPh`) are not part of it. A table may be as long as the sheets
have room for cells that show it, whatever that is: a longer one is no catalogue.
"""

from __future__ import annotations

from contextlib import ExitStack

from barcodesvc.spreadsheets.archive import Archive
from barcodesvc.spreadsheets.formula_text import unguard
from barcodesvc.spreadsheets.refusals import too_large
from barcodesvc.spreadsheets.rows import MAX_TEXT, kept_text
from barcodesvc.spreadsheets.spreadsheetml import NAMESPACES
from barcodesvc.spreadsheets.text_table import TextTable
from barcodesvc.spreadsheets.xml_events import Attributes, XmlEvents
from barcodesvc.spreadsheets.xml_text import unescape

SPARE_TEXTS = 1 << 16
"""Texts that may be there beyond those for which the sheets have room."""

_SMALLEST_CELL = len('<c t="s"><v>0</v></c>')


class _Reader:
    def __init__(self, texts: TextTable, most: int) -> None:
        self._texts = texts
        self._most = most
        self._text = ""
        self._taking = False
        self._in_hint = False

    def events(self, part: str) -> XmlEvents:
        starts = {"si": self._start_string, "rPh": self._start_hint, "t": self._start_text}
        ends = {"si": self._end_string, "rPh": self._end_hint, "t": self._end_text}
        return XmlEvents(part, NAMESPACES, starts, ends, self._add_text)

    def _start_string(self, _: Attributes) -> None:
        self._text = ""

    def _start_hint(self, _: Attributes) -> None:
        self._in_hint = True

    def _end_hint(self) -> None:
        self._in_hint = False

    def _start_text(self, _: Attributes) -> None:
        self._taking = not self._in_hint

    def _end_text(self) -> None:
        self._taking = False

    def _add_text(self, piece: str) -> None:
        if self._taking and len(self._text) <= MAX_TEXT:
            self._text += piece

    def _end_string(self) -> None:
        if len(self._texts) >= self._most:
            raise too_large(f"it has more than {self._most} texts, and no cells that could show them")
        self._texts.append(kept_text(unguard(unescape(self._text))))


def read_shared_strings(archive: Archive, part: str, sheet_bytes: int) -> TextTable:
    """Return the texts of the table in their order, as the person sees them; the caller closes it.

    `sheet_bytes` is the unpacked size of all worksheets. Raises FileTooLarge where they can't show so many texts.
    """
    with ExitStack() as undone:
        texts = TextTable()
        undone.callback(texts.close)
        events = _Reader(texts, SPARE_TEXTS + sheet_bytes // _SMALLEST_CELL).events(part)
        for chunk in archive.chunks(part):
            before = len(texts)
            events.feed(chunk)
            archive.budget.earn_texts(len(texts) - before)
        undone.pop_all()
    return texts
