"""Whether the client of a request still waits for its answer.

Rule: work that is of no use without its client asks at each of its steps; nothing tells a handler of a client that
leaves, as handlers go on without theirs.
"""

from __future__ import annotations

from aiohttp import web


def is_connected(request: web.Request) -> bool:
    """Tell whether the connection that the request came over is open; may be asked in any thread."""
    return request.transport is not None and not request.transport.is_closing()
