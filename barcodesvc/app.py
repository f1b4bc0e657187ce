"""Application factory: what the application contains, the order of startup and cleanup, and the guards of requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import timedelta
from functools import partial
from pathlib import Path
from weakref import WeakValueDictionary

import aiohttp_cors
from aiohttp import web
from limits import RateLimitItem, parse as parse_rate

from barcodesvc.amounts import AmountFormat
from barcodesvc.api import keys
from barcodesvc.api.guard.admission import ADMISSION, Admission
from barcodesvc.api.guard.api_key import api_key_guard, is_open
from barcodesvc.api.guard.cross_site import ForeignPages, NamesOfService
from barcodesvc.api.guard.page_session import PAGE_SESSIONS, PageSessions
from barcodesvc.api.guard.rate_limit import AppliedLimits, RateLimiter, rate_limit_guard
from barcodesvc.api.guard.request_heads import require_plain_head
from barcodesvc.api.guard.safe_headers import EXPOSED_HEADERS, vary_by_origin
from barcodesvc.api.guard.session_cookie import SESSION
from barcodesvc.api.guard.shared_limits import SharedLimiter, waiting_rate_limit_guard
from barcodesvc.api.observe.metrics import METRICS, Metrics
from barcodesvc.api.observe.observability import Observability
from barcodesvc.api.requests import end_arrivals, meet_expectation
from barcodesvc.api.resources.application_state import show_state
from barcodesvc.api.resources.code_batch import BATCH_LOCKS
from barcodesvc.api.resources.imports import finish_imports
from barcodesvc.api.resources.page_files import PAGE, load_page
from barcodesvc.api.resources.printers import add_printers
from barcodesvc.api.route import Route
from barcodesvc.api.routes import IMPORT_PATH, METRICS_PATH, PAGE_ROUTES, ROUTES
from barcodesvc.catalogue.exporting import Exporter
from barcodesvc.clock import Clock
from barcodesvc.config import Settings
from barcodesvc.errors import (
    DatabaseFailure,
    DatabaseOverload,
    ExportOverload,
    RenderOverload,
    StartError,
    UploadOverload,
)
from barcodesvc.labels.label_data import LabelSource
from barcodesvc.labels.sheet_queue import SheetQueue
from barcodesvc.render.renderer import Renderer
from barcodesvc.runtime.client_capacity import ClientCapacity
from barcodesvc.runtime.processes import WorkerProcesses
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.scanning.images import ImageReader
from barcodesvc.scanning.resolver import Resolver
from barcodesvc.scanning.scan_cache import ScanCache
from barcodesvc.store.engines import open_database
from barcodesvc.store.idempotency import housekeeping
from barcodesvc.store.limits import DatabaseLimits

_PAGE_UPLOAD_RATE_LIMIT = parse_rate("60/15 minutes")
"""Imports per client address with a page session: more than a user can drop in by hand, so it is not a setting."""
PAGE_FOLDER = Path(__file__).parent / "page"


def make_app(settings: Settings, clock: Clock | None = None, page_folder: Path = PAGE_FOLDER) -> web.Application:
    """Build the application; before startup it opens only the page and the label font.

    Raises StartError if one of these cannot be used.
    """
    clock = clock or Clock()
    routes = tuple(route for route in ROUTES if settings.metrics or route.path != METRICS_PATH)
    served = (*routes, *PAGE_ROUTES)
    observability = Observability(settings, clock, {route.handler: route.path for route in served})
    app = web.Application(handler_args=observability.handler_args, client_max_size=settings.max_json_bytes)
    app[keys.SETTINGS] = settings
    app[keys.CLOCK] = clock
    foreign_pages, names = ForeignPages(settings), NamesOfService(settings)
    sessions = app[PAGE_SESSIONS] = PageSessions(settings, clock, foreign_pages.is_own)
    guards = _guards(app, observability.metrics)
    app[keys.GUARDS] = (sessions.note, *guards, require_plain_head, names.refuse_others, foreign_pages.refuse)
    app.on_startup.append(names.log)
    app[keys.STARTED] = clock.steady()
    app[keys.UPLOAD_CAPACITY] = ClientCapacity(
        settings.max_concurrent_uploads, partial(_too_many_uploads, observability.metrics)
    )
    app[keys.UPLOAD_BYTES] = ClientCapacity(_most_upload_bytes(settings), _too_many_upload_bytes)
    app[keys.WORKER_PROCESSES] = WorkerProcesses()
    app[keys.IMPORTS] = set()
    app[keys.ARRIVING] = set()
    app[BATCH_LOCKS] = WeakValueDictionary()
    app[keys.BODY_BYTES] = {route.handler: min(route.most_bytes, settings.max_json_bytes) for route in served}
    app[keys.FAILURES] = {route.handler: route.failure for route in served}
    app[PAGE] = load_page(page_folder)
    app[ADMISSION] = Admission(settings.max_requests)
    app[keys.LARGE_BODIES] = ClientCapacity(settings.max_arriving_bytes, _too_many_bodies)
    app[keys.API_DOCUMENT] = partial(_api_document, routes, settings)
    app.on_shutdown.extend((end_arrivals, _end_processes))
    _require_font(settings)
    app.cleanup_ctx.extend((_database, _file_threads, _body_thread, finish_imports))
    app.cleanup_ctx.extend((_renderer, _image_reader, _sheet_queue))
    if settings.printers:
        add_printers(app)
    observability.attach(app)
    if settings.metrics:
        app.on_startup.append(show_state)
    _add_routes(app, routes)
    _open_to_origins(app, settings)
    _add_routes(app, PAGE_ROUTES)
    return app


def _add_routes(app: web.Application, routes: Iterable[Route]) -> None:
    for route in routes:
        for method in route.methods:
            app.router.add_route(method, route.pattern, route.handler, expect_handler=meet_expectation)


def _most_upload_bytes(settings: Settings) -> int:
    """Return the limit on the bytes of all arriving uploads, which is large enough for one of the largest size."""
    return max(settings.max_arriving_bytes, settings.max_upload_bytes)


def _too_many_uploads(metrics: Metrics) -> UploadOverload:
    metrics.rate_limited(["concurrent_uploads"])
    return UploadOverload("too many uploads are in progress; try again in a moment", retry_after=5)


def _too_many_upload_bytes() -> UploadOverload:
    return UploadOverload("too many bytes of uploads are in progress; try again in a moment", retry_after=5)


def _too_many_exports() -> ExportOverload:
    return ExportOverload("too many exports and full lists are in progress; try again in a moment", retry_after=5)


def _too_many_bodies() -> RenderOverload:
    return RenderOverload("too many large bodies are arriving; try again in a moment", retry_after=2)


def _guards(app: web.Application, metrics: Metrics) -> list[keys.Guard]:
    """Return the guards that run before header validation, so that invalid requests count and need a key as well."""
    settings = app[keys.SETTINGS]
    guards: list[keys.Guard] = []
    if settings.rate_limit or settings.upload_rate_limit:
        guards.append(_limiting(app, metrics))
    if settings.api_key:
        guards.append(api_key_guard(settings.api_key))
    return guards


def _limiting(app: web.Application, metrics: Metrics) -> keys.Guard:
    settings = app[keys.SETTINGS]
    own = RateLimiter(app[keys.CLOCK].steady)
    applied = AppliedLimits(_limits(settings), settings.rate_limit_exempt, metrics)
    if settings.rate_limit_store is None:
        return rate_limit_guard(own, applied)
    shared = SharedLimiter(settings.rate_limit_store, own, metrics.rate_limit_store_away)
    app.on_cleanup.append(shared.close)
    return waiting_rate_limit_guard(shared, applied)


def _limits(settings: Settings) -> Callable[[web.Request], dict[str, RateLimitItem]]:
    """Return a function for the limits of a request: none outside /api, one for all, a further one for imports.

    Requests with a page session have the page's limits instead, which are counted separately, and are off if the
    corresponding general limit is off.
    """
    general = _set_ones(requests=settings.rate_limit)
    uploading = general | _set_ones(uploads=settings.upload_rate_limit)
    of_page = _set_ones(page_requests=settings.rate_limit and settings.page_rate_limit)
    uploading_of_page = of_page | _set_ones(page_uploads=settings.upload_rate_limit and _PAGE_UPLOAD_RATE_LIMIT)

    def applying(request: web.Request) -> dict[str, RateLimitItem]:
        if is_open(request.path):
            return {}
        if request.method == "POST" and request.path == IMPORT_PATH:
            return uploading_of_page if request[SESSION] else uploading
        return of_page if request[SESSION] else general

    return applying


def _set_ones(**limits: RateLimitItem | None) -> dict[str, RateLimitItem]:
    return {name: limit for name, limit in limits.items() if limit}


def _api_document(routes: tuple[Route, ...], settings: Settings) -> bytes:
    from barcodesvc.api.openapi.document import API_KEY_SECURITY, document_bytes  # noqa: PLC0415 - loaded at its first use

    return document_bytes(routes, API_KEY_SECURITY if settings.api_key else None)


def _require_font(settings: Settings) -> None:
    if settings.label_font:
        from barcodesvc.labels.text.typefaces import named_face  # noqa: PLC0415 - loaded at its first use

        named_face(settings.label_font)


def _open_to_origins(app: web.Application, settings: Settings) -> None:
    if not settings.cors_origins:
        return
    vary_by_origin(app)
    options = aiohttp_cors.ResourceOptions(
        allow_headers="*", allow_methods="*", expose_headers=EXPOSED_HEADERS, max_age=600
    )
    cors = aiohttp_cors.setup(app, defaults=dict.fromkeys(settings.cors_origins, options))
    for route in list(app.router.routes()):
        cors.add(route)


async def _end_processes(app: web.Application) -> None:
    app[keys.WORKER_PROCESSES].end()


async def _database(app: web.Application) -> AsyncIterator[None]:
    settings = app[keys.SETTINGS]
    limits = DatabaseLimits(
        busy_timeout=settings.busy_timeout,
        statement_timeout=settings.statement_timeout,
        write_wait=settings.write_wait,
        write_queue=settings.write_queue,
        read_queue=settings.read_queue,
        connections=settings.database_connections,
    )
    async with open_database(
        settings.database,
        observe=app[METRICS].query_ran,
        slow_query=settings.slow_query,
        limits=limits,
        clock=app[keys.CLOCK],
    ) as database:
        app[keys.DATABASE] = database
        await _open_sessions(app)
        app[keys.RESOLVER] = Resolver(database, app[keys.CLOCK])
        app[keys.LABEL_SOURCE] = LabelSource(
            database,
            app[keys.CLOCK],
            settings.time_zone,
            settings.digital_link_domain,
            AmountFormat(settings.currency, settings.locale),
        )
        app[keys.SCAN_CACHE] = ScanCache(database, app[keys.CLOCK])
        lifetime = timedelta(days=settings.idempotency_days)
        async with app[PAGE_SESSIONS].followed(database), housekeeping(database, app[keys.CLOCK], lifetime):
            yield


async def _open_sessions(app: web.Application) -> None:
    try:
        await app[PAGE_SESSIONS].open(app[keys.DATABASE])
    except (DatabaseFailure, DatabaseOverload) as error:
        raise StartError("the sessions of the web app cannot be read from the database; the log says why") from error


async def _file_threads(app: web.Application) -> AsyncIterator[None]:
    uploads = app[keys.SETTINGS].max_concurrent_uploads
    files = app[keys.FILE_THREADS] = WorkerThreads("files", uploads + 1)
    imports = app[keys.IMPORT_THREADS] = WorkerThreads("imports", uploads)
    app[keys.EXPORTER] = Exporter(app[keys.DATABASE], files, *_export_room(app[keys.SETTINGS]))
    yield
    await imports.close()
    await files.close()


def _export_room(settings: Settings) -> tuple[ClientCapacity, ClientCapacity]:
    """Return room for files of exports, and for their bytes."""
    numbers = (settings.max_concurrent_exports, settings.max_export_bytes)
    files, most_bytes = (ClientCapacity(number, _too_many_exports) for number in numbers)
    return files, most_bytes


async def _body_thread(app: web.Application) -> AsyncIterator[None]:
    app[keys.BODY_LOCK] = asyncio.Lock()
    thread = app[keys.BODY_THREAD] = WorkerThreads("bodies", 1)
    yield
    await thread.close()


async def _renderer(app: web.Application) -> AsyncIterator[None]:
    settings = app[keys.SETTINGS]
    renderer = app[keys.RENDERER] = Renderer(
        threads=settings.render_threads,
        queue=settings.render_queue,
        cache_bytes=settings.cache_bytes,
        steady=app[keys.CLOCK].steady,
    )
    yield
    await renderer.close()


async def _image_reader(app: web.Application) -> AsyncIterator[None]:
    settings = app[keys.SETTINGS]
    largest = max(settings.max_upload_bytes, settings.max_json_bytes)
    reader = app[keys.IMAGE_READER] = ImageReader(
        settings.image_threads, app[keys.WORKER_PROCESSES], largest, settings.image_queue
    )
    yield
    await reader.close()


async def _sheet_queue(app: web.Application) -> AsyncIterator[None]:
    settings = app[keys.SETTINGS]
    queue = app[keys.SHEET_QUEUE] = SheetQueue(settings.label_font, settings.print_queue)
    yield
    await queue.close()
