"""Uploads: one file part of a multipart body, spooled to disk while its limits are enforced.

Bounded are the places (a fourth upload at once is refused, not queued), the bytes (as announced, and as counted
while they arrive), and the time. The file is gone when the block ends, whatever happened.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

from aiohttp import BodyPartReader, ClientPayloadError, web
from aiohttp.http_exceptions import HttpProcessingError

from barcodesvc.api.keys import FILE_THREADS, SETTINGS, UPLOAD_PLACES
from barcodesvc.api.refusals import refused_body, repeatable_text
from barcodesvc.api.requests import arriving
from barcodesvc.errors import FieldProblem, FileTooLarge, InvalidInput, RateLimitExceeded

_FRAMING = 64 * 1024
"""Bytes that boundaries and part headers may add to the file's own."""
_UNREADABLE = (ValueError, AssertionError, ClientPayloadError, HttpProcessingError, ConnectionError)
"""What aiohttp raises while it reads a body that ends early or is no multipart body."""
_RETRY_AFTER = {"Retry-After": "5"}


@asynccontextmanager
async def uploaded_file(request: web.Request, name: str) -> AsyncIterator[Path]:
    """Receive the part of this name into a temporary file and hand out its path.

    Raises RateLimitExceeded when all places are taken, FileTooLarge, and InvalidInput for a body that is not
    multipart, holds other parts, or takes too long.
    """
    places = request.app[UPLOAD_PLACES]
    if places.locked():
        raise RateLimitExceeded(
            "as many uploads as may run at once are under way; try again in a moment", headers=_RETRY_AFTER
        )
    async with places:
        _check_announced(request)
        with tempfile.NamedTemporaryFile(prefix="barcodesvc-upload-") as file:
            await _receive_in_time(request, name, file)
            yield Path(file.name)


def _check_announced(request: web.Request) -> None:
    if request.content_type != "multipart/form-data":
        sent = repeatable_text(request.content_type)
        raise refused_body(f"{sent} cannot be read; send it as multipart/form-data with one part named file")
    largest = request.app[SETTINGS].max_upload_bytes
    if (request.content_length or 0) > largest + _FRAMING:
        raise _too_large(largest)


async def _receive_in_time(request: web.Request, name: str, file: IO[bytes]) -> None:
    allowed = request.app[SETTINGS].upload_timeout
    try:
        with arriving(request):
            async with asyncio.timeout(allowed):
                await _receive(request, name, file)
    except TimeoutError as error:
        raise refused_body(f"the upload took longer than {allowed:g} seconds") from error
    except _UNREADABLE as error:
        raise refused_body("the multipart body is cut short or malformed") from error


async def _receive(request: web.Request, name: str, file: IO[bytes]) -> None:
    received = False
    async for part in await request.multipart():
        field = part.name if isinstance(part, BodyPartReader) else None
        if not isinstance(part, BodyPartReader) or field != name:
            raise InvalidInput.of(FieldProblem(_named(field), f"no such part; send one part named {name}"))
        if received:
            raise InvalidInput.of(FieldProblem(name, "given more than once; send one file at a time"))
        await _spool(request, part, file)
        received = True
    if not received:
        raise InvalidInput.of(FieldProblem(name, f"required; send the workbook as the part named {name}"))


async def _spool(request: web.Request, part: BodyPartReader, file: IO[bytes]) -> None:
    write = asyncio.get_running_loop().run_in_executor
    largest = request.app[SETTINGS].max_upload_bytes
    size = 0
    while chunk := await part.read_chunk(64 * 1024):
        size += len(chunk)
        if size > largest:
            raise _too_large(largest)
        await write(request.app[FILE_THREADS], file.write, chunk)
    await write(request.app[FILE_THREADS], file.flush)


def _too_large(largest: int) -> FileTooLarge:
    return FileTooLarge(f"the file is larger than {largest} bytes", limit=largest)


def _named(field: str | None) -> str:
    return repeatable_text(field) if field else "body"
