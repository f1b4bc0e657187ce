"""The HTTP server: it listens, limits its connections (see `connections`), and stops without losing a request.

- A connection takes a file descriptor. A thousand idle clients would make imports and exports fail on a system that
  allows the usual 1,024, so the limit is raised as far as it can be, and connections are limited below it.
- A certificate and a key become the TLS context of its sockets. Without TLS, a phone in the stockroom can neither use
  its camera on the page nor install the page: browsers permit both on secure origins only (W3C Secure Contexts), which
  a shop without a proxy does not have. TLS 1.2 is the oldest version (RFC 8996). A renewed certificate is read at the
  next start. For the lack of Strict-Transport-Security see `headers`.
- A connection with TLS is counted when it is accepted, before its handshake: otherwise idle ones would take all
  descriptors.
- A TLS handshake gets as much time as a head, and the service does not wait for the end of TLS: a sleeping phone would
  delay a stop.
- When the service stops, each response says that it is the last of its connection, and is sent completely. Idle
  connections are closed a second later: a balancer may be sending a request on one, and would lose it.
"""

import asyncio
import logging
import resource
import socket
import ssl
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, cast

from aiohttp import web

from barcodesvc.api.connections import ConnectionServer, peer_of
from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.keys import SETTINGS
from barcodesvc.config import Settings
from barcodesvc.errors import StartError

_LOG = logging.getLogger(__name__)

BACKLOG = 1024
"""Connections that the system queues; beyond them it lets clients try again."""
LISTENERS = 16
"""How often the loop watches the socket: uvloop accepts one connection a turn for each, too few when turns are long."""
IDLE_END = 1.0
"""Seconds at a stop in which open connections may send one more request, while new ones are refused."""
DESCRIPTORS_KEPT_FREE = 256
"""File descriptors for the database with its snapshots, uploads, exports and worker processes."""
_TLS_END = 1.0
"""Seconds that a client has to confirm the end of TLS; nothing is lost if it does not (RFC 8446, clause 6.1)."""
_ACCEPT_PAUSE = 0.1
"""Seconds until the next try after a connection could not be accepted."""
_READ_AHEAD = 64 * 1024
"""Bytes of a body that are buffered for a handler; at twice as many, reading pauses."""
_LINGERING = 2.0
"""Seconds in which the rest of a refused body is discarded, before the connection is closed."""


class ServiceRunner(web.AppRunner):
    """Runs the application on connections with the limits of its settings."""

    def __init__(self, app: web.Application, *, lingering_time: float = _LINGERING, **options: Any) -> None:
        settings = app[SETTINGS]
        super().__init__(app, **options)
        self._settings = settings
        self._listening: list[asyncio.Server] = []
        self._accepts: set[asyncio.Task[None]] = set()
        """Tasks that accept connections with TLS, and their handshakes."""
        self._stop_wait = settings.stop_timeout / 2  # twice: for responses, then for handlers' ends
        self._accepting: ConnectionServer | None = None
        self._of_connections = {
            "auto_decompress": False,  # nothing is ever inflated; see `headers`
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
            most = connections_possible(self._settings.max_connections)
            self._accepting = ConnectionServer(served, self.app, most, {**self._of_connections, **options})

    async def listen(self, tls: ssl.SSLContext | None) -> str:
        """Listen where the settings say, and return the address; raises StartError if that is not possible."""
        host, port = self._settings.host, self._settings.port
        with _refusals_explained(host, port):
            first = await self._listen(
                host=host, port=port, reuse_port=self._settings.reuse_port, start_serving=tls is None
            )
        for watched in first.sockets:
            again = partial(socket.fromfd, watched.fileno(), watched.family, watched.type)
            if tls is not None:
                self._keep(self._accept(again(), tls))
                continue
            for _ in range(LISTENERS - 1):
                await self._listen(sock=again())
        bound = port or first.sockets[0].getsockname()[1]
        return f"{'https' if tls else 'http'}://{f'[{host}]' if ':' in host else host}:{bound}"

    async def _listen(self, **where: Any) -> asyncio.Server:
        factory = cast("Callable[[], asyncio.Protocol]", self.server)
        server = await asyncio.get_running_loop().create_server(factory, backlog=BACKLOG, **where)
        self._listening.append(server)
        return server

    def _keep(self, accepting: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(accepting)
        self._accepts.add(task)
        task.add_done_callback(self._accepts.discard)

    async def _accept(self, listening: socket.socket, tls: ssl.SSLContext) -> None:
        """Accept connections with TLS until the task is cancelled."""
        loop = asyncio.get_running_loop()
        with listening:
            listening.listen(BACKLOG)
            listening.settimeout(0)
            while True:
                try:
                    accepted, peer = await loop.sock_accept(listening)
                except OSError as error:
                    _LOG.warning("a connection cannot be accepted: %s", error.strerror)
                    await asyncio.sleep(_ACCEPT_PAUSE)
                else:
                    self._keep(self._shake_hands(accepted, peer, tls))

    async def _shake_hands(self, accepted: socket.socket, peer: object, tls: ssl.SSLContext) -> None:
        """Make a connection of an accepted socket; without room it is closed: nothing can be said before TLS."""
        server = cast("ConnectionServer", self._accepting)
        connection = server()
        if not server.counts(connection, peer_of(peer)):
            accepted.close()
            return
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: connection,
                accepted,
                ssl=tls,
                ssl_handshake_timeout=self._settings.head_timeout,
                ssl_shutdown_timeout=_TLS_END,
            )
        except BaseException as error:
            server.closed(connection)
            accepted.close()
            if not isinstance(error, OSError):  # what a client does wrong is one, ssl.SSLError included
                raise

    async def cleanup(self) -> None:
        """Stop listening, accept the requests that are on their way, and end the application."""
        for server in self._listening:
            server.close()
        for accepting in self._accepts:
            accepting.cancel()
        if self._listening and self._accepting is not None:
            self.app[ADMISSION].is_ending = True
            await self._accepting.drain(min(IDLE_END, self._stop_wait))
        await super().cleanup()

    async def shutdown(self) -> None:
        """Let every response from now on be the last of its connection, and send them all completely."""
        self.app[ADMISSION].is_ending = True
        if self._accepting is not None:
            self._accepting.pre_shutdown()
        await super().shutdown()
        if self._accepting is not None:
            await self._accepting.shutdown(self._stop_wait)


async def require_address(host: str, port: int, *, reuse_port: bool = False) -> None:
    """Raise StartError if the service cannot listen here, before a start changes the database."""
    loop = asyncio.get_running_loop()
    with _refusals_explained(host, port):
        server = await loop.create_server(asyncio.Protocol, host, port, reuse_port=reuse_port, start_serving=False)
    server.close()


@contextmanager
def _refusals_explained(host: str, port: int) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        address = f"{host}:{port}" if port else host
        raise StartError(f"cannot listen on {address}: {error.strerror or error}") from error


def connections_possible(wanted: int) -> int:
    """Raise the system's limit as far as these connections need and it may be; return how many of them are possible."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + DESCRIPTORS_KEPT_FREE
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted
    possible = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (possible, hard))
    if possible == needed:
        return wanted
    _LOG.warning("only %d open files are allowed, too few for %d connections", possible, wanted)
    return max(1, possible - DESCRIPTORS_KEPT_FREE, possible // 2)


def tls_context(settings: Settings) -> ssl.SSLContext | None:
    """Return the SSL context for the configured certificate, None if there is none.

    Raises StartError for files that cannot be read, have the wrong content, or do not match each other.
    """
    if settings.tls_cert is None or settings.tls_key is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(settings.tls_cert, settings.tls_key, _refuse_password)
    except OSError as error:  # ssl.SSLError is one
        files = f"{settings.tls_cert} and {settings.tls_key}"
        raise StartError(
            f"BARCODESVC_TLS_CERT, BARCODESVC_TLS_KEY: {files} are not a certificate and its key in PEM: {error}"
        ) from error
    return context


def _refuse_password() -> str:
    raise StartError("BARCODESVC_TLS_KEY: the key is encrypted, and the service cannot ask for its password")
