"""The Open Packaging Conventions (ISO/IEC 29500-2) as far as a workbook needs them: types and relationships.

Rule: `[Content_Types].xml` decides the type of a file, never its name. Macros are refused in any part. The default type
of an extension does not indicate macros, because `.bin` is used for printer settings, too.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass

from barcodesvc.spreadsheets.archive import Archive
from barcodesvc.spreadsheets.refusals import damaged, macros, not_a_workbook
from barcodesvc.spreadsheets.xml_events import Attributes, XmlEvents, parse

MAX_METADATA = 16 << 20
"""Bytes of a part that describes others: content types, relationships, the workbook, its styles."""

MAX_ENTRIES = 100_000
"""Content types or relationships in one part."""

_CONTENT_TYPES = "[Content_Types].xml"
_TYPES_SPACE = "http://schemas.openxmlformats.org/package/2006/content-types"
_RELATIONS_SPACE = "http://schemas.openxmlformats.org/package/2006/relationships"
_MAIN_TYPES = (
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml",
)
_MACROS_ENABLED = "macroenabled"
_MACROS = "vbaproject"
# a piece of a content type, lower-cased, and what a file that contains it is
_OTHER_KINDS = {
    "sheet.binary": "a binary workbook (.xlsb)",
    "wordprocessingml": "a text document",
    "presentationml": "a presentation",
    "ms-word": "a text document",
    "ms-powerpoint": "a presentation",
    "ms-visio": "a drawing",
}


@dataclass(frozen=True, slots=True)
class Relationship:
    """A link from one part to another; `kind` is the last word of its type, `target` a part's full name."""

    kind: str
    target: str


def find_workbook(archive: Archive) -> str:
    """Return the name of the workbook part; raises InvalidFileFormat for any other package."""
    if _CONTENT_TYPES not in archive:
        raise not_a_workbook(_name_plain_zip(archive))
    types = _read_content_types(archive)
    _refuse_other_kinds(list(types.values()))
    links = read_relationships(archive, "").values()
    workbook = next((link.target for link in links if link.kind == "officeDocument"), None)
    if workbook is None:
        raise not_a_workbook("a package without a workbook")
    kind = _type_of(workbook, types)
    if _MACROS_ENABLED in kind or any(_MACROS in types[name] for name in types if name in archive):
        raise macros()
    if kind not in _MAIN_TYPES:
        raise not_a_workbook("a package whose main part is no workbook")
    return workbook


def _type_of(part: str, types: Mapping[str, str]) -> str:
    """Return the type of a part, by default that of its extension, both without regard to case (29500-2, 6.2.3)."""
    name = part.lower()
    extension = name.rpartition("/")[2].rpartition(".")[2]
    return types.get(name, types.get(f"*.{extension}", ""))


def read_relationships(archive: Archive, part: str) -> dict[str, Relationship]:
    """Return the links of a part inside the package, by relationship id; the package itself is part ""."""
    folder, name = posixpath.split(part)
    relations = posixpath.join(folder, "_rels", f"{name}.rels")
    links: dict[str, Relationship] = {}

    def link(attributes: Attributes) -> None:
        if attributes.get("TargetMode") == "External":
            return
        kind = attributes.get("Type", "").rpartition("/")[2]
        target = posixpath.join("/", folder, attributes.get("Target", ""))
        links[attributes.get("Id", "")] = Relationship(kind, posixpath.normpath(target).lstrip("/"))
        if len(links) > MAX_ENTRIES:
            raise damaged(f"{relations} has more than {MAX_ENTRIES} entries")

    parse(archive.chunks(relations, MAX_METADATA), XmlEvents(relations, (_RELATIONS_SPACE,), {"Relationship": link}))
    return links


def _read_content_types(archive: Archive) -> dict[str, str]:
    types: dict[str, str] = {}

    def default(attributes: Attributes) -> None:
        keep(f"*.{attributes.get('Extension', '')}", attributes)

    def override(attributes: Attributes) -> None:
        keep(attributes.get("PartName", "").lstrip("/"), attributes)

    def keep(name: str, attributes: Attributes) -> None:
        types[name.lower()] = attributes.get("ContentType", "").lower()
        if len(types) > MAX_ENTRIES:
            raise damaged(f"{_CONTENT_TYPES} has more than {MAX_ENTRIES} entries")

    starts = {"Default": default, "Override": override}
    parse(archive.chunks(_CONTENT_TYPES, MAX_METADATA), XmlEvents(_CONTENT_TYPES, (_TYPES_SPACE,), starts))
    return types


def _refuse_other_kinds(types: list[str]) -> None:
    named = " ".join(types)
    for piece, kind in _OTHER_KINDS.items():
        if piece in named and not any(main in named for main in _MAIN_TYPES):
            raise not_a_workbook(kind)


def _name_plain_zip(archive: Archive) -> str:
    if "content.xml" in archive and "mimetype" in archive:
        return "an OpenDocument file (.ods)"
    return "a zip archive without a workbook"
