"""Uploads: a multipart body of one file, spooled to disk while its limits are enforced, and short texts beside it.

Parts come in any order; what is wrong with them is reported together. Bounded are the uploads (a fourth at once is
refused, not queued), the bytes (as announced, and as counted while they arrive, in the parts and beside them), and the
time. The file is gone when the block ends, whatever happened.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from aiohttp import web

from barcodesvc.api.forms import CHUNK, FRAMING, FormPart, form_parts, received_in_time
from barcodesvc.api.guard.request_heads import media_type, named_type
from barcodesvc.api.keys import FILE_THREADS, SETTINGS, UPLOAD_CAPACITY
from barcodesvc.api.observe.metrics import METRICS
from barcodesvc.api.refusals import refused_body, repeatable_text
from barcodesvc.errors import (
    MOST_PROBLEMS,
    DatabaseFailure,
    FieldProblem,
    FileTooLarge,
    InvalidInput,
)
from barcodesvc.models import shows_nothing
from barcodesvc.runtime.threads import run_to_end

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TextPart:
    """A text that may stand beside the file: its greatest size in bytes of UTF-8, and what makes a value of it.

    `read` raises ValueError saying what is wrong.
    """

    most_bytes: int
    read: Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class UploadedForm:
    """A form that has arrived: where the file lies, and the values of the texts that were given, by name."""

    file: Path
    texts: Mapping[str, Any]


@asynccontextmanager
async def uploaded_form(request: web.Request, name: str, texts: Mapping[str, TextPart]) -> AsyncIterator[UploadedForm]:
    """Receive the file part of this name into a temporary file, and these texts as far as they are given.

    Raises UploadOverload when as many as may are under way, FileTooLarge, and InvalidInput for a body that is not
    multipart, holds other parts or wrong texts, or takes too long.
    """
    capacity = request.app[UPLOAD_CAPACITY]
    if not capacity.free:
        request.app[METRICS].rate_limited(["concurrent_uploads"])
    with capacity.held():
        room = request.app[SETTINGS].max_upload_bytes + sum(text.most_bytes for text in texts.values())
        _check_announced(request, room)
        with request.app[METRICS].upload_under_way(), _new_file() as file:
            receiving = _Receiving(request, name, texts, file, room)
            await received_in_time(request, receiving.receive(), "the upload", "the multipart body")
            yield UploadedForm(Path(file.name), receiving.values)


def _new_file() -> AbstractContextManager[Any]:
    try:
        return tempfile.NamedTemporaryFile(prefix="barcodesvc-upload-")
    except OSError as error:
        raise _not_kept(error) from error


def _not_kept(error: OSError) -> DatabaseFailure:
    _LOG.error("an upload cannot be kept: %s", error)
    return DatabaseFailure("the upload could not be kept; free disk space and try again")


def _check_announced(request: web.Request, room: int) -> None:
    if media_type(request) != "multipart/form-data":
        sent = named_type(request)
        raise refused_body(f"{sent} cannot be read; send it as multipart/form-data with one part named file")
    if (request.content_length or 0) > room + FRAMING:
        raise _too_large(request)


@dataclass(slots=True)
class _Receiving:
    """A body that is arriving; `room` are the bytes that its parts may still have together."""

    request: web.Request
    name: str
    texts: Mapping[str, TextPart]
    file: IO[bytes]
    room: int
    values: dict[str, Any] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    problems: list[FieldProblem] = field(default_factory=list)

    async def receive(self) -> None:
        async for part in form_parts(self.request):
            await self._receive_part(part)
            if len(self.problems) > MOST_PROBLEMS:
                raise InvalidInput.of(*self.problems)
        if self.name not in self.seen:
            self.problems.append(FieldProblem(self.name, f"required; send the workbook as the part named {self.name}"))
        if self.problems:
            raise InvalidInput.of(*self.problems)

    async def _receive_part(self, part: object) -> None:
        if not isinstance(part, FormPart):
            raise InvalidInput.of(*self.problems, self._no_such(""))
        name = part.name or ""
        if name != self.name and name not in self.texts:
            self.problems.append(self._no_such(name))
            await self._skip(part)
        elif name in self.seen:
            self.problems.append(FieldProblem(name, "given more than once; send it once"))
            await self._skip(part)
        else:
            self.seen.add(name)
            await self._receive_wanted(part, name)

    async def _receive_wanted(self, part: FormPart, name: str) -> None:
        try:
            part.require_plain()
            if name in self.texts:
                part.require_utf_8()
        except ValueError as error:
            self.problems.append(FieldProblem(name, str(error)))
            await self._skip(part)
        else:
            await (self._spool(part) if name == self.name else self._read_text(part, name))

    async def _spool(self, part: FormPart) -> None:
        largest = self.request.app[SETTINGS].max_upload_bytes
        size = 0
        async for chunk in self._chunks(part):
            size += len(chunk)
            if size > largest:
                raise _too_large(self.request)
            await self._on_disk(self.file.write, chunk)
        await self._on_disk(self.file.flush)

    async def _on_disk(self, work: Callable[..., object], *arguments: bytes) -> None:
        try:
            await run_to_end(self.request.app[FILE_THREADS], work, *arguments)
        except OSError as error:
            raise _not_kept(error) from error

    async def _read_text(self, part: FormPart, name: str) -> None:
        kind, content = self.texts[name], bytearray()
        async for chunk in self._chunks(part):
            content += chunk[: kind.most_bytes + 1 - len(content)]
        try:
            text = _decoded(content, kind.most_bytes)
            if not shows_nothing(text):
                self.values[name] = kind.read(text)
        except ValueError as error:
            self.problems.append(FieldProblem(name, str(error)))

    async def _skip(self, part: FormPart) -> None:
        async for _ in self._chunks(part):
            pass

    async def _chunks(self, part: FormPart) -> AsyncIterator[bytes]:
        while chunk := await part.read_chunk(CHUNK):
            self.room -= len(chunk)
            if self.room < 0:
                raise _too_large(self.request)
            yield chunk

    def _no_such(self, part: str) -> FieldProblem:
        known = ", ".join((self.name, *self.texts))
        return FieldProblem(repeatable_text(part) if part else "body", f"no such part; there are {known}")


def _decoded(content: bytearray, most_bytes: int) -> str:
    if len(content) > most_bytes:
        raise ValueError(f"longer than {most_bytes} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None


def _too_large(request: web.Request) -> FileTooLarge:
    largest = request.app[SETTINGS].max_upload_bytes
    return FileTooLarge(f"the file is larger than {largest} bytes", limit=largest)
