"""A network between a browser and the service that loses responses after the service has sent them."""

from __future__ import annotations

import threading

from tests.page.proxy import Proxy, Request, Response


class DroppingProxy(Proxy):
    """A proxy that drops every n-th response under /api.

    It responds with a 502 if the service is gone.
    """

    def __init__(self, address: str, *, every: int) -> None:
        super().__init__(address)
        self.dropped = 0
        """Number of responses dropped so far."""
        self.origin = ""
        """If set, it replaces the `Origin` of each request, like a misconfigured proxy."""
        self._every = every
        self._responses = 0
        self._lock = threading.Lock()

    def respond(self, request: Request) -> Response | None:
        """Return the response of the service, unless it is lost."""
        if self.origin and "Origin" in request.headers:
            request.headers |= {"Origin": self.origin, "Sec-Fetch-Site": "cross-site"}
        try:
            response = super().respond(request)
        except ConnectionRefusedError:
            return Response(502, [], b"")
        return None if self._loses(request.path) else response

    def _loses(self, path: str) -> bool:
        """Return whether the response to this path is lost."""
        with self._lock:
            self._responses += path.startswith("/api/")
            lost = path.startswith("/api/") and self._responses % self._every == 0
            self.dropped += lost
            return lost
