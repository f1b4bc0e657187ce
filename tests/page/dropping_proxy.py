"""A network between a browser and the service that loses responses after the service has sent them."""

from __future__ import annotations

import threading
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import urlsplit

_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class DroppingProxy:
    """A proxy on a free port of the loopback; it drops every n-th response under /api.

    It responds with a 502 if the service is gone.
    """

    def __init__(self, address: str, *, every: int) -> None:
        self.dropped = 0
        """Number of responses dropped so far."""
        self.origin = ""
        """If set, it replaces the `Origin` of each request, like a misconfigured proxy."""
        self._every = every
        self._responses = 0
        self._lock = threading.Lock()
        self._service = urlsplit(address).netloc
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        """Start it."""
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop it."""
        self._server.shutdown()
        self._server.server_close()

    def loses(self, path: str) -> bool:
        """Tell whether the response to this path is lost."""
        with self._lock:
            self._responses += path.startswith("/api/")
            lost = path.startswith("/api/") and self._responses % self._every == 0
            self.dropped += lost
            return lost

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def pass_on(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                connection = HTTPConnection(proxy._service)
                headers = dict(self.headers.items())
                if proxy.origin and "Origin" in headers:
                    headers |= {"Origin": proxy.origin, "Sec-Fetch-Site": "cross-site"}
                try:
                    connection.request(self.command, self.path, body or None, headers)
                except ConnectionRefusedError:
                    self.send_error(502)
                    return
                response = connection.getresponse()
                content = response.read()
                connection.close()
                if proxy.loses(self.path):
                    self.close_connection = True
                    return
                self.send_response_only(response.status)
                for name, value in response.getheaders():
                    if name.lower() not in _HOP:
                        self.send_header(name, value)
                if response.status != 304:
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_DELETE = pass_on  # noqa: N815 - as the standard library names them

            def log_message(self, *_: object) -> None:
                """Write nothing."""

        return Handler
