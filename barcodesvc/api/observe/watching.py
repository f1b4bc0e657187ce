"""How an application is watched while it runs: its counts, its metrics, its access log, as far as the settings ask."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from barcodesvc.api.keys import ACCESS_LOG, CLOCK, METRICS, TALLY
from barcodesvc.api.observe.access_log import STANDARD_OUTPUT, AccessLog
from barcodesvc.api.observe.finished_requests import handler_args, logging_to
from barcodesvc.api.observe.loop_lag import lag_watched
from barcodesvc.api.observe.measures import Measures
from barcodesvc.api.observe.metrics_registry import MetricsRegistry
from barcodesvc.api.observe.tally import Tally
from barcodesvc.clock import Clock
from barcodesvc.config import Settings


class Seeing:
    """What watches one application; `routes` names the route of each handler."""

    def __init__(self, settings: Settings, clock: Clock, routes: Mapping[Handler, str]) -> None:
        self.tally = Tally(routes)
        self._clock = clock
        self._has_metrics = settings.metrics
        self._access_log = AccessLog(STANDARD_OUTPUT, clock.wall) if settings.access_log else None

    @property
    def handler_args(self) -> dict[str, Any]:
        """What the application passes to aiohttp's server."""
        if self._access_log is None:
            return {"access_log": None}
        return handler_args(logging_to(self._access_log, self.tally, self._clock))

    def attach(self, app: web.Application) -> None:
        """Watch the application from its start to its end; it must have its clock."""
        app[TALLY] = self.tally
        if self._access_log:
            app[ACCESS_LOG] = self._access_log
            app.cleanup_ctx.append(_access_log)
        if self._has_metrics:
            app.cleanup_ctx.append(_metrics)


async def _access_log(app: web.Application) -> AsyncIterator[None]:
    async with app[ACCESS_LOG].opened():
        yield


async def _metrics(app: web.Application) -> AsyncIterator[None]:
    app[METRICS] = MetricsRegistry(Measures(app))
    async with lag_watched(app[TALLY].lag, app[CLOCK].steady):
        yield
