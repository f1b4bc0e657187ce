"""A catalogue as cells, and the .xlsx of it to import, with shared strings as Excel writes them.

Every other code is a GTIN-13, which a spreadsheet would take for a number if it were not kept as text. Nothing is
random, so every run has the same cells. The parts of the file are written by hand, because openpyxl writes inline
strings only; a row, including its `spans` and `x14ac:dyDescent`, is as Excel saves it.
"""

import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from xml.sax.saxutils import escape

from barcodesvc.models import ProductDraft
from barcodesvc.numbers.check_digits import completed_gtin
from scripts.benchmarks.codes import short_code
from scripts.benchmarks.labels import description

COLUMNS = (
    "product_code",
    "description",
    "category",
    "unit_of_measure",
    "current_level",
    "minimum_level",
    "maximum_level",
)
CATEGORIES = ("Bolts", "Nuts", "Screws", "Washers", "Anchors", "Nails", "Paint", "Tools")
UNITS = ("pcs", "box", "kg")
COUNTED = datetime(2026, 3, 14, 15, 9, 26, 535000)  # noqa: DTZ001 - a cell's date has no zone
NEW = 10_000_000
"""Number of the first product in a file; no server has it yet."""

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_AC = "http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/>'
    f'<Override PartName="/xl/sharedStrings.xml" ContentType="{_TYPE}.sharedStrings+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{_OFFICE}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
}

Cells = tuple[str, str, str, str, int, int, int]


@dataclass(frozen=True, slots=True)
class Workbook:
    """A file of new products, and how many they are."""

    path: Path
    rows: int


def cells(number: int) -> Cells:
    """Return the cells of a product in the COLUMNS of an import; its code is `AB-00000016` or `2000000000176`."""
    code = completed_gtin("EAN13", f"2{number:011}", 13) if number % 2 else short_code(number)
    category, unit = CATEGORIES[number % len(CATEGORIES)], UNITS[number % len(UNITS)]
    level, minimum = number % 200, 10 + number % 20
    return (code, description(short_code(number)), category, unit, level, minimum, 1000)


def draft(number: int) -> ProductDraft:
    """Return a product as the service's store accepts it."""
    named = dict(zip(COLUMNS, cells(number), strict=True))
    return ProductDraft(initial_level=named.pop("current_level"), **named)  # type: ignore[arg-type]  # by their names


def exported(number: int) -> tuple[str | int | datetime, ...]:
    """Return the cells of a level as the service exports them, in types that openpyxl accepts."""
    code, text, category, unit, *levels = cells(number)
    return (number + 1, number + 1, code, text, *levels, COUNTED, "system", category, unit)


def shared_xlsx(folder: Path, rows: int, first: int = NEW) -> Workbook:
    """Write an .xlsx with its texts in a table of strings."""
    places: dict[str, int] = {}
    path = folder / f"shared-{rows}.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in _PARTS.items():
            archive.writestr(name, _HEAD + content)
        with archive.open("xl/worksheets/sheet1.xml", "w") as part:
            spaces = f'xmlns="{_MAIN}" xmlns:x14ac="{_AC}"'
            part.write(f'{_HEAD}<worksheet {spaces}><dimension ref="A1:G{rows + 1}"/><sheetData>'.encode())
            part.writelines(_rows(range(first, first + rows), places))
            part.write(b"</sheetData></worksheet>")
        with archive.open("xl/sharedStrings.xml", "w") as part:
            part.write(f'{_HEAD}<sst xmlns="{_MAIN}" uniqueCount="{len(places)}">'.encode())
            part.writelines(f"<si><t>{escape(text)}</t></si>".encode() for text in places)
            part.write(b"</sst>")
    return Workbook(path, rows)


def _rows(numbers: Iterable[int], places: dict[str, int]) -> Iterator[bytes]:
    lines: Iterable[Iterable[str | int]] = (COLUMNS, *map(cells, numbers))
    for row, line in enumerate(lines, 1):
        inside = "".join(_cell(f"{letter}{row}", value, places) for letter, value in zip("ABCDEFG", line, strict=True))
        yield f'<row r="{row}" spans="1:7" x14ac:dyDescent="0.25">{inside}</row>'.encode()


def _cell(reference: str, value: str | int, places: dict[str, int]) -> str:
    if isinstance(value, int):
        return f'<c r="{reference}"><v>{value}</v></c>'
    return f'<c r="{reference}" t="s"><v>{places.setdefault(value, len(places))}</v></c>'
