"""A web page as a workbook, with one sheet for each of its tables: many programs save one under a name such as a.xls.

Cells are texts, as in CSV. A cell that spans columns or rows belongs to the first of them. The whole page is held in
memory, so it is read in a process with limits (`catalogue.importing`).
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from html.parser import HTMLParser
from pathlib import Path

from barcodesvc.spreadsheets.cells import (
    MAX_COLUMNS,
    MAX_ROWS,
    MAX_SHEETS,
    Cell,
    SheetRow,
    Worksheet,
    is_blank,
    kept_text,
)
from barcodesvc.spreadsheets.encodings import TextEncoding, find_encoding, known_encoding
from barcodesvc.spreadsheets.escapes import literal_text
from barcodesvc.spreadsheets.refusals import not_a_workbook, too_large, unreadable_text

MAX_BYTES = 64 << 20
"""Bytes of a web page; it is held in memory."""

_CHUNK = 64 * 1024
_HEAD = 4096
_CHARSET = re.compile(rb"""<meta[^>]{0,200}charset=["']?\s*([\w-]{1,40})""", re.IGNORECASE)
_WHITE_SPACE = re.compile(r"[ \t\r\n\f]+")
_CELLS = frozenset({"td", "th"})


class HtmlWorkbook:
    """An open web page; raises InvalidFileFormat or FileTooLarge when it is opened."""

    def __init__(self, path: Path, encoding: str | None = None) -> None:
        if path.stat().st_size > MAX_BYTES:
            raise too_large(f"a web page may have at most {MAX_BYTES} bytes")
        self.encoding = _encoding(path, encoding)
        tables = _Tables()
        with path.open(encoding=self.encoding.codec, newline="") as text:
            try:
                while chunk := text.read(_CHUNK):
                    tables.feed(chunk)
                tables.close()
            except AssertionError as error:
                raise unreadable_text("it is a damaged web page") from error
        self._tables = [table.rows for table in tables.all if table.rows]
        if not self._tables:
            raise not_a_workbook("a web page without a table")

    def sheets(self) -> Iterator[Worksheet]:
        """Yield the tables in the order in which they begin."""
        for number, rows in enumerate(self._tables, 1):
            yield Worksheet(f"Table {number}", hidden=False, hidden_columns=frozenset, rows=partial(iter, rows))

    def close(self) -> None:
        """Do nothing: the file is closed."""


def _encoding(path: Path, given: str | None) -> TextEncoding:
    with path.open("rb") as file:
        named = _CHARSET.search(file.read(_HEAD))
        if given is None and named:
            with suppress(ValueError):
                given = known_encoding(named[1].decode())
        return find_encoding(file, given)


class _Table:
    """A table whose rows are being read; `spans` has the rows below for which a column is taken."""

    def __init__(self) -> None:
        self.rows: list[SheetRow] = []
        self._number = 0
        self._cells: list[Cell] = []
        self._spans: dict[int, int] = {}
        self._text: list[str] | None = None
        self._colspan = 1
        self._rowspan = 1

    def begin_row(self) -> None:
        self.end_row()
        self._number += 1
        if self._number > MAX_ROWS:
            raise too_large(f"it has more than {MAX_ROWS} rows")
        self._skip_spanned()

    def end_row(self) -> None:
        self.end_cell()
        while self._cells and self._cells[-1] == "":
            self._cells.pop()
        if self._cells and not is_blank(self._cells):
            self.rows.append(SheetRow(self._number, tuple(self._cells)))
        self._cells = []
        self._spans = {column: rows - 1 for column, rows in self._spans.items() if rows > 1}

    def begin_cell(self, attributes: dict[str, str | None]) -> None:
        self.end_cell()
        self._text = []
        self._colspan = _span(attributes.get("colspan"), MAX_COLUMNS)
        self._rowspan = _span(attributes.get("rowspan"), MAX_ROWS)

    def add(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def end_cell(self) -> None:
        if self._text is None:
            return
        lines = (_WHITE_SPACE.sub(" ", line).strip(" ") for line in "".join(self._text).split("\v"))
        self._text = None
        first = len(self._cells)
        if first >= MAX_COLUMNS:
            return
        self._cells.append(kept_text(literal_text("\n".join(lines))))
        self._cells += [""] * (min(self._colspan, MAX_COLUMNS - first) - 1)
        if self._rowspan > 1:
            self._spans |= dict.fromkeys(range(first, len(self._cells)), self._rowspan)
        self._skip_spanned()

    def _skip_spanned(self) -> None:
        while len(self._cells) in self._spans:
            self._cells.append("")


class _Tables(HTMLParser):
    """Collects the tables of a page, those within others too."""

    def __init__(self) -> None:
        super().__init__()
        self.all: list[_Table] = []
        self._open: list[_Table] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            if len(self.all) >= MAX_SHEETS:
                raise too_large(f"it has more than {MAX_SHEETS} tables")
            self.all.append(_Table())
            self._open.append(self.all[-1])
        elif self._open and tag == "tr":
            self._open[-1].begin_row()
        elif self._open and tag in _CELLS:
            self._open[-1].begin_cell(dict(attrs))
        elif self._open and tag == "br":
            self._open[-1].add("\v")

    def handle_endtag(self, tag: str) -> None:
        if not self._open:
            return
        if tag == "table":
            self._open.pop().end_row()
        elif tag == "tr":
            self._open[-1].end_row()
        elif tag in _CELLS:
            self._open[-1].end_cell()

    def handle_data(self, data: str) -> None:
        if self._open and self.cdata_elem is None:
            self._open[-1].add(data)

    def close(self) -> None:
        super().close()
        while self._open:
            self._open.pop().end_row()


def _span(given: str | None, most: int) -> int:
    """Return a number of columns or rows; a wrong one is 1, as in browsers."""
    return (
        min(int(given), most) if given and given.isdecimal() and len(given) < len(str(MAX_ROWS)) and int(given) else 1
    )
