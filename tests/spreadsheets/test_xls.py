"""An .xls workbook, as xlwt writes it, or made record by record as no available program does."""

import contextlib
import datetime as dt
import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from struct import pack

import pytest
import xlwt
from hypothesis import HealthCheck, given, strategies as st
from xlwt.CompoundDoc import XlsDoc

from barcodesvc.errors import FileTooLarge, InvalidFileFormat
from barcodesvc.spreadsheets.cells import CellProblem, SheetRow, kept_text
from barcodesvc.spreadsheets.read import open_workbook
from tests.properties import examples
from tests.spreadsheets.made_workbooks import first_sheet, read_all
from tests.sweeps import sweep
from tests.workbooks import saved, xls, xls_book

BIFF8, BIFF5 = 0x0600, 0x0500
ZEROS, DATE = 1, 2
"""Cell formats of the workbooks made here; 0 is General."""
A_TEXT_FOLLOWS = b"\0\0\0\0\0\0\xff\xff"
"""The result of a formula whose text is in a record after it."""
CONTENTS = (b"", b"\xff", b"\xff" * 30, bytes(30))
"""Records that are too short, too long, or impossible."""


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


def made_xls(folder: Path, stream: bytes) -> Path:
    """Pack a workbook's stream into a file."""
    buffer = io.BytesIO()
    XlsDoc().save(buffer, stream)
    (folder / "made.xls").write_bytes(buffer.getvalue())
    return folder / "made.xls"


@pytest.fixture
def small_xls() -> bytes:
    """Return a small workbook with a text, a number and a formatted code."""
    book = xls_book([(), ("text", 5, 12.5)])
    book.get_sheet(0).write(1, 3, 12345, xlwt.easyxf(num_format_str="0000000000000"))
    return saved(book)


@sweep(
    ("value", "number_format", "text"),
    [
        ("text", "General", "text"),
        (12345, "0000000000000", "0000000012345"),
        (True, "General", "TRUE"),
        (False, "General", "FALSE"),
        (dt.datetime(2024, 3, 19), "yyyy-mm-dd", "2024-03-19"),  # noqa: DTZ001 - spreadsheets have no zones
        (0.5625, "hh:mm", "13:30:00"),
        (1234500000000, "0.00E+00", "1234500000000"),
        (1e22, "General", "10000000000000000000000"),
        ("'=1+1", "General", "=1+1"),
        ("  é😀  ", "General", "  é😀  "),
    ],
)
def test_every_kind_of_cell_is_read(tmp_path: Path, value: object, number_format: str, text: str) -> None:
    """Texts, numbers with their formats, booleans and dates are the same text as in .xlsx."""
    (tmp_path / "catalogue.xlsx").write_bytes(xls([(), (None, value)], number_format))
    assert first_sheet(tmp_path / "catalogue.xlsx") == [SheetRow(2, ("", text))]


def test_every_record_of_a_cell_is_read(tmp_path: Path) -> None:
    """Numbers, alone or packed, one or many in a record, an error, and the saved results of formulas."""
    packed = (5 << 2 | 2, 1999 << 2 | 3, 0x40290000)
    many = b"".join(pack("<HI", 0, each) for each in packed[1:])
    string = record(0x207, pack("<HB", 2, 0) + b"ab")
    long = record(0x207, pack("<HB", 4, 0) + b"ab") + record(0x3C, b"\x01" + "ü€".encode("utf-16-le"))
    cells = (
        number(0, 0, 7)
        + record(0x27E, pack("<HHHI", 0, 1, 0, packed[0]))
        + record(0xBD, pack("<HH", 0, 2) + many + pack("<H", 3))
        + record(0x205, pack("<HHHBB", 0, 4, 0, 42, 1))
        + formula(1, 0, pack("<d", 12.5))
        + formula(1, 1, A_TEXT_FOLLOWS, string)
        + formula(1, 2, A_TEXT_FOLLOWS, record(0x4BC, bytes(12)), long)
        + formula(1, 3, b"\x01\0\x01\0\0\0\xff\xff")
        + formula(1, 4, b"\x02\0\x2a\0\0\0\xff\xff")
        + formula(1, 5, b"\x03\0\0\0\0\0\xff\xff")
    )
    error = CellProblem("contains the error #N/A: correct it in the spreadsheet", "#N/A")
    assert first_sheet(made_xls(tmp_path, book(cells))) == [
        SheetRow(1, ("7", "5", "19.99", "12.5", error)),
        SheetRow(2, ("12.5", "ab", "abü€", "TRUE", error)),
    ]


def test_hidden_sheets_come_last_and_very_hidden_ones_never(tmp_path: Path) -> None:
    """Visible sheets and columns come before hidden ones."""
    book = xlwt.Workbook()
    for name in ("Hidden", "Shown", "Very hidden", "Last"):
        book.add_sheet(name).write(0, 0, name)
    book.get_sheet("Hidden").visibility = 1
    book.get_sheet("Very hidden").visibility = 2
    (tmp_path / "made.xls").write_bytes(saved(book))
    with open_workbook(tmp_path / "made.xls") as workbook:
        found = [(sheet.title, sheet.hidden) for sheet in workbook.sheets()]
    assert found == [("Shown", False), ("Last", False), ("Hidden", True)]


def test_ranges_of_columns_are_hidden(tmp_path: Path) -> None:
    """A column range may reach one beyond the last column, as Excel writes it."""
    ranges = ((0, 1, 0), (3, 5, 1), (5, 6, 1), (255, 256, 1), (9, 8, 1))
    columns = b"".join(record(0x7D, pack("<HHHHHH", first, last, 0, 0, hidden, 0)) for first, last, hidden in ranges)
    with open_workbook(made_xls(tmp_path, book(columns + number(0, 0, 1)))) as workbook:
        [sheet] = workbook.sheets()
        assert sheet.hidden_columns() == {3, 4, 5, 6, 255}


def test_too_many_sheets_are_refused(tmp_path: Path) -> None:
    """The number of sheets is limited."""
    book = xlwt.Workbook()
    for number in range(257):
        book.add_sheet(str(number))
    (tmp_path / "made.xls").write_bytes(saved(book))
    with pytest.raises(InvalidFileFormat, match="256 sheets"):
        read_all(tmp_path / "made.xls")


def test_a_workbook_with_a_password_is_reported(tmp_path: Path, small_xls: bytes) -> None:
    """A FILEPASS record says that the rest is encrypted."""
    codepage = b"\x42\x00\x02\x00"
    place = small_xls.index(codepage)
    content = small_xls[:place] + b"\x2f\x00\x02\x00" + small_xls[place + 4 :]
    (tmp_path / "made.xls").write_bytes(content)
    with pytest.raises(InvalidFileFormat, match="encrypted"):
        read_all(tmp_path / "made.xls")


def test_a_file_over_the_bound_is_not_read(tmp_path: Path, small_xls: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """An .xls file is held in memory, so its size is limited."""
    monkeypatch.setattr("barcodesvc.spreadsheets.xls.MAX_BYTES", 1000)
    (tmp_path / "made.xls").write_bytes(small_xls)
    with pytest.raises(FileTooLarge, match="1000 bytes"):
        read_all(tmp_path / "made.xls")


@examples(200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_damage_is_reported_or_harmless_and_silent(
    tmp_path: Path, small_xls: bytes, capfd: pytest.CaptureFixture[str], data: st.DataObject
) -> None:
    """Cut short or with any byte changed, a workbook is read or refused, and nothing is printed."""
    content = bytearray(small_xls)
    used = max(place for place, byte in enumerate(content) if byte)
    changes = data.draw(st.dictionaries(st.integers(8, used), st.integers(0, 255), max_size=4))
    for place, byte in changes.items():
        content[place] = byte
    (tmp_path / "made.xls").write_bytes(content[: data.draw(st.integers(8, len(content)))])
    with contextlib.suppress(InvalidFileFormat, FileTooLarge):
        read_all(tmp_path / "made.xls")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("codepage", "text"), [(1252, "Grüße €"), (1251, "Ручка"), (932, "ｺｰﾋｰ")])
def test_a_workbook_of_excel_95_is_read_in_its_code_page(tmp_path: Path, codepage: int, text: str) -> None:
    """BIFF5 stores texts as bytes, and numbers as usual."""
    cells = label(0, 0, text, f"cp{codepage}") + number(0, 1, 12345, ZEROS) + number(0, 2, 45370, DATE)
    rows = first_sheet(made_xls(tmp_path, book(cells, BIFF5, codepage=codepage)))
    assert rows == [SheetRow(1, (text, "0000000012345", "2024-03-19"))]


def test_an_unknown_code_page_is_reported_if_it_matters(tmp_path: Path) -> None:
    """Texts that cannot be decoded are not guessed; from Excel 97 on they do not depend on it."""
    with pytest.raises(InvalidFileFormat, match="unknown code page"):
        first_sheet(made_xls(tmp_path, book(b"", BIFF5, codepage=999)))
    cells = record(0x204, pack("<HHHHB", 0, 0, 0, 3, 0) + b"abc")
    assert first_sheet(made_xls(tmp_path, book(cells, codepage=999))) == [SheetRow(1, ("abc",))]


def test_cells_of_a_chart_are_no_cells_of_its_sheet(tmp_path: Path) -> None:
    """A chart inside a sheet has numbers, and its markers do not begin another sheet."""
    markers = record(0x1009, bytes(20))
    chart = record(0x809, pack("<HHHH", BIFF8, 0x20, 0, 0)) + markers + number(0, 0, 7) + record(0x0A)
    assert first_sheet(made_xls(tmp_path, book(chart + number(0, 0, 1)))) == [SheetRow(1, ("1",))]


@sweep(
    "stream",
    [
        book(shared(0, 0, 99)),
        book(formula(0, 0, A_TEXT_FOLLOWS)),
        book(b"\x03\x02\xff\xff"),
        book(shared(0, 0, 0), extra=texts(b"\x03\x00\x00abc", count=2)),
        book(shared(0, 0, 0), extra=texts(b"\x03\x00\x00abc", count=2_000_000_000)),
    ],
)
def test_records_that_do_not_add_up_are_damage(tmp_path: Path, stream: bytes) -> None:
    """Missing texts, missing results and records that are too long cannot be guessed; the refusal says what to do."""
    with pytest.raises(InvalidFileFormat, match=r"cut short or broken.*save it as \.xlsx"):
        first_sheet(made_xls(tmp_path, stream))


def test_a_long_text_is_kept_as_its_beginning(tmp_path: Path) -> None:
    """In the table of texts, in a separate cell and as a formula's result, as in .xlsx."""
    text = pack("<HB", 2000, 0) + b"xy" * 1000
    cells = shared(0, 0, 0) + formula(0, 1, A_TEXT_FOLLOWS, record(0x207, text))
    kept = "xy" * 200 + "\u2026" * 600
    assert first_sheet(made_xls(tmp_path, book(cells, extra=texts(text, count=1)))) == [SheetRow(1, (kept, kept))]
    assert first_sheet(made_xls(tmp_path, book(label(0, 0, "xy" * 1000), BIFF5))) == [SheetRow(1, (kept,))]


def test_a_file_that_was_cut_short_is_reported_as_such(tmp_path: Path) -> None:
    """Even without its list of streams, it is not called a file without a workbook."""
    content = made_xls(tmp_path, book(b"".join(number(row, 0, row) for row in range(2_000)))).read_bytes()
    directory = int.from_bytes(content[48:52], "little")
    (tmp_path / "made.xls").write_bytes(content[: 512 * (directory + 1)])
    with pytest.raises(InvalidFileFormat, match="cut short"):
        first_sheet(tmp_path / "made.xls")


def test_a_broken_sheet_does_not_stand_in_the_way_of_the_others(tmp_path: Path) -> None:
    """A problem of a sheet is reported where it is read, with advice."""
    good = book(number(0, 0, 1))
    broken = record(0x85, pack("<IBB", len(good) + 9, 0, 0) + b"\x01\x00B")
    path = made_xls(tmp_path, book(number(0, 0, 1), extra=broken))
    with open_workbook(path) as workbook:
        bad, first = workbook.sheets()
        assert list(first.rows()) == [SheetRow(1, ("1",))]
        with pytest.raises(InvalidFileFormat, match=r"cut short or broken.*save it as \.xlsx"):
            list(bad.rows())


def name_in(content: bytes, name: str) -> int:
    """Return the position of a stream's directory entry."""
    return content.index(f"{name}\0".encode("utf-16-le"))


def renamed(content: bytes, name: str) -> bytes:
    """Return an OLE2 file whose workbook stream has another name."""
    place = name_in(content, "Workbook")
    entry = f"{name}\0".encode("utf-16-le").ljust(64, b"\0") + pack("<H", 2 * len(name) + 2)
    return content[:place] + entry + content[place + 66 :]


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


@sweep(
    "changed",
    [
        partial(renamed, name="WORKBOOK"),
        partial(renamed, name="Book"),
        *(without_terminator, with_a_short_size, with_a_red_root, with_a_sector_of_two_streams),
    ],
)
def test_an_odd_directory_is_read(tmp_path: Path, changed: Callable[[bytes], bytes]) -> None:
    """Files that other programs write and Excel accepts are accepted; names are compared without case."""
    path = made_xls(tmp_path, book(b"".join(number(row, 0, row) for row in range(1_000))))
    path.write_bytes(changed(path.read_bytes()))
    assert len(first_sheet(path)) == 1_000


UMLAUTS = "Gr\u00fc\u00dfe".encode("cp1252")


def biff2() -> bytes:
    """Return a sheet of Excel 2.1 with a text and a number under a format of zeros."""
    message = record(0x1E, b"\x07General") + record(0x1E, b"\x0d0000000000000")
    styles = record(0x43, bytes(4)) + record(0x43, b"\0\0\1\0")
    cells = record(0x04, pack("<HH3xB", 0, 0, 5) + UMLAUTS) + record(0x03, pack("<HHBxxd", 0, 1, 1, 12345))
    return record(0x09, pack("<HH", 2, 0x10)) + message + styles + cells + record(0x0A)


def biff3_or_4(version: int, begin: int, style: int, text: int, before: bytes) -> bytes:
    """Return the same of Excel 3.0 or 4.0, with its codes of records."""
    message = record(text, before + b"\x07General") + record(text, before + b"\x0d0000000000000")
    styles = record(style, bytes(12)) + record(style, b"\0\1".ljust(12, b"\0"))
    cells = record(0x204, pack("<HHHH", 0, 0, 0, 5) + UMLAUTS) + number(0, 1, 12345, 1)
    return record(begin, pack("<HHH", version, 0x10, 0)) + message + styles + cells + record(0x0A)


@sweep(
    "sheet",
    [biff2(), biff3_or_4(0x300, 0x209, 0x243, 0x1E, b""), biff3_or_4(0x400, 0x409, 0x443, 0x41E, b"\0\0")],
)
def test_a_sheet_of_excel_2_to_4_is_read(tmp_path: Path, sheet: bytes) -> None:
    """Before Excel 5.0 a file was one sheet and not an OLE2 file; numeric codes keep the zeros of their format."""
    (tmp_path / "made.xls").write_bytes(sheet)
    assert first_sheet(tmp_path / "made.xls") == [SheetRow(1, ("Gr\u00fc\u00dfe", "0000000012345"))]


GLOBALS = (0x18, 0x17, 0x23, 0x1AE, 0x31, 0x293, 0x92, 0x5C, 0x8C)
"""Names, references, fonts, styles, the palette, the author, the country."""
SIZES_AND_BLANKS = (0x200, 0x208, 0x225, 0x55, 0x99, 0xAB, 0x201, 0xBE)
FORMULAS = (0x221, 0x4BC)
NOTES_AND_DRAWINGS = (0x1C, 0x5D, 0x1B6, 0xEC, 0x1B8, 0x800)
TABLES_AND_CONDITIONS = (0x872, 0x15F, 0x1B0, 0x1B1, 0xE5)
VIEWS = (0x23E, 0xA0, 0x41, 0x1B, 0x1A)


@sweep("version", [BIFF5, BIFF8])
@sweep("code", [*GLOBALS, *SIZES_AND_BLANKS, *FORMULAS, *NOTES_AND_DRAWINGS, *TABLES_AND_CONDITIONS, *VIEWS])
def test_what_is_no_cell_refuses_no_workbook(tmp_path: Path, version: int, code: int) -> None:
    """Records of anything else may contain anything, before the sheets, and before and after their cells."""
    odd = b"".join(record(code, content) for content in CONTENTS)
    cells = odd + number(0, 0, 12, ZEROS) + odd + number(1, 0, 13) + odd
    rows = first_sheet(made_xls(tmp_path, book(cells, version, odd)))
    assert rows == [SheetRow(1, ("0000000000012",)), SheetRow(2, ("13",))]


@sweep("runs", [b"", b"\x02\x00\x01", b"\x00\x00\x00\x00", b"\xff" * 9])
@sweep(("version", "text"), [(BIFF5, b"\x03\x00abc"), (BIFF8, b"\x03\x00\x00abc")])
def test_a_rich_text_is_its_text(tmp_path: Path, version: int, text: bytes, runs: bytes) -> None:
    """Whatever an RSTRING record says about the fonts of its text."""
    cells = record(0xD6, pack("<HHH", 0, 0, 0) + text + runs) + number(0, 1, 1)
    assert first_sheet(made_xls(tmp_path, book(cells, version))) == [SheetRow(1, ("abc", "1"))]


@sweep("between", [0x221, 0x4BC, 0x236])
def test_what_is_between_a_formula_and_its_text_may_be_odd(tmp_path: Path, between: int) -> None:
    """The text is the result, whatever the record of a shared formula says."""
    cells = formula(0, 0, A_TEXT_FOLLOWS, record(between, b"\xff"), record(0x207, pack("<HB", 2, 0) + b"ab"))
    assert first_sheet(made_xls(tmp_path, book(cells))) == [SheetRow(1, ("ab",))]


def test_what_looks_like_a_record_within_a_text_stays_as_it_is(tmp_path: Path) -> None:
    """A gap between globals and sheet, and an invalid sheet, leave our positions in step with xlrd's."""
    name = record(0x18, bytes(4))
    plain = book(number(0, 0, 1))
    broken = record(0x85, pack("<IBB", len(plain) - 3, 0, 0) + b"\x01\x00B")
    cells = record(0x204, pack("<HHHHB", 0, 0, 0, len(name) * 40, 0) + name * 40)
    assert first_sheet(made_xls(tmp_path, book(cells))) == [SheetRow(1, (kept_text((name * 40).decode("latin-1")),))]
    with open_workbook(made_xls(tmp_path, book(cells, extra=broken))) as workbook:
        rows = [sheet.rows for sheet in workbook.sheets() if sheet.title == "S"]
        assert list(rows[0]()) == [SheetRow(1, (kept_text((name * 40).decode("latin-1")),))]
