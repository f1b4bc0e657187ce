"""Uploads: a multipart body of one file, spooled to disk while its limits are enforced, and short texts beside it.

Bounded are the uploads (a fourth at once is refused, not queued), their bytes, and their time. The file is gone when
the block ends, whatever happened.
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

from barcodesvc.api.forms import FORM, Form, FormPart, receive_form, received_in_time
from barcodesvc.api.guard.request_heads import media_type, named_type
from barcodesvc.api.keys import FILE_THREADS, SETTINGS, UPLOAD_CAPACITY
from barcodesvc.api.observe.metrics import METRICS
from barcodesvc.api.refusals import refused_body
from barcodesvc.errors import DatabaseFailure, FieldProblem, FileTooLarge
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
        if media_type(request) != FORM:
            accepted = "multipart/form-data with one part named file"
            raise refused_body(f"{named_type(request)} cannot be read; send it as {accepted}")
        with request.app[METRICS].upload_under_way(), _new_file() as file:
            upload = _Upload(request, texts, file)
            receiving = receive_form(request, upload.form(name))
            await received_in_time(request, receiving, "the upload", "the multipart body")
            yield UploadedForm(Path(file.name), upload.values)


def _new_file() -> AbstractContextManager[Any]:
    try:
        return tempfile.NamedTemporaryFile(prefix="barcodesvc-upload-")
    except OSError as error:
        raise _not_kept(error) from error


def _not_kept(error: OSError) -> DatabaseFailure:
    _LOG.error("an upload cannot be kept: %s", error)
    return DatabaseFailure("the upload could not be kept; free disk space and try again")


@dataclass(slots=True)
class _Upload:
    """A file and texts that are arriving."""

    request: web.Request
    texts: Mapping[str, TextPart]
    file: IO[bytes]
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
        return self.request.app[SETTINGS].max_upload_bytes

    def _too_large(self) -> FileTooLarge:
        return FileTooLarge(f"the file is larger than {self._most_bytes} bytes", limit=self._most_bytes)

    async def _spool(self, _: FormPart, chunks: AsyncIterator[bytes]) -> None:
        size = 0
        async for chunk in chunks:
            size += len(chunk)
            if size > self._most_bytes:
                raise self._too_large()
            await self._on_disk(self.file.write, chunk)
        await self._on_disk(self.file.flush)

    async def _on_disk(self, work: Callable[..., object], *arguments: bytes) -> None:
        try:
            await run_to_end(self.request.app[FILE_THREADS], work, *arguments)
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
