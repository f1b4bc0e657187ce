"""The connection limit, and what one connection may take: aiohttp's server, with bounds where it has none.

Without them, some thousand clients that are slow or idle would take all memory and file descriptors from the others.

- So many connections at a time; one more gets a 503 and is closed before anything of it is read.
- A packet that is one whole request for what is full is refused before it is parsed, see `whole_requests`.
- A head has so many seconds and bytes to arrive. aiohttp bounds the lines of a head and a connection's idle time only.
- An answer that its client does not take is bounded in bytes and time, see `slow_readers`.
- A handshake of TLS has as long as a head, and its end is not waited for: a phone that sleeps would hold up a stop.
- At the end of the service each answer says that it is the last of its connection, and is sent to its end. Idle
  connections are closed a second later: a balancer may be sending a request on one, and would lose it.

One private attribute of aiohttp is read here, and nowhere else in the package: `_messages` of its RequestHandler, what
is parsed and waits for its turn. Nothing public says whether a head is complete, or a pipeline answered.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, cast

from aiohttp import HttpVersion10, HttpVersion11, StreamReader, web
from aiohttp.http import RawRequestMessage
from aiohttp.typedefs import Handler
from aiohttp.web_protocol import RequestHandler
from pydantic_core import to_json

from barcodesvc.api.answering import Answering
from barcodesvc.api.bad_http import bad_http_answer
from barcodesvc.api.file_descriptors import connections_possible
from barcodesvc.api.guard.admission import ADMISSION, OVERLOAD
from barcodesvc.api.guard.safe_headers import SAFE_HEADERS, add_safe_headers
from barcodesvc.api.keys import OTHER_VERSION, SETTINGS
from barcodesvc.api.observe.metrics import METRICS
from barcodesvc.api.requests import BROKEN_BODY
from barcodesvc.api.responses import JSON_HEADERS, STALL_WAIT, error_envelope
from barcodesvc.api.slow_readers import SlowReaders
from barcodesvc.api.whole_requests import kind_in
from barcodesvc.config import Settings
from barcodesvc.errors import InvalidInput, RenderOverload, ServiceError

_LOG = logging.getLogger(__name__)

BACKLOG = 1024
"""Connections that the system may hold ready; beyond them it lets clients try again."""
MOST_HEAD_BYTES = 32 * 1024
"""Bytes after which a head that is still incomplete is refused; aiohttp by itself would keep a megabyte of each."""
IDLE_END = 1.0
"""Seconds that connections have at a stop to bring one more request, while nobody can connect any more."""
_TLS_END = 1.0
"""Seconds that a client has to confirm the end of TLS; nothing is lost where it does not (RFC 8446, clause 6.1)."""
_SPOKEN = (HttpVersion11, HttpVersion10)
_READ_AHEAD = 64 * 1024
"""Bytes of a body that lie ready for a handler; twice as many stop the reading."""
_LINGERING = 5.0
"""Seconds to drain a refused body."""


def _raw(error: ServiceError, reason: str, **more: str) -> bytes:
    """Return the whole answer of an error, as it goes over the wire."""
    body = to_json(error_envelope(error))
    headers = {**JSON_HEADERS, **SAFE_HEADERS, **error.headers, "Content-Length": str(len(body)), **more}
    lines = [f"HTTP/1.1 {error.status} {reason}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


_REFUSED_UNREAD = _raw(RenderOverload(OVERLOAD), "Service Unavailable")
_TOO_MANY_CONNECTIONS = _raw(
    RenderOverload("too many connections are open; try again in a moment"),
    "Service Unavailable",
    Connection="close",
)
_HEAD_TOO_LARGE = _raw(
    InvalidInput(f"the head of the request is longer than {MOST_HEAD_BYTES} bytes"), "Bad Request", Connection="close"
)


_Factory = Callable[..., web.BaseRequest]
_Answer = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


def _request_factory(factory: _Factory) -> _Factory:
    """Return a factory of requests whose connection knows the body of each.

    A request in a version that nobody speaks here is answered in HTTP/1.0: aiohttp would answer in the version of the
    request, HTTP/2.0 say, which nobody could read; see `request_heads`.
    """

    def made(message: RawRequestMessage, body: StreamReader, protocol: Connection, *others: Any) -> web.BaseRequest:
        protocol.body = body
        if message.version in _SPOKEN:
            return factory(message, body, protocol, *others)
        request = factory(message._replace(version=HttpVersion10), body, protocol, *others)
        request[OTHER_VERSION] = message.version
        return request

    return made


class ServiceRunner(web.AppRunner):
    """Runs the application on connections that keep to the bounds of its settings."""

    def __init__(self, app: web.Application, *, lingering_time: float = _LINGERING, **options: Any) -> None:
        settings = app[SETTINGS]
        super().__init__(app, **options)
        self._settings = settings
        self._listening: asyncio.Server | None = None
        self._stop_wait = settings.stop_timeout / 2  # twice: for answers, then for handlers' ends
        self._accepting: ConnectionServer | None = None
        self._of_connections = {
            "auto_decompress": False,  # nothing is ever inflated; see `request_heads`
            "keepalive_timeout": settings.idle_timeout,
            "lingering_time": lingering_time,
            "read_bufsize": _READ_AHEAD,
        }

    @property
    def server(self) -> ConnectionServer | None:
        """What makes the protocol of each connection; None before the setup."""
        return self._accepting

    async def setup(self) -> None:
        """Start the application."""
        await super().setup()
        served = super().server
        if served is not None:
            logs = served()  # as the application wants its requests logged
            options = {"access_log": logs.access_log, "access_log_class": type(logs.access_logger)}
            self._accepting = ConnectionServer(served, self.app, {**self._of_connections, **options})

    async def listen(self, tls: ssl.SSLContext | None) -> str:
        """Listen where the settings say, and return the address; raises OSError where that is not possible."""
        host, port = self._settings.host, self._settings.port
        server = await asyncio.get_running_loop().create_server(
            cast("Callable[[], asyncio.Protocol]", self.server),
            host,
            port,
            backlog=BACKLOG,
            reuse_port=self._settings.reuse_port,
            ssl=tls,
            ssl_handshake_timeout=self._settings.head_timeout if tls else None,
            ssl_shutdown_timeout=_TLS_END if tls else None,
        )
        self._listening = server
        bound = port or server.sockets[0].getsockname()[1]
        return f"{'https' if tls else 'http'}://{f'[{host}]' if ':' in host else host}:{bound}"

    async def cleanup(self) -> None:
        """Listen no more, let connections bring what is on its way, and end the application."""
        if self._listening is not None:
            self._listening.close()
            if self._accepting is not None:
                await self._accepting.drain(min(IDLE_END, self._stop_wait))
        await super().cleanup()

    async def shutdown(self) -> None:
        """Let every answer from now on be the last of its connection, and send them all to their ends."""
        if self._accepting is not None:
            self._accepting.pre_shutdown()
        await super().shutdown()
        if self._accepting is not None:
            await self._accepting.shutdown(self._stop_wait)


class ConnectionServer(web.Server):
    """Takes connections, and lets their requests through to the handler of another server, as long as it can."""

    def __init__(self, served: web.Server, app: web.Application, options: Mapping[str, Any]) -> None:
        super().__init__(
            cast("_Answer", Answering(cast("Handler", served.request_handler), app).answer),
            request_factory=_request_factory(served.request_factory),
            handler_cancellation=served.handler_cancellation,
        )
        self.settings: Settings = app[SETTINGS]
        self.slow_readers = SlowReaders(self.settings.max_unsent_bytes, STALL_WAIT)
        self.admission = app[ADMISSION]
        self._options = options
        self._metrics = app[METRICS]
        self._most_connections = connections_possible(self.settings.max_connections)
        self._open: set[Connection] = set()
        self._one_closed = asyncio.Event()

    def __call__(self) -> RequestHandler:
        """Return the protocol of a new connection."""
        if len(self._open) >= self._most_connections:
            self.admission.refused_connections += 1
            return _RefusedConnection()  # type: ignore[return-value]  # a protocol too, all that is asked of it here
        return Connection(self, loop=asyncio.get_running_loop(), **self._options)

    def opened(self, connection: Connection) -> None:
        """Count a connection."""
        self._open.add(connection)
        self.admission.connections = len(self._open)

    def closed(self, connection: Connection) -> None:
        """Forget a connection that is gone, with everything that it had to send."""
        self._open.discard(connection)
        self.admission.connections = len(self._open)
        self.slow_readers.discard(connection)
        self._one_closed.set()

    def count_unrouted(self, request: web.BaseRequest, status: int) -> None:
        """Count a request that is answered although it never came to the application."""
        if self.settings.metrics:
            self._metrics.answered(None, request.method, status, 0.0)

    def pre_shutdown(self) -> None:
        """Let every answer from now on be the last of its connection, and end the connections that are idle."""
        self.admission.is_ending = True
        super().pre_shutdown()

    async def drain(self, seconds: float) -> None:
        """Let every answer from now on be the last of its connection; wait so long for connections to end by that."""
        self.admission.is_ending = True
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._until_all_closed()

    async def shutdown(self, timeout: float | None = None) -> None:  # noqa: ASYNC109 - so it is in aiohttp
        """Answer what is in flight, and send the answers to their ends; what takes longer than `timeout` is cut."""
        await super().shutdown(timeout)
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._until_all_closed()

    async def _until_all_closed(self) -> None:
        """Wait until every answer is sent to its end, and its connection closed."""
        while self._open:
            self._one_closed.clear()
            await self._one_closed.wait()


class Connection(RequestHandler):
    """One connection: aiohttp's, with bounds to its head and to what it leaves unsent."""

    __slots__ = ("_head_bytes", "_head_timer", "_reads_head", "_server", "body")

    def __init__(self, server: ConnectionServer, *, loop: asyncio.AbstractEventLoop, **options: Any) -> None:
        super().__init__(server, loop=loop, **options)
        self._server = server
        self._reads_head = True  # what comes next is a head, and nothing before it waits for its turn
        self.body: StreamReader | None = None
        """The body of the request that is being handled."""
        self._head_bytes = 0
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        super().connection_made(transport)
        self._server.opened(self)

    def connection_lost(self, exc: BaseException | None) -> None:
        """End."""
        self._server.closed(self)
        self._end_head()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what came; where that leaves a head incomplete, bound it."""
        if self._server.admission.is_full and self._refuse_unread(data):
            return
        RequestHandler.data_received(self, data)  # super() would cost each packet its look-up
        if not self._messages:
            if self._reads_head and data:
                self._continue_head(len(data))
        elif self._reads_head:
            self._end_head()
        else:
            self._end_broken_body()

    def _refuse_unread(self, data: bytes) -> bool:
        """Refuse a packet that is one whole request of a kind that is full; return whether that was done."""
        transport = self.transport
        if not self._reads_head or self._head_timer is not None or transport is None:
            return False
        kind = kind_in(data)
        if kind is None or self.writing_paused or not self._server.admission.refuses(kind):
            return False
        transport.write(_REFUSED_UNREAD)
        return True

    def log_access(self, request: web.BaseRequest, response: web.StreamResponse, time: float | None) -> None:
        """Note that the answer is out: what comes behind its request's body is the next head."""
        if self.access_log is not None:
            super().log_access(request, response, time)
        self.body = None
        body = request.content
        if body.is_eof():
            self._reads_head = not self._messages
            return
        body.on_eof(self._expect_head)

    def log_exception(self, *args: Any, **kw: Any) -> None:
        """Log what went wrong outside of the application, but not what anybody brings about with a broken body."""
        if isinstance(kw.get("exc_info"), BROKEN_BODY):
            _LOG.debug("a body that nobody waited for is broken: %r", kw["exc_info"])
        else:
            super().log_exception(*args, **kw)

    def pause_writing(self) -> None:
        """Watch an answer that is not taken as fast as it is made."""
        super().pause_writing()
        if self.transport is not None:
            self._server.slow_readers.add(self, self.transport)

    def resume_writing(self) -> None:
        """Go on: the answer was taken."""
        super().resume_writing()
        self._server.slow_readers.discard(self)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Return the answer to what could not be handled: malformed requests get the envelope."""
        self._server.count_unrouted(request, status)
        if status == web.HTTPBadRequest.status_code:
            return bad_http_answer(request, exc)
        response = super().handle_error(request, status, exc, message)
        add_safe_headers(response.headers)
        return response

    def _end_broken_body(self) -> None:
        """End a body whose framing is broken; otherwise its reader would wait for ever."""
        if self.body is not None and not self.body.is_eof():
            self.body.set_exception(web.RequestPayloadError("the framing of the body is broken"))

    def _continue_head(self, size: int) -> None:
        self._head_bytes += size
        if self._head_timer is None:
            self._head_timer = asyncio.get_running_loop().call_later(
                self._server.settings.head_timeout, self.force_close
            )
        if self._head_bytes > MOST_HEAD_BYTES and self.transport is not None:
            self.transport.write(_HEAD_TOO_LARGE)
            self.force_close()

    def _expect_head(self) -> None:
        self._reads_head = not self._messages

    def _end_head(self) -> None:
        self._reads_head = False
        self._head_bytes = 0
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


class _RefusedConnection(asyncio.Protocol):
    """A connection beyond the bound: it gets a 503, and is closed."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Refuse."""
        open_transport = cast("asyncio.Transport", transport)
        open_transport.write(_TOO_MANY_CONNECTIONS)
        open_transport.close()
