"""A service that is upgraded while pages are open: its page's files get another address, and the former are gone."""

from __future__ import annotations

import re
from urllib.request import urlopen

from tests.page.proxy import Proxy, Request, Response

_HASH = re.compile(rb"/page/([0-9a-f]{16})")
_DROPPED = {"etag", "content-encoding"}
_ASKED = {"if-none-match", "accept-encoding", "connection"}


class UpgradingProxy(Proxy):
    """A proxy that gives the page's files the address `version`, once it is set.

    With `half` set, the shell has the address, but no file does: like two replicas of different versions.
    """

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.version = ""
        self.half = False
        with urlopen(address) as shell:  # noqa: S310 - the service under test
            [self._real] = {found.decode() for found in _HASH.findall(shell.read())}

    def respond(self, request: Request) -> Response | None:
        """Return the response of the service, with the address of the files replaced."""
        headers = {name: value for name, value in request.headers.items() if name.lower() not in _ASKED}
        response = super().respond(Request(request.method, self.path_of(request.path), headers, request.body))
        assert response
        kept = [(name, value) for name, value in response.headers if name.lower() not in _DROPPED]
        return Response(response.status, kept, self.rewritten(response.content))

    def path_of(self, path: str) -> str:
        """Return the service's path for a path of the proxy: the files of an earlier version do not exist."""
        if not self.version or not path.startswith("/page/"):
            return path
        own = f"/page/{self.version}/"
        return path.replace(own, f"/page/{self._real}/") if path.startswith(own) and not self.half else "/page/gone"

    def rewritten(self, content: bytes) -> bytes:
        """Return a body with the address of the files replaced."""
        return _HASH.sub(f"/page/{self.version}".encode(), content) if self.version else content
