"""The keys under which the application and its requests keep what handlers need; the only shared state there is."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from aiohttp import StreamReader, web

from barcodesvc.clock import Clock
from barcodesvc.config import Settings
from barcodesvc.printing import LabelPrinter
from barcodesvc.render.renderer import Renderer
from barcodesvc.store.database import Database

SETTINGS = web.AppKey("settings", Settings)
CLOCK = web.AppKey("clock", Clock)
STARTED = web.AppKey("started", float)
DATABASE = web.AppKey("database", Database)
RENDERER = web.AppKey("renderer", Renderer)
PRINTER = web.AppKey("printer", LabelPrinter)
FILE_THREADS = web.AppKey("file_threads", ThreadPoolExecutor)
UPLOAD_PLACES = web.AppKey("upload_places", asyncio.Semaphore)
ARRIVING = web.AppKey("arriving", set[StreamReader])
"""Bodies that are being waited for; see `requests.end_arrivals`."""

ANSWER_HEADERS = web.RequestKey("answer_headers", dict[str, str])
"""Headers that every answer to this request carries, failures and streams included."""
