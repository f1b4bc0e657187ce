"""The zip archive of an .xlsx workbook: its parts as XML elements, their types and relationships (ISO/IEC 29500-2).

Rule: `[Content_Types].xml` decides the type of a file, never its name. Macros are refused in any part. The default type
of an extension does not indicate macros, because `.bin` is used for printer settings, too. A part that declares a
document type is refused before an entity of it exists, because entities can repeat each other a billion times.

What else a file can ask for ends at the limits of the process that reads it. Only the declared size is checked here,
which bounds that work to minutes.
"""

import posixpath
import struct
import zlib
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import IO
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser
from xml.parsers.expat import ExpatError, ParserCreate
from zipfile import BadZipFile, LargeZipFile, ZipFile

from barcodesvc.spreadsheets.refusals import damaged, encrypted, macros, not_a_workbook, too_large

MAX_UNPACKED = 512 << 20
"""Declared bytes of all parts together: about two million rows of six cells."""

_CHUNK = 1 << 12
"""Bytes that are parsed at a time: so few that the garbage collector seldom counts their elements."""
_ENCRYPTED = 0x1
# what zipfile raises on hostile bytes
_ZIP_ERRORS = (
    BadZipFile,
    LargeZipFile,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
    EOFError,
    OSError,
    struct.error,
    zlib.error,
)

_CONTENT_TYPES = "[Content_Types].xml"
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


class Package:
    """The parts of one workbook by name, without regard to case (ISO/IEC 29500-2, 6.2.2.3).

    Raises FileTooLarge if they declare too many bytes, and InvalidFileFormat for everything else that is wrong.
    """

    def __init__(self, file: IO[bytes]) -> None:
        with _zip_errors_translated("its zip archive is cut short or broken and"):
            self._zip = ZipFile(file)
        infos = self._zip.infolist()
        self._parts = {info.filename.replace("\\", "/").lower(): info for info in infos}
        if len(self._parts) < len(infos):
            raise damaged("one of its parts occurs twice")
        if any(info.flag_bits & _ENCRYPTED for info in infos):
            raise encrypted()
        if (total := sum(info.file_size for info in infos)) > MAX_UNPACKED:
            raise too_large(f"it unpacks to {total} bytes, and at most {MAX_UNPACKED} are allowed")

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._parts

    def growing(self, name: str) -> Generator[Element]:
        """Yield a part as the only child of one element, again after each piece that is read."""
        builder = TreeBuilder()
        document = builder.start("document", {})
        parser = XMLParser(target=builder)  # noqa: S314 - in a process with limits, and without document types
        try:
            for chunk in self._chunks(name):
                parser.feed(chunk)
                yield document
            parser.close()
            yield document  # expat from 2.6 on may parse the end of a part only here
        except (ParseError, ExpatError) as error:
            raise damaged(f"{name} is not well-formed XML ({error})") from error

    def children(self, name: str, path: str) -> Iterator[Element]:
        """Yield the children of the element at a path below the root, each once it is complete, and forget them."""
        parent: Element | None = None
        with closing(self.growing(name)) as documents:
            for document in documents:
                parent = document.find(f"*/{path}")
                if parent is not None:
                    complete = parent[:-1]
                    del parent[:-1]
                    yield from complete
        yield from () if parent is None else parent

    def root(self, name: str) -> Element:
        """Return a whole part as its root element."""
        [document] = deque(self.growing(name), maxlen=1)
        return document[0]

    def relationships(self, part: str) -> dict[str, Relationship]:
        """Return the links of a part inside the package, by relationship id; the package itself is part ""."""
        folder, name = posixpath.split(part)
        links = {}
        for link in self.root(posixpath.join(folder, "_rels", f"{name}.rels")).iterfind("{*}Relationship"):
            if link.get("TargetMode") != "External":
                kind = link.get("Type", "").rpartition("/")[2]
                target = posixpath.normpath(posixpath.join("/", folder, link.get("Target", ""))).lstrip("/")
                links[link.get("Id", "")] = Relationship(kind, target)
        return links

    def workbook(self) -> str:
        """Return the name of the workbook part; raises InvalidFileFormat for any other package."""
        if _CONTENT_TYPES not in self:
            is_open_document = "content.xml" in self and "mimetype" in self
            raise not_a_workbook(
                "an OpenDocument file that does not begin with the type of a spreadsheet"
                if is_open_document
                else "a zip archive without a workbook"
            )
        types = self._content_types()
        _refuse_other_kinds(" ".join(types.values()))
        workbook = next(
            (link.target for link in self.relationships("").values() if link.kind == "officeDocument"), None
        )
        if workbook is None:
            raise not_a_workbook("a package without a workbook")
        kind = _type_of(workbook, types)
        if _MACROS_ENABLED in kind or any(_MACROS in types[name] for name in types if name in self):
            raise macros()
        if kind not in _MAIN_TYPES:
            raise not_a_workbook("a package whose main part is not a workbook")
        return workbook

    def close(self) -> None:
        """Close the archive; the file stays open."""
        self._zip.close()

    def _chunks(self, name: str) -> Iterator[bytes]:
        info = self._parts.get(name.lower())
        if info is None:
            raise damaged(f"its part {name} is missing")
        check = _prolog_check(name)
        with _zip_errors_translated(f"its part {name}"), self._zip.open(info) as stream:
            while chunk := stream.read(_CHUNK):
                check(chunk)
                yield chunk
        check(b"")

    def _content_types(self) -> dict[str, str]:
        """Return the content types of parts and, as `*.xml`, of extensions; all in lower case."""
        root = self.root(_CONTENT_TYPES)
        defaults = {f"*.{one.get('Extension', '')}": one for one in root.iterfind("{*}Default")}
        parts = {one.get("PartName", "").lstrip("/"): one for one in root.iterfind("{*}Override")}
        return {name.lower(): one.get("ContentType", "").lower() for name, one in (defaults | parts).items()}


@contextmanager
def _zip_errors_translated(what: str) -> Iterator[None]:
    """Translate what zipfile raises inside the block into InvalidFileFormat naming `what`."""
    try:
        yield
    except _ZIP_ERRORS as error:
        raise damaged(f"{what} cannot be unpacked") from error


def _prolog_check(part: str) -> Callable[[bytes], None]:
    """Return a function that refuses a document type in the next bytes of a part, of which no bytes are the end."""
    is_over = False

    def refuse(*_: object) -> None:
        raise damaged(f"{part} declares a document type, which no spreadsheet program writes")

    def end(*_: object) -> None:
        nonlocal is_over
        is_over = True

    parser = ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = end

    def check(chunk: bytes) -> None:
        if not is_over:
            parser.Parse(chunk, not chunk)

    return check


def _refuse_other_kinds(types: str) -> None:
    if any(main in types for main in _MAIN_TYPES):
        return
    for piece, kind in _OTHER_KINDS.items():
        if piece in types:
            raise not_a_workbook(kind)


def _type_of(part: str, types: Mapping[str, str]) -> str:
    """Return the type of a part, by default that of its extension, both without regard to case (29500-2, 6.2.3)."""
    name = part.lower()
    extension = name.rpartition("/")[2].rpartition(".")[2]
    return types.get(name, types.get(f"*.{extension}", ""))
