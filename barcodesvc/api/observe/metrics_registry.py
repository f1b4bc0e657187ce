"""The metrics of one application as text, in the format of Prometheus or in OpenMetrics.

What is asked for every few seconds must hold nobody up: the text is made in a thread, of numbers that lie ready, one
scrape at a time. Each application has a registry of its own, so that a process may have several.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest as as_text
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST, generate_latest as as_openmetrics
from prometheus_client.registry import Collector

OPENMETRICS = CONTENT_TYPE_LATEST
PLAIN = CONTENT_TYPE_PLAIN_0_0_4
_WRITERS: Mapping[str, Callable[[CollectorRegistry], bytes]] = {OPENMETRICS: as_openmetrics, PLAIN: as_text}


class MetricsRegistry:
    """What a collector gives, and the figures of the process: memory, processor time, file descriptors, start."""

    def __init__(self, collector: Collector) -> None:
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(collector)
        ProcessCollector(registry=self._registry)
        self._scraping = asyncio.Lock()

    async def text(self, content_type: str) -> bytes:
        """Return all metrics in the format of this content type, OPENMETRICS or PLAIN."""
        async with self._scraping:
            return await asyncio.to_thread(_WRITERS[content_type], self._registry)
