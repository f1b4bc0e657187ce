"""How much of a workbook there is to read, known before it is read.

A zip archive is judged by what its parts declare: zipfile yields no more of them, whatever the archive holds.
"""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

from barcodesvc.errors import InvalidFileFormat
from barcodesvc.spreadsheets.archive import zip_errors_translated


def unpacked_size(path: Path) -> int:
    """Return the bytes that all parts of a zip archive declare together, or the size of any other file."""
    try:
        with zip_errors_translated("its zip archive"), ZipFile(path) as archive:
            return sum(info.file_size for info in archive.infolist())
    except InvalidFileFormat:
        return path.stat().st_size
