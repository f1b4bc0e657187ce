from __future__ import annotations

import csv
import io
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from barcodesvc.errors import ExportFailure
from barcodesvc.spreadsheets.formula_text import unguard
from barcodesvc.spreadsheets.read import Row, open_workbook
from barcodesvc.spreadsheets.write import CSV_BOM, XlsxFile, csv_bytes

FirstSheet = Callable[[Path], list[Row]]


TRICKY = (
    "=1+1",
    "'=1+1",
    "0012",
    "#N/A",
    "1e5",
    "-5",
    "@x",
    "  spaces ",
    '"quoted"',
    "'a",
    "😀",
    "_x000D_",
    "TRUE",
    "+",
)
STORED = st.sampled_from(TRICKY) | st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1).filter(
    lambda text: text.strip() and not set(text) & {"\ufffe", "\uffff"}
)


def test_csv_is_rfc_4180_in_utf_8() -> None:
    """Lines end with CRLF, and only what needs quotes is quoted."""
    rows = [("code", "ä"), ("a,b", 'say "x"'), ("two\nlines", None), ("x", 5)]
    assert csv_bytes(rows).decode() == 'code,ä\r\n"a,b","say ""x"""\r\n"two\nlines",\r\nx,5\r\n'
    assert CSV_BOM.decode("utf-8-sig") == ""


def test_csv_replaces_what_utf_8_cannot_carry() -> None:
    """A lone surrogate does not end an export."""
    assert csv_bytes([("a\ud800", 1)]).decode() == "a\ufffd,1\r\n"


@given(st.lists(st.lists(STORED, min_size=1, max_size=4), max_size=4))
def test_csv_gives_the_texts_back(rows: list[list[str]]) -> None:
    """Whatever text is stored, the file read as CSV and unguarded gives it back, and no field is a formula."""
    text = (CSV_BOM + csv_bytes(rows)).decode("utf-8-sig")
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert [[unguard(field) for field in row] for row in read] == rows
    assert not any(field.startswith(("=", "+", "-", "@")) for row in read for field in row)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(STORED, min_size=1, max_size=4), max_size=4))
def test_xlsx_gives_the_texts_back(tmp_path: Path, first_sheet: FirstSheet, rows: list[list[str]]) -> None:
    """Whatever text is stored, the workbook gives it back through the import."""
    with XlsxFile() as book:
        book.sheet("Inventory", ("code",))
        book.append(rows)
        book.save(tmp_path / "out.xlsx")
    assert [list(row.cells) for row in first_sheet(tmp_path / "out.xlsx")[1:]] == rows


def test_xlsx_holds_texts_and_numbers_for_other_programs_too(tmp_path: Path) -> None:
    """Text is a string cell, never a formula or an error; numbers are numbers; the header is bold."""
    with XlsxFile() as book:
        book.sheet("Inventory", ("=code", "level"))
        book.append([("=1+1", 5), ("#N/A", None), ("0012", 2**53 - 1), ("", 0)])
        book.save(tmp_path / "out.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx")["Inventory"]
    assert [[cell.value for cell in row] for row in sheet.iter_rows()] == [
        ["=code", "level"], ["=1+1", 5], ["#N/A", None], ["0012", 2**53 - 1], [None, 0],
    ]  # fmt: skip
    assert [cell.data_type for cell in sheet["A"]] == ["s", "s", "s", "s", "n"]
    assert (sheet["A1"].font.b, sheet["A2"].font.b, sheet["A2"].quotePrefix) == (True, False, True)
    assert sheet["A4"].number_format == "@"


def test_a_full_sheet_goes_on_in_the_next(tmp_path: Path) -> None:
    """Rows beyond the bound stand under the same header on a numbered sheet."""
    with XlsxFile(max_rows=10) as book:
        book.sheet("Inventory", ("n",))
        book.append([number] for number in range(20))
        book.sheet("History", ("n",))
        book.append([["x"]])
        book.save(tmp_path / "out.xlsx")
    with open_workbook(tmp_path / "out.xlsx") as workbook:
        read = {sheet.name: [row.cells[0] for row in sheet.rows()] for sheet in workbook.sheets()}
    assert list(read) == ["Inventory", "Inventory 2", "Inventory 3", "History"]
    assert read["Inventory 2"] == ["n", *map(str, range(9, 18))]
    assert read["History"] == ["n", "x"]


def test_unwritable_characters_do_not_end_an_export(tmp_path: Path, first_sheet: FirstSheet) -> None:
    """Control characters and lone surrogates become U+FFFD."""
    with XlsxFile() as book:
        book.sheet("x", ("code",))
        book.append([("a\x00b\ud800c\uffffd",), ("line\r\nbreak",)])
        book.save(tmp_path / "out.xlsx")
    cells = [row.cells[0] for row in first_sheet(tmp_path / "out.xlsx")]
    assert cells == ["code", "a\ufffdb\ufffdc\ufffdd", "line\r\nbreak"]


def test_temporary_files_are_removed_whatever_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An export that is given up leaves nothing behind."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with XlsxFile() as book:
        book.sheet("x", ("code",))
        book.append([("a",)])
        assert list(tmp_path.iterdir())
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_an_export_failure(tmp_path: Path) -> None:
    """The error of the operating system stays inside."""
    with XlsxFile() as book:
        book.sheet("x", ("code",))
        with pytest.raises(ExportFailure, match="could not be written"):
            book.save(tmp_path / "missing" / "out.xlsx")


def test_a_workbook_is_a_zip_archive_of_bounded_parts(tmp_path: Path) -> None:
    """Texts stand in the rows, so that no table of them grows in memory."""
    with XlsxFile() as book:
        book.sheet("x", ("code",))
        book.append([("abc",)])
        book.save(tmp_path / "out.xlsx")
    with zipfile.ZipFile(tmp_path / "out.xlsx") as archive:
        assert b"abc" in archive.read("xl/worksheets/sheet1.xml")
