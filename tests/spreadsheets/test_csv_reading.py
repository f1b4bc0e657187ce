import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from barcodesvc.errors import FileTooLarge, InvalidFileFormat
from barcodesvc.spreadsheets import csv_reading
from barcodesvc.spreadsheets.cells import KEPT_TEXT, MAX_COLUMNS, Cell
from barcodesvc.spreadsheets.csv_reading import MAX_RECORD
from barcodesvc.spreadsheets.read import open_workbook

ReadCsv = Callable[[bytes], dict[int, tuple[Cell, ...]]]


@pytest.fixture
def read_csv(tmp_path: Path) -> ReadCsv:
    """Return a function that reads a CSV file: the cells of its rows by number."""

    def read(content: bytes) -> dict[int, tuple[Cell, ...]]:
        path = tmp_path / "made.csv"
        path.write_bytes(content)
        with open_workbook(path, "csv") as workbook:
            (sheet,) = workbook.sheets()
            return {row.number: row.cells for row in sheet.rows()}

    return read


UMLAUTS = {1: ("Nr", "Größe"), 2: ("007", "Ölkanne zu 5 €")}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_usual_encodings_and_delimiters_are_recognised(read_csv: ReadCsv, encoding: str, delimiter: str) -> None:
    """Texts are the same in each of them, and leading zeros stay."""
    lines = [delimiter.join(cells) + "\r\n" for cells in UMLAUTS.values()]
    assert read_csv("".join(lines).encode(encoding)) == UMLAUTS


def test_utf_16_may_begin_with_the_higher_byte(read_csv: ReadCsv) -> None:
    """Its byte order mark says so."""
    assert read_csv(b"\xfe\xff" + "Nr;Größe\n007;Ölkanne zu 5 €".encode("utf-16-be")) == UMLAUTS


def test_the_whole_file_decides_its_encoding(read_csv: ReadCsv) -> None:
    """The first letter that is not ASCII may be far from the beginning."""
    content = "a;b\n" + "1;x\n" * 100_000 + "2;Größe"
    assert read_csv(content.encode("cp1252"))[100_002] == ("2", "Größe")
    assert read_csv(content.encode())[100_002] == ("2", "Größe")


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        ("code;name\n1;bolt, long, blue\n2;nut, small, red\n", ";"),
        ("code;name, short;price, net\n1;bolt, blue;1,50\n", ";"),
        ("Prices; of 2026\n\ncode;name;price\n1;bolt;1,50\n2;nut;2,50\n", ";"),
        ("Prices, of 2026\ncode;name;price\n1;bolt;1,50\n2;nut;2,50\n", ";"),
        ("Prices;;;;\ncode;name;;;\n1;bolt, blue;;;\n", ";"),
        ('code,name\n1,"bolt; long; blue"\n2,"nut; small; red"\n', ","),
        ('"code","name"\n"1","a;b\n;c"\n', ","),
        ('code,name\n1,"<b>;\n;a;\n;b;\n;"\n', ","),
        ("code\tname; short\n1\tbolt, blue; long\n", "\t"),
    ],
)
def test_the_header_decides_the_delimiter(read_csv: ReadCsv, content: str, delimiter: str) -> None:
    """Not what texts contain, however often, nor a title above."""
    rows = read_csv(content.encode()).values()
    header = next(line for line in content.splitlines() if "code" in line)
    assert tuple(cell.strip('"') for cell in header.rstrip(";").split(delimiter)) in rows


@pytest.mark.parametrize("declared", [";", "|", "\t", "^"])
def test_the_first_line_may_declare_the_delimiter(read_csv: ReadCsv, declared: str) -> None:
    """As Excel writes and reads it; it is not a row."""
    content = f"sep={declared}\r\na,b,c{declared}d\r\n1{declared}2"
    assert read_csv(content.encode()) == {1: ("a,b,c", "d"), 2: ("1", "2")}


def test_a_row_may_have_several_lines(read_csv: ReadCsv) -> None:
    """Rows are numbered as a spreadsheet shows them, blank ones included."""
    content = b'code,name\r\n1,"two\r\nlines, and ""quotes"""\r\n\r\n , \r\n2,5" bolt\r\n'
    assert read_csv(content) == {
        1: ("code", "name"),
        2: ("1", 'two\r\nlines, and "quotes"'),
        5: ("2", '5" bolt'),
    }


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_lines_end_as_in_any_system(read_csv: ReadCsv, end: str) -> None:
    """The last one may have no end."""
    assert read_csv(f"a;b{end}{end}1;2".encode()) == {1: ("a", "b"), 3: ("1", "2")}


def test_rows_can_be_read_again(tmp_path: Path) -> None:
    """As those of any worksheet."""
    path = tmp_path / "made.csv"
    path.write_bytes("sep=;\na;ö\n".encode("utf-16"))
    with open_workbook(path, "csv") as workbook:
        (sheet,) = workbook.sheets()
        assert [*sheet.rows()] == [*sheet.rows()] != []


def test_formulas_of_an_export_lose_their_apostrophe(read_csv: ReadCsv) -> None:
    """Other apostrophes stay."""
    assert read_csv(b'"\'=1+1","\'x","\'\'-1",#N/A\r\n') == {1: ("=1+1", "'x", "'-1", "#N/A")}


def test_long_texts_and_far_columns_are_cut(read_csv: ReadCsv) -> None:
    """As in a workbook."""
    cells = read_csv(b"a,b\n" + b"x" * 900_000 + b",1" * (MAX_COLUMNS + 5))[2]
    assert len(cells) == MAX_COLUMNS
    assert len(str(cells[0])) == KEPT_TEXT


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'a,b\n\n1,"two\nlines"\n2,"never closed\n3,x\n', "quote that opens in row 4"),
        (b'a,b\n1,"\n' + b"x,y\n" * MAX_RECORD, "row 2 has more than 1000000 characters"),
        (b'a,b\n1,"x"\n2,' + b"y" * MAX_RECORD, "row 3 has more than 1000000 characters"),
        (b'a,b\n1,"two\nlines"\n2,\0x\n', "row 3 has a NUL"),
        ("code;name\n".encode("utf-16-le"), "row 1 has a NUL"),
        ("code;name\n".encode("utf-32"), "row 1 has a NUL"),
        (b"\xef\xbb\xbfa,b\n1,\xff", "byte order mark"),
        (b"\xff\xfea\0,\0b", "byte order mark"),
        (b"", "empty"),
        (b"PK\x03\x04", "without format=csv"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "without format=csv"),
    ],
)
def test_unreadable_csv_is_refused_with_the_reason(read_csv: ReadCsv, content: bytes, why: str) -> None:
    """The message names the row, counted as the rows of the other messages."""
    with pytest.raises(InvalidFileFormat, match=why):
        read_csv(content)


def test_csv_has_no_more_rows_than_a_sheet(read_csv: ReadCsv, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last one that fits is read."""
    monkeypatch.setattr(csv_reading, "MAX_ROWS", 3)
    assert len(read_csv(b"a,b\n1,2\n3,4\n")) == 3
    with pytest.raises(FileTooLarge, match="more than 3 rows"):
        read_csv(b"a,b\n1,2\n3,4\n5,6\n")


@pytest.mark.parametrize("content", [b"x" * 20_000_000, b"," * 20_000_000, b'a,"' + b"x,\n" * 7_000_000])
def test_a_hostile_file_takes_little_memory(read_csv: ReadCsv, content: bytes) -> None:
    """One endless line, millions of delimiters, or a quote that is never closed."""
    tracemalloc.start()
    try:
        with pytest.raises(InvalidFileFormat):
            read_csv(content)
        assert tracemalloc.get_traced_memory()[1] < 15_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ('="0001234"', "0001234"),
        ('"=""0001234"""', "0001234"),
        ('=""', ""),
        ('="0001234"&"5"', '="0001234"&"5"'),
        ('=" 007"+1', '=" 007"+1'),
        ("=0001234", "=0001234"),
        ('"\'=""0001234"""', '="0001234"'),
    ],
)
def test_a_text_that_is_written_as_a_formula_is_that_text(read_csv: ReadCsv, field: str, text: str) -> None:
    """Programs write codes like this for Excel, to keep their zeros; any other formula stays, as does ours."""
    assert read_csv(f"{field};x\n".encode()) == {1: (text, "x")}
