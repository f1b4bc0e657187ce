"""What a BIFF workbook says before its sheets: encoding, epoch, formats, sheets and texts (MS-XLS 2.1.7.20.3)."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from struct import unpack_from

from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH
from xlrd.biffh import encoding_from_codepage

from barcodesvc.spreadsheets.biff import BOF, Record, continued, substream
from barcodesvc.spreadsheets.biff_text import TextReader
from barcodesvc.spreadsheets.formula_text import unguard
from barcodesvc.spreadsheets.number_formats import Shown, shown_as
from barcodesvc.spreadsheets.refusals import damaged, encrypted, too_large
from barcodesvc.spreadsheets.rows import MAX_SHEETS, kept_text
from barcodesvc.spreadsheets.text_table import TextTable

BIFF8 = 0x0600
BIFF5 = 0x0500

SPARE_TEXTS = 1 << 16
"""Texts that a workbook may hold beyond those that its cells have room to show."""

_CELL_BYTES = 14
_VERY_HIDDEN = 2
_WINDOWS_LATIN = 1252


@dataclass(frozen=True, slots=True)
class Tab:
    """A worksheet: its name, where in the stream it begins, and whether its tab is hidden."""

    title: str
    start: int
    hidden: bool


class BiffGlobals:
    """The globals of a workbook whose stream is `stream`; raises InvalidFileFormat where they are broken.

    `formats` holds for each cell format how it shows numbers; `texts` has to be closed by the caller.
    """

    def __init__(self, stream: bytes, texts: TextTable) -> None:
        self.version = _version(stream)
        self.encoding = _encoding(_WINDOWS_LATIN)
        self.epoch: datetime = WINDOWS_EPOCH
        self.tabs: list[Tab] = []
        self.texts = texts
        self.stream = stream
        self._codes: dict[int, str] = {}
        self._cell_formats: list[int] = []
        readers = self._readers()
        for record in substream(stream, 0, readers):
            readers[record[0]](record)
        known = {number: shown_as(number, self._codes.get(number), self.epoch) for number in set(self._cell_formats)}
        self.formats: list[Shown] = [known[number] for number in self._cell_formats]

    def _readers(self) -> Mapping[int, Callable[[Record], None]]:
        return {
            0x22: self._read_datemode,
            0x2F: self._refuse_password,
            0x42: self._read_codepage,
            0x85: self._read_sheet,
            0xE0: self._read_cell_format,
            0xFC: self._read_texts,
            0x41E: self._read_format,
        }

    def text(self, record: Record, offset: int, count_size: int) -> str:
        """Return the text that begins `offset` bytes into a record; `count_size` bytes say how long it is."""
        (start, end), *more = continued(self.stream, record)
        reader = TextReader(self.stream, [(start + offset, end), *more])
        if self.version == BIFF8:
            return reader.unicode_text(count_size)
        return reader.byte_text(count_size, self.encoding)

    def _read_codepage(self, record: Record) -> None:
        (codepage,) = unpack_from("<H", self.stream, record[1])
        self.encoding = _encoding(codepage)

    def _read_datemode(self, record: Record) -> None:
        if unpack_from("<H", self.stream, record[1]) == (1,):
            self.epoch = MAC_EPOCH

    def _refuse_password(self, _: Record) -> None:
        raise encrypted()

    def _read_format(self, record: Record) -> None:
        (number,) = unpack_from("<H", self.stream, record[1])
        self._codes[number] = self.text(record, 2, 2 if self.version == BIFF8 else 1)

    def _read_cell_format(self, record: Record) -> None:
        (number,) = unpack_from("<2xH", self.stream, record[1])
        self._cell_formats.append(number)

    def _read_sheet(self, record: Record) -> None:
        start, state, kind = unpack_from("<IBB", self.stream, record[1])
        if kind != 0 or state & 3 == _VERY_HIDDEN:
            return
        if len(self.tabs) >= MAX_SHEETS:
            raise damaged(f"it has more than {MAX_SHEETS} sheets")
        self.tabs.append(Tab(self.text(record, 6, 1), start, state & 3 != 0))

    def _read_texts(self, record: Record) -> None:
        pieces = continued(self.stream, record)
        room = len(self.stream) - (pieces[-1][1] - pieces[0][0])
        most = SPARE_TEXTS + room // _CELL_BYTES
        reader = TextReader(self.stream, pieces)
        reader.skip(4)
        count = reader.number(4)
        if count > most:
            raise too_large(f"it has {count} texts, and no cells that could show them")
        for text in reader.unicode_texts(count):
            self.texts.append(kept_text(unguard(text) if text.startswith("'") else text))


def _version(stream: bytes) -> int:
    code, _, version, _ = unpack_from("<HHHH", stream.ljust(8, b"\0"))
    if code & 0xFF != BOF or version not in (BIFF5, BIFF8):
        raise damaged("its .xls structure is broken, or older than Excel 5.0")
    return int(version)


def _encoding(codepage: int) -> str:
    name = encoding_from_codepage.get(codepage, f"cp{codepage}")
    try:
        return codecs.lookup(name).name
    except LookupError as error:
        raise damaged(f"it is in the unknown code page {codepage}") from error
