"""JSON answers of finished bytes, sent in one piece: those that kiosks and scanners ask for again and again.

For a cached code aiohttp would take longer to make headers, put them in order and write them than all else takes. They
are the same every time but for length, date and id. So they stand ready here, and the answer goes out as it is.

Rule: only what is plain goes this way: a 200 on an HTTP/1.1 connection that stays, with no header of anybody else's.
For all else `usual` gives the same answer as one of aiohttp's.
"""

from __future__ import annotations

from typing import Any

from aiohttp import HttpVersion11, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.helpers import rfc822_formatted_time

from barcodesvc.api.guard.safe_headers import SAFE_HEADERS
from barcodesvc.api.observe.request_ids import REQUEST_ID
from barcodesvc.api.responses import JSON_HEADERS

_HEAD = "".join(f"{name}: {value}\r\n" for name, value in {**JSON_HEADERS, **SAFE_HEADERS}.items())


class WholeAnswer(web.Response):
    """A success with this body; `answering` decides in which way it goes.

    Whoever looks at its headers, or anything else that aiohttp's constructor makes, makes a usual answer of it.
    """

    __http_exception__ = False
    _status = 200
    _is_usual = False

    def __init__(self, body: bytes) -> None:
        # aiohttp's own constructor makes what only the usual way needs
        self._finished = body
        self._request_id = ""

    def __getattr__(self, name: str) -> Any:
        """Return what only a usual answer has; raises AttributeError for what that has not either."""
        if self._is_usual:
            raise AttributeError(name)
        return getattr(self.usual(), name)

    @property
    def is_whole(self) -> bool:
        """Whether it can still be sent in one piece."""
        return not self._is_usual

    def usual(self) -> WholeAnswer:
        """Return this answer for aiohttp to send."""
        if not self._is_usual:
            self._is_usual = True
            super().__init__(body=self._finished, headers=JSON_HEADERS)
        return self

    def named(self, request_id: str) -> WholeAnswer:
        """Return this answer as that to the request of this id, which must be harmless in a header."""
        self._request_id = request_id
        return self

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Send it; raises ConnectionError where the client is gone."""
        if self._is_usual:
            return await super().prepare(request)
        body, writer = self._finished, request.writer
        head = (
            f"HTTP/1.1 200 OK\r\n{_HEAD}{REQUEST_ID}: {self._request_id}\r\nContent-Length: {len(body)}\r\n"
            f"Date: {rfc822_formatted_time()}\r\n\r\n"
        )
        self._eof_sent = self._keep_alive = True
        await writer.write(head.encode() + body)
        self._body_length = writer.output_size
        await writer.drain()
        return None


def is_plain(request: web.BaseRequest) -> bool:
    """Tell whether a whole answer can go to this request in one piece."""
    return request.keep_alive and request.version == HttpVersion11 and request.method != "HEAD"
