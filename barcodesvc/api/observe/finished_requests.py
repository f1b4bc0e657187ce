"""Access log hook: the logger that aiohttp calls puts each answered request into the access log.

aiohttp calls it when the last byte of an answer has been handed out, whatever kind of answer it is: a
plain one, a stream, an error, a refusal of what is not HTTP, one whose client has left.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from aiohttp import web
from aiohttp.abc import AbstractAccessLogger

from barcodesvc.api.client_address import client_of
from barcodesvc.api.observe.access_log import LONGEST_AGENT, LONGEST_PATH, AccessLog, AccessLogLine
from barcodesvc.api.observe.metrics import Metrics
from barcodesvc.api.observe.request_ids import REQUEST_CONTEXT, handler_of, new_id
from barcodesvc.clock import Clock

_LONGEST_METHOD = 16
_ALWAYS = logging.getLogger(__name__)
"""Makes aiohttp call the hook at all; nothing is logged by it."""

Finished = Callable[[web.BaseRequest, web.StreamResponse, float], None]
"""Takes an answered request, and the seconds that it took as aiohttp sees it, whose clock may tick in ms."""


def logging_to(access_log: AccessLog, metrics: Metrics, clock: Clock) -> Finished:
    """Return what puts requests into the access log."""
    wall, steady = clock.wall, clock.steady

    def log(request: web.BaseRequest, response: web.StreamResponse, seconds: float) -> None:
        context, transport = REQUEST_CONTEXT.get(None), request.transport
        line = AccessLogLine(
            wall(),
            context.request_id if context else new_id(),
            client_of(request) or "",
            request.method[:_LONGEST_METHOD],
            request.raw_path[:LONGEST_PATH],
            metrics.route_of(handler_of(request)),
            response.status,
            response.body_length,
            steady() - context.begun if context and context.begun is not None else seconds,
            request.headers.get("User-Agent", "")[:LONGEST_AGENT],
            transport is None or transport.is_closing(),
        )
        access_log.add(line)

    return log


def handler_args(finished: Finished) -> dict[str, Any]:
    """Return what an application passes to aiohttp's server, so that this gets every answered request."""
    logger = type("AccessLogger", (_AccessLogger,), {"log": staticmethod(finished)})
    return {"access_log": _ALWAYS, "access_log_class": logger}


class _AccessLogger(AbstractAccessLogger):
    """What aiohttp makes for each connection, and calls."""
