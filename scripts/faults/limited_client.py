"""A client that asks more often than it may, from an address of its own, which the balancer passes on."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from http import HTTPStatus

from scripts.servers.balancer import LOOPBACK

LIMIT = 30
WINDOW = 5.0
RATE = f"{LIMIT}/{WINDOW:.0f} seconds"
_ADDRESS = "127.0.0.2"
_PAUSE = 0.05
_ROUNDED = 0.5
"""Seconds by which a window may be shorter: the replicas round."""


class LimitedClient:
    """Asks on and on, and notes what is let through."""

    def __init__(self, port: int, stop: threading.Event) -> None:
        self._port = port
        self._stop = stop
        self._passed: list[tuple[float, float, int]] = []
        self.refused = 0

    def run(self) -> None:
        """Ask until the end."""
        while not self._stop.wait(_PAUSE):
            with suppress(OSError, http.client.HTTPException):
                sent = time.monotonic()
                status, remaining = self._answer()
                if status == HTTPStatus.OK:
                    self._passed.append((sent, time.monotonic(), remaining))
                self.refused += status == HTTPStatus.TOO_MANY_REQUESTS

    def windows(self) -> Iterator[tuple[float, int]]:
        """Yield when each window began, and how many requests were let through in it.

        One begins where more remain than before, and the last one is over; not before its first request was sent.
        """
        begun, number, before = -WINDOW, 0, 0
        for sent, passed, remaining in self._passed:
            if remaining > before and passed >= begun + WINDOW - _ROUNDED:
                yield begun, number
                begun, number = sent, 0
            number, before = number + 1, remaining
        yield begun, number

    def _answer(self) -> tuple[int, int]:
        connection = http.client.HTTPConnection(LOOPBACK, self._port, timeout=10, source_address=(_ADDRESS, 0))
        with closing(connection):
            connection.request("GET", "/api/products?limit=1")
            answer = connection.getresponse()
            answer.read()
            return answer.status, int(answer.headers.get("RateLimit-Remaining", "0"))
