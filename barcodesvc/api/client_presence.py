"""Cancellation: whether the client of a request still waits for its answer.

Without it, sheets and exports of clients that have left, and ask again, would be made before those of others. Rule:
work that is of no use without its client asks at each of its steps; handlers themselves go on without theirs.
"""

from __future__ import annotations

from aiohttp import web


def is_connected(request: web.Request) -> bool:
    """Return whether the connection that the request came over is open; may be called in any thread."""
    return request.transport is not None and not request.transport.is_closing()
