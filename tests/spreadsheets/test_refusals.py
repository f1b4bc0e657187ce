from __future__ import annotations

import contextlib
import io
import struct
import time
import tracemalloc
import zipfile
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from barcodesvc.errors import FileTooLarge, InvalidFileFormat
from barcodesvc.spreadsheets.effort import Effort
from barcodesvc.spreadsheets.number_formats import MAX_FORMATS
from barcodesvc.spreadsheets.read import open_workbook

MakeXlsx = Callable[..., Path]


BOMB = b"<row/>" * 2_000_000
SHEET = "xl/worksheets/sheet1.xml"
LAUGHS = '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
EXTERNAL = '<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/hostname">]>'


def read_all(path: Path) -> int:
    """Read every row of every sheet and return their number."""
    with open_workbook(path) as workbook:
        return sum(1 for sheet in workbook.sheets() for _ in sheet.rows())


@pytest.fixture
def drawn_bytes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows by the size of every piece of XML that is read."""
    drawn: list[int] = []
    spend = Effort.spend

    def spend_and_note(effort: Effort, chunk: bytes) -> None:
        drawn.append(len(chunk))
        spend(effort, chunk)

    monkeypatch.setattr(Effort, "spend", spend_and_note)
    return drawn


def zipped(**parts: str) -> bytes:
    """Return a zip archive of these parts; `_xml` in a name stands for `.xml`."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("_xml", ".xml"), content)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"%PDF-1.7 ...", "PDF"),
        (b"code;name\r\n1;x\r\n", "CSV"),
        (b"\xef\xbb\xbf <html><table>", "HTML"),
        (b"\x89PNG\r\n", "image"),
        ("code;name\r\n1;x\r\n".encode("utf-16"), "CSV"),
        ("<html>".encode("utf-16"), "HTML"),
        (b"MIME-Version: 1.0\n", "MHTML"),
        (b"\x00\x01\x02", "unknown kind"),
        (b"PK\x05\x06" + bytes(18), "empty zip"),
        (b"PK\x03\x04 and nothing", "cut short"),
        (zipped(a="b"), "zip archive without a workbook"),
        (zipped(mimetype="application/vnd.oasis.opendocument.spreadsheet", content_xml="<a/>"), ".ods"),
    ],
)
def test_files_that_are_no_workbook_are_named(tmp_path: Path, content: bytes, message: str) -> None:
    """Whatever the file is called, the refusal says what it is and what to do."""
    path = tmp_path / "catalogue.xlsx"
    path.write_bytes(content)
    with pytest.raises(InvalidFileFormat, match=message) as refusal:
        read_all(path)
    assert "save it as .xlsx" in refusal.value.message


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("application/vnd.ms-excel.sheet.macroEnabled.main+xml", "macros"),
        ("application/vnd.ms-excel.template.macroEnabled.main+xml", "macros"),
        ("application/vnd.ms-excel.sheet.binary.macroEnabled.main", "xlsb"),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml", "text document"),
        ("application/octet-stream", "no workbook"),
    ],
)
def test_other_packages_are_judged_by_their_content_type(
    make_xlsx: MakeXlsx, standard_parts: Mapping[str, str], kind: str, message: str
) -> None:
    """Macros, binary workbooks and other documents are refused, however they are named."""
    name = "[Content_Types].xml"
    plain = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
    path = make_xlsx(parts={name: standard_parts[name].replace(plain, kind)})
    with pytest.raises(InvalidFileFormat, match=message):
        read_all(path)


def test_macros_hidden_in_a_plain_workbook_are_refused(make_xlsx: MakeXlsx, standard_parts: Mapping[str, str]) -> None:
    """A macro project counts even where the workbook calls itself free of macros: by its type, or by a link to it."""
    macro = '<Override PartName="/xl/vbaProject.bin" ContentType="application/vnd.ms-office.vbaProject"/></Types>'
    types = standard_parts["[Content_Types].xml"].replace("</Types>", macro)
    with pytest.raises(InvalidFileFormat, match="macros"):
        read_all(make_xlsx(parts={"[Content_Types].xml": types, "xl/vbaProject.bin": "x"}))
    kind = "http://schemas.microsoft.com/office/2006/relationships/vbaProject"
    link = f'<Relationship Id="rId9" Type="{kind}" Target="vbaProject.bin"/></Relationships>'
    links = standard_parts["xl/_rels/workbook.xml.rels"].replace("</Relationships>", link)
    with pytest.raises(InvalidFileFormat, match="macros"):
        read_all(make_xlsx(parts={"xl/_rels/workbook.xml.rels": links, "xl/vbaProject.bin": "x"}))


@pytest.mark.parametrize(
    "kind", ["application/vnd.ms-office.vbaProject", "application/vnd.ms-excel.sheet.binary.macroEnabled.main"]
)
def test_a_default_type_that_names_macros_is_none(
    make_xlsx: MakeXlsx, standard_parts: Mapping[str, str], kind: str
) -> None:
    """Programs give `.bin` a type for macros where the only such part holds the settings of a printer."""
    message = f'<Default Extension="bin" ContentType="{kind}"/></Types>'
    types = standard_parts["[Content_Types].xml"].replace("</Types>", message)
    parts = {"[Content_Types].xml": types, "xl/printerSettings/printerSettings1.bin": "x"}
    assert read_all(make_xlsx("<row><c><v>1</v></c></row>", parts)) == 1


@pytest.mark.parametrize(
    "sheet",
    ['<sheet name="B" sheetId="2" r:id=""/>', '<sheet name="B" sheetId="2"/>', '<sheet name="B" r:id="rId8"/>'],
)
def test_a_sheet_that_is_nowhere_does_not_refuse_the_first_one(
    make_xlsx: MakeXlsx, standard_parts: Mapping[str, str], sheet: str
) -> None:
    """A second sheet without a link, or whose part is missing, is reported when it is read, and not before."""
    book = standard_parts["xl/workbook.xml"].replace("</sheets>", f"{sheet}</sheets>")
    kind = standard_parts["xl/_rels/workbook.xml.rels"].partition('Type="')[2].partition('"')[0]
    link = f'<Relationship Id="rId8" Type="{kind}" Target="worksheets/none.xml"/></Relationships>'
    links = standard_parts["xl/_rels/workbook.xml.rels"].replace("</Relationships>", link)
    parts = {"xl/workbook.xml": book, "xl/_rels/workbook.xml.rels": links}
    with open_workbook(make_xlsx('<row><c t="s"><v>0</v></c></row>', parts)) as workbook:
        first, second = workbook.sheets()
        assert [row.cells for row in first.rows()] == [("shared",)]
        for reading in (second.hidden_columns, lambda: list(second.rows())):
            with pytest.raises(InvalidFileFormat, match="missing"):
                reading()


def test_a_template_without_macros_is_read(make_xlsx: MakeXlsx, standard_parts: Mapping[str, str]) -> None:
    """A workbook saved as a template holds the same sheets."""
    types = standard_parts["[Content_Types].xml"].replace("sheet.main", "template.main")
    assert read_all(make_xlsx("<row><c><v>1</v></c></row>", {"[Content_Types].xml": types})) == 1


@pytest.mark.parametrize(
    "part",
    ["_rels/.rels", "xl/workbook.xml", "xl/_rels/workbook.xml.rels", SHEET, "xl/styles.xml", "xl/sharedStrings.xml"],
)
@pytest.mark.parametrize("content", [None, "", "<a><b></a>", "\x00\x01"])
def test_missing_and_broken_parts_are_reported(make_xlsx: MakeXlsx, part: str, content: str | None) -> None:
    """A part that is linked must be there and be XML."""
    with pytest.raises(InvalidFileFormat, match="damaged"):
        read_all(make_xlsx(parts={part: content}))


def test_a_package_without_a_workbook_is_refused(make_xlsx: MakeXlsx, standard_parts: Mapping[str, str]) -> None:
    """The package has to link to a workbook inside itself."""
    links = standard_parts["_rels/.rels"].replace("Target=", 'TargetMode="External" Target=')
    with pytest.raises(InvalidFileFormat, match="package without a workbook"):
        read_all(make_xlsx(parts={"_rels/.rels": links}))


@pytest.mark.parametrize(
    "data",
    [
        '<row r="0"/>',
        '<row r="1048577"/>',
        '<row r="x"/>',
        '<row r="1048576"/><row/>',
        '<row><c r="1A"/></row>',
        '<row><c r="ABCD1"/></row>',
        '<row><c t="s"><v>2</v></c></row>',
        '<row><c t="s"><v>-1</v></c></row>',
        '<row><c t="s"><v>99999999999999999999</v></c></row>',
        '<row><c t="odd"><v>2</v></c></row>',
        "<row>" + "<c/>" * 16_385 + "</row>",
        "<a>" * 70 + "</a>" * 70,
        f"<!--{' ' * 1_100_000}-->",
    ],
)
def test_what_no_sheet_can_hold_is_refused(make_xlsx: MakeXlsx, data: str) -> None:
    """Impossible rows, cells, references and nesting are damage."""
    with pytest.raises(InvalidFileFormat, match="damaged"):
        read_all(make_xlsx(data))


@pytest.mark.parametrize(
    ("part", "found", "instead"),
    [
        ("xl/workbook.xml", 'r:id="rId1"', 'r:id="rId9"'),
        ("xl/workbook.xml", "<sheet ", '<sheet name="x" sheetId="2" r:id="rId1"/><sheet '),
        ("xl/workbook.xml", "<sheet ", '<sheet name="x" r:id="rId1"/>' * 256 + "<sheet "),
        ("xl/styles.xml", "<xf/>", '<xf numFmtId="x"/>'),
        ("xl/styles.xml", "<xf/>", "<xf/>" * 100_001),
        (
            "[Content_Types].xml",
            "<Default ",
            "".join(f'<Default Extension="{n}"/>' for n in range(100_001)) + "<Default ",
        ),
        (
            "_rels/.rels",
            "<Relationship ",
            "".join(f'<Relationship Id="{n}"/>' for n in range(100_001)) + "<Relationship ",
        ),
    ],
)
def test_impossible_descriptions_are_refused(
    make_xlsx: MakeXlsx, standard_parts: Mapping[str, str], part: str, found: str, instead: str
) -> None:
    """Sheets that are missing, shared or too many, and styles that cannot be, are damage."""
    assert found in standard_parts[part]
    with pytest.raises(InvalidFileFormat, match="damaged"):
        read_all(make_xlsx(parts={part: standard_parts[part].replace(found, instead, 1)}))


@pytest.mark.parametrize("doctype", [LAUGHS, EXTERNAL, "<!DOCTYPE l>"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("part", [SHEET, "xl/workbook.xml", "docProps/core.xml", "xl/theme/theme1.xml"])
def test_document_types_are_refused_in_every_part(make_xlsx: MakeXlsx, part: str, encoding: str, doctype: str) -> None:
    """No entity is ever declared, in any encoding, whether the part is read or not."""
    with pytest.raises(InvalidFileFormat, match="document type"):
        read_all(make_xlsx(parts={part: f"{doctype}<l>&a;</l>".encode(encoding)}))


def test_parts_that_nobody_reads_may_be_odd(make_xlsx: MakeXlsx) -> None:
    """A broken theme and a part without a root do no harm."""
    odd = {"xl/theme/theme1.xml": "<a", "customXml/item1.xml": "", "docProps/app.xml": " " * 100_000 + "<a/>"}
    assert read_all(make_xlsx("<row><c><v>1</v></c></row>", odd)) == 1


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
    """What unpacks beyond the bounds is refused from the directory of the archive, before it is unpacked."""
    path = make_xlsx(parts=parts)
    tracemalloc.start()
    try:
        with pytest.raises(FileTooLarge):
            read_all(path)
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("bound", "message"),
    [("archive.MAX_UNPACKED", "it unpacks to"), ("styles.MAX_METADATA", "styles.xml unpacks to")],
)
def test_declared_sizes_have_bounds(
    make_xlsx: MakeXlsx, monkeypatch: pytest.MonkeyPatch, bound: str, message: str
) -> None:
    """All parts together, and those that describe others, may declare so many bytes and no more."""
    monkeypatch.setattr(f"barcodesvc.spreadsheets.{bound}", 100)
    with pytest.raises(FileTooLarge, match=message):
        read_all(make_xlsx())


def test_one_endless_row_takes_no_memory(make_xlsx: MakeXlsx) -> None:
    """A row of a million cells, a few kilobytes packed, is given up early."""
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
    """A kilobyte of cells that show one text of the table is no megabytes of text, wherever the text lies."""
    monkeypatch.setattr("barcodesvc.spreadsheets.text_table.IN_MEMORY", 0)
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
    make_xlsx: MakeXlsx, standard_parts: Mapping[str, str], drawn_bytes: list[int]
) -> None:
    """Ten million texts beside two rows are given up after the first ones."""
    texts = "".join(f"<si><t>{number:x}</t></si>" for number in range(1_000_000))
    table = standard_parts["xl/sharedStrings.xml"].replace("</sst>", f"{texts}</sst>")
    with pytest.raises(FileTooLarge, match="no cells that could show them"):
        read_all(make_xlsx("<row><c><v>1</v></c></row>" * 2, {"xl/sharedStrings.xml": table}))
    assert sum(drawn_bytes) < 2 << 20


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
    make_xlsx: MakeXlsx, drawn_bytes: list[int], monkeypatch: pytest.MonkeyPatch, waste: Callable[[int], str]
) -> None:
    """Blank cells, unknown elements, comments and attributes are read up to a bound, beside the rows that are there."""
    monkeypatch.setattr("barcodesvc.spreadsheets.effort.FREE_MARKS", 100_000)
    data = "<row><c><v>1</v></c></row><row>" + "".join(waste(number) for number in range(400_000)) + "</row>"
    with pytest.raises(FileTooLarge, match=r"blank cells .* or of parts that hold no data"):
        read_all(make_xlsx(data))
    assert sum(drawn_bytes) < 2 << 20


def test_bytes_without_rows_are_given_up(
    make_xlsx: MakeXlsx, drawn_bytes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Character data that belongs to no row is read up to a bound too."""
    monkeypatch.setattr("barcodesvc.spreadsheets.effort.FREE_BYTES", 500_000)
    with pytest.raises(FileTooLarge, match="hold no data"):
        read_all(make_xlsx(" &amp; \n" * 500_000))
    assert sum(drawn_bytes) < 1_000_000


def test_rows_earn_the_blank_cells_beside_them(make_xlsx: MakeXlsx, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a large catalogue formats without filling it in does not count against it."""
    monkeypatch.setattr("barcodesvc.spreadsheets.effort.FREE_MARKS", 40_000)
    row = "<row><c><v>1</v></c>" + '<c s="1"/>' * 100 + "</row>"
    assert read_all(make_xlsx(row * 3_000)) == 3_000


def test_filled_cells_earn_what_is_written_around_them(make_xlsx: MakeXlsx, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wide table without a blank cell is read, also beyond the columns that are looked at."""
    monkeypatch.setattr("barcodesvc.spreadsheets.effort.FREE_MARKS", 200_000)
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
    """Rows of sheets in which no header is found don't pay for what these make to read, however far they lie apart."""
    monkeypatch.setattr("barcodesvc.spreadsheets.effort.FREE_MARKS", 100_000)
    monkeypatch.setattr("barcodesvc.spreadsheets.effort.FREE_BYTES", 5_000_000)
    space = standard_parts["xl/styles.xml"].split('"')[1]
    data = f"<row><c><v>1</v></c></row>{between}" * rows
    sheet = f'<worksheet xmlns="{space}"><cols>{columns}</cols><sheetData>{data}</sheetData></worksheet>'
    with open_workbook(make_xlsx(parts={SHEET: sheet})) as workbook:
        [found] = workbook.sheets()
        looks = (len(list(islice(found.rows(), 20))) + len(found.hidden_columns()) for _ in range(20))
        with pytest.raises(FileTooLarge, match="hold no data"):
            list(looks)


def test_comments_before_the_roots_of_many_parts_are_given_up(make_xlsx: MakeXlsx) -> None:
    """Parts that nobody reads can't make work either."""
    parts = {f"docProps/{number}.xml": f"<!--{'x' * 70_000}--><a/>" for number in range(600)}
    with pytest.raises(FileTooLarge, match="begin with more than"):
        read_all(make_xlsx(parts=parts))


def test_thousands_of_blank_formatted_rows_behind_the_data_do_no_harm(make_xlsx: MakeXlsx) -> None:
    """A sheet that somebody coloured far beyond its end is read for what it holds."""
    cells = '<c s="1"/>' * 8
    blank = "".join(f'<row r="{number}" s="1">{cells}</row>' for number in range(2, 20_000))
    assert read_all(make_xlsx(f'<row r="1"><c><v>1</v></c></row>{blank}')) == 1


@pytest.mark.parametrize("name", ["xl/../../evil.xml", "/xl/evil.xml", "XL/Workbook.xml", "xl\\workbook.xml"])
def test_odd_and_doubled_part_names_are_refused(make_xlsx: MakeXlsx, name: str) -> None:
    """A name that climbs, or that names a part again, is damage."""
    with pytest.raises(InvalidFileFormat, match=r"twice|impossible name"):
        read_all(make_xlsx(parts={name: "<a/>"}))


def _set_in_headers(content: bytes, local: int, central: int, value: int) -> bytes:
    changed = bytearray(content)
    for signature, offset in ((b"PK\x03\x04", local), (b"PK\x01\x02", central)):
        start = changed.find(signature)
        struct.pack_into("<H", changed, start + offset, value)
    return bytes(changed)


@pytest.mark.parametrize(
    ("local", "central", "value", "message"), [(6, 8, 1, "encrypted"), (8, 10, 12, "packed in a way")]
)
def test_encrypted_and_exotic_members_are_refused(
    make_xlsx: MakeXlsx, local: int, central: int, value: int, message: str
) -> None:
    """Parts must be packed as spreadsheet programs pack them."""
    path = make_xlsx()
    path.write_bytes(_set_in_headers(path.read_bytes(), local, central, value))
    with pytest.raises(InvalidFileFormat, match=message):
        read_all(path)


@settings(max_examples=150, deadline=2000, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_damage_to_a_workbook_is_reported_or_harmless(make_xlsx: MakeXlsx, data: st.DataObject) -> None:
    """Cut short or with any byte changed, a workbook is read or refused, and nothing else happens."""
    path = make_xlsx('<row><c t="s"><v>0</v></c><c s="1"><v>1</v></c></row>' * 5)
    content = bytearray(path.read_bytes())
    for place, byte in data.draw(
        st.dictionaries(st.integers(0, len(content) - 1), st.integers(0, 255), max_size=3)
    ).items():
        content[place] = byte
    path.write_bytes(content[: data.draw(st.integers(4, len(content)))])
    with contextlib.suppress(InvalidFileFormat, FileTooLarge):
        read_all(path)


def test_endless_number_formats_cost_nothing(make_xlsx: MakeXlsx, standard_parts: Mapping[str, str]) -> None:
    """Five kilobytes that unpack to a hundred thousand brackets are read in a blink, one such format or fifty."""
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
    """Short ones add up as well: of 255 characters each, so many as are read take a part of a second."""
    numbers = range(164, 164 + MAX_FORMATS + more)
    formats = "".join(f'<numFmt numFmtId="{number}" formatCode="{"[" * 250}{number}"/>' for number in numbers)
    styles = "".join(f'<xf numFmtId="{number}"/>' for number in numbers)
    space = standard_parts["xl/styles.xml"].split('"')[1]
    sheet = f'<styleSheet xmlns="{space}"><numFmts>{formats}</numFmts><cellXfs>{styles}</cellXfs></styleSheet>'
    path = make_xlsx('<row><c s="1"><v>1</v></c></row>', {"xl/styles.xml": sheet})
    with pytest.raises(InvalidFileFormat, match="4096 number formats") if more else contextlib.nullcontext():
        assert read_all(path) == 1
