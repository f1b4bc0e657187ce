"""Multipart forms: what each is held to, whichever parts a route takes, and how its parts are received.

Parts come in any order; what is wrong with them is reported together. Bounded are their bytes, as announced, and as
counted while they arrive, in the parts and beside them.

Rule: a part is its name and the bytes up to the next boundary, as RFC 7578 has it. What MIME has beside that, such as
encodings, lengths and forms within forms, is refused or not looked at, because aiohttp's reader fails on some of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar, cast

from aiohttp import BodyPartReader, MultipartReader, StreamReader, hdrs, web
from multidict import CIMultiDict, CIMultiDictProxy
from pydantic import WithJsonSchema

from barcodesvc.api.keys import SETTINGS
from barcodesvc.api.refusals import refused_body, repeatable_text
from barcodesvc.api.requests import BROKEN_BODY, arriving
from barcodesvc.errors import MOST_PROBLEMS, FieldProblem, FileTooLarge, InvalidInput

T = TypeVar("T")

FORM = "multipart/form-data"
File = Annotated[bytes, WithJsonSchema({"type": "string", "format": "binary"})]
"""A part that is a file, in a model of a form."""
FRAMING = 64 * 1024
"""Bytes that boundaries, part headers and whatever stands before the first part may add to those of the parts."""
CHUNK = 64 * 1024
_READ_HEADERS = frozenset({hdrs.CONTENT_DISPOSITION, hdrs.CONTENT_TYPE})
_LONGEST_HEADER = 1000
"""Characters of such a header; with a longer one, or two of a kind, a part has no name."""
_ENCODINGS = (hdrs.CONTENT_TRANSFER_ENCODING, hdrs.CONTENT_ENCODING)
_AS_THEY_ARE = frozenset({"", "7bit", "8bit", "binary", "identity"})
_UTF_8 = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
_UNREADABLE = (ValueError, AssertionError, *BROKEN_BODY)
"""What aiohttp raises while it reads a body that ends early or is no multipart body."""


class FormPart(BodyPartReader):
    """A part of which aiohttp gets to see nothing but its name and its type (RFC 7578, clauses 4.2 and 4.4)."""

    def __init__(self, boundary: bytes, headers: CIMultiDictProxy[str], content: StreamReader, **options: Any) -> None:
        read = CIMultiDict((name, value) for name, value in headers.items() if name.title() in _READ_HEADERS)
        if len(read) != len(set(read)) or any(len(value) > _LONGEST_HEADER for value in read.values()):
            read.clear()
        super().__init__(boundary, CIMultiDictProxy(read), content, **options)
        self._encodings = [(header, headers.get(header, "")) for header in _ENCODINGS]

    def require_plain(self) -> None:
        """Raise ValueError where the bytes are not the content itself; clause 4.7 knows no encodings."""
        for header, encoding in self._encodings:
            if encoding.lower() not in _AS_THEY_ARE:
                shown = f"{header}: {repeatable_text(encoding)}"
                raise ValueError(f"comes with {shown}, which is not decoded; send the bytes as they are")

    def require_utf_8(self) -> None:
        """Raise ValueError where the text says that it is in another charset (clause 4.5); empty is none."""
        charset = self.get_charset("utf-8").strip()
        if charset and charset.lower() not in _UTF_8:
            raise ValueError(f"comes with charset {repeatable_text(charset)}, which is not decoded; send UTF-8")


Receive = Callable[[FormPart, AsyncIterator[bytes]], Coroutine[Any, Any, None]]
"""Takes a part and its bytes as they come; raises ValueError saying what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Form:
    """What a route takes: what receives each part, by name, and the bytes of all parts together.

    `missing` is the problem where its field, the one part that is needed, is not there; `too_large` is raised beyond
    `most_bytes`.
    """

    parts: Mapping[str, Receive]
    missing: FieldProblem
    most_bytes: int
    too_large: FileTooLarge


async def receive_form(request: web.Request, form: Form) -> None:
    """Receive the parts of a form; raises FileTooLarge, and InvalidInput for all that is wrong with its parts."""
    if (request.content_length or 0) > form.most_bytes + FRAMING:
        raise form.too_large
    await _Receiving(request, form).receive()


class _Receiving:
    """A form that is arriving; `left` are the bytes that its parts may still have together."""

    def __init__(self, request: web.Request, form: Form) -> None:
        self._request, self._form = request, form
        self._left = form.most_bytes
        self._names: set[str] = set()
        self._problems: list[FieldProblem] = []

    async def receive(self) -> None:
        async for part in _parts_of(self._request):
            if not isinstance(part, FormPart):
                raise InvalidInput.of(*self._problems, self._no_such(""))
            try:
                await self._receiver(part)(part, self._chunks(part))
            except ValueError as error:
                self._problems.append(FieldProblem(part.name or "", str(error)))
                await ignore_part(part, self._chunks(part))
            if len(self._problems) > MOST_PROBLEMS:
                raise InvalidInput.of(*self._problems)
        if self._form.missing.field not in self._names:
            self._problems.append(self._form.missing)
        if self._problems:
            raise InvalidInput.of(*self._problems)

    def _receiver(self, part: FormPart) -> Receive:
        """Return what receives a part; raises ValueError for a second one and for one that is encoded."""
        name = part.name or ""
        receive = self._form.parts.get(name)
        if receive is None:
            self._problems.append(self._no_such(name))
            return ignore_part
        if name in self._names:
            raise ValueError("given more than once; send it once")
        self._names.add(name)
        part.require_plain()
        return receive

    async def _chunks(self, part: FormPart) -> AsyncIterator[bytes]:
        while chunk := await part.read_chunk(CHUNK):
            self._left -= len(chunk)
            if self._left < 0:
                raise self._form.too_large
            yield chunk

    def _no_such(self, name: str) -> FieldProblem:
        known = ", ".join(self._form.parts)
        return FieldProblem(repeatable_text(name) if name else "body", f"no such part; there are {known}")


async def ignore_part(_: FormPart, chunks: AsyncIterator[bytes]) -> None:
    """Receive a part that nobody reads."""
    async for _chunk in chunks:
        pass


class _MultipartForm(MultipartReader):
    part_reader_cls = FormPart


def _parts_of(request: web.Request) -> MultipartReader:
    """Return the parts of a form, as `request.multipart` does, but with a bound to what stands beside them.

    Raises FileTooLarge beyond that bound. aiohttp gets it as a mixed body, because in a form it takes the content of a
    part named `_charset_` for itself, and fails on a long one.
    """
    protocol = request.protocol
    _, _, parameters = request.headers[hdrs.CONTENT_TYPE].partition(";")
    return _MultipartForm(
        {hdrs.CONTENT_TYPE: f"multipart/mixed;{parameters}"},
        cast("StreamReader", _BoundedLines(request.content)),  # does for a stream all that a form is read by
        max_field_size=protocol.max_field_size,
        max_headers=protocol.max_headers,
    )


async def received_in_time(request: web.Request, receiving: Coroutine[Any, Any, T], sent: str, body: str) -> T:
    """Return what is received, within the time of an upload; `sent` and `body` are what a refusal calls them.

    Raises InvalidInput where it takes longer or the body is broken, and what `receiving` raises.
    """
    allowed = request.app[SETTINGS].upload_timeout
    try:
        with arriving(request):
            async with asyncio.timeout(allowed):
                return await receiving
    except TimeoutError as error:
        raise refused_body(f"{sent} took longer than {allowed:g} seconds") from error
    except _UNREADABLE as error:
        raise refused_body(f"{body} is cut short or malformed") from error


class _BoundedLines:
    """A body whose lines have a bound: they are all that a form holds beside the bytes of its parts.

    aiohttp reads lines without end in search of the first boundary, and lets nobody have a turn meanwhile.
    """

    def __init__(self, body: StreamReader) -> None:
        self._left = FRAMING
        self._body = body
        self.read, self.at_eof, self.unread_data = body.read, body.at_eof, body.unread_data

    async def readline(self, *, max_line_length: int | None = None) -> bytes:
        line = await self._body.readline(max_line_length=max_line_length or FRAMING)
        self._left -= len(line)
        if self._left < 0:
            raise FileTooLarge(f"the body has more than {FRAMING} bytes beside those of its parts", limit=FRAMING)
        await asyncio.sleep(0)
        return line
