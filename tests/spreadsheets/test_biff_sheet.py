"""Workbooks made record by record, for what no program at hand writes any more."""

from __future__ import annotations

import io
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from struct import pack

import pytest
from xlwt.CompoundDoc import XlsDoc

from barcodesvc.errors import FileTooLarge, InvalidFileFormat
from barcodesvc.spreadsheets.read import CellProblem, Row, open_workbook

FirstSheet = Callable[[Path], list[Row]]

BIFF8, BIFF5 = 0x0600, 0x0500
ZEROS, DATE = 1, 2
"""Cell formats of the workbooks made here; 0 is General."""


def record(code: int, data: bytes = b"") -> bytes:
    """Return a record."""
    return pack("<HH", code, len(data)) + data


def number(row: int, column: int, value: float, style: int = 0) -> bytes:
    """Return a NUMBER record."""
    return record(0x203, pack("<HHHd", row, column, style, value))


def label(row: int, column: int, text: str, codepage: str = "cp1252") -> bytes:
    """Return a LABEL record of BIFF5."""
    return record(0x204, pack("<HHHH", row, column, 0, len(text)) + text.encode(codepage))


def shared(row: int, column: int, index: int) -> bytes:
    """Return a LABELSST record."""
    return record(0xFD, pack("<HHHI", row, column, 0, index))


def formula(row: int, column: int, result: bytes, *behind: bytes) -> bytes:
    """Return a FORMULA record with the records that stand behind it."""
    return record(0x06, pack("<HHH8s", row, column, 0, result) + bytes(8)) + b"".join(behind)


def book(cells: bytes, version: int = BIFF8, extra: bytes = b"", codepage: int = 1252) -> bytes:
    """Return the stream of a workbook of one sheet; `extra` are records of its globals."""
    text = b"0000000000000"
    code = pack("<HHB" if version == BIFF8 else "<HB", 164, len(text), *([0] if version == BIFF8 else []))
    size = 20 if version == BIFF8 else 16
    styles = [record(0xE0, pack("<HH", 0, key).ljust(size, b"\0")) for key in (0, 164, 14)]
    head = record(0x809, pack("<HHHH", version, 5, 0, 0)) + record(0x42, pack("<H", codepage))
    head += record(0x41E, code + text) + b"".join(styles) + extra
    name = b"\x01\x00S" if version == BIFF8 else b"\x01S"
    start = len(head) + len(record(0x85, bytes(6) + name)) + len(record(0x0A))
    head += record(0x85, pack("<IBB", start, 0, 0) + name) + record(0x0A)
    return head + record(0x809, pack("<HHHH", version, 0x10, 0, 0)) + cells + record(0x0A)


def texts(*pieces: bytes, count: int) -> bytes:
    """Return an SST record whose texts go on in CONTINUE records."""
    first, *more = pieces
    return record(0xFC, pack("<II", count, count) + first) + b"".join(record(0x3C, piece) for piece in more)


@pytest.fixture
def made(tmp_path: Path) -> Callable[[bytes], Path]:
    """Return a function that packs a workbook's stream into a file."""

    def make(stream: bytes) -> Path:
        buffer = io.BytesIO()
        XlsDoc().save(buffer, stream)
        (tmp_path / "made.xls").write_bytes(buffer.getvalue())
        return tmp_path / "made.xls"

    return make


Made = Callable[[bytes], Path]


@pytest.mark.parametrize(("codepage", "text"), [(1252, "Grüße €"), (1251, "Ручка"), (932, "ｺｰﾋｰ")])
def test_a_workbook_of_excel_95_is_read_in_its_code_page(
    made: Made, first_sheet: FirstSheet, codepage: int, text: str
) -> None:
    """BIFF5 keeps texts as bytes, and numbers as ever."""
    cells = label(0, 0, text, f"cp{codepage}") + number(0, 1, 12345, ZEROS) + number(0, 2, 45370, DATE)
    rows = first_sheet(made(book(cells, BIFF5, codepage=codepage)))
    assert rows == [Row(1, (text, "0000000012345", "2024-03-19"))]


def test_an_unknown_code_page_is_told(made: Made, first_sheet: FirstSheet) -> None:
    """Texts that nobody can decode are not guessed."""
    with pytest.raises(InvalidFileFormat, match="unknown code page 999"):
        first_sheet(made(book(b"", BIFF5, codepage=999)))


def test_a_workbook_older_than_excel_5_is_told(made: Made, first_sheet: FirstSheet) -> None:
    """BIFF4 and what is no BIFF at all are refused by name."""
    with pytest.raises(InvalidFileFormat, match=r"older than Excel 5\.0"):
        first_sheet(made(book(b"", 0x0400)))


@pytest.mark.parametrize(
    ("packed", "shown"),
    [
        (5 << 2 | 2, "5"),
        ((-5 & 0x3FFFFFFF) << 2 | 2, "-5"),
        (1999 << 2 | 3, "19.99"),
        (500 << 2 | 3, "5"),
        (0x40290000, "12.5"),
        (0x40934A00 | 1, "12.345"),
    ],
)
def test_packed_numbers(made: Made, first_sheet: FirstSheet, packed: int, shown: str) -> None:
    """RK numbers hold whole numbers and the head of a double, in hundredths or not, alone or many in one record."""
    one = record(0x27E, pack("<HHHI", 0, 0, 0, packed))
    many = record(0xBD, pack("<HHHIHIH", 0, 1, 0, packed, 0, packed, 2))
    assert first_sheet(made(book(one + many))) == [Row(1, (shown, shown, shown))]


def test_results_of_formulas(made: Made, first_sheet: FirstSheet) -> None:
    """A formula counts as its saved result, a text standing in a record behind it."""
    string = record(0x207, pack("<HB", 2, 0) + b"ab")
    long = record(0x207, pack("<HB", 4, 0) + b"ab") + record(0x3C, b"\x01" + "ü€".encode("utf-16-le"))
    cells = (
        formula(0, 0, pack("<d", 12.5))
        + formula(0, 1, b"\0\0\0\0\0\0\xff\xff", string)
        + formula(0, 2, b"\0\0\0\0\0\0\xff\xff", record(0x4BC, bytes(12)), long)
        + formula(0, 3, b"\x01\0\x01\0\0\0\xff\xff")
        + formula(0, 4, b"\x02\0\x2a\0\0\0\xff\xff")
        + formula(0, 5, b"\x03\0\0\0\0\0\xff\xff")
    )
    [row] = first_sheet(made(book(cells)))
    assert row.cells[:4] == ("12.5", "ab", "abü€", "TRUE")
    assert row.cells[4:] == (CellProblem("holds the error #N/A: correct it in the spreadsheet", "#N/A"),)


def test_texts_go_on_in_continue_records(made: Made, first_sheet: FirstSheet) -> None:
    """A text may change its width where it goes on; rich text and phonetic hints are passed over."""
    table = texts(
        pack("<HB", 3, 0) + b"abc" + pack("<HBHI", 2, 0x0C, 1, 3) + b"xy" + b"ru",
        b"n!hi",
        b"t" + pack("<HB", 4, 1) + "日".encode("utf-16-le"),
        b"\x00ab",
        b"\x01" + "本".encode("utf-16-le"),
        count=3,
    )
    cells = shared(0, 0, 2) + shared(0, 1, 1) + shared(0, 2, 0)
    assert first_sheet(made(book(cells, extra=table))) == [Row(1, ("日ab本", "xy", "abc"))]


def test_numbers_go_on_in_continue_records(made: Made, first_sheet: FirstSheet) -> None:
    """Even the length of a text may stand on both sides of the border, and a piece may be empty."""
    table = texts(b"\x03", b"", b"\x00\x00abc", count=1)
    assert first_sheet(made(book(shared(0, 0, 0), extra=table))) == [Row(1, ("abc",))]


def test_texts_that_end_too_early_are_damage(made: Made, first_sheet: FirstSheet) -> None:
    """A table that says more than it holds is told."""
    with pytest.raises(InvalidFileFormat, match="cut short or broken"):
        first_sheet(made(book(shared(0, 0, 0), extra=texts(b"\x03\x00\x00abc", count=2))))


def test_rows_come_in_order_whatever_the_file_does(made: Made, first_sheet: FirstSheet) -> None:
    """Records that stand anyhow are put in order by their row."""
    cells = number(2, 0, 3) + number(0, 1, 2) + number(1, 0, 9) + number(0, 0, 1)
    assert first_sheet(made(book(cells))) == [Row(1, ("1", "2")), Row(2, ("9",)), Row(3, ("3",))]


def test_cells_of_a_chart_are_no_cells_of_its_sheet(made: Made, first_sheet: FirstSheet) -> None:
    """A chart inside a sheet keeps numbers of its own."""
    chart = record(0x809, pack("<HHHH", BIFF8, 0x20, 0, 0)) + number(0, 0, 7) + record(0x0A)
    assert first_sheet(made(book(chart + number(0, 0, 1)))) == [Row(1, ("1",))]


@pytest.mark.parametrize(
    "cells",
    [
        shared(0, 0, 99),
        formula(0, 0, b"\0\0\0\0\0\0\xff\xff"),
        b"\x03\x02\xff\xff",
    ],
)
def test_records_that_do_not_add_up_are_damage(made: Made, first_sheet: FirstSheet, cells: bytes) -> None:
    """Missing texts, missing results and records that are too long are told."""
    with pytest.raises(InvalidFileFormat, match="cut short or broken"):
        first_sheet(made(book(cells)))


def test_texts_that_no_cell_can_show_are_too_large(made: Made, first_sheet: FirstSheet) -> None:
    """A table of texts may be as long as the sheets have room for cells."""
    with pytest.raises(FileTooLarge, match="70000 texts"):
        first_sheet(made(book(b"", extra=texts(b"", count=70_000))))


def test_a_long_text_is_kept_as_its_beginning(made: Made, first_sheet: FirstSheet) -> None:
    """In the table of texts, in a cell of its own and as a formula's result, as in .xlsx."""
    text = pack("<HB", 2000, 0) + b"xy" * 1000
    cells = shared(0, 0, 0) + formula(0, 1, b"\0\0\0\0\0\0\xff\xff", record(0x207, text))
    kept = "xy" * 200 + "\u2026" * 600
    assert first_sheet(made(book(cells, extra=texts(text, count=1)))) == [Row(1, (kept, kept))]
    assert first_sheet(made(book(label(0, 0, "xy" * 1000), BIFF5))) == [Row(1, (kept,))]


def test_a_long_text_in_thousands_of_cells_takes_no_memory(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fourteen bytes of a cell are no hundred kilobytes of text."""
    monkeypatch.setattr("barcodesvc.spreadsheets.text_table.IN_MEMORY", 0)
    text = pack("<HB", 4000, 1) + ("\u20ac" * 4000).encode("utf-16-le")
    cells = b"".join(shared(row, column, 0) for row in range(20) for column in range(256))
    with open_workbook(made(book(cells, extra=texts(text, count=1)))) as workbook:
        rows = list(next(iter(workbook.sheets())).rows())
    assert {len(cell) for row in rows for cell in row.cells if isinstance(cell, str)} == {1000}


def test_ranges_of_columns_are_hidden(made: Made) -> None:
    """A column range may reach beyond the columns that are looked at."""
    ranges = ((0, 1, 0), (3, 5, 1), (5, 6, 1), (255, 65_535, 1), (9, 8, 1))
    columns = b"".join(record(0x7D, pack("<HHHHHH", first, last, 0, 0, hidden, 0)) for first, last, hidden in ranges)
    with open_workbook(made(book(columns + number(0, 0, 1)))) as workbook:
        [sheet] = workbook.sheets()
        assert sheet.hidden_columns() == {3, 4, 5, 6, 255}


def test_sparse_and_blank_cells_take_no_memory(made: Made) -> None:
    """A cell in the last column of every row, and blanks in all others, are read one row at a time."""
    blanks = b"".join(record(0xBE, pack("<HH", row, 0) + bytes(512) + pack("<H", 255)) for row in range(3_000))
    path = made(book(blanks + b"".join(number(row, 255, row) for row in range(3_000, 30_000))))
    tracemalloc.start()
    try:
        with open_workbook(path) as workbook:
            assert sum(1 for row in next(iter(workbook.sheets())).rows()) == 27_000
        assert tracemalloc.get_traced_memory()[1] < 4 * path.stat().st_size
    finally:
        tracemalloc.stop()


def test_a_file_that_was_cut_short_is_told_as_such(tmp_path: Path, made: Made, first_sheet: FirstSheet) -> None:
    """Where the list of its streams is gone, it still is not called a file without a workbook."""
    content = made(book(b"".join(number(row, 0, row) for row in range(2_000)))).read_bytes()
    directory = int.from_bytes(content[48:52], "little")
    (tmp_path / "made.xls").write_bytes(content[: 512 * (directory + 1)])
    with pytest.raises(InvalidFileFormat, match="cut short"):
        first_sheet(tmp_path / "made.xls")
