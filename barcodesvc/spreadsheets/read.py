"""Workbooks to rows: the content decides the format, never the file's name; only CSV has to be named.

    with open_workbook(path) as workbook:
        for sheet in workbook.sheets():
            for row in sheet.rows():
                ...

Rows are read lazily. A hostile file can ask for any amount of time and memory, so the work belongs in a process with
limits (`runtime.processes`). A file that cannot be read raises InvalidFileFormat or FileTooLarge, when it is opened or
while it is read.
"""

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Literal

from barcodesvc.errors import InvalidFileFormat, InvalidInput, field_problem
from barcodesvc.spreadsheets.cells import Workbook
from barcodesvc.spreadsheets.refusals import SAVE_AS, not_a_workbook, text_file

FileFormat = Literal["csv"]
"""A format that the content of a file does not show."""

_ZIP = b"PK\x03\x04"
_ODS = b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"
"""The name and the content of the first part of an .ods file, which is not packed (OpenDocument 1.3, part 2, 3.3)."""
_OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# the first record of a workbook of Excel 2.0 to 4.0, which is not an OLE2 file: its code and its possible sizes
_BOF = tuple(bytes((9, version, size, 0)) for version in (0, 2, 4, 8) for size in range(4, 21))
_XLS = (_OLE2, *_BOF)
_HEAD = 512
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_TEXT = "a text file such as CSV"
_HTML = re.compile(r"<(?:!doctype\s+html|html|head|meta|body|style|table|tr|div)\b")
_OF_EXCEL_2003 = "urn:schemas-microsoft-com:office:spreadsheet"
# kinds of files by their first bytes
_OTHER_FILES = {
    b"%PDF": "a PDF document",
    b"PK\x05\x06": "an empty zip archive",
    b"\x1f\x8b": "a gzip archive",
    b"Rar!": "a RAR archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"{\\rtf": "an RTF document",
}


@contextmanager
def open_workbook(path: Path, file_format: FileFormat | None = None, encoding: str | None = None) -> Iterator[Workbook]:
    """Open a workbook; its sheets and rows can be read until the block ends. `encoding` is that of a text file.

    Without `file_format`, raises InvalidFileFormat for anything but a readable .xlsx, .xls or .ods workbook without
    macros and password, or a web page with a table, and FileTooLarge for one beyond its bounds. A CSV file raises them,
    too.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
        file.seek(0)
        if not head:
            raise InvalidFileFormat(f"The file is empty (0 bytes). If it should have content, {SAVE_AS} again.")
        if file_format == "csv":
            opened = _open_csv(path, head, encoding)
        elif _is_html(head):
            opened = _open_html(path, encoding)
        else:
            opened = _open(file, path, head, encoding)
        with closing(opened) as workbook:
            yield workbook


def _open(file: IO[bytes], path: Path, head: bytes, encoding: str | None) -> Workbook:
    if encoding is not None:
        raise InvalidInput.of(field_problem("encoding", "only a text file has one; leave it out, or send format=csv"))
    if _ODS in head:
        from barcodesvc.spreadsheets.ods import OdsWorkbook  # noqa: PLC0415 - loaded at its first use

        return OdsWorkbook(path)
    if head.startswith(_ZIP):
        from barcodesvc.spreadsheets.xlsx import XlsxWorkbook  # noqa: PLC0415 - loaded at its first use

        return XlsxWorkbook(file)
    if head.startswith(_XLS):
        from barcodesvc.spreadsheets.xls import XlsWorkbook  # noqa: PLC0415 - loaded at its first use

        return XlsWorkbook(file)
    name = _name_file(head)
    raise text_file() if name == _TEXT else not_a_workbook(name)


def _open_csv(path: Path, head: bytes, encoding: str | None) -> Workbook:
    from barcodesvc.spreadsheets.csv_reading import CsvWorkbook  # noqa: PLC0415 - loaded at its first use

    if head.startswith((_ZIP, *_XLS)):
        raise InvalidFileFormat("The file is a workbook, not CSV. Please send it without format=csv.")
    return CsvWorkbook(path, encoding)


def _open_html(path: Path, encoding: str | None) -> Workbook:
    from barcodesvc.spreadsheets.html_tables import HtmlWorkbook  # noqa: PLC0415 - loaded at its first use

    return HtmlWorkbook(path, encoding)


def is_held_in_memory(path: Path, file_format: FileFormat | None) -> bool:
    """Return whether a whole file is held in memory while it is read: .xls, .ods, a web page."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return head.startswith(_XLS) or _ODS in head or (file_format is None and _is_html(head))


def _is_html(head: bytes) -> bool:
    text = (_as_text(head) or "").lstrip().casefold()
    return text.startswith("<") and _OF_EXCEL_2003 not in text and _HTML.search(text) is not None


def _name_file(head: bytes) -> str:
    for signature, name in _OTHER_FILES.items():
        if head.startswith(signature):
            return name
    text = _as_text(head)
    if text is None:
        return "of an unknown kind"
    if _OF_EXCEL_2003 in text.casefold():
        return "an XML spreadsheet of Excel 2003"
    if text.lstrip().startswith("<"):
        return "an HTML or XML document"
    if text.startswith("MIME-Version:"):
        return "a web page with its images (MHTML)"
    return _TEXT


def _as_text(head: bytes) -> str | None:
    """Return the beginning of a text file, also in UTF-16 with a byte order mark; None for anything else."""
    if head.startswith(_UTF16_MARKS):
        return head[: len(head) & ~1].decode("utf-16", "replace")
    return None if b"\0" in head else head.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
