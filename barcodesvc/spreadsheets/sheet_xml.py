"""The rows of an .xlsx worksheet as XML (ECMA-376-1, 18.3.1).

Text is an inline string, so that no table of texts grows in memory. Rows are put together as text, at a fraction of
what an object for each of a million cells costs; styles and everything around the rows are made in sheet_design.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from xml.sax.saxutils import escape as escape_markup

from openpyxl.utils import get_column_letter

from barcodesvc.spreadsheets.formula_text import guard_xlsx
from barcodesvc.spreadsheets.tables import Column, Kind, Values
from barcodesvc.spreadsheets.xml_text import escape


@dataclass(frozen=True, slots=True)
class CellStyles:
    """The numbers under which the workbook knows the styles of cells."""

    text: int
    """Formatted as text, so that it is what it is when somebody types it in again, zeros and all."""
    quoted: int
    """The same with a quote prefix, for what would be a formula."""
    time: int


_DAY_0 = datetime.fromisoformat("1899-12-30T00:00:00Z")
"""What dates from March 1900 on are counted from (18.17.4.1)."""
_DAY = timedelta(days=1)
_LIKE_A_FORMULA = re.compile(r"[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]")
_LIKE_A_VALUE = re.compile(r"[#0-9.]")
_NEEDS_CARE = re.compile(r"\A[=+\-@#0-9.\s\uff1d\uff0b\uff0d\uff20]|[&<>_'\x00-\x1f\ud800-\udfff\ufffe\uffff]|\s\Z")

_CellXml = Callable[[str, str | int], str]


class RowsXml:
    """Turns the rows of one table into XML; `styles` are those of the workbook around it."""

    def __init__(self, columns: Sequence[Column], styles: CellStyles) -> None:
        self._text = f' s="{styles.text}"'
        self._quoted = f' s="{styles.quoted}"'
        self._time = f' s="{styles.time}"'
        kinds = {
            Kind.CODE: self._code_cell,
            Kind.TEXT: self._text_cell,
            Kind.NUMBER: _number_cell,
            Kind.TIME: self._time_cell,
        }
        self._cells: list[tuple[str, _CellXml]] = [
            (get_column_letter(number), kinds[column.kind]) for number, column in enumerate(columns, 1)
        ]

    def write(self, rows: Iterable[Values], first_number: int) -> bytes:
        """Return the rows, numbered from `first_number` on; raises ValueError for a row of another width."""
        return "".join([self._row(number, values) for number, values in enumerate(rows, first_number)]).encode()

    def _row(self, number: int, values: Values) -> str:
        cells = [
            cell_xml(f"{letter}{number}", value)
            for (letter, cell_xml), value in zip(self._cells, values, strict=True)
            if value is not None and value != ""
        ]
        return f'<row r="{number}">{"".join(cells)}</row>'

    def _code_cell(self, reference: str, value: str | int) -> str:
        return self._string_cell(reference, str(value), self._text)

    def _text_cell(self, reference: str, value: str | int) -> str:
        return self._string_cell(reference, str(value), "")

    def _string_cell(self, reference: str, text: str, style: str) -> str:
        if not _NEEDS_CARE.search(text):
            return f'<c r="{reference}"{style} t="inlineStr"><is><t>{text}</t></is></c>'
        if _LIKE_A_FORMULA.match(text):
            style = self._quoted
        elif _LIKE_A_VALUE.match(text):
            style = self._text
        written = escape_markup(escape(guard_xlsx(text)))
        return f'<c r="{reference}"{style} t="inlineStr"><is><t xml:space="preserve">{written}</t></is></c>'

    def _time_cell(self, reference: str, value: str | int) -> str:
        day = (datetime.fromisoformat(str(value)) - _DAY_0) / _DAY
        return f'<c r="{reference}"{self._time}><v>{day}</v></c>'


def _number_cell(reference: str, value: str | int) -> str:
    return f'<c r="{reference}"><v>{value}</v></c>'
