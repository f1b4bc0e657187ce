"""XML of a stranger, as events, in bounded memory: the one way in which this package parses XML.

No tree is built. Document types are refused before anything of them is read (so no entity exists, neither
internal nor external, in any encoding), nesting has a bound, and so has a single piece of markup, because
expat before 2.6.0 scans an unfinished one again with every chunk (CVE-2023-52425).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import IO
from xml.parsers.expat import ExpatError, ParserCreate

from barcodesvc.spreadsheets.refusals import damaged

Attributes = dict[str, str]

MAX_DEPTH = 64
"""Open elements within each other; a real workbook has about a dozen."""

MAX_MARKUP = 1 << 18
"""Bytes of one tag, comment or processing instruction."""

CHUNK = 1 << 16
"""Bytes that are unpacked and parsed at a time."""

_MAX_PROLOG = 1 << 16
_PROLOG_CHUNK = 1 << 10


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
        self._starts = {f"{space} {tag}": call for space in namespaces for tag, call in starts.items()}
        self._ends = {f"{space} {tag}": call for space in namespaces for tag, call in (ends or {}).items()}
        self._depth = 0
        self._fed = 0
        self._parser = ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = _doctype_refusal(part)
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
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

    def _start(self, name: str, attributes: Attributes) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise damaged(f"{self._part} nests more than {MAX_DEPTH} elements")
        call = self._starts.get(name)
        if call is not None:
            call(attributes)

    def _end(self, name: str) -> None:
        self._depth -= 1
        call = self._ends.get(name)
        if call is not None:
            call()


def chunks(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the stream's bytes in pieces, and an empty piece at its end."""
    while True:
        chunk = stream.read(CHUNK)
        yield chunk
        if not chunk:
            return


def parse(stream: IO[bytes], events: XmlEvents) -> None:
    """Feed a whole part to its events."""
    for chunk in chunks(stream):
        events.feed(chunk)


def check_prolog(part: str, stream: IO[bytes]) -> None:
    """Refuse a part that declares a document type, reading no further than its root element.

    Anything else that is wrong with the part is left to whoever reads it, if anybody does.
    """
    elements: list[str] = []
    parser = ParserCreate()
    parser.StartDoctypeDeclHandler = _doctype_refusal(part)
    parser.StartElementHandler = lambda name, _: elements.append(name)
    for _ in range(_MAX_PROLOG // _PROLOG_CHUNK):
        chunk = stream.read(_PROLOG_CHUNK)
        try:
            parser.Parse(chunk, not chunk)
        except ExpatError:
            return
        if elements or not chunk:
            return


def _doctype_refusal(part: str) -> Callable[..., None]:
    def refuse(*_: object) -> None:
        raise damaged(f"{part} declares a document type, which no spreadsheet program writes")

    return refuse
