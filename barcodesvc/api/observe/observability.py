"""Attaches metrics, the measurement of event loop lag and the access log to an application, if enabled.

Event loop lag is how late timers fire, which is the delay that every request sees, however cheap it is. A late timer
shows how long something has blocked the loop: a long computation on it, or threads that hold the interpreter. Four
timers a second cost nothing measurable.

aiohttp calls the access log's hook once the last byte of a response has been handed to the transport, for every kind of
response: plain ones, streams, errors, refusals of malformed HTTP, and responses whose client has disconnected.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from aiohttp import web
from aiohttp.abc import AbstractAccessLogger
from aiohttp.typedefs import Handler

from barcodesvc.api.client_address import client_of, is_connected
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.observe.access_log import (
    ACCESS_LOG,
    LONGEST_AGENT,
    LONGEST_PATH,
    STANDARD_OUTPUT,
    AccessLog,
    AccessLogLine,
)
from barcodesvc.api.observe.metrics import METRICS, Metrics
from barcodesvc.api.observe.request_ids import REQUEST_CONTEXT, handler_of, new_id
from barcodesvc.clock import Clock
from barcodesvc.config import Settings

_LONGEST_METHOD = 16
_ALWAYS = logging.getLogger(__name__)
"""aiohttp calls the hook only if it is given a logger; this one logs nothing."""

Finished = Callable[[web.BaseRequest, web.StreamResponse, float], None]
"""Takes a finished request and its duration in seconds as aiohttp measures it, whose clock may tick in ms."""


def logging_to(access_log: AccessLog, metrics: Metrics, clock: Clock) -> Finished:
    """Return the function that adds finished requests to the access log."""
    wall, steady = clock.wall, clock.steady

    def log(request: web.BaseRequest, response: web.StreamResponse, seconds: float) -> None:
        context = REQUEST_CONTEXT.get(None)
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
            not is_connected(request),
        )
        access_log.add(line)

    return log


def handler_args(finished: Finished) -> dict[str, Any]:
    """Return the arguments with which aiohttp's server calls `finished` for every request."""
    logger = type("AccessLogger", (_AccessLogger,), {"log": staticmethod(finished)})
    return {"access_log": _ALWAYS, "access_log_class": logger}


class _AccessLogger(AbstractAccessLogger):
    """The logger that aiohttp creates for each connection."""


class Observability:
    """Metrics and access log of one application; `routes` maps each handler to the path of its route."""

    def __init__(self, settings: Settings, clock: Clock, routes: Mapping[Handler, str]) -> None:
        self.metrics = Metrics(routes)
        self._clock = clock
        self._shows_metrics = settings.metrics
        self._access_log = AccessLog(STANDARD_OUTPUT, clock.wall) if settings.access_log else None

    @property
    def handler_args(self) -> dict[str, Any]:
        """The arguments that the application passes to aiohttp's server."""
        if self._access_log is None:
            return {"access_log": None}
        return handler_args(logging_to(self._access_log, self.metrics, self._clock))

    def attach(self, app: web.Application) -> None:
        """Observe the application from startup to cleanup; its clock must be set before startup."""
        app[METRICS] = self.metrics
        if self._access_log:
            app[ACCESS_LOG] = self._access_log
            app.cleanup_ctx.append(_access_log)
        if self._shows_metrics:
            app.cleanup_ctx.append(_metrics)


async def _access_log(app: web.Application) -> AsyncIterator[None]:
    async with app[ACCESS_LOG].opened():
        yield


async def _metrics(app: web.Application) -> AsyncIterator[None]:
    async with lag_measured(app[METRICS].loop_was_late, app[SERVICE].clock.steady):
        yield


PAUSE = 0.25
"""Seconds between two measurements."""


@asynccontextmanager
async def lag_measured(observe: Callable[[float], None], steady: Callable[[], float]) -> AsyncIterator[None]:
    """Within the block, pass the loop's lag in seconds to `observe`, every PAUSE seconds."""
    measuring = asyncio.create_task(_measure(observe, steady))
    try:
        yield
    finally:
        measuring.cancel()
        with suppress(asyncio.CancelledError):
            await measuring


async def _measure(observe: Callable[[float], None], steady: Callable[[], float]) -> None:
    while True:
        begun = steady()
        await asyncio.sleep(PAUSE)
        observe(max(0.0, steady() - begun - PAUSE))
