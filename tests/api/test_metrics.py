"""Metrics: the form of a scrape, how requests are counted, and what else is."""

import asyncio
import gc
import re
import threading
import weakref
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import pytest
from aiohttp import ClientPayloadError, FormData, web
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

from barcodesvc import service
from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.observe.metrics import BOUNDS, METHODS, OTHER_METHOD, PLAIN, UNKNOWN_ROUTE, Metrics
from barcodesvc.api.routes import ROUTES
from barcodesvc.catalogue.importing import Importer
from barcodesvc.codes.rendering import BarcodeKey, Rendering
from barcodesvc.errors import DatabaseFailure
from barcodesvc.store.sqlite.connection import QUERIES
from tests.api.replies import refused
from tests.api.sockets import raw
from tests.conftest import StandingClock
from tests.fixture_types import Client, ClientMaker
from tests.forms import form_head

OPENMETRICS = "application/openmetrics-text"
CODE = {"product_code": "A-1"}


def samples_in(text: str) -> dict[str, float]:
    """Return the samples of a scrape by name and labels, as it writes them, without the prefix."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return {name.removeprefix("barcodesvc_"): float(value) for name, _, value in (one.rpartition(" ") for one in lines)}


async def samples(client: Client) -> dict[str, float]:
    """Return every sample that a service exposes."""
    return samples_in(await (await client.get("/metrics")).text())


def assert_shown(shown: dict[str, float], expected: dict[str, float]) -> None:
    """Check these samples of a scrape; one that is missing is 0."""
    assert {name: shown.get(name, 0) for name in expected} == expected


async def until_shown(client: Client, name: str, wanted: float) -> None:
    """Wait until a scrape shows this value."""
    async with asyncio.timeout(10):
        while (await samples(client)).get(name) != wanted:  # noqa: ASYNC110 - what is waited for is what a scrape shows
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("accept", "kind", "parse"),
    [
        ("text/plain;version=1.0.0", "text/plain; version=0.0.4; charset=utf-8", parse_text),
        ("text/plain;version=x, */*;q=0.1", "text/plain; version=0.0.4; charset=utf-8", parse_text),
        (f"{OPENMETRICS};version=9;escaping=x", f"{OPENMETRICS}; version=1.0.0; charset=utf-8", parse_openmetrics),
    ],
)
async def test_a_scrape_is_valid_in_either_format(
    shop: Client, accept: str, kind: str, parse: Callable[[str], Any]
) -> None:
    """After traffic of many kinds, the text parses as its content type says, and names keep to the conventions."""
    for path in ("/api/products", "/api/inventory/export?format=csv", "/api/products/x", "/nowhere"):
        await (await shop.get(path)).read()
    await shop.post("/api/codes/barcode", json=CODE)
    response = await shop.get("/metrics", headers={"Accept": accept})
    families = list(parse(await response.text()))
    assert response.headers["Content-Type"] == kind
    assert len(families) > 35
    assert len({family.name for family in families}) == len(families)
    for family in families:
        assert family.documentation
        assert family.name.startswith(("barcodesvc_", "process_"))
        assert not {"ms", "milliseconds", "mb", "kb", "gauge", "counter"} & set(family.name.split("_"))


async def test_durations_fall_into_their_buckets(
    shop: Client, standing_clock: StandingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request of 0.3 s counts in every bucket from 0.5 s up, and its duration in the sum."""

    async def slow() -> bool:
        standing_clock.advance(0.3)
        return True

    monkeypatch.setattr(shop.app[SERVICE].database, "is_well", slow)
    await shop.get("/health")
    shown = await samples(shop)
    counts = [shown[f'request_seconds_bucket{{le="{le}",route="/health"}}'] for le in ("0.25", "0.5", "+Inf")]
    assert counts == [0, 1, 1]
    assert shown['request_seconds_sum{route="/health"}'] == pytest.approx(0.3)


async def test_a_bound_belongs_to_its_bucket() -> None:
    """Bucket bounds are inclusive; larger values have a separate bucket."""
    metrics = Metrics()
    for seconds in (*BOUNDS, 0.0, BOUNDS[-1] + 0.1):
        metrics.loop_was_late(seconds)
    shown = samples_in((await metrics.text(PLAIN)).decode())
    buckets = [count for name, count in shown.items() if name.startswith("event_loop_lag_seconds_bucket")]
    assert buckets == list(range(2, len(BOUNDS) + 3))
    assert shown["event_loop_lag_seconds_sum"] == pytest.approx(sum(BOUNDS) + BOUNDS[-1] + 0.1)


async def test_clients_make_no_series(client: Client) -> None:
    """Paths, methods and codes of all kinds add no label values."""
    for number in range(30):
        await client.get(f"/nowhere/{number}")
        await client.request(f"METHOD{number}", "/api/products")
        await client.get(f"/api/products/{number}")
        await client.get(f"/api/codes/barcode/X-{number}.svg")
        await raw(client, b"M%d / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" % number)
    shown = await samples(client)
    found = {label: set(re.findall(rf'{label}="([^"]*)"', "\n".join(shown))) for label in ("route", "method", "query")}
    assert found["route"] <= {route.path for route in ROUTES} | {UNKNOWN_ROUTE}
    assert found["method"] <= METHODS | {OTHER_METHOD}
    assert found["query"] <= set(QUERIES)
    assert len([name for name in shown if name.startswith("requests_total")]) < 10


async def test_every_one_of_many_requests_is_counted() -> None:
    """Requests that are counted in batches are all present at a scrape, once."""
    handler = Nowhere()
    metrics = Metrics({handler: "/somewhere"})
    for _ in range(1000):
        metrics.request_ended(handler, "GET", 200, 0.25)
    for _ in range(2):
        shown = samples_in((await metrics.text(PLAIN)).decode())
        assert shown['requests_total{method="GET",route="/somewhere",status="200"}'] == 1000
        assert shown['request_seconds_sum{route="/somewhere"}'] == 250


async def test_an_unknown_handler_is_not_kept() -> None:
    """Each request to an unknown path has a new handler object, of which only the count stays in memory."""
    metrics, kept = Metrics(), []
    for _ in range(5):
        handler = Nowhere()
        kept.append(weakref.ref(handler))
        metrics.request_ended(handler, "GET", 404, 0.0)
        del handler
    gc.collect()
    assert [one() for one in kept] == [None] * 5
    shown = samples_in((await metrics.text(PLAIN)).decode())
    assert shown[f'requests_total{{method="GET",route="{UNKNOWN_ROUTE}",status="404"}}'] == 5


class Nowhere:
    """The handler of a request to an unknown path; it is never called."""

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        """Return nothing."""
        raise NotImplementedError


async def test_codes_are_counted(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three equal requests are a miss, a render and two hits; content that cannot be encoded and failures are apart."""
    for _ in range(3):
        assert (await client.post("/api/codes/barcode", json=CODE)).status == 200
    await client.post("/api/codes/barcode", json={"product_code": "a", "format": "EAN13"})
    monkeypatch.setattr("barcodesvc.codes.rendering.BarcodeKey.render", lambda _: 1 / 0)
    await client.post("/api/codes/barcode", json={"product_code": "B"})
    shown = await samples(client)
    assert 0 < shown["cache_bytes"] < client.app[SERVICE].settings.cache_bytes
    assert_shown(
        shown,
        {
            "cache_hits_total": 2,
            "cache_misses_total": 3,
            "cache_entries": 1,
            'renders_total{outcome="done"}': 1,
            'renders_total{outcome="refused"}': 1,
            'renders_total{outcome="failed"}': 1,
            "renders_under_way": 0,
            "render_threads_busy": 0,
            'errors_total{error="InvalidContent",status="400"}': 1,
            'errors_total{error="GenerationFailure",status="500"}': 1,
        },
    )


async def test_a_full_render_queue_is_counted(make_client: ClientMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting renders are shown while they wait, and those without capacity are counted as refused."""
    monkeypatch.setattr(service, "RENDER_QUEUE", 1)
    client = await make_client()
    begun, go_on = asyncio.Event(), threading.Event()
    begin, render = partial(asyncio.get_running_loop().call_soon_threadsafe, begun.set), BarcodeKey.render

    def held(key: BarcodeKey) -> Rendering:
        begin()
        go_on.wait()
        return render(key)

    monkeypatch.setattr(BarcodeKey, "render", held)
    first = asyncio.create_task(client.post("/api/codes/barcode", json=CODE))
    await begun.wait()
    assert (await client.post("/api/codes/barcode", json={"product_code": "B"})).status == 503
    refused: dict[str, float] = {
        'renders_total{outcome="overload"}': 1,
        'errors_total{error="RenderOverload",status="503"}': 1,
    }
    assert_shown(await samples(client), {"renders_under_way": 1, **refused})
    go_on.set()
    await first


@pytest.mark.usefixtures("database_file")  # where responses are cached
async def test_scans_from_memory_are_counted(shop: Client) -> None:
    """The first two of equal scans query the database, the third does not; after a change the next one does again."""
    for _ in range(3):
        await shop.post("/api/codes/decode", json={"code_data": "A-1"})
    assert_shown(await samples(shop), {"scan_responses_hits_total": 1, "scan_responses_misses_total": 2})
    await shop.put("/api/inventory/1", json={"new_level": 1})
    await shop.post("/api/codes/decode", json={"code_data": "A-1"})
    assert_shown(await samples(shop), {"scan_responses_hits_total": 1, "scan_responses_misses_total": 3})


@pytest.mark.each_engine
async def test_queries_are_timed_by_name(shop: Client) -> None:
    """A read increases the count of its query and its seconds."""
    before = (await samples(shop)).get('query_seconds_count{query="get_product"}', 0)
    await shop.get("/api/products/1")
    shown = await samples(shop)
    assert shown['query_seconds_count{query="get_product"}'] == before + 1
    assert shown['query_seconds_sum{query="get_product"}'] > 0


async def test_limits_that_were_exceeded_are_counted(make_client: ClientMaker) -> None:
    """A refusal counts under the limit that it exceeds; the scrape itself is never counted."""
    client = await make_client(rate_limit="2/minute", upload_rate_limit="1/minute")
    for _ in range(2):
        await client.post("/api/products/import")
    uploads, requests = 'rate_limited_total{limit="uploads"}', 'rate_limited_total{limit="requests"}'
    assert_shown(await samples(client), {uploads: 1, requests: 0})
    await client.get("/api/products")
    assert_shown(await samples(client), {uploads: 1, requests: 1})


async def test_uploads_beyond_their_places_are_counted(
    make_client: ClientMaker, upload: Callable[..., FormData]
) -> None:
    """An arriving upload is shown, and one too many counts as over that limit."""
    client = await make_client(max_concurrent_uploads=1)
    _, writer = await asyncio.open_connection(client.host, client.port)
    writer.write(form_head("/api/products/import", 999) + b"--XX\r\n")
    await until_shown(client, "uploads_under_way", 1)
    assert (await client.post("/api/products/import", data=upload())).status == 429
    assert_shown(await samples(client), {'rate_limited_total{limit="concurrent_uploads"}': 1})
    writer.transport.abort()
    await until_shown(client, "uploads_under_way", 0)


async def test_imports_are_counted_by_outcome(
    shop: Client, upload: Callable[..., FormData], workbook: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Completed, dry, refused and failed imports are counted separately, and only completed ones count rows."""
    rows = [("SKU", "Name"), ("A-1", "x"), ("B-1", "y"), ("B-2", "z"), ("B-3", None)]
    await shop.post("/api/products/import?dry_run=true", data=upload(workbook(rows)))
    await shop.post("/api/products/import", data=upload(workbook(rows)))
    await shop.post("/api/products/import", data=upload(b"no workbook"))

    async def fail(*_: object) -> None:
        raise DatabaseFailure("nothing was changed")  # the file is not at fault

    monkeypatch.setattr(Importer, "run", fail)
    await shop.post("/api/products/import", data=upload())
    outcomes: dict[str, float] = {
        f'imports_total{{outcome="{outcome}"}}': 1 for outcome in ("done", "dry_run", "refused", "failed")
    }
    counts = {"imported": 2, "skipped": 1, "errors": 1}
    assert_shown(await samples(shop), outcomes | {f'import_rows_total{{outcome="{n}"}}': counts[n] for n in counts})


async def test_exports_are_counted_by_table_and_format(shop: Client) -> None:
    """Each kind of export counts; a HEAD begins none."""
    expected: dict[str, float] = {}
    for table in ("products", "inventory"):
        for kind in ("xlsx", "csv"):
            assert (await shop.head(f"/api/{table}/export?format={kind}")).status == 200
            await (await shop.get(f"/api/{table}/export?format={kind}")).read()
            expected[f'exports_total{{format="{kind}",table="{table}"}}'] = 1
    assert_shown(await samples(shop), expected)


async def test_a_stream_that_breaks_is_counted(shop: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A response that ends early after its first byte has status 200 and counts as cut."""

    async def broken(*_: object) -> AsyncIterator[bytes]:
        yield b"["
        raise RuntimeError

    monkeypatch.setattr("barcodesvc.api.resources.inventory.text_export", broken)
    monkeypatch.setattr("barcodesvc.store.inventory.UNSTREAMED", 0)
    with pytest.raises(ClientPayloadError):
        await (await shop.get("/api/inventory")).read()
    assert_shown(await samples(shop), {'streams_cut_total{cause="failed"}': 1})


async def test_bounds_that_refuse_are_shown(client: Client) -> None:
    """What connection and request limits have refused is shown with the others."""
    client.app[ADMISSION].refused_requests, client.app[ADMISSION].refused_connections = 3, 4
    refused = {"requests_refused_total": 3, "connections_refused_total": 4}
    assert_shown(await samples(client), {**refused, "requests_under_way": 1, "connections": 1})


async def test_the_process_and_its_event_loop_are_shown(client: Client) -> None:
    """Its memory, processor time, file descriptors, start and version, and how late the loop is."""
    shown = {name.partition("{")[0] for name in await samples(client)}
    of_process = ("resident_memory_bytes", "cpu_seconds_total", "open_fds", "start_time_seconds")
    assert {"build_info", *(f"process_{name}" for name in of_process)} <= shown
    await until_shown(client, "event_loop_lag_seconds_count", 1)


async def test_metrics_can_be_left_out(make_client: ClientMaker) -> None:
    """Without the setting the path does not exist."""
    client = await make_client(metrics=False)
    await refused(await client.get("/metrics"), 404, "VALIDATION_ERROR")
    assert "/metrics" not in (await (await client.get("/api/openapi.json")).json())["paths"]
