"""Forms: what every multipart body is held to, whichever parts a route takes.

The bytes of the parts are for the route to count; here those are counted that stand beside them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar, cast

from aiohttp import MultipartReader, StreamReader, web

from barcodesvc.api.keys import SETTINGS
from barcodesvc.api.refusals import refused_body
from barcodesvc.api.requests import BROKEN_BODY, arriving
from barcodesvc.errors import FileTooLarge

T = TypeVar("T")

FRAMING = 64 * 1024
"""Bytes that boundaries, part headers and whatever stands before the first part may add to those of the parts."""
MOST_PROBLEMS = 20
"""Wrong parts after which the rest of the body is not looked at any more."""
CHUNK = 64 * 1024
_UNREADABLE = (ValueError, AssertionError, *BROKEN_BODY)
"""What aiohttp raises while it reads a body that ends early or is no multipart body."""


def form_parts(request: web.Request) -> MultipartReader:
    """Return the parts of a multipart body, as `request.multipart` does, but with a bound to what stands beside them.

    Raises FileTooLarge when it is drawn; what a part holds is for the caller to count.
    """
    protocol = request.protocol
    return MultipartReader(
        request.headers,
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
