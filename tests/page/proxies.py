"""Proxies between a browser and the service: a gateway, and one that upgrades the service."""

import re
import threading
from dataclasses import dataclass
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import urlsplit
from urllib.request import urlopen

_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}
_HASH = re.compile(rb"/page/([0-9a-f]{16})")
_DROPPED = {"etag", "content-encoding"}
_ASKED = {"if-none-match", "accept-encoding", "connection"}


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

    def respond(self, request: Request) -> Response:
        """Return the response to a request; subclasses change either."""
        connection = HTTPConnection(self._service)
        connection.request(request.method, request.path, request.body or None, request.headers)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        return Response(response.status, response.getheaders(), content)


class Gateway(Proxy):
    """A proxy that responds with a 502 while the service is gone."""

    origin = ""
    """If set, it replaces the `Origin` of each request, like a misconfigured proxy."""

    def respond(self, request: Request) -> Response:
        """Return the response of the service, or a 502."""
        if self.origin and "Origin" in request.headers:
            request.headers |= {"Origin": self.origin, "Sec-Fetch-Site": "cross-site"}
        try:
            return super().respond(request)
        except ConnectionRefusedError:
            return Response(502, [], b"")


class UpgradingProxy(Proxy):
    """A proxy that gives the page's files the address `version`, once it is set: the former files are gone.

    With `half` set, the shell has the address, but no file does: like two replicas of different versions.
    """

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.version = ""
        self.half = False
        with urlopen(address) as shell:  # noqa: S310 - the service under test
            [self._real] = {found.decode() for found in _HASH.findall(shell.read())}

    def respond(self, request: Request) -> Response:
        """Return the response of the service, with the address of the files replaced."""
        headers = {name: value for name, value in request.headers.items() if name.lower() not in _ASKED}
        response = super().respond(Request(request.method, self._path_of(request.path), headers, request.body))
        kept = [(name, value) for name, value in response.headers if name.lower() not in _DROPPED]
        content = _HASH.sub(f"/page/{self.version}".encode(), response.content) if self.version else response.content
        return Response(response.status, kept, content)

    def _path_of(self, path: str) -> str:
        """Return the service's path for a path of the proxy: the files of an earlier version do not exist."""
        if not self.version or not path.startswith("/page/"):
            return path
        own = f"/page/{self.version}/"
        return path.replace(own, f"/page/{self._real}/") if path.startswith(own) and not self.half else "/page/gone"


def _handler(proxy: Proxy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            response = proxy.respond(Request(self.command, self.path, dict(self.headers.items()), body))
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
