"""An .xlsx workbook: its worksheets, the visible ones first (ECMA-376-1, 18.2).

The reading is streamed XML rather than openpyxl's object model, for three reasons: memory stays bounded on a
file made to exhaust it (one row of ten million cells is 40 kB packed), a formula without a saved value is
distinguished from a blank cell in one pass, and reading takes less than half the time. What formats mean is asked of
openpyxl.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import IO

from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH

from barcodesvc.spreadsheets.archive import Archive
from barcodesvc.spreadsheets.number_formats import Shown
from barcodesvc.spreadsheets.package import MAX_METADATA, Relationship, find_workbook, read_relationships
from barcodesvc.spreadsheets.refusals import damaged, macros
from barcodesvc.spreadsheets.rows import MAX_SHEETS, SheetRow, Worksheet
from barcodesvc.spreadsheets.shared_strings import read_shared_strings
from barcodesvc.spreadsheets.spreadsheetml import NAMESPACES, RELATIONSHIP_IDS, TRUE
from barcodesvc.spreadsheets.styles import read_styles
from barcodesvc.spreadsheets.text_table import TextTable
from barcodesvc.spreadsheets.xlsx_sheet import read_hidden_columns, read_rows
from barcodesvc.spreadsheets.xml_events import Attributes, XmlEvents, parse


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


class XlsxWorkbook:
    """An open .xlsx workbook; raises InvalidFileFormat or FileTooLarge, also while rows are read."""

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
        """Yield the worksheets in the order of their tabs, the visible ones first and then the hidden ones."""
        for tab in sorted(self._tabs, key=lambda tab: tab.hidden):
            yield Worksheet(tab.name, tab.hidden, partial(self._hidden_columns, tab), partial(self._rows, tab))

    def close(self) -> None:
        """Let go of the archive and of its texts."""
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
        """Return where a sheet is; one that is nowhere stands in the way of nobody but who reads it."""
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
        styles = [] if part is None else read_styles(self._archive, part, epoch)
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
