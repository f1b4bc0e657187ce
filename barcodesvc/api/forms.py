"""Multipart form parser: the limits of every form, and how its parts are received.

Parts come in any order; all problems are reported together. The announced length is limited, and so are the bytes that
arrive, in parts and between them.

Rule: a part is its name and the bytes up to the next boundary, as in RFC 7578. Other MIME features, such as encodings,
lengths and nested forms, are refused or ignored, because aiohttp's reader fails on some of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar, cast

from aiohttp import BodyPartReader, MultipartReader, StreamReader, hdrs, web
from multidict import CIMultiDict, CIMultiDictProxy
from pydantic import WithJsonSchema

from barcodesvc.api.keys import SERVICE
from barcodesvc.api.requests import BROKEN_BODY, arriving
from barcodesvc.errors import MOST_PROBLEMS, FieldProblem, FileTooLarge, InvalidInput, LateBody, UnreadableBody
from barcodesvc.validation import refused_body, repeatable_text

T = TypeVar("T")

FORM = "multipart/form-data"
File = Annotated[bytes, WithJsonSchema({"type": "string", "format": "binary"})]
"""A part that is a file, in a model of a form."""
FRAMING = 64 * 1024
"""Bytes that boundaries, part headers and the preamble may have in addition to those of the parts."""
CHUNK = 64 * 1024
_READ_HEADERS = frozenset({hdrs.CONTENT_DISPOSITION, hdrs.CONTENT_TYPE})
_LONGEST_HEADER = 1000
"""Characters of such a header; a part with a longer one, or with two of the same name, has no name."""
_ENCODINGS = (hdrs.CONTENT_TRANSFER_ENCODING, hdrs.CONTENT_ENCODING)
_AS_THEY_ARE = frozenset({"", "7bit", "8bit", "binary", "identity"})
_UTF_8 = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
_UNREADABLE = (ValueError, AssertionError, *BROKEN_BODY)
"""What aiohttp raises while it reads a body that ends early or is not multipart."""


class FormPart(BodyPartReader):
    """A part whose name and type (RFC 7578, clauses 4.2 and 4.4) are all that aiohttp sees of its headers."""

    def __init__(self, boundary: bytes, headers: CIMultiDictProxy[str], content: StreamReader, **options: Any) -> None:
        read = CIMultiDict((name, value) for name, value in headers.items() if name.title() in _READ_HEADERS)
        if len(read) != len(set(read)) or any(len(value) > _LONGEST_HEADER for value in read.values()):
            read.clear()
        super().__init__(boundary, CIMultiDictProxy(read), content, **options)
        self._encodings = [(header, headers.get(header, "")) for header in _ENCODINGS]

    def require_plain(self) -> None:
        """Raise ValueError if the part has an encoding; clause 4.7 deprecates them."""
        for header, encoding in self._encodings:
            if encoding.lower() not in _AS_THEY_ARE:
                shown = f"{header}: {repeatable_text(encoding)}"
                raise ValueError(f"comes with {shown}, which is not decoded; send the bytes as they are")

    def require_utf_8(self) -> None:
        """Raise ValueError if the part names another charset (clause 4.5); an empty charset counts as none."""
        charset = self.get_charset("utf-8").strip()
        if charset and charset.lower() not in _UTF_8:
            raise ValueError(f"comes with charset {repeatable_text(charset)}, which is not decoded; send UTF-8")


Receive = Callable[[FormPart, AsyncIterator[bytes]], Coroutine[Any, Any, None]]
"""Receives a part and its bytes as they arrive; raises ValueError with a message that says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Form:
    """The form that a route accepts: the receiver of each part, by name, and the limit on the bytes of all parts.

    `missing` is reported if its field, the only required part, is not sent; `too_large` is raised beyond `most_bytes`.
    """

    parts: Mapping[str, Receive]
    missing: FieldProblem
    most_bytes: int
    too_large: FileTooLarge


async def receive_form(request: web.Request, form: Form) -> None:
    """Receive the parts of a form; raises FileTooLarge, and InvalidInput with all problems of its parts."""
    if (request.content_length or 0) > form.most_bytes + FRAMING:
        raise form.too_large
    await _Receiving(_parts_of(request), form).receive()


class _Receiving:
    """A form in progress; `_left` is the number of bytes that its parts may still have in total."""

    def __init__(self, parts: MultipartReader, form: Form) -> None:
        self._parts, self._form = parts, form
        self._left = form.most_bytes
        self._names: set[str] = set()
        self._problems: list[FieldProblem] = []

    async def receive(self) -> None:
        async for part in self._parts:
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
        """Return the receiver of a part; raises ValueError for a repeated or encoded part."""
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
    """Read and discard a part."""
    async for _chunk in chunks:
        pass


class _MultipartForm(MultipartReader):
    part_reader_cls = FormPart


def _parts_of(request: web.Request) -> MultipartReader:
    """Return the parts of a form, as `request.multipart` does, but with a limit on the bytes between them.

    Reading raises FileTooLarge beyond that limit. aiohttp reads the form as multipart/mixed, because in form data it
    consumes a part named `_charset_` itself, and fails on a long one.
    """
    protocol = request.protocol
    _, _, parameters = request.headers[hdrs.CONTENT_TYPE].partition(";")
    return _MultipartForm(
        {hdrs.CONTENT_TYPE: f"multipart/mixed;{parameters}"},
        cast("StreamReader", _FormBody(request.content)),  # has every method that the reader calls
        max_field_size=protocol.max_field_size,
        max_headers=protocol.max_headers,
    )


async def received_in_time(request: web.Request, receiving: Coroutine[Any, Any, T], sent: str, body: str) -> T:
    """Return the result of `receiving`, within the time of an upload; error messages name `sent` and `body`.

    Raises InvalidInput if it takes longer or the body is broken, and what `receiving` raises.
    """
    allowed = request.app[SERVICE].settings.upload_timeout
    try:
        with arriving(request):
            async with asyncio.timeout(allowed):
                return await receiving
    except TimeoutError as error:
        raise refused_body(LateBody, f"{sent} took longer than {allowed:g} seconds") from error
    except _UNREADABLE as error:
        raise refused_body(UnreadableBody, f"{body} is cut short or malformed") from error


class _FormBody:
    """A body that is read with a limit on the total length of its lines.

    Boundaries, headers and preamble are read as lines. aiohttp reads lines without limit in search of the first
    boundary, and does not yield to the event loop meanwhile.
    """

    def __init__(self, body: StreamReader) -> None:
        self._left = FRAMING
        self._body = body
        self.at_eof, self.read, self.unread_data = body.at_eof, body.read, body.unread_data

    async def readline(self, *, max_line_length: int | None = None) -> bytes:
        line = await self._body.readline(max_line_length=max_line_length or FRAMING)
        self._left -= len(line)
        if self._left < 0:
            raise FileTooLarge(f"the body has more than {FRAMING} bytes outside its parts", limit=FRAMING)
        await asyncio.sleep(0)
        return line
