"""Libraries that crash or hang in a thread of a running service: one 500, or one thread; the others go on."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from socket import socket
from typing import Any, cast

from scripts.benchmarks.load import post
from scripts.benchmarks.probe import probe_idle, probe_while
from scripts.benchmarks.report import Figure, at_least, at_most
from scripts.benchmarks.servers import LOOPBACK
from scripts.faults.extent import Extent
from scripts.faults.launched import LaunchedService, launched
from scripts.faults.launcher import FAULTS, HANG
from tests.served import WAIT

_STOP_TIMEOUT = 2.0
_OK, _CREATED, _FAILED = 200, 201, 500
_BARCODE = "/api/codes/barcode"
_LABELS = "/api/codes/printable"
_EXPORT = "/api/inventory/export?format=csv"
_CACHED = post(_BARCODE, b'{"product_code":"A-1"}')
_LONGEST_WAIT = 250.0
"""Milliseconds; a few on a machine that has nothing else to do."""


@dataclass(frozen=True, slots=True)
class Response:
    """A status, and the seconds until it came."""

    status: int
    seconds: float


def breaking(_: Extent) -> Iterator[Figure]:
    """Let renders, label sheets and exports raise what no Python program expects, then send requests again."""
    with launched() as service:
        for fault in FAULTS:
            asked = list(_broken_off(service, f"{fault}-1"))
            failed = sum(response.status == _FAILED for response, _ in asked)
            recovered = sum(response.status == _OK for _, response in asked)
            yield Figure(f"{fault}: requests of {len(asked)} that were one 500", failed, "", at_least(len(asked)))
            yield Figure(f"{fault}: requests of {len(asked)} that came next", recovered, "", at_least(len(asked)))
        logged = service.errors().count(" ERROR ")
        yield Figure("failures logged", logged, "", at_least(3 * len(FAULTS)))
        yield Figure("failures logged twice", logged - 3 * len(FAULTS), "", at_most(0))
        yield Figure("exit status", service.stop().status, "", at_most(0))


def _broken_off(service: LaunchedService, code: str) -> Iterator[tuple[Response, Response]]:
    for path, broken, whole in (
        (_BARCODE, {"product_code": code}, {"product_code": "A-1"}),
        (_LABELS, {"products": [code]}, {"products": ["A-1"]}),
    ):
        yield _ask(service, "POST", path, broken), _ask(service, "POST", path, whole)
    created = _ask(service, "POST", "/api/products", {"product_code": code, "description": "x"})
    failed = _ask(service, "GET", _EXPORT) if created.status == _CREATED else created
    _ask(service, "DELETE", f"/api/products/{_id_of(service, code)}")
    yield failed, _ask(service, "GET", _EXPORT)


def hanging(_: Extent) -> Iterator[Figure]:
    """Let a render hang in the only render thread, request cached codes meanwhile, and then stop the service."""
    with launched(stop_timeout=_STOP_TIMEOUT) as service:
        _ask(service, "POST", _BARCODE, {"product_code": "A-1"})
        before = asyncio.run(probe_idle(service.server, _CACHED, 2.0))
        waits, answered = asyncio.run(probe_while(service.server, _CACHED, _during_a_hang(service)))
        shown = f"during a hang: {waits}\n      before: {before}"
        yield Figure("cached codes during a hang, p99", waits.percentile(99), "ms", at_most(_LONGEST_WAIT), shown)
        yield Figure("label sheet and /health during a hang", answered, "", at_least(2))
        end, seconds = service.timed_stop()
        yield Figure("exit status, a thread hanging", end.status, "", at_least(1))
        yield Figure("end of the service, a thread hanging", seconds, "s", at_most(2 * _STOP_TIMEOUT + 1))


async def _during_a_hang(service: LaunchedService) -> int:
    """Return how many of two requests that need no render are answered while the render thread hangs."""
    await asyncio.to_thread(_begin, service, _BARCODE, {"product_code": f"{HANG}-1"})
    await asyncio.sleep(1.0)
    sheet = await asyncio.to_thread(_ask, service, "POST", _LABELS, {"products": ["A-1"]})
    health = await asyncio.to_thread(_ask, service, "GET", "/health")
    return sum(response.status == _OK for response in (sheet, health))


def _begin(service: LaunchedService, path: str, body: Any) -> None:
    """Send a request without waiting for its response."""
    with closing(HTTPConnection(LOOPBACK, service.port, timeout=WAIT)) as connection:
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        with suppress(TimeoutError):
            cast("socket", connection.sock).settimeout(0.5)
            connection.getresponse()


def _ask(service: LaunchedService, method: str, path: str, body: Any = None) -> Response:
    begin = time.perf_counter()
    status, _ = service.exchange(method, path, body)
    return Response(status, time.perf_counter() - begin)


def _id_of(service: LaunchedService, code: str) -> int:
    _, body = service.exchange("GET", f"/api/products?search={code}")
    found: int = json.loads(body)["data"][0]["id"]
    return found
