"""An .xlsx workbook: its worksheets, the visible ones first (ECMA-376-1, 18.2), as rows of cells (18.3.1).

ElementTree reads the XML, and each row is dropped once it is read: openpyxl's objects take several times as long, and
it refuses or empties workbooks that shops send. ECMA-376-1 (strict) and ECMA-376-4 (transitional, which programs write
by default) differ in their namespaces only.

The declared dimension of a sheet is ignored. An inline string has its text in `is`, any other cell in `v`. If a cell
has both, its type decides; two of either are a problem of the cell. A formula is read as its saved value; one without
(`f` without `v`) is a problem of its cell. A formula with an empty text as its result has `t="str"` and an empty `v`:
blank. Rich text is read as plain text, without phonetic hints (`rPh`).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import product
from string import ascii_uppercase
from typing import IO
from xml.etree.ElementTree import Element

from barcodesvc.spreadsheets.cells import (
    FALSE,
    MAX_COLUMNS,
    MAX_ROWS,
    MAX_SHEETS,
    TRUE,
    Cell,
    CellProblem,
    SheetRow,
    TypedText,
    Worksheet,
    error_cell,
    is_blank,
    kept_text,
)
from barcodesvc.spreadsheets.escapes import unescape, unguard
from barcodesvc.spreadsheets.number_formats import EPOCH_1900, EPOCH_1904, NumberFormatter, number_text, shown_as
from barcodesvc.spreadsheets.refusals import damaged, macros
from barcodesvc.spreadsheets.xlsx_package import Package, Relationship

MAX_CELLS_IN_ROW = 16_384
"""Columns that a sheet can have."""

_RELATIONSHIP_IDS = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id",
    "{http://purl.oclc.org/ooxml/officeDocument/relationships}id",
)
_TRUE = ("1", "true", "on")
"""Spellings of a set boolean attribute (ST_OnOff, xsd:boolean)."""
_INLINE = "inlineStr"
_LONGEST_INDEX = 10
_REFERENCE = re.compile(r"([A-Z]{1,3})[1-9][0-9]{0,6}")
_LETTERS: list[str] = [*ascii_uppercase, *map("".join, product(ascii_uppercase, repeat=2))]
_COLUMNS = dict(zip(_LETTERS, range(MAX_COLUMNS), strict=False))
_MIDNIGHT = re.compile(r"T00:00(?::00(?:\.0+)?)?Z?")
_NO_SAVED_VALUE = CellProblem("formula without a saved value: open and save the file in a spreadsheet program")
_TWO_VALUES = CellProblem("contains two values, and neither is chosen: open and save the file in a spreadsheet program")


@dataclass(frozen=True, slots=True)
class _Tab:
    name: str
    relationship: str
    hidden: bool


class XlsxWorkbook:
    """An open .xlsx workbook; raises InvalidFileFormat or FileTooLarge, also while rows are read."""

    encoding = None

    def __init__(self, file: IO[bytes]) -> None:
        self._package = Package(file)
        name = self._package.workbook()
        workbook = self._package.root(name)
        self._links = self._package.relationships(name)
        if self._find("vbaProject"):
            raise macros()
        self._tabs = [tab for tab in _tabs(workbook) if self._may_be_worksheet(tab)]
        self._refuse_shared_parts()
        self._shown = self._read_styles(_epoch(workbook))
        self._texts = self._read_texts()

    def sheets(self) -> Iterator[Worksheet]:
        """Yield the worksheets in the order of their tabs, first the visible ones and then the hidden ones."""
        for tab in sorted(self._tabs, key=lambda tab: tab.hidden):
            yield Worksheet(tab.name, tab.hidden, partial(self._hidden_columns, tab), partial(self._rows, tab))

    def close(self) -> None:
        """Close the archive."""
        self._package.close()

    def _hidden_columns(self, tab: _Tab) -> frozenset[int]:
        """Return the 0-based columns that are hidden; they are described before the first row (18.3.1.17, `cols`)."""
        hidden: set[int] = set()
        with closing(self._package.growing(self._link(tab).target)) as documents:
            for document in documents:
                if document.find("*/{*}sheetData") is not None:
                    hidden.update(*map(_hidden_range, document.iterfind("*/{*}cols/{*}col")))
                    break
        return frozenset(hidden)

    def _rows(self, tab: _Tab) -> Iterator[SheetRow]:
        part = self._link(tab).target
        rows = self._package.children(part, "{*}sheetData")
        return _SheetReader(part, self._texts, self._shown).rows(rows)

    def _may_be_worksheet(self, tab: _Tab) -> bool:
        link = self._links.get(tab.relationship)
        return link is None or link.kind == "worksheet"

    def _link(self, tab: _Tab) -> Relationship:
        """Return the name of a sheet's part; a missing one is only an error if the sheet is read."""
        link = self._links.get(tab.relationship)
        if link is None:
            raise damaged(f"its sheet {tab.name[:40]!r} is missing")
        return link

    def _refuse_shared_parts(self) -> None:
        links = [self._links.get(tab.relationship) for tab in self._tabs]
        parts = [link.target.lower() for link in links if link is not None]
        if len(set(parts)) < len(parts):
            raise damaged("two of its sheets are one and the same part")

    def _read_styles(self, epoch: datetime) -> dict[str, NumberFormatter]:
        """Return the function that formats numbers for each style number of a cell."""
        part = self._find("styles")
        if part is None:
            return {}
        styles = self._package.root(part)
        codes: dict[str, str] = {}
        for code in styles.iterfind("{*}numFmts/{*}numFmt"):
            codes.setdefault(code.get("numFmtId", ""), code.get("formatCode", ""))
        numbers = [style.get("numFmtId", "0") for style in styles.iterfind("{*}cellXfs/{*}xf")]
        shown = {number: _shown(number, codes.get(number), epoch) for number in set(numbers)}
        return {str(style): shown[number] for style, number in enumerate(numbers)}

    def _read_texts(self) -> list[str]:
        """Return the table of texts to which cells refer by number (18.4)."""
        part = self._find("sharedStrings")
        if part is None:
            return []
        return [_text_cell(_plain_text(text)) for text in self._package.children(part, ".")]

    def _find(self, kind: str) -> str | None:
        return next((link.target for link in self._links.values() if link.kind == kind), None)


def _tabs(workbook: Element) -> Iterator[_Tab]:
    for number, sheet in enumerate(workbook.iterfind("{*}sheets/{*}sheet")):
        if number >= MAX_SHEETS:
            raise damaged(f"it has more than {MAX_SHEETS} sheets")
        state = sheet.get("state", "visible")
        relationship = next(filter(None, map(sheet.get, _RELATIONSHIP_IDS)), "")
        if state != "veryHidden":
            yield _Tab(sheet.get("name", ""), relationship, state != "visible")


def _epoch(workbook: Element) -> datetime:
    properties = workbook.find("{*}workbookPr")
    is_mac = properties is not None and properties.get("date1904", "").lower() in _TRUE
    return EPOCH_1904 if is_mac else EPOCH_1900


def _shown(number: str, code: str | None, epoch: datetime) -> NumberFormatter:
    if not number.isdecimal():
        raise damaged(f"it has a cell format with the impossible number {number[:20]!r}")
    return shown_as(int(number[:9]), code, epoch)


def _hidden_range(column: Element) -> range:
    first, last = column.get("min", ""), column.get("max", "")
    if column.get("hidden", "").lower() not in _TRUE or not (first.isdecimal() and last.isdecimal()):
        return range(0)
    return range(max(int(first[:9]) - 1, 0), min(int(last[:9]), MAX_COLUMNS))


class _SheetReader:
    """Reads the rows of one worksheet; `texts` is the shared table, `shown` has the formats of numbers by style."""

    def __init__(self, part: str, texts: list[str], shown: Mapping[str, NumberFormatter]) -> None:
        self._part = part
        self._texts = texts
        self._shown = shown
        self._readers: Mapping[str, Callable[[str], Cell]] = {
            "s": self._shared,
            "str": _text_cell,
            _INLINE: _text_cell,
            "b": _boolean_cell,
            "e": _error_cell,
            "d": _date_cell,
        }

    def rows(self, elements: Iterable[Element]) -> Iterator[SheetRow]:
        """Yield the rows that are not blank; raises InvalidFileFormat for content that no sheet can have."""
        number = 0
        for seen, element in enumerate(elements, 1):
            number = self._number(element, number + 1)
            if seen > MAX_ROWS or not 1 <= number <= MAX_ROWS:
                raise damaged(f"{self._part} has rows outside 1 to {MAX_ROWS}")
            cells = self._cells(element)
            if cells and not is_blank(cells):
                yield SheetRow(number, tuple(cells))

    def _number(self, row: Element, following: int) -> int:
        number = row.get("r")
        if number is None:
            return following
        if not number.isdecimal() or len(number) > len(str(MAX_ROWS)):
            raise damaged(f"{self._part} has a row with the number {number[:20]!r}")
        return int(number)

    def _cells(self, row: Element) -> list[Cell]:
        """Return the cells of a row up to its last one that is not blank."""
        if len(row) > MAX_CELLS_IN_ROW:
            raise damaged(f"{self._part} has a row of more than {MAX_CELLS_IN_ROW} cells")
        cells: list[Cell] = []
        column = -1
        for element in row:
            reference = element.get("r")
            if reference is None:
                column += 1
            elif (column := _COLUMNS.get(reference.rstrip("0123456789"), MAX_COLUMNS)) == MAX_COLUMNS:
                self._require_address(reference)
            if column >= MAX_COLUMNS or (cell := self._cell(element)) == "":
                continue
            if column < len(cells):
                cells[column] = cell
            else:
                cells += [""] * (column - len(cells))
                cells.append(cell)
        return cells

    def _require_address(self, reference: str) -> None:
        if not _REFERENCE.fullmatch(reference):
            raise damaged(f"{self._part} has a cell with the address {reference[:20]!r}")

    def _cell(self, element: Element) -> Cell:
        kind = element.get("t", "n")
        # nearly every cell has its value alone
        is_plain = len(element) == 1 and element[0].tag.endswith("}v")
        text = element[0].text if is_plain else _chosen_text(element, kind)
        if not text:
            return ""
        if isinstance(text, CellProblem):
            return text
        if kind == "n":
            return self._shown.get(element.get("s", "0"), number_text)(text)
        reader = self._readers.get(kind)
        if reader is None:
            raise damaged(f"{self._part} has a cell of the type {kind[:20]!r}")
        return reader(text)

    def _shared(self, text: str) -> Cell:
        if text.isdecimal() and len(text) < _LONGEST_INDEX and (index := int(text)) < len(self._texts):
            return self._texts[index]
        raise damaged(f"{self._part} refers to the missing text {text[:20]!r}")


def _chosen_text(element: Element, kind: str) -> Cell:
    """Return the text of a cell of this type as it is stored, or why it has none."""
    value = inline = None
    has_formula = is_doubled = False
    for child in element:
        tag = child.tag
        if tag.endswith("}v"):
            is_doubled |= value is not None
            value = (value or "") + (child.text or "")
        elif tag.endswith("}is"):
            is_doubled |= inline is not None
            inline = _plain_text(child)
        elif tag.endswith("}f"):
            has_formula = True
    text = inline if inline is not None and (kind == _INLINE or value is None) else value
    if text:
        return _TWO_VALUES if is_doubled else text
    is_empty_text = value is not None and kind == "str"
    return _NO_SAVED_VALUE if has_formula and not is_empty_text else ""


def _plain_text(element: Element) -> str:
    """Return the text of a string: its own, and that of each piece in another font."""
    pieces = []
    for child in element:
        if child.tag.endswith("}t"):
            pieces.append(child.text or "")
        elif child.tag.endswith("}r"):
            pieces += [piece.text or "" for piece in child if piece.tag.endswith("}t")]
    return "".join(pieces)


def _text_cell(text: str) -> str:
    return kept_text(unguard(unescape(text)))


def _boolean_cell(text: str) -> Cell:
    return TRUE if text.strip().lower() in _TRUE else FALSE


def _error_cell(text: str) -> Cell:
    return error_cell(text[:20])


def _date_cell(text: str) -> Cell:
    return TypedText(kept_text(_MIDNIGHT.sub("", text)), "date")
