"""The shared strings of an .xlsx workbook: a table of texts to which cells refer by number (ECMA-376-1, 18.4).

Rich text is read as plain text, without phonetic hints (`rPh`). A table may have as many texts as the sheets have room
for cells that refer to them; a longer one is refused.

Memory is bounded: the first texts are kept in memory, up to a number of bytes. The others are written to an unnamed
temporary file in UTF-8, and take eight bytes of memory each.
"""

from __future__ import annotations

import os
from array import array
from contextlib import ExitStack
from tempfile import TemporaryFile
from typing import IO

from barcodesvc.spreadsheets.archive import Archive
from barcodesvc.spreadsheets.formula_text import unguard
from barcodesvc.spreadsheets.refusals import too_large
from barcodesvc.spreadsheets.rows import MAX_TEXT, kept_text
from barcodesvc.spreadsheets.spreadsheetml import NAMESPACES, unescape
from barcodesvc.spreadsheets.xml_events import Attributes, XmlEvents

SPARE_TEXTS = 1 << 16
"""Texts that are allowed in addition to those for which the sheets have room."""

_SMALLEST_CELL = len('<c t="s"><v>0</v></c>')
IN_MEMORY = 8 << 20
"""Bytes of texts in memory; the following ones are written to the file."""

AT_ONCE = 1 << 20
"""Bytes of texts that are buffered and written at once."""
_STRING_BYTES = 64
_WIDEST_CHARACTER = 4


class TextTable:
    """Texts by number, in the order in which they were added; must be closed."""

    def __init__(self) -> None:
        self._near: list[str] = []
        self._room = IN_MEMORY
        self._ends = array("Q", [0])
        self._waiting = bytearray()
        self._written = 0
        self._file: IO[bytes] | None = None

    def __len__(self) -> int:
        return len(self._near) + len(self._ends) - 1

    def append(self, text: str) -> None:
        """Append a text."""
        if self._room > 0:
            self._near.append(text)
            self._room -= _STRING_BYTES + (len(text) if text.isascii() else _WIDEST_CHARACTER * len(text))
            return
        self._waiting += text.encode("utf-8", "surrogatepass")
        self._ends.append(self._written + len(self._waiting))
        if len(self._waiting) >= AT_ONCE:
            self._write()

    def __getitem__(self, number: int) -> str:
        """Return the text with a number, counted from 0; raises IndexError if there is none."""
        near = self._near
        if number < len(near):
            return near[number]
        far = number - len(near)
        start, end = self._ends[far], self._ends[far + 1]
        if self._file is not None and start < self._written:
            return os.pread(self._file.fileno(), end - start, start).decode("utf-8", "surrogatepass")
        return self._waiting[start - self._written : end - self._written].decode("utf-8", "surrogatepass")

    def close(self) -> None:
        """Close the temporary file."""
        if self._file is not None:
            self._file.close()

    def _write(self) -> None:
        if self._file is None:
            self._file = TemporaryFile(prefix="barcodesvc-texts-")  # noqa: SIM115 - `close` ends it
        self._file.write(self._waiting)
        self._file.flush()
        self._written += len(self._waiting)
        self._waiting = bytearray()


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
            raise too_large(f"it has more than {self._most} texts, and no cells that show them")
        self._texts.append(kept_text(unguard(unescape(self._text))))


def read_shared_strings(archive: Archive, part: str, sheet_bytes: int) -> TextTable:
    """Return the texts of the table in order, as a person sees them; the caller closes it.

    `sheet_bytes` is the unpacked size of all worksheets. Raises FileTooLarge if they cannot refer to all texts.
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
