"""Application factory: what the application contains, the order of startup and cleanup, and the guards of requests."""

import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import aiohttp_cors
from aiohttp import web

from barcodesvc.api import keys
from barcodesvc.api.bodies import end_arrivals, meet_expectation
from barcodesvc.api.endpoint import Route
from barcodesvc.api.guard.admission import ADMISSION, Admission
from barcodesvc.api.guard.api_key import api_key_guard
from barcodesvc.api.guard.cross_site import ForeignPages, NamesOfService
from barcodesvc.api.guard.headers import EXPOSED_HEADERS, require_plain_head, vary_by_origin
from barcodesvc.api.guard.rate_limit import RATE_LIMITS, RateLimits
from barcodesvc.api.guard.sessions import SESSIONS, Sessions
from barcodesvc.api.observe.access_log import ACCESS_LOG, STANDARD_OUTPUT, AccessLog, handler_args
from barcodesvc.api.observe.metrics import METRICS, Metrics
from barcodesvc.api.resources.catalogue_copy import CATALOGUE_COPIES, CatalogueCopies
from barcodesvc.api.resources.health import state
from barcodesvc.api.resources.page_files import PAGE, PAGE_FOLDER, load_page
from barcodesvc.api.resources.scan_cache import SCAN_CACHE, ScanCache
from barcodesvc.api.routes import IMPORT_PATH, METRICS_PATH, PAGE_ROUTES, ROUTES
from barcodesvc.clock import Clock
from barcodesvc.config import Settings
from barcodesvc.service import open_service

_LOG = logging.getLogger(__name__)


def make_app(settings: Settings, clock: Clock | None = None, page_folder: Path = PAGE_FOLDER) -> web.Application:
    """Build the application; before startup it opens only the page.

    Raises StartError if it cannot be used. So does the startup, for what else cannot be opened.
    """
    clock = clock or Clock()
    routes = tuple(route for route in ROUTES if settings.metrics or route.path != METRICS_PATH)
    served = (*routes, *PAGE_ROUTES)
    metrics = Metrics({route.serve: route.path for route in served})
    app = _application(settings, clock, metrics)
    app[METRICS] = metrics
    app[keys.SETTINGS] = settings
    app[keys.GUARDS] = _guards(app, clock)
    app[keys.ARRIVING] = set()
    app[keys.SERVED] = {route.serve: route for route in served}
    app[keys.API_DOCUMENT] = partial(_api_document, routes, settings)
    app[PAGE] = load_page(page_folder)
    if problem := app[PAGE].problem:
        _LOG.warning("%s; the API works without it", problem)
    app[ADMISSION] = Admission(settings.max_requests)
    app.on_shutdown.extend((end_arrivals, _end_processes))
    app.cleanup_ctx.append(partial(_running, clock))
    _add_routes(app, routes)
    _open_to_origins(app, settings)
    _add_routes(app, PAGE_ROUTES)
    return app


def _application(settings: Settings, clock: Clock, metrics: Metrics) -> web.Application:
    """Return an empty application, with the access log if the settings ask for it."""
    log = AccessLog(STANDARD_OUTPUT, clock.wall) if settings.access_log else None
    hook = handler_args(log, clock, metrics.route_of) if log else {"access_log": None}
    app = web.Application(handler_args=hook, client_max_size=settings.max_json_bytes)
    if log:
        app[ACCESS_LOG] = log
    return app


async def _running(clock: Clock, app: web.Application) -> AsyncIterator[None]:
    settings, metrics = app[keys.SETTINGS], app[METRICS]
    async with AsyncExitStack() as stack:
        service = app[keys.SERVICE] = await open_service(stack, settings, clock, metrics)
        app[SCAN_CACHE] = ScanCache(service.database, clock)
        app[CATALOGUE_COPIES] = CatalogueCopies(service.database, service.file_threads)
        await app[SESSIONS].open(service.database)
        if RATE_LIMITS in app:
            stack.push_async_callback(app[RATE_LIMITS].close)
        if ACCESS_LOG in app:
            await stack.enter_async_context(app[ACCESS_LOG].opened())
        if settings.metrics:
            metrics.show(partial(state, app))
            await stack.enter_async_context(metrics.measuring_lag(clock.steady))
        yield


async def _end_processes(app: web.Application) -> None:
    app[keys.SERVICE].worker_processes.end()


def _add_routes(app: web.Application, routes: Iterable[Route]) -> None:
    for route in routes:
        for method in route.methods:
            app.router.add_route(method, route.pattern, route.serve, expect_handler=meet_expectation)


def _guards(app: web.Application, clock: Clock) -> tuple[keys.Guard, ...]:
    """Return the guards in their order: requests with an invalid head count, and need a key, like others."""
    settings = app[keys.SETTINGS]
    foreign_pages, names = ForeignPages(settings), NamesOfService(settings)
    app.on_startup.append(names.log)
    sessions = app[SESSIONS] = Sessions(settings, clock, foreign_pages.is_own)
    guards: list[keys.Guard] = [sessions.note]
    if settings.rate_limit or settings.upload_rate_limit:
        limits = app[RATE_LIMITS] = RateLimits(settings, clock, app[METRICS], IMPORT_PATH)
        guards.append(limits.count)
    if settings.api_key:
        guards.append(api_key_guard(settings.api_key))
    return (*guards, require_plain_head, names.refuse_others, foreign_pages.refuse)


def _api_document(routes: tuple[Route, ...], settings: Settings) -> bytes:
    from barcodesvc.api.openapi.document import KEY_OPTIONAL, KEY_REQUIRED, document_bytes  # noqa: PLC0415 - loaded at its first use

    return document_bytes(routes, KEY_REQUIRED if settings.api_key else KEY_OPTIONAL)


def _open_to_origins(app: web.Application, settings: Settings) -> None:
    if not settings.cors_origins:
        return
    app.on_response_prepare.append(vary_by_origin)
    options = aiohttp_cors.ResourceOptions(
        allow_headers="*", allow_methods="*", expose_headers=EXPOSED_HEADERS, max_age=600
    )
    cors = aiohttp_cors.setup(app, defaults=dict.fromkeys(settings.cors_origins, options))
    for route in list(app.router.routes()):
        cors.add(route)
