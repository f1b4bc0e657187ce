"""An .xlsx workbook: its worksheets, the visible ones first (ECMA-376-1, 18.2), and its number formats (18.8).

The XML is streamed instead of using openpyxl's object model: memory stays bounded even for a malicious file (one row of
ten million cells is 40 kB packed), a formula without a saved value is distinguished from a blank cell in one pass, and
reading is faster. openpyxl only interprets formats.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import IO

from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH

from barcodesvc.spreadsheets.archive import Archive
from barcodesvc.spreadsheets.number_formats import MAX_FORMATS, Shown, shown_as
from barcodesvc.spreadsheets.package import MAX_METADATA, Relationship, find_workbook, read_relationships
from barcodesvc.spreadsheets.refusals import damaged, macros
from barcodesvc.spreadsheets.rows import MAX_SHEETS, SheetRow, Worksheet
from barcodesvc.spreadsheets.shared_strings import TextTable, read_shared_strings
from barcodesvc.spreadsheets.spreadsheetml import NAMESPACES, RELATIONSHIP_IDS, TRUE
from barcodesvc.spreadsheets.xlsx_sheet import read_hidden_columns, read_rows
from barcodesvc.spreadsheets.xml_events import Attributes, XmlEvents, parse

MAX_STYLES = 100_000
"""Cell formats of a workbook; a spreadsheet program allows 65,490."""


@dataclass(frozen=True, slots=True)
class _Tab:
    name: str
    relationship: str
    hidden: bool


class _WorkbookPart:
    def __init__(self) -> None:
        self.tabs: list[_Tab] = []
        self.epoch: datetime = WINDOWS_EPOCH

    def properties(self, attributes: Attributes) -> None:
        if attributes.get("date1904", "").lower() in TRUE:
            self.epoch = MAC_EPOCH

    def sheet(self, attributes: Attributes) -> None:
        if len(self.tabs) >= MAX_SHEETS:
            raise damaged(f"it has more than {MAX_SHEETS} sheets")
        state = attributes.get("state", "visible")
        if state == "veryHidden":
            return
        relationship = next((attributes[key] for key in RELATIONSHIP_IDS if key in attributes), "")
        self.tabs.append(_Tab(attributes.get("name", ""), relationship, state != "visible"))


class _Formats:
    def __init__(self) -> None:
        self.codes: dict[str, str] = {}
        self.cell_formats: list[str] = []
        self._in_cell_formats = False

    def number_format(self, attributes: Attributes) -> None:
        self.codes.setdefault(attributes.get("numFmtId", ""), attributes.get("formatCode", ""))
        if len(self.codes) > MAX_FORMATS:
            raise damaged(f"it has more than {MAX_FORMATS} number formats")

    def start_cell_formats(self, _: Attributes) -> None:
        self._in_cell_formats = True

    def end_cell_formats(self) -> None:
        self._in_cell_formats = False

    def cell_format(self, attributes: Attributes) -> None:
        if self._in_cell_formats:
            self.cell_formats.append(attributes.get("numFmtId", "0"))
            if len(self.cell_formats) > MAX_STYLES:
                raise damaged(f"it has more than {MAX_STYLES} cell formats")


class XlsxWorkbook:
    """An open .xlsx workbook; raises InvalidFileFormat or FileTooLarge, also while rows are read."""

    encoding = None

    def __init__(self, file: IO[bytes]) -> None:
        self._archive = Archive(file)
        name = find_workbook(self._archive)
        workbook = _read_workbook(self._archive, name)
        self._links = read_relationships(self._archive, name)
        if self._find("vbaProject"):
            raise macros()
        self._tabs = [tab for tab in workbook.tabs if self._may_be_worksheet(tab)]
        self._refuse_shared_parts()
        self._shown = self._read_styles(workbook.epoch)
        self._strings = self._read_strings()

    def sheets(self) -> Iterator[Worksheet]:
        """Yield the worksheets in the order of their tabs, first the visible ones and then the hidden ones."""
        for tab in sorted(self._tabs, key=lambda tab: tab.hidden):
            yield Worksheet(tab.name, tab.hidden, partial(self._hidden_columns, tab), partial(self._rows, tab))

    def close(self) -> None:
        """Close the archive and its texts."""
        self._strings.close()
        self._archive.close()

    def _hidden_columns(self, tab: _Tab) -> frozenset[int]:
        return read_hidden_columns(self._archive, self._link(tab).target)

    def _rows(self, tab: _Tab) -> Iterator[SheetRow]:
        return read_rows(self._archive, self._link(tab).target, self._strings, self._shown)

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

    def _read_styles(self, epoch: datetime) -> dict[str, Shown]:
        part = self._find("styles")
        styles = [] if part is None else _read_styles(self._archive, part, epoch)
        return {str(number): shown for number, shown in enumerate(styles)}

    def _read_strings(self) -> TextTable:
        part = self._find("sharedStrings")
        if part is None:
            return TextTable()
        parts = [link.target for link in self._links.values() if link.kind == "worksheet"]
        sheets = sum(self._archive.size(target) for target in parts if target in self._archive)
        return read_shared_strings(self._archive, part, sheets)

    def _find(self, kind: str) -> str | None:
        return next((link.target for link in self._links.values() if link.kind == kind), None)


def _read_workbook(archive: Archive, part: str) -> _WorkbookPart:
    workbook = _WorkbookPart()
    starts = {"workbookPr": workbook.properties, "sheet": workbook.sheet}
    parse(archive.chunks(part, MAX_METADATA), XmlEvents(part, NAMESPACES, starts))
    return workbook


def _read_styles(archive: Archive, part: str, epoch: datetime) -> list[Shown]:
    """Return the function that formats numbers for each style number of a cell."""
    formats = _Formats()
    starts = {
        "numFmt": formats.number_format,
        "cellXfs": formats.start_cell_formats,
        "xf": formats.cell_format,
    }
    events = XmlEvents(part, NAMESPACES, starts, {"cellXfs": formats.end_cell_formats})
    parse(archive.chunks(part, MAX_METADATA), events)
    shown = {number: _shown(number, formats.codes.get(number), epoch) for number in set(formats.cell_formats)}
    return [shown[number] for number in formats.cell_formats]


def _shown(number: str, code: str | None, epoch: datetime) -> Shown:
    if not number.isdecimal():
        raise damaged(f"it has a cell format with the impossible number {number[:20]!r}")
    return shown_as(int(number[:9]), code, epoch)
