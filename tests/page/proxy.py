"""A proxy between a browser and the service, for tests that change what passes."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import urlsplit

_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}


@dataclass
class Request:
    """A request of the browser."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Response:
    """A response of the service."""

    status: int
    headers: list[tuple[str, str]]
    content: bytes


class Proxy:
    """A proxy on a free port of the loopback."""

    def __init__(self, address: str) -> None:
        self._service = urlsplit(address).netloc
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        """Start it."""
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop it."""
        self._server.shutdown()
        self._server.server_close()

    def respond(self, request: Request) -> Response | None:
        """Return the response to a request, or None to cut the connection; subclasses change either."""
        connection = HTTPConnection(self._service)
        connection.request(request.method, request.path, request.body or None, request.headers)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        return Response(response.status, response.getheaders(), content)


def _handler(proxy: Proxy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            response = proxy.respond(Request(self.command, self.path, dict(self.headers.items()), body))
            if response is None:
                self.close_connection = True
                return
            self.send_response_only(response.status)
            for name, value in response.headers:
                if name.lower() not in _HOP:
                    self.send_header(name, value)
            if response.status != 304:
                self.send_header("Content-Length", str(len(response.content)))
            self.end_headers()
            self.wfile.write(response.content)

        do_GET = do_POST = do_DELETE = pass_on  # noqa: N815 - as the standard library names them

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    return Handler
