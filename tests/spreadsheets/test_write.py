import csv
import io
import os
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import openpyxl
import pytest
from hypothesis import HealthCheck, given, strategies as st

from barcodesvc.errors import ExportFailure
from barcodesvc.spreadsheets.escapes import unguard
from barcodesvc.spreadsheets.read import open_workbook
from barcodesvc.spreadsheets.tables import Column, Kind, TableDesign, Values
from barcodesvc.spreadsheets.write import CSV_BOM, XlsxFile, csv_bytes, disk_errors_translated
from tests.properties import examples
from tests.spreadsheets.made_workbooks import first_sheet
from tests.sweeps import sweep

TRICKY = ("=1+1", "'=1+1", "0012", "#N/A", "1e5", "-5", "@x", "  spaces ", '"quoted"', "'a", "😀", "_x000D_", "TRUE")
STORED = st.sampled_from(TRICKY) | st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1).filter(str.strip)
KINDS = {"code": Kind.CODE, "text": Kind.TEXT, "level": Kind.NUMBER, "minimum": Kind.NUMBER, "time": Kind.TIME}
STOCK = TableDesign("Stock", tuple(Column(name, kind, 20) for name, kind in KINDS.items()), marked=("level", "minimum"))
NOON = "2026-01-31T12:00:00.250Z"
ROW = ("0012", "a text", 5, 10, NOON)


def texts(columns: int = 1) -> TableDesign:
    """Return a table of texts only."""
    return TableDesign("Inventory", tuple(Column(f"c{number}", Kind.TEXT, 10) for number in range(columns)))


def write(path: Path, table: TableDesign, rows: Sequence[Values]) -> Path:
    """Write a workbook of one table and return its path."""
    with XlsxFile(path) as book:
        book.sheet(table)
        book.append(rows)
        book.finish()
    return path


def test_csv_is_rfc_4180_in_utf_8() -> None:
    """Lines end with CRLF, and everything but numbers is quoted."""
    rows = [("code", "ä"), ("a,b", 'say "x"'), ("two\nlines", None), ("x", 5)]
    assert csv_bytes(rows).decode() == '"code","ä"\r\n"a,b","say ""x"""\r\n"two\nlines",""\r\n"x",5\r\n'
    assert CSV_BOM.decode("utf-8-sig") == ""


def test_csv_replaces_what_utf_8_cannot_carry() -> None:
    """A lone surrogate does not stop an export; every other character stays, including U+FFFF."""
    assert csv_bytes([("a\ud800", 1), ("b\ufffe\uffff", 2)]).decode() == '"a\ufffd",1\r\n"b\ufffe\uffff",2\r\n'


@sweep("separator", [",", ";", "\t", "|"])
@sweep("formula", ["=1+1", "+1", "-1", "@SUM(A1)", "\uff1d1+1", "\uff0b1", "\uff0d1", "\uff20x"])
@sweep("text", ["{}", "x;{}", "x,{}", "x|{}", "x\t{}", 'x;"{}";y', "x;;{}", "';{}", 'x"";{}'])
def test_no_separator_makes_a_formula_of_a_text(separator: str, formula: str, text: str) -> None:
    """However a spreadsheet splits the file, no field begins like a formula; read as CSV, the text comes back."""
    stored = text.format(formula)
    content = csv_bytes([("code", stored, 5)]).decode()
    fields = [field for row in csv.reader(io.StringIO(content, newline=""), delimiter=separator) for field in row]
    assert not any(field.startswith(tuple("=+-@\uff1d\uff0b\uff0d\uff20")) for field in fields)
    [[_, field, _]] = csv.reader(io.StringIO(content, newline=""))
    assert unguard(field) == stored


@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(STORED, STORED), max_size=4))
def test_xlsx_gives_the_texts_back(tmp_path: Path, rows: list[tuple[str, str]]) -> None:
    """Any stored text, in a column of codes or of texts, comes back when the workbook is imported."""
    table = TableDesign("x", (Column("code", Kind.CODE, 10), Column("text", Kind.TEXT, 10)))
    path = write(tmp_path / "out.xlsx", table, rows)
    assert [row.cells for row in first_sheet(path)[1:]] == rows


def test_xlsx_holds_texts_and_numbers_for_other_programs_too(tmp_path: Path) -> None:
    """Text is a string cell, never a formula or an error; numbers are numbers; the header is bold."""
    table = TableDesign("Inventory", (Column("=code", Kind.TEXT, 10), Column("level", Kind.NUMBER, 10)))
    rows = [("=1+1", 5), ("#N/A", None), ("0012", 2**53 - 1), ("", 0)]
    sheet = openpyxl.load_workbook(write(tmp_path / "out.xlsx", table, rows))["Inventory"]
    assert [[cell.value for cell in row] for row in sheet.iter_rows()] == [
        ["=code", "level"], ["=1+1", 5], ["#N/A", None], ["0012", 2**53 - 1], [None, 0],
    ]  # fmt: skip
    assert [cell.data_type for cell in sheet["A"]] == ["s", "s", "s", "s", "n"]
    assert (sheet["A1"].font.b, sheet["A2"].font.b, sheet["A2"].quotePrefix) == (True, False, True)
    assert [cell.number_format for cell in sheet["A"][2:4]] == ["@", "@"]


@pytest.mark.parametrize("code", ["0012", "BOLT", "=1", "a & b", "1E5", "'x"])
def test_a_code_is_formatted_as_text_whatever_it_looks_like(tmp_path: Path, code: str) -> None:
    """Each cell of a code, and the whole column, keeps its zeros when edited."""
    sheet = openpyxl.load_workbook(write(tmp_path / "out.xlsx", STOCK, [(code, *ROW[1:])])).worksheets[0]
    assert (sheet["A2"].value, sheet["A2"].data_type, sheet["A2"].number_format) == (code, "s", "@")
    assert sheet.column_dimensions["A"].number_format == "@"
    assert sheet.column_dimensions["B"].number_format == sheet["B2"].number_format == "General"


@pytest.mark.parametrize("stamp", [NOON, "2000-02-29T23:59:59.999Z", "1970-01-01T00:00:00.000Z"])
def test_a_timestamp_is_a_real_date(tmp_path: Path, stamp: str) -> None:
    """A program can sort and calculate with it, to the millisecond, and it shows that it is UTC."""
    sheet = openpyxl.load_workbook(write(tmp_path / "out.xlsx", STOCK, [(*ROW[:4], stamp)])).worksheets[0]
    assert sheet["E2"].is_date
    assert sheet["E2"].value == datetime.fromisoformat(stamp).replace(tzinfo=None)
    assert sheet["E2"].number_format.endswith('" UTC"')


def test_the_header_stays_in_sight_above_a_filter(tmp_path: Path) -> None:
    """The first row is frozen and filters the whole table; columns have their designed width."""
    sheet = openpyxl.load_workbook(write(tmp_path / "out.xlsx", STOCK, [ROW, ROW])).worksheets[0]
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == ("A2", "A1:E3")
    assert {dimension.width for dimension in sheet.column_dimensions.values()} == {20}


def test_names_stand_where_their_values_stand(tmp_path: Path) -> None:
    """Headers of numbers are aligned with the numbers; codes keep a distance from a number before them."""
    sheet = openpyxl.load_workbook(write(tmp_path / "out.xlsx", STOCK, [ROW])).worksheets[0]
    columns = list(zip(*sheet.rows, strict=True))
    placed = {name.value: (name.alignment.horizontal, value.alignment.horizontal) for name, value in columns}
    assert placed["level"] == ("right", None)
    assert placed["time"] == ("center", "center")
    assert placed["code"] == ("left", "left")
    assert {cell.alignment.indent for cell in columns[0]} == {1}


def test_marked_rows_follow_their_numbers(tmp_path: Path) -> None:
    """One rule over the whole table colours the rows whose level is not above the minimum."""
    sheet = openpyxl.load_workbook(write(tmp_path / "out.xlsx", STOCK, [ROW, ROW])).worksheets[0]
    [(places, [rule])] = [(str(found.sqref), found.rules) for found in sheet.conditional_formatting]
    assert (places, rule.formula, rule.dxf.fill.bgColor.rgb) == ("A2:E3", ["$C2<=$D2"], "FFFCE4D6")
    bare = openpyxl.load_workbook(write(tmp_path / "bare.xlsx", STOCK, [])).worksheets[0]
    assert (list(bare.conditional_formatting), bare.auto_filter.ref) == ([], "A1:E1")


def test_a_program_that_trusts_dimensions_sees_every_row(tmp_path: Path) -> None:
    """It never declares a wrong dimension (openpyxl's streaming reader stops at a declared one)."""
    book = openpyxl.load_workbook(write(tmp_path / "out.xlsx", STOCK, [ROW] * 30), read_only=True)
    assert len(list(book.worksheets[0].iter_rows())) == 31
    book.close()


def test_a_full_sheet_goes_on_in_the_next(tmp_path: Path) -> None:
    """Rows beyond the limit are under the same header on a numbered sheet, each with a separate filter."""
    with XlsxFile(tmp_path / "out.xlsx", max_rows=10) as book:
        book.sheet(texts())
        book.append([(str(number),) for number in range(20)])
        book.sheet(TableDesign("History", texts().columns))
        book.append([("x",)])
        book.finish()
    with open_workbook(tmp_path / "out.xlsx") as workbook:
        read = {sheet.title: [row.cells[0] for row in sheet.rows()] for sheet in workbook.sheets()}
    assert list(read) == ["Inventory", "Inventory 2", "Inventory 3", "History"]
    assert read["Inventory 2"] == ["c0", *map(str, range(9, 18))]
    assert read["History"] == ["c0", "x"]
    filters = [sheet.auto_filter.ref for sheet in openpyxl.load_workbook(tmp_path / "out.xlsx").worksheets]
    assert filters == ["A1:A10", "A1:A10", "A1:A3", "A1:A2"]


def test_unwritable_characters_do_not_end_an_export(tmp_path: Path) -> None:
    """Control characters and the last ones of the first plane come back, lone surrogates become U+FFFD."""
    path = write(tmp_path / "out.xlsx", texts(), [("a\x00b\ud800c\uffffd",), ("line\r\nbreak",)])
    assert [row.cells[0] for row in first_sheet(path)[1:]] == ["a\x00b\ufffdc\uffffd", "line\r\nbreak"]


def test_the_same_rows_are_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A workbook does not contain the time or place of its writing."""
    first = write(tmp_path / "first.xlsx", STOCK, [ROW]).read_bytes()
    monkeypatch.setattr(time, "time", lambda: 2_000_000_000.0)
    assert write(tmp_path / "second.xlsx", STOCK, [ROW]).read_bytes() == first


def test_a_place_that_cannot_be_written_is_an_export_failure(tmp_path: Path) -> None:
    """The error of the operating system is not shown."""
    with pytest.raises(ExportFailure, match="free disk space"), disk_errors_translated():
        XlsxFile(tmp_path / "missing" / "out.xlsx")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the device that is always full is Linux's")
def test_a_full_disk_is_an_export_failure() -> None:
    """It is reported as such, and the file is closed without further errors."""
    with pytest.raises(ExportFailure, match="free disk space"), disk_errors_translated():
        write(Path("/dev/full"), texts(), [(os.urandom(50).hex(),) for _ in range(2000)])
