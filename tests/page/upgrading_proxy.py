"""A service that is upgraded while pages are open: its page's files get another address, and the former are gone."""

from __future__ import annotations

import re
import threading
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import urlsplit
from urllib.request import urlopen

_HASH = re.compile(rb"/page/([0-9a-f]{16})")
_DROPPED = {"connection", "keep-alive", "transfer-encoding", "content-length", "etag", "content-encoding"}
_ASKED = {"host", "if-none-match", "accept-encoding", "connection"}


class UpgradingProxy:
    """A proxy on a free port of the loopback that gives the page's files the address `version`, once it is set.

    With `half` set, the shell has the address, but no file does: like two replicas of different versions.
    """

    def __init__(self, address: str) -> None:
        self.version = ""
        self.half = False
        self._service = urlsplit(address).netloc
        with urlopen(address) as shell:  # noqa: S310 - the service under test
            [real] = {found.decode() for found in _HASH.findall(shell.read())}
        self._real = real
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

    def path_of(self, path: str) -> str:
        """Return the service's path for a path of the proxy: the files of an earlier version do not exist."""
        if not self.version or not path.startswith("/page/"):
            return path
        own = f"/page/{self.version}/"
        return path.replace(own, f"/page/{self._real}/") if path.startswith(own) and not self.half else "/page/gone"

    def rewritten(self, content: bytes) -> bytes:
        """Return a body with the address of the files replaced."""
        return _HASH.sub(f"/page/{self.version}".encode(), content) if self.version else content

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def pass_on(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name: value for name, value in self.headers.items() if name.lower() not in _ASKED}
                headers["Host"] = self.headers["Host"]
                connection = HTTPConnection(proxy._service)
                connection.request(self.command, proxy.path_of(self.path), body or None, headers)
                response = connection.getresponse()
                content = proxy.rewritten(response.read())
                connection.close()
                self.send_response_only(response.status)
                for name, value in response.getheaders():
                    if name.lower() not in _DROPPED:
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = pass_on  # noqa: N815 - as the standard library names them

            def log_message(self, *_: object) -> None:
                """Write nothing."""

        return Handler
