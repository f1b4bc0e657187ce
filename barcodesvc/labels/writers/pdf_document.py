"""The adapter to borb: content streams in, the bytes of a PDF document out.

Only borb's document model and the visitors of its writer are used, never its layout engine, whose time grows with the
square of the content. `borb.pdf.PDF.write` is not used either: it looks up every object in a list, copies the whole
file for every token, and reports documents to borb's maker. `DocumentWriter` is borb's writer with an index and a
growing buffer instead, so that time and memory grow only with the content. It overrides one private method of borb,
`_append_bytes`, which gets all tokens: without this, a sheet of a thousand labels would be copied for each of them.

Rule: the same pages give the same bytes. The document's identifier is a digest of its content, and there are no dates.
borb's producer line and its comment remain, as its licence requires (AGPL-3.0, section 7(b) notice).
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from borb.pdf.document import Document
from borb.pdf.license.usage_statistics import UsageStatistics
from borb.pdf.page import Page
from borb.pdf.primitives import hexstr, name, reference, stream
from borb.pdf.visitor.write_new.facade_visitor import FacadeVisitor

from barcodesvc.labels.writers.pdf_fonts import EmbeddedFont

_TITLE = "Labels"
_IDENTIFIER_DIGITS = 32


@dataclass(frozen=True, slots=True)
class FormXObject:
    """A drawing that pages repeat (ISO 32000-1 8.10), its box in the unit of its content."""

    content: bytes
    width: int
    height: int


class DocumentWriter(FacadeVisitor):  # type: ignore[misc]  # borb ships no types
    """borb's writer over an object table that is complete from the start."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._buffer = bytearray()
        self._references = {entry.get_id(): entry for entry in document["XRef"]}

    def _append_bytes(self, b: Any) -> DocumentWriter:
        self._buffer += b
        return self

    def bytes(self) -> bytearray:
        """Return the buffer itself, because borb requests it before most tokens."""
        return self._buffer

    def forget(self) -> None:
        """Forget the objects of the document."""
        self._references.clear()

    def tell(self) -> int:
        """Return the offset of the next byte."""
        return len(self._buffer)

    def get_reference(self, node: Any) -> Any:
        """Return the reference to an object of the table, any other object unchanged."""
        return self._references.get(id(node), node)


def write_document(
    size: tuple[float, float],
    pages: Iterable[bytes],
    forms: Mapping[str, FormXObject],
    embedded: Sequence[EmbeddedFont] = (),
    created: str | None = None,
) -> bytes:
    """Return a document of equal pages, `size` in points, from their content streams; `created` is its date, if any.

    borb must not report it to its maker, for which it would also take over SIGINT and SIGTERM: opting out sets an
    attribute in memory, and writes nothing to disk or environment. Content paints a form by its name (`/L1 Do`) and
    sets text in an embedded font.
    """
    UsageStatistics.opt_out()
    digest = hashlib.sha256(f"{size} {created}".encode())
    fonts = {name("Font"): {name(font.resource): font.font for font in embedded}}
    for font in embedded:
        digest.update(font.font["BaseFont"].encode())
    drawings = {name(key): _form(form, fonts, digest) for key, form in forms.items()}
    document = Document()
    for content in pages:
        page = Page()
        page[name("Contents")] = _content(content, digest)
        for inherited in ("MediaBox", "ProcSet", "Resources", "Rotate"):
            del page[inherited]
        document.append_page(page)
    _complete(document, [0, 0, *size], {**fonts, name("XObject"): drawings}, digest)
    if created is not None:
        document["Trailer"]["Info"][name("CreationDate")] = created
    return _written(document, [part for font in embedded for part in font.objects()])


def _content(content: bytes, digest: Any, **entries: Any) -> stream:
    digest.update(content)
    return stream({**{name(key): value for key, value in entries.items()}, name("Bytes"): zlib.compress(content)})


def _form(form: FormXObject, fonts: dict[name, Any], digest: Any) -> stream:
    box = [0, 0, form.width, form.height]
    return _content(form.content, digest, Type=name("XObject"), Subtype=name("Form"), BBox=box, Resources=fonts)


def _complete(document: Document, box: list[float], resources: dict[name, Any], digest: Any) -> None:
    """Add the attributes that pages inherit (ISO 32000-1 7.7.3.4), title and identifier, and remove the dates.

    Viewers are asked not to fit pages to the paper (12.2), because labels would not match their sheet.
    """
    trailer = document["Trailer"]
    pages = trailer["Root"]["Pages"]
    pages[name("MediaBox")] = box
    pages[name("Resources")] = resources
    del trailer["Info"]["CreationDate"], trailer["Info"]["ModDate"]
    trailer["Info"][name("Title")] = _TITLE
    trailer["Root"][name("ViewerPreferences")] = {name("PrintScaling"): name("None"), name("PickTrayByPDFSize"): True}
    trailer["Root"][name("PageLabels")] = {name("Nums"): [0, {name("S"): name("D")}]}
    identifier = hexstr(digest.hexdigest()[:_IDENTIFIER_DIGITS])
    trailer[name("ID")] = [identifier, identifier]


def _written(document: Document, font_parts: Sequence[Any]) -> bytes:
    objects = _objects(document["Trailer"], font_parts)
    document[name("XRef")] = [
        reference(object_nr=number, generation_nr=0, id=id(item), referenced_object=item)
        for number, item in enumerate(objects, start=1)
    ]
    document["Trailer"][name("Size")] = len(objects) + 1
    writer = DocumentWriter(document)
    writer.visit(document)
    writer.forget()
    for page in document["Trailer"]["Root"]["Pages"]["Kids"]:
        page.clear()  # it refers to its parent: without this, the whole document waits for a garbage collection
    document.clear()
    return bytes(writer.bytes())


def _objects(trailer: dict[str, Any], font_parts: Sequence[Any]) -> list[Any]:
    """Return the objects that are written separately; all others are inside them."""
    pages = trailer["Root"]["Pages"]
    resources = pages["Resources"]
    kids = [item for page in pages["Kids"] for item in (page, page["Contents"])]
    return [
        trailer["Root"],
        trailer["Info"],
        pages,
        resources["Font"],
        *font_parts,
        *resources["XObject"].values(),
        *kids,
    ]
