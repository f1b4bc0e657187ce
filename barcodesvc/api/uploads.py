"""File uploads: one file of a multipart body is spooled to disk within its limits, along with short text parts.

Rule: limits apply to the number of uploads (a fourth concurrent one is refused, not queued), to their bytes, each and
in total, and to their time. The file is deleted when the block ends, in every case.
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

from barcodesvc.api.client_address import client_key
from barcodesvc.api.forms import FORM, Form, FormPart, receive_form, received_in_time
from barcodesvc.api.guard.headers import media_type, named_type
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.observe.metrics import METRICS
from barcodesvc.errors import DatabaseFailure, FieldProblem, FileTooLarge, UnreadableBody
from barcodesvc.runtime.capacity import Acquire
from barcodesvc.runtime.threads import run_to_end
from barcodesvc.texts import shows_nothing
from barcodesvc.validation import refused_body

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TextPart:
    """An optional text part: its maximum size in bytes of UTF-8, and the function that parses it.

    `read` raises ValueError with a message that says what is wrong.
    """

    most_bytes: int
    read: Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class UploadedForm:
    """A form that has arrived: the path of the file, and the values of the text parts that were sent, by name."""

    file: Path
    texts: Mapping[str, Any]


@asynccontextmanager
async def uploaded_form(request: web.Request, name: str, texts: Mapping[str, TextPart]) -> AsyncIterator[UploadedForm]:
    """Receive the file part of this name into a temporary file, and any of these text parts.

    Raises UploadOverload if too many uploads are under way, or half of them by this client, FileTooLarge, and
    InvalidInput for a body that is not multipart, contains other parts or invalid texts, or takes too long.
    """
    service, client = request.app[SERVICE], client_key(request)
    with service.uploads.held(1, client), service.upload_bytes.held(0, client) as acquire:
        if media_type(request) != FORM:
            accepted = "multipart/form-data with one part named file"
            raise refused_body(UnreadableBody, f"{named_type(request)} cannot be read; send it as {accepted}")
        with request.app[METRICS].upload_under_way(), _new_file() as file:
            upload = _Upload(request, texts, file, acquire)
            receiving = receive_form(request, upload.form(name))
            await received_in_time(request, receiving, "the upload", "the multipart body")
            yield UploadedForm(Path(file.name), upload.values)


def _new_file() -> AbstractContextManager[Any]:
    try:
        return tempfile.NamedTemporaryFile(prefix="barcodesvc-upload-")
    except OSError as error:
        raise _not_kept(error) from error


def _not_kept(error: OSError) -> DatabaseFailure:
    _LOG.error("an upload cannot be stored: %s", error)
    return DatabaseFailure("the upload could not be stored; free disk space and try again")


@dataclass(slots=True)
class _Upload:
    """An upload in progress: the file and the texts."""

    request: web.Request
    texts: Mapping[str, TextPart]
    file: IO[bytes]
    acquire: Acquire
    values: dict[str, Any] = field(default_factory=dict)

    def form(self, name: str) -> Form:
        """Return the form whose file is the part of this name."""
        return Form(
            parts={name: self._spool, **dict.fromkeys(self.texts, self._read_text)},
            missing=FieldProblem(name, f"required; send the workbook as the part named {name}"),
            most_bytes=self._most_bytes + sum(text.most_bytes for text in self.texts.values()),
            too_large=self._too_large(),
        )

    @property
    def _most_bytes(self) -> int:
        return self.request.app[SERVICE].settings.max_upload_bytes

    def _too_large(self) -> FileTooLarge:
        return FileTooLarge(f"the file is larger than {self._most_bytes} bytes", limit=self._most_bytes)

    async def _spool(self, _: FormPart, chunks: AsyncIterator[bytes]) -> None:
        size = 0
        async for chunk in chunks:
            size += len(chunk)
            if size > self._most_bytes:
                raise self._too_large()
            self.acquire(len(chunk))
            await self._on_disk(self.file.write, chunk)
        await self._on_disk(self.file.flush)

    async def _on_disk(self, work: Callable[..., object], *arguments: bytes) -> None:
        try:
            await run_to_end(self.request.app[SERVICE].file_threads, work, *arguments)
        except OSError as error:
            raise _not_kept(error) from error

    async def _read_text(self, part: FormPart, chunks: AsyncIterator[bytes]) -> None:
        part.require_utf_8()
        name = part.name or ""
        kind, content = self.texts[name], bytearray()
        async for chunk in chunks:
            content += chunk[: kind.most_bytes + 1 - len(content)]
        text = _decoded(content, kind.most_bytes)
        if not shows_nothing(text):
            self.values[name] = kind.read(text)


def _decoded(content: bytearray, most_bytes: int) -> str:
    if len(content) > most_bytes:
        raise ValueError(f"longer than {most_bytes} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
