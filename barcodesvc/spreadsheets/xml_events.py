"""Streaming XML parser: untrusted parts as events, in bounded memory. All XML of this package goes through it.

No tree is built. Document types are refused before they are read, so that no entity exists, internal or external, in
any encoding. Nesting is limited, and so is the size of a single tag, because expat scans an unfinished one again with
every chunk (CVE-2023-52425), unless it defers that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import IO
from xml.parsers.expat import ExpatError, ParserCreate

from barcodesvc.spreadsheets.refusals import damaged

Attributes = dict[str, str]

MAX_DEPTH = 64
"""Depth of nested elements; a real workbook has about a dozen."""

MAX_MARKUP = 1 << 18
"""Bytes of one tag, comment or processing instruction."""

_PROLOG_PIECES = (1 << 10, 1 << 16)  # the second one for parts that begin with a licence or many namespaces


class XmlEvents:
    """A push parser that calls one function per element of interest.

    `starts`, `ends` map local element names to functions, for elements in one of `namespaces`; `text`
    receives character data. Raises InvalidFileFormat on XML that is broken or dangerous.
    """

    def __init__(
        self,
        part: str,
        namespaces: Iterable[str],
        starts: Mapping[str, Callable[[Attributes], None]],
        ends: Mapping[str, Callable[[], None]] | None = None,
        text: Callable[[str], None] | None = None,
    ) -> None:
        self._part = part
        self._fed = 0
        self._parser = ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        # expat since 2.6.0 may keep twice as much as the tag that it waits for, and feed() could not tell its size
        if defer := getattr(self._parser, "SetReparseDeferralEnabled", None):
            defer(False)  # noqa: FBT003 - the library's own name
        self._parser.StartDoctypeDeclHandler = _doctype_refusal(part)
        spaced_starts = {f"{space} {tag}": call for space in namespaces for tag, call in starts.items()}
        spaced_ends = {f"{space} {tag}": call for space in namespaces for tag, call in (ends or {}).items()}
        self._handle_elements(spaced_starts.get, spaced_ends.get)
        if text is not None:
            self._parser.CharacterDataHandler = text

    def feed(self, chunk: bytes) -> None:
        """Parse the next piece of the part; an empty one ends it."""
        try:
            self._parser.Parse(chunk, not chunk)
        except ExpatError as error:
            raise damaged(f"{self._part} is not well-formed XML ({error})") from error
        self._fed += len(chunk)
        if self._fed - self._parser.CurrentByteIndex > MAX_MARKUP:
            raise damaged(f"{self._part} holds a tag or comment of more than {MAX_MARKUP} bytes")

    def _handle_elements(
        self,
        start_call: Callable[[str], Callable[[Attributes], None] | None],
        end_call: Callable[[str], Callable[[], None] | None],
    ) -> None:
        depth = 0  # a local variable, because these functions run for every element of a million rows

        def start(name: str, attributes: Attributes) -> None:
            nonlocal depth
            depth += 1
            if depth > MAX_DEPTH:
                raise damaged(f"{self._part} nests more than {MAX_DEPTH} elements")
            call = start_call(name)
            if call is not None:
                call(attributes)

        def end(name: str) -> None:
            nonlocal depth
            depth -= 1
            call = end_call(name)
            if call is not None:
                call()

        self._parser.StartElementHandler = start
        self._parser.EndElementHandler = end


def parse(chunks: Iterable[bytes], events: XmlEvents) -> None:
    """Feed a whole part to its events; its last piece is empty."""
    for chunk in chunks:
        events.feed(chunk)


def check_prolog(part: str, stream: IO[bytes]) -> int:
    """Refuse a part that declares a document type, reading only up to its root element; return the bytes read.

    Other errors in the part are left to its reader, if it is read at all.
    """
    elements: list[str] = []
    parser = ParserCreate()
    parser.StartDoctypeDeclHandler = _doctype_refusal(part)
    parser.StartElementHandler = lambda name, _: elements.append(name)
    read = 0
    for size in _PROLOG_PIECES:
        chunk = stream.read(size)
        read += len(chunk)
        try:
            parser.Parse(chunk, not chunk)
        except ExpatError:
            break
        if elements or not chunk:
            break
    return read


def _doctype_refusal(part: str) -> Callable[..., None]:
    def refuse(*_: object) -> None:
        raise damaged(f"{part} declares a document type, which no spreadsheet program writes")

    return refuse
