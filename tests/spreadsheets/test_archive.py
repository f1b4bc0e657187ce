"""Workbooks that unpack to more than they hold: memory and time stay bounded, and honest ones are read."""

from __future__ import annotations

import contextlib
import time
import tracemalloc
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from barcodesvc.errors import FileTooLarge, InvalidFileFormat
from barcodesvc.spreadsheets.archive import ParseBudget, unpacked_size
from barcodesvc.spreadsheets.number_formats import MAX_FORMATS
from barcodesvc.spreadsheets.read import open_workbook
from tests.spreadsheets.reading import read_all

MakeXlsx = Callable[..., Path]
BOMB = b"<row/>" * 2_000_000
SHEET = "xl/worksheets/sheet1.xml"


@pytest.fixture
def read_bytes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows by the size of every piece of XML that is read."""
    read: list[int] = []
    spend = ParseBudget.spend

    def spend_and_note(budget: ParseBudget, chunk: bytes) -> None:
        read.append(len(chunk))
        spend(budget, chunk)

    monkeypatch.setattr(ParseBudget, "spend", spend_and_note)
    return read


@pytest.mark.parametrize(
    "parts",
    [
        {"xl/media/image1.png": bytes(20 << 20)},
        {SHEET: b"<worksheet>" + BOMB},
        {"xl/sharedStrings.xml": b"<sst>" + b"<si><t>%06d</t></si>" * 1_700_000},
        {f"xl/media/{number}": b"" for number in range(10_001)},
    ],
)
def test_bombs_are_too_large(make_xlsx: MakeXlsx, parts: Mapping[str, bytes]) -> None:
    """A file that unpacks beyond the limits is rejected from the archive's directory, before it is unpacked."""
    path = make_xlsx(parts=parts)
    tracemalloc.start()
    try:
        with pytest.raises(FileTooLarge):
            read_all(path)
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("bound", "most", "message"),
    [
        ("archive.MAX_UNPACKED", 100, "it unpacks to"),
        ("xlsx.MAX_METADATA", 100, "workbook.xml unpacks to"),
        ("xlsx.MAX_METADATA", 1000, "styles.xml unpacks to"),
    ],
)
def test_declared_sizes_have_bounds(  # noqa: PLR0913, PLR0917 - fixtures and a case
    make_xlsx: MakeXlsx,
    standard_parts: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    bound: str,
    most: int,
    message: str,
) -> None:
    """All parts together, and those that describe others, may declare a limited number of bytes."""
    monkeypatch.setattr(f"barcodesvc.spreadsheets.{bound}", most)
    with pytest.raises(FileTooLarge, match=message):
        read_all(make_xlsx(parts={"xl/styles.xml": standard_parts["xl/styles.xml"] + " " * most}))


def test_one_endless_row_takes_no_memory(make_xlsx: MakeXlsx) -> None:
    """A row of a million cells, a few kilobytes packed, is abandoned early."""
    path = make_xlsx("<row>" + "<c/>" * 1_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(InvalidFileFormat):
            read_all(path)
        assert tracemalloc.get_traced_memory()[1] < 5 << 20
    finally:
        tracemalloc.stop()


def test_a_long_text_in_thousands_of_cells_takes_no_memory(
    make_xlsx: MakeXlsx, standard_parts: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kilobyte of cells that refer to one shared text does not become megabytes of text, wherever the text is."""
    monkeypatch.setattr("barcodesvc.spreadsheets.shared_strings.IN_MEMORY", 0)
    texts = standard_parts["xl/sharedStrings.xml"].replace("</sst>", f"<si><t>{'😀' * 32_767}</t></si></sst>")
    row = "<row>" + '<c t="s"><v>2</v></c>' * 256 + "</row>"
    path = make_xlsx(row * 20, {"xl/sharedStrings.xml": texts})
    tracemalloc.start()
    try:
        assert read_all(path) == 20
        assert tracemalloc.get_traced_memory()[1] < 30 << 20
    finally:
        tracemalloc.stop()


def test_texts_that_no_cell_can_show_are_too_large(
    make_xlsx: MakeXlsx, standard_parts: Mapping[str, str], read_bytes: list[int]
) -> None:
    """Ten million texts next to two rows are abandoned after the first ones."""
    texts = "".join(f"<si><t>{number:x}</t></si>" for number in range(1_000_000))
    table = standard_parts["xl/sharedStrings.xml"].replace("</sst>", f"{texts}</sst>")
    with pytest.raises(FileTooLarge, match="no cells that show them"):
        read_all(make_xlsx("<row><c><v>1</v></c></row>" * 2, {"xl/sharedStrings.xml": table}))
    assert sum(read_bytes) < 2 << 20


@pytest.mark.parametrize(
    "waste",
    [
        lambda number: f'<c r="A{number}" s="1"/></row><row r="{number % 1000 + 1}">',
        lambda number: f"<q{number}/>",
        lambda number: f"<!--{number}-->",
        lambda number: f'<q a="{number}" b="" c="" d="" e="" f="" g="" h="" i=""/>',
    ],
)
def test_work_without_rows_is_given_up(
    make_xlsx: MakeXlsx, read_bytes: list[int], monkeypatch: pytest.MonkeyPatch, waste: Callable[[int], str]
) -> None:
    """Blank cells, unknown elements, comments and attributes are read up to a limit, in addition to the rows."""
    monkeypatch.setattr("barcodesvc.spreadsheets.archive.FREE_MARKS", 100_000)
    data = "<row><c><v>1</v></c></row><row>" + "".join(waste(number) for number in range(400_000)) + "</row>"
    with pytest.raises(FileTooLarge, match=r"blank cells .* or of parts without data"):
        read_all(make_xlsx(data))
    assert sum(read_bytes) < 2 << 20


def test_bytes_without_rows_are_given_up(
    make_xlsx: MakeXlsx, read_bytes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Character data that belongs to no row is read up to a limit too."""
    monkeypatch.setattr("barcodesvc.spreadsheets.archive.FREE_BYTES", 500_000)
    with pytest.raises(FileTooLarge, match="parts without data"):
        read_all(make_xlsx(" &amp; \n" * 500_000))
    assert sum(read_bytes) < 1_000_000


def test_rows_earn_the_blank_cells_next_to_them(make_xlsx: MakeXlsx, monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty cells that a large catalogue has formatted do not count against it."""
    monkeypatch.setattr("barcodesvc.spreadsheets.archive.FREE_MARKS", 40_000)
    row = "<row><c><v>1</v></c>" + '<c s="1"/>' * 100 + "</row>"
    assert read_all(make_xlsx(row * 3_000)) == 3_000


def test_filled_cells_earn_what_is_written_around_them(make_xlsx: MakeXlsx, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wide table without a blank cell is read, also beyond the columns that are searched."""
    monkeypatch.setattr("barcodesvc.spreadsheets.archive.FREE_MARKS", 200_000)
    row = "<row>" + '<c t="inlineStr" s="1"><is><t xml:space="preserve">x</t></is></c>' * 500 + "</row>"
    assert read_all(make_xlsx(row * 200)) == 200


@pytest.mark.parametrize(("columns", "between", "rows"), [("<col/>" * 5_000, "", 400), ("", " " * 70_000, 30)])
def test_a_look_at_the_first_rows_earns_nothing(  # noqa: PLR0913, PLR0917 - three parts of a sheet and three fixtures
    make_xlsx: MakeXlsx,
    standard_parts: Mapping[str, str],
    monkeypatch: pytest.MonkeyPatch,
    columns: str,
    between: str,
    rows: int,
) -> None:
    """Rows of sheets without a header do not pay for other content, however far apart they are."""
    monkeypatch.setattr("barcodesvc.spreadsheets.archive.FREE_MARKS", 100_000)
    monkeypatch.setattr("barcodesvc.spreadsheets.archive.FREE_BYTES", 5_000_000)
    space = standard_parts["xl/styles.xml"].split('"')[1]
    data = f"<row><c><v>1</v></c></row>{between}" * rows
    sheet = f'<worksheet xmlns="{space}"><cols>{columns}</cols><sheetData>{data}</sheetData></worksheet>'
    with open_workbook(make_xlsx(parts={SHEET: sheet})) as workbook:
        [found] = workbook.sheets()
        looks = (len(list(islice(found.rows(), 20))) + len(found.hidden_columns()) for _ in range(20))
        with pytest.raises(FileTooLarge, match="parts without data"):
            list(looks)


def test_comments_before_the_roots_of_many_parts_are_given_up(make_xlsx: MakeXlsx) -> None:
    """Parts that are never read cannot cause work either."""
    parts = {f"docProps/{number}.xml": f"<!--{'x' * 70_000}--><a/>" for number in range(600)}
    with pytest.raises(FileTooLarge, match="begin with more than"):
        read_all(make_xlsx(parts=parts))


def test_thousands_of_blank_formatted_rows_behind_the_data_do_no_harm(make_xlsx: MakeXlsx) -> None:
    """A sheet that was coloured far beyond its end is read for its content."""
    cells = '<c s="1"/>' * 8
    blank = "".join(f'<row r="{number}" s="1">{cells}</row>' for number in range(2, 20_000))
    assert read_all(make_xlsx(f'<row r="1"><c><v>1</v></c></row>{blank}')) == 1


def test_endless_number_formats_cost_nothing(make_xlsx: MakeXlsx, standard_parts: Mapping[str, str]) -> None:
    """Five kilobytes that unpack to a hundred thousand brackets are read quickly, one such format or fifty."""
    formats = "".join(f'<numFmt numFmtId="{164 + n}" formatCode="{"[" * 100_000}"/>' for n in range(50))
    styles = "".join(f'<xf numFmtId="{164 + n}"/>' for n in range(50))
    space = standard_parts["xl/styles.xml"].split('"')[1]
    sheet = f'<styleSheet xmlns="{space}"><numFmts>{formats}</numFmts><cellXfs>{styles}</cellXfs></styleSheet>'
    begin = time.process_time()
    assert read_all(make_xlsx('<row><c s="1"><v>1</v></c></row>', {"xl/styles.xml": sheet})) == 1
    assert time.process_time() - begin < 2


@pytest.mark.parametrize("more", [0, 1])
def test_number_formats_beyond_what_a_program_takes_are_refused(
    make_xlsx: MakeXlsx, standard_parts: Mapping[str, str], more: int
) -> None:
    """Short ones add up as well: as many of 255 characters as are read take a fraction of a second."""
    numbers = range(164, 164 + MAX_FORMATS + more)
    formats = "".join(f'<numFmt numFmtId="{number}" formatCode="{"[" * 250}{number}"/>' for number in numbers)
    styles = "".join(f'<xf numFmtId="{number}"/>' for number in numbers)
    space = standard_parts["xl/styles.xml"].split('"')[1]
    sheet = f'<styleSheet xmlns="{space}"><numFmts>{formats}</numFmts><cellXfs>{styles}</cellXfs></styleSheet>'
    path = make_xlsx('<row><c s="1"><v>1</v></c></row>', {"xl/styles.xml": sheet})
    with pytest.raises(InvalidFileFormat, match="4096 number formats") if more else contextlib.nullcontext():
        assert read_all(path) == 1


def test_an_archive_is_as_large_as_its_parts_declare(tmp_path: Path) -> None:
    """A megabyte of blanks counts as a megabyte, although the file has a thousandth of it."""
    path = tmp_path / "packed.xlsx"
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("a.xml", b" " * 1_000_000)
        archive.writestr("b.xml", b" " * 24)
    assert path.stat().st_size < 2000
    assert unpacked_size(path) == 1_000_024


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x03\x04" + b"x" * 96, b"\xd0\xcf\x11\xe0" * 25])
def test_any_other_file_is_as_large_as_it_is(tmp_path: Path, content: bytes) -> None:
    """An .xls workbook is not packed, and a broken archive contains nothing to unpack."""
    path = tmp_path / "other"
    path.write_bytes(content)
    assert unpacked_size(path) == len(content)
