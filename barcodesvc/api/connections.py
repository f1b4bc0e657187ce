"""Connections: aiohttp's protocol, with limits on what a client sends and on what it leaves unread.

Without them, some thousand clients that are slow or idle would take all memory and file descriptors from the others.

- The number of connections is limited, from the moment that each is accepted; one more gets a 503 and is closed before
  anything of it is read. One peer has at most half of them, unless it is a trusted proxy.
- A client that ends its own direction after its request, as `nc -N` does, gets its response.
- A packet is parsed in slices, and the small chunks of a body are limited, see `parse_budget`.
- A response that is made before its request's body has arrived is the last one of its connection. What still arrives is
  discarded unparsed, for a limited time.
- The time and the bytes in which a head arrives are limited. aiohttp limits only its lines and the time that a
  connection is idle.
- A response of which its client reads nothing is limited in time, see `slow_readers`.
- What is not valid HTTP gets the error envelope too, where aiohttp would send plain text that repeats the request, and
  log a traceback.

If the framing of a body breaks, aiohttp queues the parser's error behind the request that waits for this body. The
private `_messages` is that queue: nothing else can be in it while the body is incomplete, and no public name shows it.

A head is complete when aiohttp makes a request of it (`begin_request`). That is in the turn of the loop that follows
its last slice, so the bytes of a head include one slice of its body.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, cast

from aiohttp import HttpVersion10, HttpVersion11, StreamReader, hdrs, web
from aiohttp.http import RawRequestMessage
from aiohttp.typedefs import Handler
from aiohttp.web_protocol import RequestHandler
from pydantic_core import to_json

from barcodesvc.api.bodies import BROKEN_BODY, cut_short
from barcodesvc.api.client_address import client_network, is_within
from barcodesvc.api.error_middleware import ErrorMiddleware
from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.guard.headers import SAFE_HEADERS, add_safe_headers
from barcodesvc.api.keys import OTHER_VERSION, SERVICE
from barcodesvc.api.observe.metrics import METRICS
from barcodesvc.api.observe.request_ids import REQUEST_ID, begin
from barcodesvc.api.parse_budget import MOST_SMALL_CHUNKS, SLICE, SMALL_CHUNK, ArrivingBody, ParseTurns, SlicedTransport
from barcodesvc.api.responses import JSON_HEADERS, error_envelope, failure
from barcodesvc.config import Settings
from barcodesvc.errors import InvalidHttp, RenderOverload, ServiceError
from barcodesvc.runtime.capacity import Capacity
from barcodesvc.runtime.slow_readers import StallTimer
from barcodesvc.validation import refused_body

_LOG = logging.getLogger(__name__)

MOST_HEAD_BYTES = 32 * 1024
"""Bytes after which a head that is still incomplete is refused; aiohttp by itself would keep a megabyte of each."""
STALL_WAIT = 60.0
"""Seconds that a client may take no byte of a response before its connection is aborted."""
_SPOKEN = (HttpVersion11, HttpVersion10)
_WEBSOCKET = "websocket"
"""The one protocol to which aiohttp would switch a connection."""
_SMALL_CHUNKS = (
    f"comes in more than {MOST_SMALL_CHUNKS} chunks of less than {SMALL_CHUNK} bytes on average; "
    "send larger ones, or the body with its Content-Length"
)


def _raw(error: ServiceError, reason: str, **more: str) -> bytes:
    """Return the whole response of an error, as it goes over the wire."""
    body = to_json(error_envelope(error))
    headers = {**JSON_HEADERS, **SAFE_HEADERS, **error.headers, "Content-Length": str(len(body)), **more}
    lines = [f"HTTP/1.1 {error.status} {reason}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


def _too_many_connections() -> RenderOverload:
    return RenderOverload("too many connections are open; try again in a moment")


_TOO_MANY_CONNECTIONS = _raw(
    _too_many_connections(),
    "Service Unavailable",
    Connection="close",
)
_HEAD_TOO_LARGE = _raw(
    InvalidHttp(f"the headers of the request are longer than {MOST_HEAD_BYTES} bytes"),
    "Bad Request",
    Connection="close",
)


def peer_of(address: object) -> str | None:
    """Return the host of a socket's peer, as `getpeername` returns it; None for a UNIX socket."""
    return str(address[0]) if isinstance(address, tuple) else None


_Factory = Callable[..., web.BaseRequest]
_Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


def _request_factory(factory: _Factory) -> _Factory:
    """Return a factory of requests that can be answered, which tells the connection of each one.

    One that asks for another protocol ends its connection: aiohttp would keep what follows, and parse it in one piece.
    A request in a version that the service does not speak is answered in HTTP/1.0: aiohttp would answer in the version
    of the request, such as HTTP/2.0, which its client could not read; see `headers`.
    """

    def made(message: RawRequestMessage, body: StreamReader, protocol: Connection, *others: Any) -> web.BaseRequest:
        protocol.begin_request(message, body)
        if message.upgrade and _switches(message):
            message = message._replace(should_close=True)
        if message.version in _SPOKEN:
            return factory(message, body, protocol, *others)
        request = factory(message._replace(version=HttpVersion10), body, protocol, *others)
        request[OTHER_VERSION] = message.version
        return request

    return made


def _switches(message: RawRequestMessage) -> bool:
    """Return whether aiohttp takes what follows a request for another protocol, and keeps it in one piece."""
    return message.method == hdrs.METH_CONNECT or (
        message.upgrade and message.headers.get(hdrs.UPGRADE, "").lower() == _WEBSOCKET
    )


class ConnectionServer(web.Server):
    """Makes the protocol of each connection, up to a limit, and passes requests to the handler of another server."""

    def __init__(
        self, served: web.Server, app: web.Application, most_connections: int, options: Mapping[str, Any]
    ) -> None:
        super().__init__(
            cast("_Handler", ErrorMiddleware(cast("Handler", served.request_handler), app).handle),
            request_factory=_request_factory(served.request_factory),
            handler_cancellation=served.handler_cancellation,
        )
        self.settings: Settings = app[SERVICE].settings
        self.admission = app[ADMISSION]
        self.parse_turns = ParseTurns()
        self._options = options
        self._metrics = app[METRICS]
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
            self.admission.refused_connections += 1
            return False
        self._open[connection] = client
        self.admission.connections = len(self._open)
        return True

    def refuse(self, transport: asyncio.Transport) -> None:
        """Answer a connection beyond the limit with a 503, and close it; nothing of it is read."""
        transport.set_protocol(asyncio.Protocol())
        transport.write(_TOO_MANY_CONNECTIONS)
        transport.close()

    def closed(self, connection: Connection) -> None:
        """Forget a closed connection."""
        if connection in self._open:
            self._room.release_of(self._open.pop(connection))
        self.admission.connections = len(self._open)
        self._one_closed.set()

    def count_unrouted(self, request: web.BaseRequest, status: int) -> None:
        """Count a request that is answered although it never came to the application."""
        if self.settings.metrics:
            self._metrics.request_ended(None, request.method, status, 0.0)

    def pre_shutdown(self) -> None:
        """Let every response from now on be the last of its connection, and end the connections that are idle."""
        self.admission.is_ending = True
        super().pre_shutdown()

    async def drain(self, seconds: float) -> None:
        """Let every response from now on be the last of its connection; wait up to `seconds` until all have ended."""
        self.admission.is_ending = True
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._until_all_closed()

    async def shutdown(self, timeout: float | None = None) -> None:  # noqa: ASYNC109 - so it is in aiohttp
        """Finish the requests in flight and send their responses completely; cut what takes longer than `timeout`."""
        await super().shutdown(timeout)
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._until_all_closed()

    async def _until_all_closed(self) -> None:
        """Wait until every response is sent to its end, and its connection closed."""
        while self._open:
            self._one_closed.clear()
            await self._one_closed.wait()


class Connection(RequestHandler):
    """One connection: aiohttp's, with limits on what its client sends and on what it leaves unread."""

    __slots__ = (
        "_arriving",
        "_clock",
        "_discard_time",
        "_head_begun",
        "_head_bytes",
        "_head_timer",
        "_is_quiet",
        "_last_slice",
        "_reads_head",
        "_server",
        "_sliced",
        "_stall",
    )

    def __init__(
        self, server: ConnectionServer, *, loop: asyncio.AbstractEventLoop, discard_time: float, **options: Any
    ) -> None:
        super().__init__(server, loop=loop, **options)
        self._discard_time = discard_time  # seconds
        self._server = server
        self._clock = loop.time
        self._reads_head = True  # no request is being handled
        self._head_begun: float | None = None
        self._head_bytes = 0
        self._head_timer: asyncio.TimerHandle | None = None
        self._last_slice = b""  # of a head
        self._arriving: ArrivingBody | None = None  # the body of the request that is being handled
        self._stall: StallTimer | None = None
        self._is_quiet = True  # the next packet may be parsed at once if it is small

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, unless there are too many connections."""
        server, accepted = self._server, cast("asyncio.Transport", transport)
        if not server.counts(self, peer_of(accepted.get_extra_info("peername"))):
            server.refuse(accepted)
            return
        self._sliced = SlicedTransport(accepted, self, server.parse_turns, lingering=self._discard_time)
        super().connection_made(cast("asyncio.Transport", self._sliced))

    def connection_lost(self, exc: BaseException | None) -> None:
        """End."""
        self._server.closed(self)
        self._sliced.lost()
        for timer in (self._head_timer, self._stall):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what has arrived: the usual small packet at once, anything else in slices."""
        if not data:  # aiohttp goes on with what it has kept
            if not self._sliced.is_discarding:
                RequestHandler.data_received(self, data)
        elif self._is_quiet and len(data) <= SLICE:
            self.parse_slice(data)
        elif self._is_quiet:
            self.parse_slice(data[:SLICE])
            self._is_quiet = False
            self._sliced.receive(data[SLICE:])
        else:
            self._sliced.receive(data)

    def eof_received(self) -> bool:  # type: ignore[override]  # as asyncio.Protocol has it
        """Return whether the connection stays: until its response is sent, if the client has only ended its direction.

        With TLS this is not possible, and a client that has left looks the same: see `is_connected`.
        """
        if self._sliced.has_unparsed or self._sliced.get_extra_info("sslcontext") is not None:
            return False
        self._sliced.is_half_closed = True
        asyncio.get_running_loop().call_soon(self._end_half_closed)  # after the head that may have come just before
        return True

    def _end_half_closed(self) -> None:
        """Close the connection if it handles no request; a body that is incomplete never ends."""
        if self._reads_head:
            self.force_close()
            return
        if self._arriving is not None:
            self._arriving.body.set_exception(cut_short())
        self.close()

    def size_of_slice(self) -> int:
        """Return how many bytes can be parsed at once; 0 if the next slice has to wait for its turn.

        A body with a length costs nothing by the byte. Heads, chunks and pipelined requests do.
        """
        return self._arriving.left if self._arriving is not None else 0

    def parse_slice(self, data: bytes) -> None:
        """Parse; limit the head or the body that this belongs to."""
        if self._reads_head:
            self._continue_head(data)
        RequestHandler.data_received(self, data)  # super() would cost each packet a look-up
        if self._is_quiet:
            return
        if self._arriving is not None:
            self._follow_body(self._arriving, data)
        is_chunked = self._arriving is not None and self._arriving.is_chunked
        self._is_quiet = not (is_chunked or self._sliced.has_unparsed or self._sliced.is_discarding)

    def begin_request(self, message: RawRequestMessage, body: StreamReader) -> None:
        """Note that a head is complete, and follow the body."""
        if not body.is_eof():
            self._arriving = ArrivingBody(message, body, self._last_slice)
            self._is_quiet = self._is_quiet and not message.chunked
        self._reads_head = False
        self._head_begun = None
        self._head_bytes = 0
        self._last_slice = b""
        if message.upgrade and _switches(message):
            body.on_eof(self._discard)
        if self._arriving is not None:
            self._sliced.deliver()  # before the handler runs: since Python 3.12 that is in this turn of the loop

    def log_access(self, request: web.BaseRequest, response: web.StreamResponse, time: float | None) -> None:
        """Note that the response is sent: what comes next is a head, or the rest of an unwanted body."""
        if self.access_log is not None:
            super().log_access(request, response, time)
        self._arriving = None
        if request.content.is_eof():
            self._reads_head = True
        else:
            self._discard()

    def log_exception(self, *args: Any, **kw: Any) -> None:
        """Log what went wrong outside of the application, but not the broken body of a client."""
        if isinstance(kw.get("exc_info"), BROKEN_BODY):
            _LOG.debug("a body that no handler waited for is broken: %r", kw["exc_info"])
        else:
            super().log_exception(*args, **kw)

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

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Return the response to a request that could not be handled; a malformed one gets the envelope."""
        self._server.count_unrouted(request, status)
        if status == web.HTTPBadRequest.status_code:
            self._discard()
            return _bad_http(request, exc)
        response = super().handle_error(request, status, exc, message)
        add_safe_headers(response.headers)
        return response

    def _follow_body(self, arriving: ArrivingBody, data: bytes) -> None:
        """Refuse a body whose framing breaks, or that comes in too many chunks that are too small."""
        arriving.count(data)
        if self._messages and not arriving.body.is_eof():
            arriving.body.set_exception(cut_short())
            self._discard()
        elif arriving.has_too_many_chunks:
            arriving.body.set_exception(refused_body(InvalidHttp, _SMALL_CHUNKS))
            self._discard()
        elif arriving.body.is_eof():
            self._arriving = None

    def _discard(self) -> None:
        """Discard what still arrives: the connection ends with a response that is being sent, or has been."""
        self._arriving = None
        self._is_quiet = False
        self._sliced.discard()

    def _continue_head(self, data: bytes) -> None:
        self._last_slice = data
        self._head_bytes += len(data)
        if self._head_begun is None:
            self._head_begun = self._clock()
            if self._head_timer is None:  # one for each head would slow each request down, so it waits for heads to end
                self._head_timer = asyncio.get_running_loop().call_later(
                    self._server.settings.head_timeout, self._check_head
                )
        if self._head_bytes > MOST_HEAD_BYTES and self.transport is not None:
            self._discard()
            self.transport.write(_HEAD_TOO_LARGE)
            self.force_close()

    def _check_head(self) -> None:
        """Close the connection if its head has taken too long; look again later if it has time left."""
        self._head_timer = None
        if self._head_begun is None:
            return
        loop, end = asyncio.get_running_loop(), self._head_begun + self._server.settings.head_timeout
        if loop.time() >= end:
            self.force_close()
        else:
            self._head_timer = loop.call_at(end, self._check_head)


def _bad_http(request: web.BaseRequest, cause: BaseException | None) -> web.Response:
    """Return the 400 that a malformed request gets; the connection ends with it."""
    _LOG.debug("bad HTTP from %s: %r", request.remote, cause)
    response = failure(
        InvalidHttp("the request is not valid HTTP, or its address or one of its headers is longer than 8190 bytes")
    )
    add_safe_headers(response.headers)
    response.headers[REQUEST_ID] = begin(request)
    response.force_close()
    return response
