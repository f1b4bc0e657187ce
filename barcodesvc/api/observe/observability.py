"""Metrics and access log of an application, as far as its settings ask for them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from barcodesvc.api.keys import CLOCK
from barcodesvc.api.observe.access_log import ACCESS_LOG, STANDARD_OUTPUT, AccessLog
from barcodesvc.api.observe.finished_requests import handler_args, logging_to
from barcodesvc.api.observe.loop_lag import lag_measured
from barcodesvc.api.observe.metrics import METRICS, Metrics
from barcodesvc.clock import Clock
from barcodesvc.config import Settings


class Observability:
    """Metrics and access log of one application; `routes` names the route of each handler."""

    def __init__(self, settings: Settings, clock: Clock, routes: Mapping[Handler, str]) -> None:
        self.metrics = Metrics(routes)
        self._clock = clock
        self._shows_metrics = settings.metrics
        self._access_log = AccessLog(STANDARD_OUTPUT, clock.wall) if settings.access_log else None

    @property
    def handler_args(self) -> dict[str, Any]:
        """What the application passes to aiohttp's server."""
        if self._access_log is None:
            return {"access_log": None}
        return handler_args(logging_to(self._access_log, self.metrics, self._clock))

    def attach(self, app: web.Application) -> None:
        """Observe the application from its start to its end; it must have its clock."""
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
    async with lag_measured(app[METRICS].loop_was_late, app[CLOCK].steady):
        yield
