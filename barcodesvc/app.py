"""The application on one screen: what it holds, in which order it is opened and closed, and what wraps a request."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from functools import partial
from pathlib import Path

import aiohttp_cors
from aiohttp import web
from limits import RateLimitItem, parse as parse_rate

from barcodesvc.api import keys
from barcodesvc.api.guard.admission import ADMISSION, Admission
from barcodesvc.api.guard.api_key import api_key_guard, is_open
from barcodesvc.api.guard.foreign_pages import ForeignPages
from barcodesvc.api.guard.page_session import PAGE_SESSIONS, PageSessions
from barcodesvc.api.guard.rate_limit import AppliedLimits, RateLimiter, rate_limit_guard, waiting_rate_limit_guard
from barcodesvc.api.guard.request_heads import require_plain_head
from barcodesvc.api.guard.safe_headers import EXPOSED_HEADERS, vary_by_origin
from barcodesvc.api.guard.session_cookie import SESSION
from barcodesvc.api.guard.shared_limits import SharedLimiter
from barcodesvc.api.observe.metrics import METRICS, Metrics
from barcodesvc.api.observe.observability import Observability
from barcodesvc.api.requests import end_arrivals, meet_expectation
from barcodesvc.api.resources.application_state import show_state
from barcodesvc.api.resources.code_json import RENDERER, render_json
from barcodesvc.api.resources.imports import finish_imports
from barcodesvc.api.resources.page_files import PAGE, load_page
from barcodesvc.api.resources.scan_answers import SCAN_ANSWERS, ScanAnswers
from barcodesvc.api.route import Route
from barcodesvc.api.routes import IMPORT_PATH, METRICS_PATH, PAGE_ROUTES, ROUTES
from barcodesvc.clock import Clock
from barcodesvc.config import Settings
from barcodesvc.errors import DatabaseFailure, DatabaseOverload, RenderOverload, StartError, UploadOverload
from barcodesvc.labels.print_queue import PrintQueues
from barcodesvc.render.renderer import Renderer
from barcodesvc.runtime.capacity import Capacity
from barcodesvc.runtime.processes import WorkerProcesses
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.scanning.images import ImageReader
from barcodesvc.scanning.resolver import Resolver
from barcodesvc.store.bounds import Bounds
from barcodesvc.store.engines import open_database
from barcodesvc.store.product_search import catch_up

_PAGE_UPLOAD_RATE_LIMIT = parse_rate("60/15 minutes")
"""Imports per client address with a session of the page: more than anybody drops in by hand, so it is no setting."""
_BODY_THREADS = 4
"""Threads that parse large bodies and weigh large answers: each a matter of milliseconds."""

PAGE_FOLDER = Path(__file__).parent / "page"


def make_app(settings: Settings, clock: Clock | None = None, page_folder: Path = PAGE_FOLDER) -> web.Application:
    """Build the application; nothing but the page and the font of labels is opened before it is started.

    Raises StartError where one of these cannot be used.
    """
    clock = clock or Clock()
    routes = tuple(route for route in ROUTES if settings.metrics or route.path != METRICS_PATH)
    served = (*routes, *PAGE_ROUTES)
    observability = Observability(settings, clock, {route.handler: route.path for route in served})
    app = web.Application(handler_args=observability.handler_args, client_max_size=settings.max_json_bytes)
    app[keys.SETTINGS] = settings
    app[keys.CLOCK] = clock
    foreign_pages = ForeignPages(settings)
    sessions = app[PAGE_SESSIONS] = PageSessions(settings, clock, foreign_pages.is_own)
    app[keys.GUARDS] = (sessions.note, *_guards(app, observability.metrics), require_plain_head, foreign_pages.refuse)
    app.on_startup.append(foreign_pages.find_own_address)
    app[keys.STARTED] = clock.steady()
    app[keys.UPLOAD_CAPACITY] = Capacity(settings.max_concurrent_uploads, _too_many_uploads)
    app[keys.WORKER_PROCESSES] = WorkerProcesses()
    app[keys.IMPORTS] = set()
    app[keys.ARRIVING] = set()
    app[keys.FAILURES] = {route.handler: route.failure for route in served}
    app[PAGE] = load_page(page_folder)
    app[ADMISSION] = Admission(settings.max_requests)
    app[keys.LARGE_BODIES] = Capacity(settings.max_arriving_bytes, _too_many_bodies)
    app[keys.API_DOCUMENT] = partial(_api_document, routes, settings)
    app.on_shutdown.extend((end_arrivals, _end_processes))
    _require_font(settings)
    app.cleanup_ctx.extend((_database, _file_threads, _body_threads, finish_imports))
    app.cleanup_ctx.extend((_renderer, _image_reader, _printer))
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


def _too_many_uploads() -> UploadOverload:
    return UploadOverload("as many uploads as may run at once are under way; try again in a moment", retry_after=5)


def _too_many_bodies() -> RenderOverload:
    return RenderOverload("too many large bodies are arriving; try again in a moment", retry_after=2)


def _guards(app: web.Application, metrics: Metrics) -> list[keys.Guard]:
    """Return what stands before the rules for heads: all that those refuse counts, and needs the key."""
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

    async def opened(_: web.Application) -> AsyncIterator[None]:
        async with shared.opened():
            yield

    app.cleanup_ctx.append(opened)
    return waiting_rate_limit_guard(shared, applied)


def _limits(settings: Settings) -> Callable[[web.Request], dict[str, RateLimitItem]]:
    """Return what names the limits of a request: none outside /api, one on all, beside it the one on uploads.

    Those of the page stand in their place for who has a session; they are counted apart, and off where those are.
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
    from barcodesvc.api.openapi.document import API_KEY_LOCK, document_bytes  # noqa: PLC0415 - loaded at its first use

    return document_bytes(routes, API_KEY_LOCK if settings.api_key else None)


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
    bounds = Bounds(
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
        bounds=bounds,
        clock=app[keys.CLOCK],
    ) as database:
        app[keys.DATABASE] = database
        await _open_sessions(app)
        catch_up(database)
        app[keys.RESOLVER] = Resolver(database, app[keys.CLOCK])
        app[SCAN_ANSWERS] = ScanAnswers(database, app[keys.CLOCK])
        async with app[PAGE_SESSIONS].followed(database):
            yield


async def _open_sessions(app: web.Application) -> None:
    try:
        await app[PAGE_SESSIONS].open(app[keys.DATABASE])
    except (DatabaseFailure, DatabaseOverload) as error:
        raise StartError("the sessions of the page cannot be read from the database; the log says why") from error


async def _file_threads(app: web.Application) -> AsyncIterator[None]:
    settings = app[keys.SETTINGS]
    threads = WorkerThreads("files", settings.max_concurrent_uploads + 1)
    app[keys.FILE_THREADS] = threads
    yield
    await threads.close()


async def _body_threads(app: web.Application) -> AsyncIterator[None]:
    threads = app[keys.BODY_THREADS] = WorkerThreads("bodies", _BODY_THREADS)
    yield
    await threads.close()


async def _renderer(app: web.Application) -> AsyncIterator[None]:
    settings = app[keys.SETTINGS]
    renderer = app[RENDERER] = Renderer(
        render_json,
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


async def _printer(app: web.Application) -> AsyncIterator[None]:
    settings = app[keys.SETTINGS]
    printer = app[keys.PRINTER] = PrintQueues(settings.label_font, settings.print_queue)
    yield
    await printer.close()
