"""aiohttp's application and request keys: handlers share state through these only.

Rule: a key whose value has a type of `api/` is defined next to that type, such as `METRICS` in `observe.metrics`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from aiohttp import HttpVersion, StreamReader, web
from aiohttp.typedefs import Handler

from barcodesvc.catalogue.exporting import Exporter
from barcodesvc.clock import Clock
from barcodesvc.config import Settings
from barcodesvc.errors import ServiceError
from barcodesvc.labels.label_data import LabelSource
from barcodesvc.labels.sheet_queue import SheetQueue
from barcodesvc.render.renderer import Renderer
from barcodesvc.runtime.client_capacity import ClientCapacity
from barcodesvc.runtime.processes import WorkerProcesses
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.scanning.images import ImageReader
from barcodesvc.scanning.resolver import Resolver
from barcodesvc.scanning.scan_cache import ScanCache
from barcodesvc.store.database import Database

SETTINGS = web.AppKey("settings", Settings)
CLOCK = web.AppKey("clock", Clock)
Guard = Callable[[web.Request], Awaitable[None] | None]
GUARDS = web.AppKey("guards", tuple[Guard, ...])
"""Checks that a request passes before it is routed, in this order; each raises a ServiceError to refuse the request,
when it is called or when its result is awaited."""
BODY_BYTES = web.AppKey("body_bytes", dict[Handler, int])
"""The limit on the JSON body of each handler, in bytes."""
FAILURES = web.AppKey("failures", dict[Handler, type[ServiceError]])
"""The error that an unforeseen exception of each handler becomes."""
STARTED = web.AppKey("started", float)
DATABASE: web.AppKey[Database] = web.AppKey("database")
RESOLVER = web.AppKey("resolver", Resolver)
SCAN_CACHE = web.AppKey("scan_cache", ScanCache)
RENDERER = web.AppKey("renderer", Renderer)
LABEL_SOURCE = web.AppKey("label_source", LabelSource)
SHEET_QUEUE = web.AppKey("sheet_queue", SheetQueue)
IMAGE_READER = web.AppKey("image_reader", ImageReader)
FILE_THREADS = web.AppKey("file_threads", WorkerThreads)
IMPORT_THREADS = web.AppKey("import_threads", WorkerThreads)
"""An import holds one for as long as its workbook is read; exports and uploads use FILE_THREADS."""
EXPORTER = web.AppKey("exporter", Exporter)
BODY_THREAD = web.AppKey("body_thread", WorkerThreads)
BODY_LOCK = web.AppKey("body_lock", asyncio.Lock)
"""Held by the work on one large body, and for the rest of the thread after it; see `requests.in_body_thread`."""
WORKER_PROCESSES = web.AppKey("worker_processes", WorkerProcesses)
UPLOAD_CAPACITY = web.AppKey("upload_capacity", ClientCapacity)
UPLOAD_BYTES = web.AppKey("upload_bytes", ClientCapacity)
"""Disk space for uploads, from their arrival until they have been imported."""
IMPORTS = web.AppKey("imports", set[asyncio.Task[Any]])
"""Imports under way, including those whose clients have disconnected."""
LARGE_BODIES = web.AppKey("large_bodies", ClientCapacity)
"""Memory for large JSON bodies, from their arrival until they have been read."""
ARRIVING = web.AppKey("arriving", set[StreamReader])
"""Bodies that handlers are waiting for; see `requests.end_arrivals`."""

API_DOCUMENT = web.AppKey("api_document", partial[bytes])
"""Returns the body of `GET /api/openapi.json`, built at the first call."""

RESPONSE_HEADERS = web.RequestKey("response_headers", dict[str, str])
"""Headers of every response to this request, including errors and streams."""
OTHER_VERSION = web.RequestKey("other_version", HttpVersion)
"""The version of a request that is neither HTTP/1.0 nor HTTP/1.1; its response is HTTP/1.0."""
