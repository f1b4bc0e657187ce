"""aiohttp's application and request keys: handlers share state through these only.

Rule: a key whose value has a type of `api/` is defined next to that type, such as `METRICS` in `observe.metrics`.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Protocol

from aiohttp import StreamReader, web
from aiohttp.typedefs import Handler

from barcodesvc.config import Settings
from barcodesvc.errors import ServiceError
from barcodesvc.service import Service

SERVICE = web.AppKey("service", Service)
"""There from startup to cleanup."""
SETTINGS = web.AppKey("settings", Settings)
"""The settings, before startup too."""
Guard = Callable[[web.Request], Awaitable[None] | None]
GUARDS = web.AppKey("guards", tuple[Guard, ...])
"""Checks that a request passes before it is routed, in this order; each raises a ServiceError to refuse the request,
when it is called or when its result is awaited."""


class ServedRoute(Protocol):
    """What a request asks of its route."""

    @property
    def failure(self) -> type[ServiceError]:
        """The error that an unforeseen exception becomes."""

    @property
    def most_bytes(self) -> int:
        """The limit on the JSON body in bytes."""


SERVED: web.AppKey[Mapping[Handler, ServedRoute]] = web.AppKey("served")
"""The routes of all handlers."""
ARRIVING = web.AppKey("arriving", set[StreamReader])
"""Bodies that handlers are waiting for; see `bodies.end_arrivals`."""

API_DOCUMENT = web.AppKey("api_document", partial[bytes])
"""Returns the body of `GET /api/openapi.json`, built at the first call."""

RESPONSE_HEADERS = web.RequestKey("response_headers", dict[str, str])
"""Headers of every response to this request, including errors and streams."""
