"""A client that sends more requests than allowed, from its own address, which the balancer passes on."""

import http.client
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from http import HTTPStatus

from tests.servers.balancer import LOOPBACK

LIMIT = 30
WINDOW = 5.0
RATE = f"{LIMIT}/{WINDOW:.0f} seconds"
_ADDRESS = "127.0.0.2"
_PAUSE = 0.05
_ROUNDED = 0.5
"""Seconds by which a window may be shorter: the replicas round."""


class LimitedClient:
    """Sends requests without end, and records which are let through."""

    def __init__(self, port: int, stop: threading.Event) -> None:
        self._port = port
        self._stop = stop
        self._passed: list[tuple[float, float, int]] = []
        self.refused = 0

    def run(self) -> None:
        """Send requests until the end."""
        while not self._stop.wait(_PAUSE):
            with suppress(OSError, http.client.HTTPException):
                sent = time.monotonic()
                status, remaining = self._response()
                if status == HTTPStatus.OK:
                    self._passed.append((sent, time.monotonic(), remaining))
                self.refused += status == HTTPStatus.TOO_MANY_REQUESTS

    def windows(self) -> Iterator[tuple[float, int]]:
        """Yield when each window began, and how many requests were let through in it.

        A window begins when the remaining number rises and the previous window is over, but not before its first
        request was sent.
        """
        begun, number, before = -WINDOW, 0, 0
        for sent, passed, remaining in self._passed:
            if remaining > before and passed >= begun + WINDOW - _ROUNDED:
                yield begun, number
                begun, number = sent, 0
            number, before = number + 1, remaining
        yield begun, number

    def _response(self) -> tuple[int, int]:
        connection = http.client.HTTPConnection(LOOPBACK, self._port, timeout=10, source_address=(_ADDRESS, 0))
        with closing(connection):
            connection.request("GET", "/api/products?limit=1")
            response = connection.getresponse()
            response.read()
            return response.status, int(response.headers.get("RateLimit-Remaining", "0"))
