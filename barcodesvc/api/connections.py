"""Connections: aiohttp's protocol, with limits on what a client sends and on what it leaves unread.

Without them, some thousand slow or idle clients would take all memory and file descriptors from the others, and one
packet of tiny chunks would stop all of them while it is parsed.

- The number of connections is limited, from the moment they are accepted. One more gets a 503, and none of it is read.
  One peer has at most half of them, unless it is a trusted proxy.
- A connection parses its packets in slices, one in each turn of the loop, and reads no more meanwhile.
- The head of a request has limited time and bytes; aiohttp limits only its lines, and the time of an idle connection.
- A client that stops sending after its request, as `nc -N` does, gets its response.
- What is not valid HTTP gets the error envelope; aiohttp would send plain text, and log a traceback.

The private `_messages` is the queue of requests whose heads are complete, which has no public name. aiohttp also queues
the parser's error there, and leaves the body whose framing is broken waiting for its end.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, cast

from aiohttp import StreamReader, hdrs, web
from aiohttp.http import RawRequestMessage
from aiohttp.typedefs import Handler
from aiohttp.web_protocol import RequestHandler
from pydantic_core import to_json

from barcodesvc.api.bodies import BROKEN_BODY, cut_short
from barcodesvc.api.client_address import client_network, is_within
from barcodesvc.api.error_middleware import ErrorMiddleware
from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.guard.headers import SAFE_HEADERS, add_safe_headers
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.observe.metrics import METRICS
from barcodesvc.api.observe.request_ids import REQUEST_ID, begin
from barcodesvc.api.responses import JSON_HEADERS, error_envelope, failure
from barcodesvc.errors import InvalidHttp, InvalidInput, RenderOverload, ServiceError
from barcodesvc.runtime.capacity import Capacity
from barcodesvc.runtime.slow_readers import StallTimer

_LOG = logging.getLogger(__name__)

SLICE = 1024
"""Bytes of heads and chunks that a connection parses in a turn: at most 170 chunks, which cost a millisecond."""
MOST_HEAD_BYTES = 32 * 1024
"""Bytes after which a head that is still incomplete is refused; aiohttp by itself would keep a megabyte of each."""
STALL_WAIT = 60.0
"""Seconds that a client may take no byte of a response before its connection is aborted."""

_MALFORMED = "the request is not valid HTTP, or its address or one of its headers is longer than 8190 bytes"
_Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


def _too_many_connections() -> RenderOverload:
    return RenderOverload("too many connections are open; try again in a moment")


def _last_response(error: ServiceError, reason: str) -> bytes:
    """Return the response that a connection ends with, as it goes over the wire."""
    body = to_json(error_envelope(error))
    headers = {**JSON_HEADERS, **SAFE_HEADERS, **error.headers, "Content-Length": str(len(body)), "Connection": "close"}
    lines = [f"HTTP/1.1 {error.status} {reason}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


_TOO_MANY_CONNECTIONS = _last_response(_too_many_connections(), "Service Unavailable")
_HEAD_TOO_LARGE = _last_response(
    InvalidHttp(f"the headers of the request are longer than {MOST_HEAD_BYTES} bytes"), "Bad Request"
)


def peer_of(address: object) -> str | None:
    """Return the host of a socket's peer, as `getpeername` returns it; None for a UNIX socket."""
    return str(address[0]) if isinstance(address, tuple) else None


class ConnectionServer(web.Server):
    """Makes the protocol of each connection, up to a limit, and passes requests to the handler of another server."""

    def __init__(
        self, served: web.Server, app: web.Application, most_connections: int, options: Mapping[str, Any]
    ) -> None:
        super().__init__(
            cast("_Handler", ErrorMiddleware(cast("Handler", served.request_handler), app).handle),
            request_factory=served.request_factory,
            handler_cancellation=served.handler_cancellation,
        )
        self.settings = app[SERVICE].settings
        self.metrics = app[METRICS]
        self._admission = app[ADMISSION]
        self._options = options
        self._room = Capacity(most_connections, _too_many_connections)
        self._open: dict[Connection, str | None] = {}
        self._one_closed = asyncio.Event()

    def __call__(self) -> Connection:
        """Return the protocol of a new connection."""
        return Connection(self, loop=asyncio.get_running_loop(), **self._options)

    def counts(self, connection: Connection, peer: str | None) -> bool:
        """Count a connection with this peer, once; return False if there is no room for it."""
        if connection in self._open:
            return True
        is_proxy = is_within(peer, self.settings.trusted_proxies)
        client = client_network(peer) if peer and not is_proxy else None
        try:
            self._room.acquire_for(client)
        except RenderOverload:
            self._admission.refused_connections += 1
            return False
        self._open[connection] = client
        self._admission.connections = len(self._open)
        return True

    def closed(self, connection: Connection) -> None:
        """Forget a closed connection."""
        if connection in self._open:
            self._room.release_of(self._open.pop(connection))
        self._admission.connections = len(self._open)
        self._one_closed.set()

    async def shutdown(self, timeout: float | None = None) -> None:  # noqa: ASYNC109 - as in aiohttp
        """Finish the requests in flight and send their responses completely; cut what takes longer than `timeout`."""
        await super().shutdown(timeout)
        await self.drain(timeout)

    async def drain(self, seconds: float | None) -> None:
        """Wait up to `seconds` until every response is sent to its end, and its connection closed."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._open:
                    self._one_closed.clear()
                    await self._one_closed.wait()


class PacedTransport:
    """A transport as aiohttp sees it: nothing is read from its socket while a part of a packet waits to be parsed.

    `parse` returns how many bytes may be parsed at once after those that it gets.
    """

    def __init__(self, transport: asyncio.Transport, parse: Callable[[bytes], int]) -> None:
        self._transport = transport
        self._parse = parse
        self.is_paused = False  # by aiohttp
        self._turn: asyncio.Handle | None = None
        self.unparsed = bytearray()
        self.write = transport.write  # these three are used for each response: no look-up by `__getattr__`
        self.is_closing = transport.is_closing
        self.get_extra_info = transport.get_extra_info

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def receive(self, packet: bytes) -> None:
        """Parse a packet, behind what is left of earlier ones."""
        self.unparsed += packet
        if self._turn is None:
            self._take_turn()

    def pause_reading(self) -> None:
        """Parse nothing and read nothing until reading is resumed."""
        self.is_paused = True
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Parse in the next turn what is left, and then read; aiohttp calls this from within its parser, too."""
        self.is_paused = False
        if self.unparsed:
            self._wait_for_turn()
        else:
            self._transport.resume_reading()

    def _wait_for_turn(self) -> None:
        self._transport.pause_reading()
        if self._turn is None:
            self._turn = asyncio.get_running_loop().call_soon(self._take_turn)

    def _take_turn(self) -> None:
        """Parse a slice, and at once what follows of a body with a length, which costs nothing by the byte."""
        self._turn = None
        size = SLICE
        while size and self.unparsed and not self.is_paused and not self.is_closing():
            part = bytes(self.unparsed[:size])
            del self.unparsed[:size]
            size = self._parse(part)
        if not self.is_paused:
            self.resume_reading()


class Connection(RequestHandler):
    """One connection."""

    __slots__ = ("_body", "_head_bytes", "_head_timer", "_length", "_paced", "_server", "_stall", "is_half_closed")

    def __init__(self, server: ConnectionServer, **options: Any) -> None:
        super().__init__(server, **options)
        self._server = server
        self._body: StreamReader | None = None  # of the newest request, until all are answered
        self._length = 0  # of this body, if it is incomplete and its head says so
        self._head_bytes = 0  # of a head that is incomplete, behind the newest request
        self._head_timer: asyncio.TimerHandle | None = None  # while a head is incomplete, and nothing is in progress
        self._stall: StallTimer | None = None
        self.is_half_closed = False
        """Whether the client has closed its sending side."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin; one connection too many gets a 503, and is closed.

        One that its client has reset before it was accepted ends: it has no address that its requests could count for.
        """
        accepted = cast("asyncio.Transport", transport)
        peername = accepted.get_extra_info("peername")
        if peername is not None and self._server.counts(self, peer_of(peername)):
            self._paced = PacedTransport(accepted, self._parse)
            super().connection_made(cast("asyncio.Transport", self._paced))
            return
        self._server.closed(self)  # with TLS it was counted when it was accepted
        accepted.set_protocol(asyncio.Protocol())
        accepted.write(_TOO_MANY_CONNECTIONS)
        accepted.close()

    def connection_lost(self, exc: BaseException | None) -> None:
        """End; what is unparsed is freed at once, not by a rare garbage collection."""
        self._server.closed(self)
        self._paced.unparsed.clear()
        for timer in (self._head_timer, self._stall):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse a small packet at once, and a larger one in slices; aiohttp passes none to continue with the rest."""
        if not data or (len(data) <= SLICE and not self._paced.unparsed):
            self._parse(data)
        else:
            self._paced.receive(data)

    def _parse(self, data: bytes) -> int:
        """Parse; return how much is left of a body with a length."""
        queued = len(self._messages)
        is_head = self._body is None or self._body.is_eof()
        RequestHandler.data_received(self, data)  # super() would cost each packet a look-up
        if len(self._messages) > queued:
            self._follow(*self._messages[-1], data)
        elif is_head and data:
            self._head_bytes += len(data)
            self._limit_head()
        return self._length - self._body.total_bytes if self._body is not None and self._length else 0

    def _follow(self, newest: object, body: StreamReader, packet: bytes) -> None:
        """Follow the newest request; an incomplete body before it is broken, and after an error the connection ends."""
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
        if self._body is not None and not self._body.is_eof():
            self._body.set_exception(cut_short())
        began_before, self._head_bytes = self._head_bytes > 0, 0
        self._body, self._length = body, 0
        if not isinstance(newest, RawRequestMessage):
            return
        if not body.is_eof():
            self._length = int(newest.headers.get(hdrs.CONTENT_LENGTH, 0))
        elif not began_before:
            end_of_head = len(packet) - (0 if newest.chunked else body.total_bytes)  # or of its last chunk
            if not packet.endswith(b"\r\n\r\n", 0, end_of_head):
                self._head_bytes = 1  # or more: the packet continues after this request

    def _limit_head(self) -> None:
        """Limit the bytes of an incomplete head, and its time as soon as the requests before it are answered."""
        is_too_long = self._head_bytes > MOST_HEAD_BYTES
        if self._body is not None:
            if is_too_long:
                self.close()  # after the response in progress
            return
        if self._head_timer is None:
            wait = self._server.settings.head_timeout
            self._head_timer = asyncio.get_running_loop().call_later(wait, self.force_close)
        if is_too_long and self.transport is not None:
            self.transport.write(_HEAD_TOO_LARGE)
            self.force_close()

    def eof_received(self) -> bool:  # type: ignore[override]  # as asyncio.Protocol has it
        """Return whether the connection stays open for a response: without TLS, a client may stop sending before it.

        A client that has left looks the same: see `is_connected`.
        """
        if self._body is None or self.transport is None or self.transport.get_extra_info("sslcontext") is not None:
            return False
        self.is_half_closed = True
        if not self._body.is_eof():
            self._body.set_exception(cut_short())
        self.close()
        return True

    def pause_writing(self) -> None:
        """Watch a response that is not read as fast as it is made."""
        super().pause_writing()
        if self.transport is not None:
            self._stall = StallTimer(self.transport, STALL_WAIT)

    def resume_writing(self) -> None:
        """Resume: the response was read."""
        super().resume_writing()
        if self._stall is not None:
            self._stall.cancel()

    def resume_reading(self, resume_parser: bool = True) -> None:  # noqa: FBT001, FBT002 - as in aiohttp
        """Resume reading if it is paused; aiohttp calls this for each body, and would parse again for nothing."""
        if self._paced.is_paused:
            super().resume_reading(resume_parser)

    def log_access(self, request: web.BaseRequest, response: web.StreamResponse, time: float | None) -> None:
        """Note that the response is sent; no head follows a body that has not come to its end."""
        super().log_access(request, response, time)
        if request.content.is_eof():
            self._body = self._messages[-1][1] if self._messages else None
            if self._head_bytes:
                self._limit_head()

    def log_exception(self, *args: Any, **kw: Any) -> None:
        """Log what went wrong outside of the application, but not the broken body of a client."""
        if not isinstance(kw.get("exc_info"), (*BROKEN_BODY, InvalidInput)):
            super().log_exception(*args, **kw)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Return the response to a request that never came to the application; to a malformed one, in the envelope."""
        if self._server.settings.metrics:
            self._server.metrics.request_ended(None, request.method, status, 0.0)
        if status == web.HTTPBadRequest.status_code:
            response: web.StreamResponse = failure(InvalidHttp(_MALFORMED))
            response.headers[REQUEST_ID] = begin(request)
            response.force_close()
            _LOG.debug("bad HTTP from %s: %r", request.remote, exc)
            if exc is not None:
                exc.__traceback__ = None  # its frames hold a packet in a cycle, and garbage collections are rare
        else:
            response = super().handle_error(request, status, exc, message)
        add_safe_headers(response.headers)
        return response
