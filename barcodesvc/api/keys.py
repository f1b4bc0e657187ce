"""The keys under which the application and its requests keep what handlers need; the only shared state there is.

Rule: what is of a type of `api/` itself has its key beside that type, such as `METRICS` in `observe.metrics`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from aiohttp import HttpVersion, StreamReader, web
from aiohttp.typedefs import Handler

from barcodesvc.clock import Clock
from barcodesvc.config import Settings
from barcodesvc.errors import ServiceError
from barcodesvc.labels.print_queue import PrintQueues
from barcodesvc.runtime.capacity import Capacity
from barcodesvc.runtime.processes import WorkerProcesses
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.scanning.images import ImageReader
from barcodesvc.scanning.resolver import Resolver
from barcodesvc.store.database import Database

SETTINGS = web.AppKey("settings", Settings)
CLOCK = web.AppKey("clock", Clock)
Guard = Callable[[web.Request], Awaitable[None] | None]
GUARDS = web.AppKey("guards", tuple[Guard, ...])
"""What a request passes before it is routed, in this order; each raises a ServiceError for what it refuses, at once or
when what it returns is awaited."""
FAILURES = web.AppKey("failures", dict[Handler, type[ServiceError]])
"""What an unforeseen exception of each handler becomes."""
STARTED = web.AppKey("started", float)
DATABASE: web.AppKey[Database] = web.AppKey("database")
RESOLVER = web.AppKey("resolver", Resolver)
PRINTER = web.AppKey("printer", PrintQueues)
IMAGE_READER = web.AppKey("image_reader", ImageReader)
FILE_THREADS = web.AppKey("file_threads", WorkerThreads)
BODY_THREADS = web.AppKey("body_threads", WorkerThreads)
WORKER_PROCESSES = web.AppKey("worker_processes", WorkerProcesses)
UPLOAD_CAPACITY = web.AppKey("upload_capacity", Capacity)
IMPORTS = web.AppKey("imports", set[asyncio.Task[Any]])
"""Imports under way, whether their clients still wait or not."""
LARGE_BODIES = web.AppKey("large_bodies", Capacity)
"""Room for large JSON bodies, from their arrival until they have been read."""
ARRIVING = web.AppKey("arriving", set[StreamReader])
"""Bodies that are being waited for; see `requests.end_arrivals`."""

API_DOCUMENT = web.AppKey("api_document", partial[bytes])
"""Makes, at the first call, what `GET /api/openapi.json` answers."""

ANSWER_HEADERS = web.RequestKey("answer_headers", dict[str, str])
"""Headers that every answer to this request carries, failures and streams included."""
OTHER_VERSION = web.RequestKey("other_version", HttpVersion)
"""The version of a request that is neither HTTP/1.0 nor HTTP/1.1, and is answered in HTTP/1.0."""
