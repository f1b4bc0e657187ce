"""Workbooks made record by record, for formats that no available program writes."""

import io
import time
from collections.abc import Callable
from pathlib import Path
from struct import pack

import pytest
from xlwt.CompoundDoc import XlsDoc

from barcodesvc.errors import InvalidFileFormat
from barcodesvc.spreadsheets.cells import CellProblem, SheetRow, kept_text
from barcodesvc.spreadsheets.read import open_workbook

FirstSheet = Callable[[Path], list[SheetRow]]

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


def formula(row: int, column: int, result: bytes, *following: bytes) -> bytes:
    """Return a FORMULA record with the records that follow it."""
    return record(0x06, pack("<HHH8s", row, column, 0, result) + bytes(8)) + b"".join(following)


def formats(key: int, text: bytes) -> bytes:
    """Return a FORMAT record of BIFF8 that declares 13 characters, whatever the text is."""
    return record(0x41E, pack("<HHB", key, 13, 0) + text)


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
    """BIFF5 stores texts as bytes, and numbers as usual."""
    cells = label(0, 0, text, f"cp{codepage}") + number(0, 1, 12345, ZEROS) + number(0, 2, 45370, DATE)
    rows = first_sheet(made(book(cells, BIFF5, codepage=codepage)))
    assert rows == [SheetRow(1, (text, "0000000012345", "2024-03-19"))]


def test_an_unknown_code_page_is_reported(made: Made, first_sheet: FirstSheet) -> None:
    """Texts that cannot be decoded are not guessed."""
    with pytest.raises(InvalidFileFormat, match="unknown code page"):
        first_sheet(made(book(b"", BIFF5, codepage=999)))


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
    assert first_sheet(made(book(one + many))) == [SheetRow(1, (shown, shown, shown))]


def test_results_of_formulas(made: Made, first_sheet: FirstSheet) -> None:
    """A formula counts as its saved result; a text is in a record after it."""
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
    assert row.cells[4:] == (CellProblem("contains the error #N/A: correct it in the spreadsheet", "#N/A"),)


def test_texts_go_on_in_continue_records(made: Made, first_sheet: FirstSheet) -> None:
    """A text may change its width where it continues; rich text and phonetic hints are skipped."""
    table = texts(
        pack("<HB", 3, 0) + b"abc" + pack("<HBHI", 2, 0x0C, 1, 3) + b"xy" + b"run!",
        b"hit" + pack("<HB", 4, 1) + "日".encode("utf-16-le"),
        b"\x00ab",
        b"\x01" + "本".encode("utf-16-le"),
        count=3,
    )
    cells = shared(0, 0, 2) + shared(0, 1, 1) + shared(0, 2, 0)
    assert first_sheet(made(book(cells, extra=table))) == [SheetRow(1, ("日ab本", "xy", "abc"))]


def test_texts_that_end_too_early_are_damage(made: Made, first_sheet: FirstSheet) -> None:
    """A table that declares more than it contains is reported."""
    with pytest.raises(InvalidFileFormat, match="cut short or broken"):
        first_sheet(made(book(shared(0, 0, 0), extra=texts(b"\x03\x00\x00abc", count=2))))


def test_rows_come_in_order_whatever_the_file_does(made: Made, first_sheet: FirstSheet) -> None:
    """Records in any order are sorted by their row."""
    cells = number(2, 0, 3) + number(0, 1, 2) + number(1, 0, 9) + number(0, 0, 1)
    assert first_sheet(made(book(cells))) == [SheetRow(1, ("1", "2")), SheetRow(2, ("9",)), SheetRow(3, ("3",))]


def test_cells_of_a_chart_are_no_cells_of_its_sheet(made: Made, first_sheet: FirstSheet) -> None:
    """A chart inside a sheet has numbers, and its markers do not begin another sheet."""
    markers = record(0x1009, bytes(20))
    chart = record(0x809, pack("<HHHH", BIFF8, 0x20, 0, 0)) + markers + number(0, 0, 7) + record(0x0A)
    assert first_sheet(made(book(chart + number(0, 0, 1)))) == [SheetRow(1, ("1",))]


@pytest.mark.parametrize(
    "cells",
    [
        shared(0, 0, 99),
        formula(0, 0, b"\0\0\0\0\0\0\xff\xff"),
        b"\x03\x02\xff\xff",
    ],
)
def test_records_that_do_not_add_up_are_damage(made: Made, first_sheet: FirstSheet, cells: bytes) -> None:
    """Missing texts, missing results and records that are too long are reported."""
    with pytest.raises(InvalidFileFormat, match="cut short or broken"):
        first_sheet(made(book(cells)))


def test_a_long_text_is_kept_as_its_beginning(made: Made, first_sheet: FirstSheet) -> None:
    """In the table of texts, in a separate cell and as a formula's result, as in .xlsx."""
    text = pack("<HB", 2000, 0) + b"xy" * 1000
    cells = shared(0, 0, 0) + formula(0, 1, b"\0\0\0\0\0\0\xff\xff", record(0x207, text))
    kept = "xy" * 200 + "\u2026" * 600
    assert first_sheet(made(book(cells, extra=texts(text, count=1)))) == [SheetRow(1, (kept, kept))]
    assert first_sheet(made(book(label(0, 0, "xy" * 1000), BIFF5))) == [SheetRow(1, (kept,))]


def test_ranges_of_columns_are_hidden(made: Made) -> None:
    """A column range may reach one beyond the last column, as Excel writes it."""
    ranges = ((0, 1, 0), (3, 5, 1), (5, 6, 1), (255, 256, 1), (9, 8, 1))
    columns = b"".join(record(0x7D, pack("<HHHHHH", first, last, 0, 0, hidden, 0)) for first, last, hidden in ranges)
    with open_workbook(made(book(columns + number(0, 0, 1)))) as workbook:
        [sheet] = workbook.sheets()
        assert sheet.hidden_columns() == {3, 4, 5, 6, 255}


def test_a_file_that_was_cut_short_is_reported_as_such(tmp_path: Path, made: Made, first_sheet: FirstSheet) -> None:
    """Even without its list of streams, it is not called a file without a workbook."""
    content = made(book(b"".join(number(row, 0, row) for row in range(2_000)))).read_bytes()
    directory = int.from_bytes(content[48:52], "little")
    (tmp_path / "made.xls").write_bytes(content[: 512 * (directory + 1)])
    with pytest.raises(InvalidFileFormat, match="cut short"):
        first_sheet(tmp_path / "made.xls")


def name_in(content: bytes, name: str) -> int:
    """Return the position of a stream's directory entry."""
    return content.index(f"{name}\0".encode("utf-16-le"))


def renamed(content: bytes, name: str) -> bytes:
    """Return an OLE2 file whose workbook stream has another name."""
    place = name_in(content, "Workbook")
    entry = f"{name}\0".encode("utf-16-le").ljust(64, b"\0") + pack("<H", 2 * len(name) + 2)
    return content[:place] + entry + content[place + 66 :]


@pytest.mark.parametrize("name", ["WORKBOOK", "BOOK", "Book", "workbook"])
def test_the_name_of_the_stream_is_compared_without_case(made: Made, first_sheet: FirstSheet, name: str) -> None:
    """Programs other than Excel write it in capitals."""
    path = made(book(number(0, 0, 1)))
    path.write_bytes(renamed(path.read_bytes(), name))
    assert first_sheet(path) == [SheetRow(1, ("1",))]


def without_terminator(content: bytes) -> bytes:
    """Return a file whose directory entry has other bytes after the name, of the same length."""
    end = name_in(content, "Workbook") + 2 * len("Workbook")
    return content[:end] + b"xx" + content[end + 2 :]


def with_a_short_size(content: bytes) -> bytes:
    """Return a file whose directory declares that the stream ends before its last records, within the same sector."""
    size = name_in(content, "Workbook") + 120
    return content[:size] + pack("<I", int.from_bytes(content[size : size + 4], "little") - 500) + content[size + 4 :]


def with_a_red_root(content: bytes) -> bytes:
    """Return a file whose root is a red node of the tree of names, and whose last sector is cut short."""
    root = content.index("Root Entry".encode("utf-16-le"))
    return content[: root + 67] + b"\x00" + content[root + 68 : -1]


def with_a_sector_of_two_streams(content: bytes) -> bytes:
    """Return a file whose small streams are in the same sectors as the workbook."""
    root = content.index("Root Entry".encode("utf-16-le")) + 116
    workbook = name_in(content, "Workbook") + 116
    return content[:root] + content[workbook : workbook + 8] + content[root + 8 :]


@pytest.mark.parametrize(
    "changed", [without_terminator, with_a_short_size, with_a_red_root, with_a_sector_of_two_streams]
)
def test_an_odd_directory_is_read(made: Made, first_sheet: FirstSheet, changed: Callable[[bytes], bytes]) -> None:
    """Files that other programs write and Excel accepts are accepted."""
    path = made(book(b"".join(number(row, 0, row) for row in range(1_000))))
    path.write_bytes(changed(path.read_bytes()))
    assert len(first_sheet(path)) == 1_000


UMLAUTS = "Gr\u00fc\u00dfe".encode("cp1252")


def biff2() -> bytes:
    """Return a sheet of Excel 2.1 with a text and a number under a format of zeros."""
    message = record(0x1E, b"\x07General") + record(0x1E, b"\x0d0000000000000")
    styles = record(0x43, bytes(4)) + record(0x43, b"\0\0\1\0")
    cells = record(0x04, pack("<HH3xB", 0, 0, 5) + UMLAUTS) + record(0x03, pack("<HHBxxd", 0, 1, 1, 12345))
    return record(0x09, pack("<HH", 2, 0x10)) + message + styles + cells + record(0x0A)


def biff3() -> bytes:
    """Return the same of Excel 3.0."""
    message = record(0x1E, b"\x07General") + record(0x1E, b"\x0d0000000000000")
    styles = record(0x243, bytes(12)) + record(0x243, b"\0\1".ljust(12, b"\0"))
    cells = record(0x204, pack("<HHHH", 0, 0, 0, 5) + UMLAUTS) + number(0, 1, 12345, 1)
    return record(0x209, pack("<HHH", 0x300, 0x10, 0)) + message + styles + cells + record(0x0A)


def biff4() -> bytes:
    """Return the same of Excel 4.0."""
    message = record(0x41E, b"\0\0\x07General") + record(0x41E, b"\0\0\x0d0000000000000")
    styles = record(0x443, bytes(12)) + record(0x443, b"\0\1".ljust(12, b"\0"))
    cells = record(0x204, pack("<HHHH", 0, 0, 0, 5) + UMLAUTS) + number(0, 1, 12345, 1)
    return record(0x409, pack("<HHH", 0x400, 0x10, 0)) + message + styles + cells + record(0x0A)


@pytest.mark.parametrize("sheet", [biff2, biff3, biff4])
def test_a_sheet_of_excel_2_to_4_is_read(tmp_path: Path, first_sheet: FirstSheet, sheet: Callable[[], bytes]) -> None:
    """Before Excel 5.0 a file was one sheet and not an OLE2 file; numeric codes keep the zeros of their format."""
    (tmp_path / "made.xls").write_bytes(sheet())
    assert first_sheet(tmp_path / "made.xls") == [SheetRow(1, ("Gr\u00fc\u00dfe", "0000000012345"))]


def test_a_short_format_is_read_as_far_as_it_goes(made: Made, first_sheet: FirstSheet) -> None:
    """A FORMAT record that declares more characters than it has yields those that it has."""
    style = record(0xE0, pack("<HH", 0, 165).ljust(20, b"\0"))
    cells = number(0, 0, 5, 3) + number(0, 1, 12345, ZEROS)
    assert first_sheet(made(book(cells, extra=formats(165, b"00000") + style))) == [
        SheetRow(1, ("00005", "0000000012345"))
    ]


def test_a_broken_sheet_does_not_stand_in_the_way_of_the_others(made: Made) -> None:
    """A problem of a sheet is reported where it is read, with advice."""
    good = book(number(0, 0, 1))
    broken = record(0x85, pack("<IBB", len(good) + 9, 0, 0) + b"\x01\x00B")
    path = made(book(number(0, 0, 1), extra=broken))
    with open_workbook(path) as workbook:
        bad, first = workbook.sheets()
        assert list(first.rows()) == [SheetRow(1, ("1",))]
        with pytest.raises(InvalidFileFormat, match=r"cut short or broken.*save it as \.xlsx"):
            list(bad.rows())


def seconds_to_read(path: Path) -> float:
    """Return the processor time to read a workbook."""
    begin = time.process_time()
    with open_workbook(path) as workbook:
        for sheet in workbook.sheets():
            list(sheet.rows())
    return time.process_time() - begin


def test_cells_without_content_cost_next_to_nothing(made: Made) -> None:
    """A quarter of a million formatted blank cells take a fraction of the time of as many numbers."""
    rows, zero = range(1_000), pack("<HI", 0, 2)
    numbers = (record(0xBD, pack("<HH", row, 0) + zero * 256 + pack("<H", 255)) for row in rows)
    of_numbers = seconds_to_read(made(book(b"".join(numbers))))
    blank = (record(0xBE, pack("<HH", row, 0) + bytes(512) + pack("<H", 255)) for row in rows)
    assert seconds_to_read(made(book(b"".join(blank)))) < of_numbers / 10


def test_a_text_table_that_promises_too_much_is_refused_in_words(made: Made, first_sheet: FirstSheet) -> None:
    """Missing texts cannot be guessed; the refusal says what to do."""
    with pytest.raises(InvalidFileFormat, match=r"cut short or broken.*save it as \.xlsx"):
        first_sheet(made(book(shared(0, 0, 0), extra=texts(pack("<HB", 3, 0) + b"abc", count=2_000_000_000))))


NO_CELLS_OF_GLOBALS = {
    "NAME": 0x18,
    "EXTERNSHEET": 0x17,
    "EXTERNNAME": 0x23,
    "SUPBOOK": 0x1AE,
    "FONT": 0x31,
    "STYLE": 0x293,
    "PALETTE": 0x92,
    "WRITEACCESS": 0x5C,
    "COUNTRY": 0x8C,
}
NO_CELLS_OF_SHEETS = {
    "DIMENSIONS": 0x200,
    "ROW": 0x208,
    "BLANK": 0x201,
    "MULBLANK": 0xBE,
    "ARRAY": 0x221,
    "SHRFMLA": 0x4BC,
    "NOTE": 0x1C,
    "OBJ": 0x5D,
    "TXO": 0x1B6,
    "MSODRAWING": 0xEC,
    "HLINK": 0x1B8,
    "HLINKTOOLTIP": 0x800,
    "FEATURE11": 0x872,
    "LRNG": 0x15F,
    "CONDFMT": 0x1B0,
    "CF": 0x1B1,
    "MERGECELLS": 0xE5,
    "COUNTRY": 0x8C,
    "GCW": 0xAB,
    "DEFAULTROWHEIGHT": 0x225,
    "DEFCOLWIDTH": 0x55,
    "STANDARDWIDTH": 0x99,
    "WINDOW2": 0x23E,
    "SCL": 0xA0,
    "PANE": 0x41,
    "HORIZONTALPAGEBREAKS": 0x1B,
    "VERTICALPAGEBREAKS": 0x1A,
}
CONTENTS = (b"", b"\xff", b"\xff" * 30, bytes(30))
"""Records that are too short, too long, or impossible."""


@pytest.mark.parametrize("version", [BIFF5, BIFF8], ids=["BIFF5", "BIFF8"])
@pytest.mark.parametrize("name", NO_CELLS_OF_GLOBALS)
def test_what_is_no_cell_refuses_no_workbook(made: Made, first_sheet: FirstSheet, version: int, name: str) -> None:
    """Names, fonts and the like may contain anything."""
    odd = b"".join(record(NO_CELLS_OF_GLOBALS[name], content) for content in CONTENTS)
    assert first_sheet(made(book(number(0, 0, 12, ZEROS), version, odd))) == [SheetRow(1, ("0000000000012",))]


@pytest.mark.parametrize("version", [BIFF5, BIFF8], ids=["BIFF5", "BIFF8"])
@pytest.mark.parametrize("name", NO_CELLS_OF_SHEETS)
def test_what_is_no_cell_refuses_no_sheet(made: Made, first_sheet: FirstSheet, version: int, name: str) -> None:
    """Comments, drawings and the like may contain anything, before and after the cells."""
    odd = b"".join(record(NO_CELLS_OF_SHEETS[name], content) for content in CONTENTS)
    cells = odd + number(0, 0, 12, ZEROS) + odd + number(1, 0, 13) + odd
    assert first_sheet(made(book(cells, version))) == [SheetRow(1, ("0000000000012",)), SheetRow(2, ("13",))]


@pytest.mark.parametrize("runs", [b"", b"\x02\x00\x01", b"\x00\x00\x00\x00", b"\xff" * 9])
@pytest.mark.parametrize(
    ("version", "text"), [(BIFF5, b"\x03\x00abc"), (BIFF8, b"\x03\x00\x00abc")], ids=["BIFF5", "BIFF8"]
)
def test_a_rich_text_is_its_text(made: Made, first_sheet: FirstSheet, version: int, text: bytes, runs: bytes) -> None:
    """Whatever an RSTRING record says about the fonts of its text."""
    cells = record(0xD6, pack("<HHH", 0, 0, 0) + text + runs) + number(0, 1, 1)
    assert first_sheet(made(book(cells, version))) == [SheetRow(1, ("abc", "1"))]


def test_a_workbook_of_unicode_has_no_code_page(made: Made, first_sheet: FirstSheet) -> None:
    """From Excel 97 on texts do not depend on the code page, so an unknown one does not matter."""
    cells = record(0x204, pack("<HHHHB", 0, 0, 0, 3, 0) + b"abc")
    assert first_sheet(made(book(cells, codepage=999))) == [SheetRow(1, ("abc",))]


@pytest.mark.parametrize("between", [0x221, 0x4BC, 0x236])
def test_what_is_between_a_formula_and_its_text_may_be_odd(made: Made, first_sheet: FirstSheet, between: int) -> None:
    """The text is the result, whatever the record of a shared formula says."""
    cells = formula(0, 0, b"\0\0\0\0\0\0\xff\xff", record(between, b"\xff"), record(0x207, pack("<HB", 2, 0) + b"ab"))
    assert first_sheet(made(book(cells))) == [SheetRow(1, ("ab",))]


def test_what_looks_like_a_record_within_a_text_stays_as_it_is(made: Made, first_sheet: FirstSheet) -> None:
    """A gap between globals and sheet, and an invalid sheet, leave our positions in step with xlrd's."""
    name = record(0x18, bytes(4))
    plain = book(number(0, 0, 1))
    broken = record(0x85, pack("<IBB", len(plain) - 3, 0, 0) + b"\x01\x00B")
    cells = record(0x204, pack("<HHHHB", 0, 0, 0, len(name) * 40, 0) + name * 40)
    assert first_sheet(made(book(cells))) == [SheetRow(1, (kept_text((name * 40).decode("latin-1")),))]
    with open_workbook(made(book(cells, extra=broken))) as workbook:
        rows = [sheet.rows for sheet in workbook.sheets() if sheet.title == "S"]
        assert list(rows[0]()) == [SheetRow(1, (kept_text((name * 40).decode("latin-1")),))]
