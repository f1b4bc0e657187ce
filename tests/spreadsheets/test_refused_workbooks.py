import contextlib
import struct
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, strategies as st

from barcodesvc.errors import FileTooLarge, InvalidFileFormat
from barcodesvc.spreadsheets.read import open_workbook
from tests.properties import examples
from tests.spreadsheets.reading import read_all

MakeXlsx = Callable[..., Path]
SHEET = "xl/worksheets/sheet1.xml"
LAUGHS = '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
EXTERNAL = '<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize(
    "sheet",
    ['<sheet name="B" sheetId="2" r:id=""/>', '<sheet name="B" sheetId="2"/>', '<sheet name="B" r:id="rId8"/>'],
)
def test_a_sheet_that_is_nowhere_does_not_refuse_the_first_one(
    make_xlsx: MakeXlsx, standard_parts: Mapping[str, str], sheet: str
) -> None:
    """A second sheet without a link, or without its part, is reported when it is read, and not before."""
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


@pytest.mark.parametrize(
    "part",
    ["_rels/.rels", "xl/workbook.xml", "xl/_rels/workbook.xml.rels", SHEET, "xl/styles.xml", "xl/sharedStrings.xml"],
)
@pytest.mark.parametrize("content", [None, "", "<a><b></a>", "\x00\x01"])
def test_missing_and_broken_parts_are_reported(make_xlsx: MakeXlsx, part: str, content: str | None) -> None:
    """A linked part must exist and be XML."""
    with pytest.raises(InvalidFileFormat, match="damaged"):
        read_all(make_xlsx(parts={part: content}))


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
    ],
)
def test_what_no_sheet_can_hold_is_refused(make_xlsx: MakeXlsx, data: str) -> None:
    """Impossible rows, cells and references are damage."""
    with pytest.raises(InvalidFileFormat, match="damaged"):
        read_all(make_xlsx(data))


@pytest.mark.parametrize(
    ("part", "found", "instead"),
    [
        ("xl/workbook.xml", 'r:id="rId1"', 'r:id="rId9"'),
        ("xl/workbook.xml", "<sheet ", '<sheet name="x" sheetId="2" r:id="rId1"/><sheet '),
        ("xl/workbook.xml", "<sheet ", '<sheet name="x" r:id="rId1"/>' * 256 + "<sheet "),
        ("xl/styles.xml", "<xf/>", '<xf numFmtId="x"/>'),
    ],
)
def test_impossible_descriptions_are_refused(
    make_xlsx: MakeXlsx, standard_parts: Mapping[str, str], part: str, found: str, instead: str
) -> None:
    """Missing, shared or too many sheets, and impossible styles, are damage."""
    assert found in standard_parts[part]
    with pytest.raises(InvalidFileFormat, match="damaged"):
        read_all(make_xlsx(parts={part: standard_parts[part].replace(found, instead, 1)}))


@pytest.mark.parametrize("doctype", [LAUGHS, EXTERNAL, "<!DOCTYPE l>"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("part", [SHEET, "xl/workbook.xml", "xl/sharedStrings.xml", "[Content_Types].xml"])
def test_document_types_are_refused_in_every_part_that_is_read(
    make_xlsx: MakeXlsx, part: str, encoding: str, doctype: str
) -> None:
    """No entity may be declared, in any encoding, however long the comments before it."""
    with pytest.raises(InvalidFileFormat, match="document type"):
        read_all(make_xlsx(parts={part: f"<!--{' ' * 100_000}-->{doctype}<l>&a;</l>".encode(encoding)}))


def test_parts_that_are_not_read_may_be_odd(make_xlsx: MakeXlsx) -> None:
    """A broken theme with entities and a part without a root do no harm."""
    odd = {"xl/theme/theme1.xml": f"{LAUGHS}<a", "customXml/item1.xml": "", "docProps/app.xml": " " * 100_000 + "<a/>"}
    assert read_all(make_xlsx("<row><c><v>1</v></c></row>", odd)) == 1


@pytest.mark.parametrize("name", ["XL/Workbook.xml", "xl\\workbook.xml"])
def test_doubled_part_names_are_refused(make_xlsx: MakeXlsx, name: str) -> None:
    """A name that repeats another, in any case, is damage."""
    with pytest.raises(InvalidFileFormat, match="twice"):
        read_all(make_xlsx(parts={name: "<a/>"}))


def _set_in_headers(content: bytes, local: int, central: int, value: int) -> bytes:
    changed = bytearray(content)
    for signature, offset in ((b"PK\x03\x04", local), (b"PK\x01\x02", central)):
        start = changed.find(signature)
        struct.pack_into("<H", changed, start + offset, value)
    return bytes(changed)


@pytest.mark.parametrize(
    ("local", "central", "value", "message"), [(6, 8, 1, "encrypted"), (8, 10, 99, "cannot be unpacked")]
)
def test_encrypted_and_exotic_members_are_refused(
    make_xlsx: MakeXlsx, local: int, central: int, value: int, message: str
) -> None:
    """Parts must be packed as spreadsheet programs pack them."""
    path = make_xlsx()
    path.write_bytes(_set_in_headers(path.read_bytes(), local, central, value))
    with pytest.raises(InvalidFileFormat, match=message):
        read_all(path)


@examples(150, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
