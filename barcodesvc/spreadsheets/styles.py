"""The number formats of an .xlsx workbook: how the cells of each style show a number (ECMA-376-1, 18.8)."""

from __future__ import annotations

from datetime import datetime

from barcodesvc.spreadsheets.archive import Archive
from barcodesvc.spreadsheets.number_formats import MAX_FORMATS, Shown, shown_as
from barcodesvc.spreadsheets.package import MAX_METADATA
from barcodesvc.spreadsheets.refusals import damaged
from barcodesvc.spreadsheets.spreadsheetml import NAMESPACES
from barcodesvc.spreadsheets.xml_events import Attributes, XmlEvents, parse

MAX_STYLES = 100_000
"""Cell formats of a workbook; a spreadsheet program allows 65,490."""


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


def read_styles(archive: Archive, part: str, epoch: datetime) -> list[Shown]:
    """Return for each style number of a cell how it shows numbers."""
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
