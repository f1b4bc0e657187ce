"""The keys under which the application and its requests keep what handlers need; the only shared state there is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from aiohttp import HttpVersion, StreamReader, web
from aiohttp.typedefs import Handler

from barcodesvc.api.guard.admission import Traffic
from barcodesvc.api.observe.access_log import AccessLog
from barcodesvc.api.observe.metrics import Metrics
from barcodesvc.api.resources.code_json import CodeJson
from barcodesvc.api.resources.scan_answers import ScanAnswers
from barcodesvc.clock import Clock
from barcodesvc.config import Settings
from barcodesvc.errors import ServiceError
from barcodesvc.labels.print_queue import PrintQueues
from barcodesvc.render.renderer import Renderer
from barcodesvc.runtime.capacity import Capacity
from barcodesvc.runtime.processes import WorkerProcesses
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.scanning.images import ImageReader
from barcodesvc.scanning.resolver import Resolver
from barcodesvc.store.database import Database

SETTINGS = web.AppKey("settings", Settings)
CLOCK = web.AppKey("clock", Clock)
METRICS = web.AppKey("metrics", Metrics)
GUARDS = web.AppKey("guards", tuple[Callable[[web.Request], None], ...])
"""What a request passes before it is routed, in this order; each raises a ServiceError for what it refuses."""
FAILURES = web.AppKey("failures", dict[Handler, type[ServiceError]])
"""What an unforeseen exception of each handler becomes."""
ACCESS_LOG = web.AppKey("access_log", AccessLog)
STARTED = web.AppKey("started", float)
DATABASE: web.AppKey[Database] = web.AppKey("database")
RESOLVER = web.AppKey("resolver", Resolver)
SCAN_ANSWERS = web.AppKey("scan_answers", ScanAnswers)
RENDERER: web.AppKey[Renderer[CodeJson]] = web.AppKey("renderer")
PRINTER = web.AppKey("printer", PrintQueues)
IMAGE_READER = web.AppKey("image_reader", ImageReader)
FILE_THREADS = web.AppKey("file_threads", WorkerThreads)
BODY_THREADS = web.AppKey("body_threads", WorkerThreads)
WORKER_PROCESSES = web.AppKey("worker_processes", WorkerProcesses)
UPLOAD_CAPACITY = web.AppKey("upload_capacity", Capacity)
IMPORTS = web.AppKey("imports", set[asyncio.Task[Any]])
"""Imports under way, whether their clients still wait or not."""
TRAFFIC = web.AppKey("traffic", Traffic)
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
CLIENT = web.RequestKey("client", str)
"""The address of the client, where a trusted proxy may name it; see `client_address.client_of`."""
