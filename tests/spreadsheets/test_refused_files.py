"""Files that are refused: those of other kinds, damaged and hostile workbooks; and what looks odd but is read."""

import contextlib
import io
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, strategies as st

from barcodesvc.errors import FileTooLarge, InvalidFileFormat
from barcodesvc.spreadsheets.read import is_held_in_memory, open_workbook
from tests.properties import examples
from tests.spreadsheets.made_workbooks import PARTS, SHEET, made_xlsx, read_all
from tests.sweeps import sweep
from tests.workbooks import xls, xlsx

LAUGHS = '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
EXTERNAL = '<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
TYPES = "[Content_Types].xml"
LINKS = "xl/_rels/workbook.xml.rels"
ROW = "<row><c><v>1</v></c></row>"
ODS = "application/vnd.oasis.opendocument.spreadsheet"


def zipped(**parts: str) -> bytes:
    """Return a zip archive of these parts; `_xml` in a name means `.xml`."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("_xml", ".xml"), content)
    return buffer.getvalue()


def ole2(stream: str) -> bytes:
    """Return an OLE2 file that names a stream."""
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + f"{stream}\0".encode("utf-16-le") + bytes(600)


@sweep(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"%PDF-1.7 ...", "PDF.*save it as .xlsx"),
        (b"code;name\r\n1;x\r\n", "CSV.*format=csv"),
        ("code;name\r\n1;x\r\n".encode("utf-16"), "CSV"),
        (b"<?xml version='1.0'?><a/>", "an HTML or XML document"),
        (b'<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">', "Excel 2003"),
        (b"\x89PNG\r\n", "image"),
        ("<html>".encode("utf-16"), "web page without a table"),
        (b"<html><frameset><frame src='a_files/sheet001.htm'></frameset></html>", "web page without a table"),
        (b"MIME-Version: 1.0\n", "MHTML"),
        (b"\x00\x01\x02", "unknown kind"),
        (b"PK\x05\x06" + bytes(18), "empty zip"),
        (b"PK\x03\x04 and nothing", "cut short"),
        (zipped(a="b"), "zip archive without a workbook"),
        (zipped(mimetype=ODS, content_xml="<a/>"), "content cannot be read"),
        (zipped(content_xml=f"<a>{' ' * 600}</a>", mimetype=ODS), "does not begin with the type of a spreadsheet"),
        (ole2("EncryptedPackage"), "encrypted"),
        (ole2("WordDocument"), "text document"),
        (ole2("PowerPoint Document"), "presentation"),
        (ole2("Anything"), "without a workbook"),
        (ole2("Workbook"), "cut short or broken"),
    ],
)
def test_files_that_are_no_workbook_are_named(tmp_path: Path, content: bytes, message: str) -> None:
    """Whatever the file is called, the refusal says what it is and what to do."""
    path = tmp_path / "catalogue.xlsx"
    path.write_bytes(content)
    with pytest.raises(InvalidFileFormat, match=message) as refusal:
        read_all(path)
    assert "save it" in refusal.value.message


@sweep(
    ("content", "file_format", "is_held"),
    [
        (xls([("a",)]), None, True),
        (zipped(mimetype=ODS), None, True),
        (b"<html><table>", None, True),
        (b"<html><table>", "csv", False),
        (xlsx([("a",)]), None, False),
    ],
)
def test_some_files_are_held_in_memory(tmp_path: Path, content: bytes, file_format: Any, *, is_held: bool) -> None:
    """Their readers have no limits, so their processes have lower ones; the content decides."""
    (tmp_path / "made").write_bytes(content)
    assert is_held_in_memory(tmp_path / "made", file_format) == is_held


@sweep(
    ("kind", "message"),
    [
        ("application/vnd.ms-excel.sheet.macroEnabled.main+xml", "macros"),
        ("application/vnd.ms-excel.template.macroEnabled.main+xml", "macros"),
        ("application/vnd.ms-excel.sheet.binary.macroEnabled.main", "xlsb"),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml", "text document"),
        ("application/octet-stream", "is not a workbook"),
    ],
)
def test_other_packages_are_judged_by_their_content_type(tmp_path: Path, kind: str, message: str) -> None:
    """Macros, binary workbooks and other documents are rejected, whatever their names."""
    plain = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
    path = made_xlsx(tmp_path, parts={TYPES: PARTS[TYPES].replace(plain, kind)})
    with pytest.raises(InvalidFileFormat, match=message):
        read_all(path)


VBA = "http://schemas.microsoft.com/office/2006/relationships/vbaProject"
MACROS = {
    TYPES: '<Override PartName="/xl/vbaProject.bin" ContentType="application/vnd.ms-office.vbaProject"/>',
    LINKS: f'<Relationship Id="rId9" Type="{VBA}" Target="vbaProject.bin"/>',
}


@sweep("part", MACROS)
def test_macros_hidden_in_a_plain_workbook_are_refused(tmp_path: Path, part: str) -> None:
    """A macro project counts even if the workbook claims to have no macros: by its type, or by a link to it."""
    before, end, after = PARTS[part].rpartition("</")
    with pytest.raises(InvalidFileFormat, match="macros"):
        read_all(made_xlsx(tmp_path, parts={part: before + MACROS[part] + end + after, "xl/vbaProject.bin": "x"}))


@sweep("kind", ["application/vnd.ms-office.vbaProject", "application/vnd.ms-excel.sheet.binary.macroEnabled.main"])
def test_a_default_type_that_names_macros_is_ignored(tmp_path: Path, kind: str) -> None:
    """Programs give `.bin` a macro type even if the only such part contains printer settings."""
    types = PARTS[TYPES].replace("</Types>", f'<Default Extension="bin" ContentType="{kind}"/></Types>')
    parts = {TYPES: types, "xl/printerSettings/printerSettings1.bin": "x"}
    assert read_all(made_xlsx(tmp_path, ROW, parts)) == 1


def test_a_template_without_macros_is_read(tmp_path: Path) -> None:
    """A workbook saved as a template holds the same sheets."""
    assert read_all(made_xlsx(tmp_path, ROW, {TYPES: PARTS[TYPES].replace("sheet.main", "template.main")})) == 1


def test_a_package_without_a_workbook_is_refused(tmp_path: Path) -> None:
    """The package has to link to a workbook inside itself."""
    links = PARTS["_rels/.rels"].replace("Target=", 'TargetMode="External" Target=')
    with pytest.raises(InvalidFileFormat, match="package without a workbook"):
        read_all(made_xlsx(tmp_path, parts={"_rels/.rels": links}))


@sweep(
    "sheet",
    ['<sheet name="B" sheetId="2" r:id=""/>', '<sheet name="B" sheetId="2"/>', '<sheet name="B" r:id="rId8"/>'],
)
def test_a_sheet_that_is_nowhere_does_not_refuse_the_first_one(tmp_path: Path, sheet: str) -> None:
    """A second sheet without a link, or without its part, is reported when it is read, and not before."""
    book = PARTS["xl/workbook.xml"].replace("</sheets>", f"{sheet}</sheets>")
    kind = PARTS[LINKS].partition('Type="')[2].partition('"')[0]
    link = f'<Relationship Id="rId8" Type="{kind}" Target="worksheets/none.xml"/></Relationships>'
    links = PARTS[LINKS].replace("</Relationships>", link)
    parts = {"xl/workbook.xml": book, LINKS: links}
    with open_workbook(made_xlsx(tmp_path, '<row><c t="s"><v>0</v></c></row>', parts)) as workbook:
        first, second = workbook.sheets()
        assert [row.cells for row in first.rows()] == [("shared",)]
        for reading in (second.hidden_columns, lambda: list(second.rows())):
            with pytest.raises(InvalidFileFormat, match="missing"):
                reading()


@sweep(
    "part",
    ["_rels/.rels", "xl/workbook.xml", LINKS, SHEET, "xl/styles.xml", "xl/sharedStrings.xml"],
)
@sweep("content", [None, "", "<a><b></a>", "\x00\x01"])
def test_missing_and_broken_parts_are_reported(tmp_path: Path, part: str, content: str | None) -> None:
    """A linked part must exist and be XML."""
    with pytest.raises(InvalidFileFormat, match="damaged"):
        read_all(made_xlsx(tmp_path, parts={part: content}))


@sweep(
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
    ],
)
def test_what_no_sheet_can_hold_is_refused(tmp_path: Path, data: str) -> None:
    """Impossible rows, cells and references are damage."""
    with pytest.raises(InvalidFileFormat, match="damaged"):
        read_all(made_xlsx(tmp_path, data))


@sweep(
    ("part", "found", "instead"),
    [
        ("xl/workbook.xml", 'r:id="rId1"', 'r:id="rId9"'),
        ("xl/workbook.xml", "<sheet ", '<sheet name="x" sheetId="2" r:id="rId1"/><sheet '),
        ("xl/workbook.xml", "<sheet ", '<sheet name="x" r:id="rId1"/>' * 256 + "<sheet "),
        ("xl/styles.xml", "<xf/>", '<xf numFmtId="x"/>'),
    ],
)
def test_impossible_descriptions_are_refused(tmp_path: Path, part: str, found: str, instead: str) -> None:
    """Missing, shared or too many sheets, and impossible styles, are damage."""
    assert found in PARTS[part]
    with pytest.raises(InvalidFileFormat, match="damaged"):
        read_all(made_xlsx(tmp_path, parts={part: PARTS[part].replace(found, instead, 1)}))


@sweep("doctype", [LAUGHS, EXTERNAL, "<!DOCTYPE l>"])
@sweep("encoding", ["utf-8", "utf-16"])
@sweep("part", [SHEET, "xl/workbook.xml", "xl/sharedStrings.xml", TYPES])
def test_document_types_are_refused_in_every_part_that_is_read(
    tmp_path: Path, part: str, encoding: str, doctype: str
) -> None:
    """No entity may be declared, in any encoding, however long the comments before it."""
    with pytest.raises(InvalidFileFormat, match="document type"):
        read_all(made_xlsx(tmp_path, parts={part: f"<!--{' ' * 100_000}-->{doctype}<l>&a;</l>".encode(encoding)}))


def test_parts_that_are_not_read_may_be_odd(tmp_path: Path) -> None:
    """A broken theme with entities and a part without a root do no harm."""
    odd = {"xl/theme/theme1.xml": f"{LAUGHS}<a", "customXml/item1.xml": "", "docProps/app.xml": " " * 100_000 + "<a/>"}
    assert read_all(made_xlsx(tmp_path, ROW, odd)) == 1


@sweep("name", ["XL/Workbook.xml", "xl\\workbook.xml"])
def test_doubled_part_names_are_refused(tmp_path: Path, name: str) -> None:
    """A name that repeats another, in any case, is damage."""
    with pytest.raises(InvalidFileFormat, match="twice"):
        read_all(made_xlsx(tmp_path, parts={name: "<a/>"}))


@sweep(("local", "central", "value", "message"), [(6, 8, 1, "encrypted"), (8, 10, 99, "cannot be unpacked")])
def test_encrypted_and_exotic_members_are_refused(
    tmp_path: Path, local: int, central: int, value: int, message: str
) -> None:
    """Parts must be packed as spreadsheet programs pack them."""
    path = made_xlsx(tmp_path)
    changed = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", local), (b"PK\x01\x02", central)):
        struct.pack_into("<H", changed, changed.find(signature) + offset, value)
    path.write_bytes(changed)
    with pytest.raises(InvalidFileFormat, match=message):
        read_all(path)


@examples(150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_damage_to_a_workbook_is_reported_or_harmless(tmp_path: Path, data: st.DataObject) -> None:
    """Cut short or with any byte changed, a workbook is read or refused, and nothing else happens."""
    path = made_xlsx(tmp_path, '<row><c t="s"><v>0</v></c><c s="1"><v>1</v></c></row>' * 5)
    content = bytearray(path.read_bytes())
    for place, byte in data.draw(
        st.dictionaries(st.integers(0, len(content) - 1), st.integers(0, 255), max_size=3)
    ).items():
        content[place] = byte
    path.write_bytes(content[: data.draw(st.integers(4, len(content)))])
    with contextlib.suppress(InvalidFileFormat, FileTooLarge):
        read_all(path)
