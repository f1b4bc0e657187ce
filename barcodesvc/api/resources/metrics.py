"""The handler of /metrics: everything that the service counts, for Prometheus and what speaks like it; no envelope."""

from __future__ import annotations

from aiohttp import web

from barcodesvc.api.observe.metrics import METRICS, OPENMETRICS, PLAIN

_OPENMETRICS_TYPE = OPENMETRICS.partition(";")[0]


async def metrics(request: web.Request) -> web.Response:
    """GET /metrics: OpenMetrics 1.0.0 to whoever names it in Accept, else the text format 0.0.4.

    Query parameters are let pass: scrapers send some of their own.
    """
    accepted = ",".join(request.headers.getall("Accept", ())).lower()
    content_type = OPENMETRICS if _OPENMETRICS_TYPE in accepted else PLAIN
    return web.Response(body=await request.app[METRICS].text(content_type), headers={"Content-Type": content_type})
