from __future__ import annotations

from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from barcodesvc.spreadsheets.unpacked_size import unpacked_size


def test_an_archive_is_as_large_as_its_parts_declare(tmp_path: Path) -> None:
    """A megabyte of blanks counts as such, though a thousandth of it is there."""
    path = tmp_path / "packed.xlsx"
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("a.xml", b" " * 1_000_000)
        archive.writestr("b.xml", b" " * 24)
    assert path.stat().st_size < 2000
    assert unpacked_size(path) == 1_000_024


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x03\x04" + b"x" * 96, b"\xd0\xcf\x11\xe0" * 25])
def test_any_other_file_is_as_large_as_it_is(tmp_path: Path, content: bytes) -> None:
    """An .xls workbook is not packed, and a broken archive holds nothing that could be unpacked."""
    path = tmp_path / "other"
    path.write_bytes(content)
    assert unpacked_size(path) == len(content)
