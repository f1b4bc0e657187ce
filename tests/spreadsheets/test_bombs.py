"""Workbooks that unpack to more than they hold: they end at the limits of a process, and honest ones are read."""

import tracemalloc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from xml.parsers import expat

import pytest

from barcodesvc.errors import FileTooLarge, InvalidFileFormat
from barcodesvc.runtime.processes import ProcessLimits, WorkerProcesses
from tests.spreadsheets.made_workbooks import PARTS, SPACE, count_rows, made_xlsx, read_all

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
    tmp_path: Path, processes: WorkerProcesses, data: str, parts: Mapping[str, str]
) -> None:
    """A few kilobytes that unpack to a hundred megabytes of one thing end their process, and nothing else."""
    with pytest.raises(MemoryError):
        processes.run(SMALL, count_rows, made_xlsx(tmp_path, data, parts))
    assert processes.run(SMALL, count_rows, made_xlsx(tmp_path, ROW)) == 1


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
def test_content_that_yields_no_rows_exceeds_the_time(tmp_path: Path, processes: WorkerProcesses, data: str) -> None:
    """What takes no memory ends too."""
    with pytest.raises(TimeoutError):
        processes.run(SHORT, count_rows, made_xlsx(tmp_path, data))


def test_more_rows_than_a_sheet_has_are_refused(tmp_path: Path) -> None:
    """Two million empty rows, a few kilobytes packed, are abandoned half way."""
    with pytest.raises(InvalidFileFormat, match="rows outside 1 to 1048576"):
        read_all(made_xlsx(tmp_path, "<row/>" * 2_000_000))


def test_all_parts_together_may_declare_half_a_gigabyte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A larger workbook is rejected before anything of it is unpacked (the bound is lowered here, for speed)."""
    monkeypatch.setattr("barcodesvc.spreadsheets.xlsx_package.MAX_UNPACKED", 100_000)
    with pytest.raises(FileTooLarge, match="it unpacks to"):
        read_all(made_xlsx(tmp_path, parts={"xl/media/image1.png": bytes(100_000)}))


@contextmanager
def memory_below(most: int) -> Iterator[None]:
    """Check that what the block does takes less than these bytes."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


def test_a_long_text_in_thousands_of_cells_takes_no_memory(tmp_path: Path) -> None:
    """A kilobyte of cells that refer to one shared text does not become megabytes of text."""
    table = PARTS["xl/sharedStrings.xml"].replace("</sst>", f"<si><t>{'😀' * 32_767}</t></si></sst>")
    path = made_xlsx(
        tmp_path, ("<row>" + '<c t="s"><v>2</v></c>' * 256 + "</row>") * 20, {"xl/sharedStrings.xml": table}
    )
    with memory_below(30 << 20):
        assert read_all(path) == 20


def test_rows_are_forgotten_once_they_are_read(tmp_path: Path) -> None:
    """The memory for a sheet does not grow with its rows."""
    row = '<row><c t="inlineStr"><is><t>text</t></is></c><c><v>1</v></c></row>'
    path = made_xlsx(tmp_path, row * 20_000)
    with memory_below(5 << 20):
        assert read_all(path) == 20_000


def test_endless_number_formats_are_passed_over(tmp_path: Path, processes: WorkerProcesses) -> None:
    """Five kilobytes that unpack to a hundred thousand brackets, in fifty formats, end at no limit."""
    formats = "".join(f'<numFmt numFmtId="{164 + n}" formatCode="{"[" * 100_000}"/>' for n in range(50))
    styles = "".join(f'<xf numFmtId="{164 + n}"/>' for n in range(50))
    sheet = f'<styleSheet xmlns="{SPACE}"><numFmts>{formats}</numFmts><cellXfs>{styles}</cellXfs></styleSheet>'
    path = made_xlsx(tmp_path, '<row><c s="1"><v>1</v></c></row>', {"xl/styles.xml": sheet})
    assert processes.run(SMALL, count_rows, path) == 1
