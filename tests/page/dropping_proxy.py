"""A network between a browser and the service that loses answers, once the service has given them."""

from __future__ import annotations

import threading
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import urlsplit

_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class DroppingProxy:
    """A proxy on a free port of the loopback; of what goes to /api it drops every so-manieth answer.

    It answers 502 where the service is gone.
    """

    def __init__(self, address: str, *, every: int) -> None:
        self.dropped = 0
        """Answers that were dropped so far."""
        self._every = every
        self._answers = 0
        self._lock = threading.Lock()
        self._service = urlsplit(address).netloc
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        """Start it."""
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self._server.shutdown()
        self._server.server_close()

    def loses(self, path: str) -> bool:
        """Tell whether the answer to this path is lost."""
        with self._lock:
            self._answers += path.startswith("/api/")
            lost = path.startswith("/api/") and self._answers % self._every == 0
            self.dropped += lost
            return lost

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def pass_on(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                connection = HTTPConnection(proxy._service)
                try:
                    connection.request(self.command, self.path, body or None, dict(self.headers.items()))
                except ConnectionRefusedError:
                    self.send_error(502)
                    return
                answer = connection.getresponse()
                content = answer.read()
                connection.close()
                if proxy.loses(self.path):
                    self.close_connection = True
                    return
                self.send_response_only(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in _HOP:
                        self.send_header(name, value)
                if answer.status != 304:
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_DELETE = pass_on  # noqa: N815 - as the standard library names them

            def log_message(self, *_: object) -> None:
                """Write nothing."""

        return Handler
