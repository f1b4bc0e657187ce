"""Forms (multipart/form-data, RFC 7578): a file and short texts, whose parts come in any order.

The announced length is limited, and so are the bytes that arrive, in parts and between them, and their time. All
problems of the parts are reported together.

Rule: a part is its name and the bytes up to the next boundary. An encoding is refused: its bytes are not the file's.
"""

from __future__ import annotations

import logging
import re
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

from aiohttp import hdrs, web
from multipart import MultipartError, MultipartSegment, PushMultipartParser
from pydantic import BaseModel, TypeAdapter, ValidationError, WithJsonSchema

from barcodesvc.api.bodies import arriving
from barcodesvc.api.client_address import client_key
from barcodesvc.api.guard.headers import media_type, named_type
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.observe.metrics import METRICS
from barcodesvc.errors import (
    MOST_PROBLEMS,
    DatabaseFailure,
    FileTooLarge,
    InvalidInput,
    Problem,
    UnreadableBody,
    field_problem,
)
from barcodesvc.runtime.threads import run_to_end
from barcodesvc.texts import shows_nothing
from barcodesvc.validation import refused_body, repeatable_text

_LOG = logging.getLogger(__name__)

FORM = "multipart/form-data"
File = Annotated[bytes, WithJsonSchema({"type": "string", "format": "binary"})]
"""A part that is a file, in a model of a form."""
FRAMING = 64 * 1024
"""Bytes that boundaries, part headers and the preamble may have in addition to those of the parts."""
_HEADER_CHARSET = "latin-1"
"""Has a character for each byte: a file may be named in any charset, and its name does not matter."""
_BOUNDARY = re.compile(r';[ \t]*boundary=(?:"([^"]*)|([^";]*))', re.IGNORECASE)
_MOST_HEADERS = 32
"""Of a part; RFC 7578 allows three, and clients add their own."""
_LONGEST_HEADER = 8190
"""Bytes, as of a header of the request."""
_ENCODINGS = (hdrs.CONTENT_TRANSFER_ENCODING, hdrs.CONTENT_ENCODING)
_AS_THEY_ARE = frozenset({"", "7bit", "8bit", "binary", "identity"})
_READ_AS_UTF_8 = frozenset(
    {"utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "iso8859-1", "latin-1", "latin1", "windows-1252", "cp1252"}
)
"""Some clients name the last ones with each text. Those of ASCII are UTF-8 too, and others are hardly ever valid."""


@dataclass(frozen=True, slots=True)
class MostBytes:
    """Annotates a text of a form: its maximum size in bytes of UTF-8."""

    number: int


@dataclass(frozen=True, slots=True)
class _Text:
    most_bytes: int
    kind: TypeAdapter[Any]

    def read(self, content: bytearray) -> Any:
        """Return the value of a part, None for one that shows nothing; raises ValueError that says what is wrong."""
        if len(content) > self.most_bytes:
            raise ValueError(f"longer than {self.most_bytes} bytes")
        try:
            text = content.decode()
        except UnicodeDecodeError:
            raise ValueError("not UTF-8") from None
        try:
            return None if shows_nothing(text) else self.kind.validate_python(text)
        except ValidationError as error:
            raise ValueError(error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")) from None


@dataclass(frozen=True, slots=True)
class Form:
    """The form that a route accepts: a model of its required file, of at most `most_bytes`, and of its texts.

    `noun` is what the file is called; `sent` and `body` are what messages call a form and its bytes.
    """

    model: type[BaseModel]
    noun: str
    most_bytes: int
    too_large: FileTooLarge
    sent: str
    body: str

    @property
    def file(self) -> str:
        """The name of the file's part."""
        return next(name for name, field in self.model.model_fields.items() if field.annotation is bytes)

    @property
    def texts(self) -> Mapping[str, _Text]:
        """The texts by name."""
        return _texts_of(self.model)

    @property
    def most_in_parts(self) -> int:
        """Bytes that all parts may have together."""
        return self.most_bytes + sum(text.most_bytes for text in self.texts.values())


@cache
def _texts_of(model: type[BaseModel]) -> Mapping[str, _Text]:
    texts = {}
    for name, kind in get_type_hints(model, include_extras=True).items():
        for noted in get_args(kind)[1:]:
            if isinstance(noted, MostBytes):
                texts[name] = _Text(noted.number, TypeAdapter(kind))
    return texts


Take = Callable[[bytes], Awaitable[None]]
"""Takes the next bytes of a file."""


async def received_form(request: web.Request, form: Form, take: Take) -> dict[str, Any]:
    """Receive a form, pass its file on as it arrives, and return what its texts are read as, by name.

    Raises what `take` raises, FileTooLarge, and InvalidInput for a body that is malformed or takes too long, or with
    all problems of its parts.
    """
    if (request.content_length or 0) > form.most_in_parts + FRAMING:
        raise form.too_large
    parts, seconds = _Parts(form, take), request.app[SERVICE].settings.upload_timeout
    malformed = f"{form.body} is cut short or malformed"
    try:
        async with arriving(request, seconds, f"{form.sent} took longer than {seconds:g} seconds", malformed):
            await _receive(request, parts)
    except MultipartError as error:
        raise refused_body(UnreadableBody, malformed) from error
    return parts.texts()


async def _receive(request: web.Request, parts: _Parts) -> None:
    """Parse the body; raises MultipartError."""
    arrived = 0
    with PushMultipartParser(
        _boundary_of(request.headers[hdrs.CONTENT_TYPE]),
        max_header_count=_MOST_HEADERS,
        max_header_size=_LONGEST_HEADER,
        header_charset=_HEADER_CHARSET,
    ) as parser:
        async for chunk in request.content.iter_any():
            for event in parser.parse(chunk):
                await parts.receive(event)
            arrived += len(chunk)
            if arrived - parts.size > FRAMING:
                raise FileTooLarge(f"the body has more than {FRAMING} bytes outside its parts", limit=FRAMING)


def _boundary_of(content_type: str) -> bytes:
    """Return the boundary; many clients leave the quotes out that characters such as `=` require (RFC 2046, 5.1.1)."""
    found = _BOUNDARY.search(content_type)
    return ((found[1] or found[2] or "") if found else "").strip().encode("utf-8", "surrogateescape")


class _Parts:
    """The parts of a form in progress; `size` is the number of their bytes so far."""

    def __init__(self, form: Form, take: Take) -> None:
        self.size = 0
        self._form, self._take = form, take
        self._file_size = 0
        self._given: set[str] = set()
        self._texts: dict[str, Any] = {}
        self._problems: list[Problem] = []
        self._part: str | None = None
        self._text = bytearray()

    async def receive(self, event: MultipartSegment | bytes | None) -> None:
        """Receive the beginning of a part, bytes of it, or its end, which is None."""
        if event is None:
            self._end()
        elif isinstance(event, MultipartSegment):
            self._begin(event)
        else:
            await self._add(event)

    def texts(self) -> dict[str, Any]:
        """Return the texts of a form that has arrived; raises InvalidInput with all problems."""
        file = self._form.file
        if file not in self._given:
            self._problems.append(field_problem(file, f"required; send the {self._form.noun} as the part named {file}"))
        if self._problems:
            raise InvalidInput.of(*self._problems)
        return self._texts

    def _begin(self, part: MultipartSegment) -> None:
        name, known = _name_of(part), (self._form.file, *self._form.texts)
        self._part = None
        if name not in known:
            self._report(repeatable_text(name) or "body", f"no such part; there are {', '.join(known)}")
        elif name in self._given:
            self._report(name, "given more than once; send it once")
        elif encoded := _encoded(part) or (name in self._form.texts and _in_other_charset(part)):
            self._report(name, encoded)
        else:
            self._part = name
        self._given.add(name)

    async def _add(self, chunk: bytes) -> None:
        self.size += len(chunk)
        if self.size > self._form.most_in_parts:
            raise self._form.too_large
        if self._part == self._form.file:
            self._file_size += len(chunk)
            if self._file_size > self._form.most_bytes:
                raise self._form.too_large
            await self._take(chunk)
        elif self._part is not None:
            self._text += chunk[: self._form.texts[self._part].most_bytes + 1 - len(self._text)]

    def _end(self) -> None:
        if self._part is None or self._part == self._form.file:
            return
        content, self._text = self._text, bytearray()
        try:
            value = self._form.texts[self._part].read(content)
        except ValueError as error:
            self._report(self._part, str(error))
        else:
            if value is not None:
                self._texts[self._part] = value

    def _report(self, name: str, message: str) -> None:
        self._problems.append(field_problem(name, message))
        if len(self._problems) > MOST_PROBLEMS:
            raise InvalidInput.of(*self._problems)


def _name_of(part: MultipartSegment) -> str:
    """Return the name of a part (clause 4.2); one that is named twice has none."""
    named = sum(header == hdrs.CONTENT_DISPOSITION for header, _ in part.headerlist)
    return (part.name or "").encode(_HEADER_CHARSET).decode("utf-8", "surrogateescape") if named == 1 else ""


def _encoded(part: MultipartSegment) -> str | None:
    """Return what is wrong with a part that has an encoding, which clause 4.7 deprecates."""
    for header, encoding in part.headerlist:
        if header in _ENCODINGS and encoding.strip().lower() not in _AS_THEY_ARE:
            return f"comes with {header}: {repeatable_text(encoding)}, which is not decoded; send the bytes as they are"
    return None


def _in_other_charset(part: MultipartSegment) -> str | None:
    """Return what is wrong with a text that names a charset which is not read as UTF-8 (clause 4.5)."""
    if not part.charset or part.charset.strip("'").lower() in _READ_AS_UTF_8:
        return None
    return f"comes with charset {repeatable_text(part.charset)}, which is not decoded; send UTF-8"


@dataclass(frozen=True, slots=True)
class UploadedForm:
    """A form that has arrived: the path of its file, and what its texts are read as, by name."""

    file: Path
    texts: Mapping[str, Any]


@asynccontextmanager
async def uploaded_form(request: web.Request, form: Form) -> AsyncIterator[UploadedForm]:
    """Receive a form into a temporary file, which is deleted when the block ends, in every case.

    A fourth concurrent upload is refused, not queued. Raises UploadOverload for it, DatabaseFailure if the file cannot
    be stored, InvalidInput for a body that is not a form, and what `received_form` raises.
    """
    service, client = request.app[SERVICE], client_key(request)
    with service.uploads.held(1, client), service.upload_bytes.held(0, client) as acquire:
        if media_type(request) != FORM:
            accepted = f"{FORM} with one part named {form.file}"
            raise refused_body(UnreadableBody, f"{named_type(request)} cannot be read; send it as {accepted}")
        with request.app[METRICS].upload_under_way(), _new_file() as file:

            async def spool(chunk: bytes) -> None:
                acquire(len(chunk))
                await on_disk(file.write, chunk)

            async def on_disk(work: Callable[..., object], *arguments: bytes) -> None:
                try:
                    await run_to_end(service.file_threads, work, *arguments)
                except OSError as error:
                    raise _not_kept(error) from error

            texts = await received_form(request, form, spool)
            await on_disk(file.flush)
            yield UploadedForm(Path(file.name), texts)


def _new_file() -> AbstractContextManager[Any]:
    try:
        return tempfile.NamedTemporaryFile(prefix="barcodesvc-upload-")
    except OSError as error:
        raise _not_kept(error) from error


def _not_kept(error: OSError) -> DatabaseFailure:
    _LOG.error("an upload cannot be stored: %s", error)
    return DatabaseFailure("the upload could not be stored; free disk space and try again")
