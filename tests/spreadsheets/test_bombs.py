"""Workbooks that unpack to more than they hold: they end at the limits of a process, and honest ones are read."""

import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from xml.parsers import expat

import pytest

from barcodesvc.errors import FileTooLarge, InvalidFileFormat
from barcodesvc.runtime.processes import ProcessLimits, WorkerProcesses
from tests.spreadsheets.reading import count_rows, read_all

MakeXlsx = Callable[..., Path]
SPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHEET = "xl/worksheets/sheet1.xml"
ROW = "<row><c><v>1</v></c></row>"
SMALL = ProcessLimits(seconds=60, bytes=120_000_000)
SHORT = ProcessLimits(seconds=1.5, bytes=1_000_000_000)


@pytest.fixture
def processes() -> Iterator[WorkerProcesses]:
    """Return processes that are killed after the test."""
    processes = WorkerProcesses()
    yield processes
    processes.end()


def texts(count: int) -> dict[str, str]:
    """Return a part with texts that no cell shows."""
    table = "".join(f"<si><t>{number:x}</t></si>" for number in range(count))
    return {"xl/sharedStrings.xml": f'<sst xmlns="{SPACE}">{table}</sst>'}


@pytest.mark.parametrize(
    ("data", "parts"),
    [
        ("<row>" + "<c/>" * 2_000_000, {}),
        (ROW + "<row>" + "<q/>" * 2_000_000 + "</row>", {}),
        ("<a>" * 2_000_000, {}),
        (ROW, texts(3_000_000)),
    ],
    ids=["one endless row", "unknown elements", "depth", "texts"],
)
def test_content_without_end_exceeds_the_memory(
    make_xlsx: MakeXlsx, processes: WorkerProcesses, data: str, parts: Mapping[str, str]
) -> None:
    """A few kilobytes that unpack to a hundred megabytes of one thing end their process, and nothing else."""
    with pytest.raises(MemoryError):
        processes.run(SMALL, count_rows, make_xlsx(data, parts))
    assert processes.run(SMALL, count_rows, make_xlsx(ROW)) == 1


READS_TAGS_AGAIN = pytest.mark.skipif(
    expat.version_info >= (2, 6), reason="this expat reads a long tag once, and not again with each piece of it"
)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param("<!-- -->" * 12_000_000, id="comments"),
        pytest.param(" &amp; \n" * 40_000_000, id="bytes"),
        pytest.param(f"<a b='{' ' * 20_000_000}'/>", id="one endless tag", marks=READS_TAGS_AGAIN),
    ],
)
def test_content_that_yields_no_rows_exceeds_the_time(
    make_xlsx: MakeXlsx, processes: WorkerProcesses, data: str
) -> None:
    """What takes no memory ends too."""
    with pytest.raises(TimeoutError):
        processes.run(SHORT, count_rows, make_xlsx(data))


def test_more_rows_than_a_sheet_has_are_refused(make_xlsx: MakeXlsx) -> None:
    """Two million empty rows, a few kilobytes packed, are abandoned half way."""
    with pytest.raises(InvalidFileFormat, match="rows outside 1 to 1048576"):
        read_all(make_xlsx("<row/>" * 2_000_000))


def test_all_parts_together_may_declare_half_a_gigabyte(make_xlsx: MakeXlsx, monkeypatch: pytest.MonkeyPatch) -> None:
    """A larger workbook is rejected before anything of it is unpacked (the bound is lowered here, for speed)."""
    monkeypatch.setattr("barcodesvc.spreadsheets.xlsx_package.MAX_UNPACKED", 100_000)
    with pytest.raises(FileTooLarge, match="it unpacks to"):
        read_all(make_xlsx(parts={"xl/media/image1.png": bytes(100_000)}))


def test_a_long_text_in_thousands_of_cells_takes_no_memory(
    make_xlsx: MakeXlsx, standard_parts: Mapping[str, str]
) -> None:
    """A kilobyte of cells that refer to one shared text does not become megabytes of text."""
    table = standard_parts["xl/sharedStrings.xml"].replace("</sst>", f"<si><t>{'😀' * 32_767}</t></si></sst>")
    row = "<row>" + '<c t="s"><v>2</v></c>' * 256 + "</row>"
    path = make_xlsx(row * 20, {"xl/sharedStrings.xml": table})
    tracemalloc.start()
    try:
        assert read_all(path) == 20
        assert tracemalloc.get_traced_memory()[1] < 30 << 20
    finally:
        tracemalloc.stop()


def test_rows_are_forgotten_once_they_are_read(make_xlsx: MakeXlsx) -> None:
    """The memory for a sheet does not grow with its rows."""
    path = make_xlsx('<row><c t="inlineStr"><is><t>text</t></is></c><c><v>1</v></c></row>' * 20_000)
    tracemalloc.start()
    try:
        assert read_all(path) == 20_000
        assert tracemalloc.get_traced_memory()[1] < 5 << 20
    finally:
        tracemalloc.stop()


def test_thousands_of_blank_formatted_rows_behind_the_data_do_no_harm(make_xlsx: MakeXlsx) -> None:
    """A sheet that was coloured far beyond its end is read for its content."""
    cells = '<c s="1"/>' * 8
    blank = "".join(f'<row r="{number}" s="1">{cells}</row>' for number in range(2, 20_000))
    assert read_all(make_xlsx(f'<row r="1"><c><v>1</v></c></row>{blank}')) == 1


def test_endless_number_formats_cost_nothing(make_xlsx: MakeXlsx) -> None:
    """Five kilobytes that unpack to a hundred thousand brackets are read quickly, one such format or fifty."""
    formats = "".join(f'<numFmt numFmtId="{164 + n}" formatCode="{"[" * 100_000}"/>' for n in range(50))
    styles = "".join(f'<xf numFmtId="{164 + n}"/>' for n in range(50))
    sheet = f'<styleSheet xmlns="{SPACE}"><numFmts>{formats}</numFmts><cellXfs>{styles}</cellXfs></styleSheet>'
    begin = time.process_time()
    assert read_all(make_xlsx('<row><c s="1"><v>1</v></c></row>', {"xl/styles.xml": sheet})) == 1
    assert time.process_time() - begin < 2
