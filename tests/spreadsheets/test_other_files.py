import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from barcodesvc.errors import InvalidFileFormat
from tests.spreadsheets.reading import read_all

MakeXlsx = Callable[..., Path]


def zipped(**parts: str) -> bytes:
    """Return a zip archive of these parts; `_xml` in a name means `.xml`."""
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
        (b"<?xml version='1.0'?><a/>", "an HTML or XML document"),
        (b'<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">', "Excel 2003"),
        (b"\x89PNG\r\n", "image"),
        ("code;name\r\n1;x\r\n".encode("utf-16"), "CSV"),
        ("<html>".encode("utf-16"), "web page without a table"),
        (b"<html><frameset><frame src='a_files/sheet001.htm'></frameset></html>", "web page without a table"),
        (b"MIME-Version: 1.0\n", "MHTML"),
        (b"\x00\x01\x02", "unknown kind"),
        (b"PK\x05\x06" + bytes(18), "empty zip"),
        (b"PK\x03\x04 and nothing", "cut short"),
        (zipped(a="b"), "zip archive without a workbook"),
        (
            zipped(mimetype="application/vnd.oasis.opendocument.spreadsheet", content_xml="<a/>"),
            "content cannot be read",
        ),
        (
            zipped(content_xml=f"<a>{' ' * 600}</a>", mimetype="application/vnd.oasis.opendocument.spreadsheet"),
            "an OpenDocument file that does not begin with the type of a spreadsheet",
        ),
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
    """Macros, binary workbooks and other documents are rejected, whatever their names."""
    name = "[Content_Types].xml"
    plain = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
    path = make_xlsx(parts={name: standard_parts[name].replace(plain, kind)})
    with pytest.raises(InvalidFileFormat, match=message):
        read_all(path)


def test_macros_hidden_in_a_plain_workbook_are_refused(make_xlsx: MakeXlsx, standard_parts: Mapping[str, str]) -> None:
    """A macro project counts even if the workbook claims to have no macros: by its type, or by a link to it."""
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
def test_a_default_type_that_names_macros_is_ignored(
    make_xlsx: MakeXlsx, standard_parts: Mapping[str, str], kind: str
) -> None:
    """Programs give `.bin` a macro type even if the only such part contains printer settings."""
    message = f'<Default Extension="bin" ContentType="{kind}"/></Types>'
    types = standard_parts["[Content_Types].xml"].replace("</Types>", message)
    parts = {"[Content_Types].xml": types, "xl/printerSettings/printerSettings1.bin": "x"}
    assert read_all(make_xlsx("<row><c><v>1</v></c></row>", parts)) == 1


def test_a_template_without_macros_is_read(make_xlsx: MakeXlsx, standard_parts: Mapping[str, str]) -> None:
    """A workbook saved as a template holds the same sheets."""
    types = standard_parts["[Content_Types].xml"].replace("sheet.main", "template.main")
    assert read_all(make_xlsx("<row><c><v>1</v></c></row>", {"[Content_Types].xml": types})) == 1


def test_a_package_without_a_workbook_is_refused(make_xlsx: MakeXlsx, standard_parts: Mapping[str, str]) -> None:
    """The package has to link to a workbook inside itself."""
    links = standard_parts["_rels/.rels"].replace("Target=", 'TargetMode="External" Target=')
    with pytest.raises(InvalidFileFormat, match="package without a workbook"):
        read_all(make_xlsx(parts={"_rels/.rels": links}))
