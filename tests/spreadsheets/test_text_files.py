"""Files of text: their encoding, CSV, and web pages with tables."""

import tracemalloc
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pytest

from barcodesvc.errors import FileTooLarge, InvalidFileFormat
from barcodesvc.spreadsheets import csv_reading, html_tables
from barcodesvc.spreadsheets.cells import KEPT_TEXT, MAX_COLUMNS, Cell
from barcodesvc.spreadsheets.csv_reading import MAX_RECORD
from barcodesvc.spreadsheets.encodings import find_encoding, known_encoding, usual_name
from barcodesvc.spreadsheets.read import open_workbook
from tests.sweeps import sweep

TEXTS = {
    "de": "Nr;Größe\n007;Ölkanne zu 5 €\n8;Schlüssel für Räder, ½ m²\n",
    "fr": "référence;désignation;quantité\n1;Vis à tête fraisée\n2;Écrou en acier zingué, côté gauche « créé »\n",
    "es": "código;descripción\n1;Tubería de camión, tamaño pequeño\n",
    "ru": "Артикул;Наименование\n1001;Болт оцинкованный\n1002;Гайка шестигранная\n",
    "pl": "kod;nazwa;ilość\n1;Śruba sześciokątna;12\n2;Nakrętka;5\n3;Podkładka płaska żółta;7\n",
    "cs": "kód;název;množství\n1;Šroub šestihranný;12\n2;Matice křídlová;5\n3;Podložka plochá žlutá;7\n",
    "tr": "kod;açıklama\n1;Gümüş yıldız ağır çekiç\n2;Vida şişe\n",  # noqa: RUF001 - Turkish
    "el": "κωδικός;περιγραφή\n1;Βίδα εξάγωνη\n2;Παξιμάδι\n",
    "ja": "品番;品名;数量\n1;六角ボルト;12\n2;ナット;5\n",
    "zh": "编号;名称;数量\n1;六角螺栓;12\n2;螺母;5\n3;垫圈\n",
}


@sweep("language", ["de", "fr", "es"])
def test_western_texts_in_windows_1252_are_certain(language: str) -> None:
    """Excel writes them like this, and there is no warning."""
    found = find_encoding(BytesIO(TEXTS[language].encode("cp1252")))
    assert (usual_name(found.codec), found.guessed) == ("windows-1252", False)


@sweep(
    ("language", "encoding"),
    [
        *(("ru", encoding) for encoding in ("cp1251", "koi8_r", "cp866", "mac_cyrillic")),
        *(("pl", encoding) for encoding in ("cp1250", "cp852")),
        *((language, encoding) for language in ("fr", "es", "de") for encoding in ("mac_roman", "cp850")),
        *(("cs", "cp1250"), ("tr", "cp1254"), ("el", "cp1253"), ("ja", "shift_jis"), ("zh", "gbk")),
    ],
)
def test_other_encodings_are_guessed_and_said_to_be_a_guess(language: str, encoding: str) -> None:
    """The texts are those that were saved."""
    text = TEXTS[language].replace("€", "EUR").replace("½ m²", "1 m")
    content = text.encode(encoding)
    found = find_encoding(BytesIO(content))
    assert (content.decode(found.codec), found.guessed) == (text, True)


def test_a_strange_word_among_many_makes_windows_1252_a_guess() -> None:
    """One name from elsewhere does not change the letters of all others; a `¤` could be a euro sign."""
    words = [f"M{letter}ße{number}" for letter in "äöü" for number in "abcdefghij"]
    found = find_encoding(BytesIO("\n".join([*words, "Dvořák".replace("ř", "ø")]).encode("cp1252")))
    assert (found.codec, found.guessed) == ("cp1252", True)
    assert find_encoding(BytesIO("sku;Größe\n1;5 €\n".encode("iso8859-15"))).guessed


def test_a_broken_line_of_utf_8_is_refused() -> None:
    """Another encoding would spoil all of its other lines; the message names the line."""
    with pytest.raises(InvalidFileFormat, match="line 3 is not UTF-8"):
        find_encoding(BytesIO("Nr;Größe\n1;Öl\n".encode() + b"2;\xff\n" + "3;Süß\n".encode()))


@sweep(
    ("name", "codec"),
    [
        ("Windows-1251", "cp1251"),
        ("GBK", "gbk"),
        ("macintosh", "mac-roman"),
        ("latin1", "iso8859-1"),
        ("utf 16", "utf-16"),
    ],
)
def test_encodings_have_their_usual_names(name: str, codec: str) -> None:
    """Whatever their case and punctuation."""
    assert known_encoding(name) == codec


@sweep("name", ["klingon", "base64", "rot13", "idna", "unicode_escape", "aliases", "../x", "x" * 900])
def test_what_is_no_encoding_of_files_is_refused(name: str) -> None:
    """The message names some."""
    with pytest.raises(ValueError, match="not a known encoding; use utf-8"):
        known_encoding(name)


def test_a_given_encoding_has_to_fit() -> None:
    """Otherwise texts would be lost."""
    assert find_encoding(BytesIO(b"\xef\xbb\xbfa"), "utf-8").codec == "utf-8-sig"
    with pytest.raises(InvalidFileFormat, match="its encoding is not shift_jis"):
        find_encoding(BytesIO(b"\xff\xff"), "shift_jis")


def read_csv(folder: Path, content: bytes) -> dict[int, tuple[Cell, ...]]:
    """Read a CSV file, twice: the cells of its rows by number."""
    (folder / "made.csv").write_bytes(content)
    with open_workbook(folder / "made.csv", "csv") as workbook:
        (sheet,) = workbook.sheets()
        read = {row.number: row.cells for row in sheet.rows()}
        assert {row.number: row.cells for row in sheet.rows()} == read
        return read


UMLAUTS = {1: ("Nr", "Größe"), 2: ("007", "Ölkanne zu 5 €")}


@sweep("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@sweep("delimiter", [",", ";", "\t"])
def test_usual_encodings_and_delimiters_are_recognised(tmp_path: Path, encoding: str, delimiter: str) -> None:
    """Texts are the same in each of them, and leading zeros stay."""
    lines = [delimiter.join(cells) + "\r\n" for cells in UMLAUTS.values()]
    assert read_csv(tmp_path, "".join(lines).encode(encoding)) == UMLAUTS


def test_utf_16_may_begin_with_the_higher_byte(tmp_path: Path) -> None:
    """Its byte order mark says so."""
    assert read_csv(tmp_path, b"\xfe\xff" + "Nr;Größe\n007;Ölkanne zu 5 €".encode("utf-16-be")) == UMLAUTS


def test_the_whole_file_decides_its_encoding(tmp_path: Path) -> None:
    """The first letter that is not ASCII may be far from the beginning."""
    content = "a;b\n" + "1;x\n" * 100_000 + "2;Größe"
    assert read_csv(tmp_path, content.encode("cp1252"))[100_002] == ("2", "Größe")
    assert read_csv(tmp_path, content.encode())[100_002] == ("2", "Größe")


@sweep(
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
def test_the_header_decides_the_delimiter(tmp_path: Path, content: str, delimiter: str) -> None:
    """Not what texts contain, however often, nor a title above."""
    rows = read_csv(tmp_path, content.encode()).values()
    header = next(line for line in content.splitlines() if "code" in line)
    assert tuple(cell.strip('"') for cell in header.rstrip(";").split(delimiter)) in rows


@sweep("declared", [";", "|", "\t", "^"])
def test_the_first_line_may_declare_the_delimiter(tmp_path: Path, declared: str) -> None:
    """As Excel writes and reads it; it is not a row."""
    content = f"sep={declared}\r\na,b,c{declared}d\r\n1{declared}2"
    assert read_csv(tmp_path, content.encode()) == {1: ("a,b,c", "d"), 2: ("1", "2")}


def test_a_row_may_have_several_lines(tmp_path: Path) -> None:
    """Rows are numbered as a spreadsheet shows them, blank ones included."""
    content = b'code,name\r\n1,"two\r\nlines, and ""quotes"""\r\n\r\n , \r\n2,5" bolt\r\n'
    assert read_csv(tmp_path, content) == {
        1: ("code", "name"),
        2: ("1", 'two\r\nlines, and "quotes"'),
        5: ("2", '5" bolt'),
    }


@sweep("end", ["\n", "\r", "\r\n"])
def test_lines_end_as_in_any_system(tmp_path: Path, end: str) -> None:
    """The last one may have no end."""
    assert read_csv(tmp_path, f"a;b{end}{end}1;2".encode()) == {1: ("a", "b"), 3: ("1", "2")}


def test_formulas_of_an_export_lose_their_apostrophe(tmp_path: Path) -> None:
    """Other apostrophes stay."""
    assert read_csv(tmp_path, b'"\'=1+1","\'x","\'\'-1",#N/A\r\n') == {1: ("=1+1", "'x", "'-1", "#N/A")}


@sweep(
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
def test_unreadable_csv_is_refused_with_the_reason(tmp_path: Path, content: bytes, why: str) -> None:
    """The message names the row, counted as the rows of the other messages."""
    with pytest.raises(InvalidFileFormat, match=why):
        read_csv(tmp_path, content)


def test_csv_has_no_more_rows_than_a_sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last one that fits is read."""
    monkeypatch.setattr(csv_reading, "MAX_ROWS", 3)
    assert len(read_csv(tmp_path, b"a,b\n1,2\n3,4\n")) == 3
    with pytest.raises(FileTooLarge, match="more than 3 rows"):
        read_csv(tmp_path, b"a,b\n1,2\n3,4\n5,6\n")


@sweep("content", [b"x" * 20_000_000, b"," * 20_000_000, b'a,"' + b"x,\n" * 7_000_000])
def test_a_hostile_file_takes_little_memory(tmp_path: Path, content: bytes) -> None:
    """One endless line, millions of delimiters, or a quote that is never closed."""
    tracemalloc.start()
    try:
        with pytest.raises(InvalidFileFormat):
            read_csv(tmp_path, content)
        assert tracemalloc.get_traced_memory()[1] < 15_000_000
    finally:
        tracemalloc.stop()


@sweep(
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
def test_a_text_that_is_written_as_a_formula_is_that_text(tmp_path: Path, field: str, text: str) -> None:
    """Programs write codes like this for Excel, to keep their zeros; any other formula stays, as does ours."""
    assert read_csv(tmp_path, f"{field};x\n".encode()) == {1: (text, "x")}


def test_long_texts_and_far_columns_are_cut(tmp_path: Path) -> None:
    """As in a workbook."""
    cells = read_csv(tmp_path, b"a,b\n" + b"x" * 900_000 + b",1" * (MAX_COLUMNS + 5))[2]
    assert len(cells) == MAX_COLUMNS
    assert len(str(cells[0])) == KEPT_TEXT


def read_page(folder: Path, content: bytes | str, encoding: str | None = None) -> list[dict[int, tuple[Cell, ...]]]:
    """Read a web page: the cells of each table's rows by number."""
    (folder / "made.xls").write_bytes(content.encode() if isinstance(content, str) else content)
    with open_workbook(folder / "made.xls", None, encoding) as workbook:
        return [{row.number: row.cells for row in sheet.rows()} for sheet in workbook.sheets()]


OF_A_PROGRAM = """<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><meta charset="windows-1252">
<style>td { mso-number-format:"\\@" }</style>
<!--[if gte mso 9]><xml><x:ExcelWorkbook><x:Name>Stock</x:Name></x:ExcelWorkbook></xml><![endif]--></head>
<body><table border=1><thead><tr><th>SKU</th><th>Größe &amp; Name</th></tr></thead>
<tr><td x:str>0012</td><td>Rote
   Kanne<br>mit Deckel</td></tr>
<tr><td>&nbsp;</td></tr>
<tr><td>="0013"<td><b>Blaue</b> Kanne</table></body></html>"""


def test_the_table_of_a_program_is_read(tmp_path: Path) -> None:
    """As a browser shows it: entities, line breaks, and cells without an end."""
    assert read_page(tmp_path, OF_A_PROGRAM.encode("cp1252")) == [
        {1: ("SKU", "Größe & Name"), 2: ("0012", "Rote Kanne\nmit Deckel"), 4: ("0013", "Blaue Kanne")}
    ]


def test_a_spanning_cell_belongs_to_its_first_column_and_row(tmp_path: Path) -> None:
    """The others are blank, as those of a merged cell."""
    page = (
        "<table><tr><td>a<td colspan=2>b<td>c<tr><td rowspan=2>d<td>e<td>f<td>g"
        "<tr><td>h<td>i<td>j<tr><td>k<td>l</table>"
    )
    assert read_page(tmp_path, page) == [
        {1: ("a", "b", "", "c"), 2: ("d", "e", "f", "g"), 3: ("", "h", "i", "j"), 4: ("k", "l")}
    ]


def test_each_table_is_a_sheet(tmp_path: Path) -> None:
    """One within another, too; text outside of tables is not read."""
    page = "<html>x<table><tr><td>a<table><tr><td>b</td></tr></table></td><td>c</td></tr></table><table></table>"
    assert read_page(tmp_path, page) == [{1: ("a", "c")}, {1: ("b",)}]


@sweep(
    ("encoding", "meta", "given"),
    [
        ("utf-8", "", None),
        ("utf-16", "", None),
        ("cp1251", '<meta http-equiv=Content-Type content="text/html; charset=windows-1251">', None),
        ("cp1251", "", "cp1251"),
        ("utf-8", '<meta charset="klingon">', None),
    ],
)
def test_a_page_has_the_encoding_that_it_names(tmp_path: Path, encoding: str, meta: str, given: str | None) -> None:
    """Otherwise it is found as in CSV."""
    page = f"<html>{meta}<table><tr><td>Болт</td></tr></table>"
    assert read_page(tmp_path, page.encode(encoding), given) == [{1: ("Болт",)}]


@sweep("span", ["0", "-1", "x", "9" * 30])
def test_wrong_and_huge_spans_are_bounded(tmp_path: Path, span: str) -> None:
    """As browsers bound them."""
    assert read_page(tmp_path, f"<table><tr><td colspan={span} rowspan={span}>a<td>b</table>") == [{1: ("a", "b")}]


def test_a_page_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In bytes, tables, and columns that are read."""
    assert read_page(tmp_path, "<table><tr>" + "<td>a" * (MAX_COLUMNS + 9)) == [{1: ("a",) * MAX_COLUMNS}]
    with pytest.raises(FileTooLarge, match="tables"):
        read_page(tmp_path, "<table><tr><td>a</table>" * 300)
    monkeypatch.setattr(html_tables, "MAX_BYTES", 10)
    with pytest.raises(FileTooLarge, match="10 bytes"):
        read_page(tmp_path, "<table><tr><td>a</table>")


@sweep("damage", ["<![x", "<![endif", "<!DOCTYPE [", "<td", "&#99999999999;", "<table" * 1000])
def test_a_damaged_page_is_read_or_refused(tmp_path: Path, damage: str) -> None:
    """It raises nothing else."""
    with suppress(InvalidFileFormat):
        assert read_page(tmp_path, f"<table><tr><td>a</td>{damage}")
