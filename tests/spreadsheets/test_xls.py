import contextlib
import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest
import xlwt
from hypothesis import HealthCheck, given, strategies as st

from barcodesvc.errors import FileTooLarge, InvalidFileFormat
from barcodesvc.spreadsheets.cells import CellProblem, SheetRow
from barcodesvc.spreadsheets.read import open_workbook
from tests.properties import examples
from tests.spreadsheets.reading import read_all
from tests.workbooks import saved, xls, xls_book

FirstSheet = Callable[[Path], list[SheetRow]]


OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@pytest.fixture
def small_xls() -> bytes:
    """Return a small workbook with a text, a number and a formatted code."""
    book = xls_book([(), ("text", 5, 12.5)])
    book.get_sheet(0).write(1, 3, 12345, xlwt.easyxf(num_format_str="0000000000000"))
    return saved(book)


def test_cells_are_text_as_the_person_sees_them(tmp_path: Path, small_xls: bytes, first_sheet: FirstSheet) -> None:
    """Numbers, formats of zeros and row numbers follow the same rule as in .xlsx."""
    (tmp_path / "made.xlsx").write_bytes(small_xls)
    assert first_sheet(tmp_path / "made.xlsx") == [SheetRow(2, ("text", "5", "12.5", "0000000012345"))]


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
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
def test_every_kind_of_cell_is_read(
    tmp_path: Path, first_sheet: FirstSheet, value: object, number_format: str, text: str
) -> None:
    """Booleans, dates and large numbers are the same text as in .xlsx."""
    (tmp_path / "made.xls").write_bytes(xls([(None, value)], number_format))
    assert first_sheet(tmp_path / "made.xls") == [SheetRow(1, ("", text))]


def test_error_cells_are_problems(tmp_path: Path, first_sheet: FirstSheet) -> None:
    """An error cell names its error."""
    book = xls_book([])
    book.get_sheet(0).row(0).set_cell_error(0, 42)
    (tmp_path / "made.xls").write_bytes(saved(book))
    [problem] = first_sheet(tmp_path / "made.xls")[0].cells
    assert isinstance(problem, CellProblem)
    assert "#N/A" in problem.message


def test_blank_formatted_cells_cost_nothing(tmp_path: Path, first_sheet: FirstSheet) -> None:
    """Formatted cells without content are blank, and rows of them are skipped."""
    book = xlwt.Workbook()
    sheet = book.add_sheet("x")
    for column in range(200):
        sheet.write(0, column, None, xlwt.easyxf("font: bold on"))
    sheet.write(5, 0, 1)
    (tmp_path / "made.xls").write_bytes(saved(book))
    assert first_sheet(tmp_path / "made.xls") == [SheetRow(6, ("1",))]


def test_dates_of_a_1904_workbook_count_from_there(tmp_path: Path, first_sheet: FirstSheet) -> None:
    """The workbook defines the day from which its dates count."""
    book = xls_book([(1,)], "yyyy-mm-dd")
    book.dates_1904 = True
    (tmp_path / "made.xls").write_bytes(saved(book))
    assert first_sheet(tmp_path / "made.xls") == [SheetRow(1, ("1904-01-02",))]


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


def test_hidden_columns_are_known_and_hidden_rows_read(tmp_path: Path) -> None:
    """A filter loses no rows; hidden columns are known before the rows."""
    book = xls_book((f"r{row}",) for row in range(3))
    sheet = book.get_sheet(0)
    sheet.row(1).hidden = True
    sheet.col(1).hidden = sheet.col(255).hidden = True
    (tmp_path / "made.xls").write_bytes(saved(book))
    with open_workbook(tmp_path / "made.xls") as workbook:
        [found] = workbook.sheets()
        assert found.hidden_columns() == {1, 255}
        assert [row.cells[0] for row in found.rows()] == ["r0", "r1", "r2"]


def test_too_many_sheets_are_refused(tmp_path: Path) -> None:
    """The number of sheets is limited."""
    book = xlwt.Workbook()
    for number in range(257):
        book.add_sheet(str(number))
    (tmp_path / "made.xls").write_bytes(saved(book))
    with pytest.raises(InvalidFileFormat, match="256 sheets"):
        read_all(tmp_path / "made.xls")


@pytest.mark.parametrize(
    ("stream", "message"),
    [
        ("EncryptedPackage", "encrypted"),
        ("WordDocument", "text document"),
        ("PowerPoint Document", "presentation"),
        ("Anything", "without a workbook"),
        ("Workbook", "cut short or broken"),
    ],
)
def test_other_ole2_files_are_named(tmp_path: Path, stream: str, message: str) -> None:
    """Encrypted workbooks and documents of other programs are refused by name."""
    (tmp_path / "made.xls").write_bytes(OLE2 + bytes(600) + f"{stream}\0".encode("utf-16-le") + bytes(600))
    with pytest.raises(InvalidFileFormat, match=message):
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
