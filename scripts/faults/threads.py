"""Libraries that hang or break off in a worker thread of a running service: one 500 each, and the others go on."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any

from barcodesvc.runtime.threads import MOST_HUNG
from scripts.benchmarks.load import post
from scripts.benchmarks.probe import Latencies, probe_beside, probe_idle
from scripts.benchmarks.report import Figure, at_least, at_most
from scripts.benchmarks.servers import LOOPBACK
from scripts.faults.extent import Extent
from scripts.faults.launched import LaunchedService, launched
from scripts.faults.launcher import FAULTS, HANG

_RENDER_TIMEOUT = 1.0
_OK, _CREATED, _FAILED, _REFUSED = 200, 201, 500, 503
_BARCODE = "/api/codes/barcode"
_LABELS = "/api/codes/printable"
_EXPORT = "/api/inventory/export?format=csv"
_CACHED = post(_BARCODE, b'{"product_code":"A-1"}')
_HANGS = {Extent.FULL: MOST_HUNG - 1, Extent.BRIEF: 2}
_ANSWER_WAIT = 30.0
_LONGEST_WAIT = 250.0
"""Milliseconds; a few on a machine that has nothing else to do."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, and the seconds until it was there."""

    status: int
    seconds: float


def breaking(_: Extent) -> Iterator[Figure]:
    """Let renders, label sheets and exports raise what no Python program expects, then ask again."""
    with launched() as service:
        for fault in FAULTS:
            asked = list(_broken_off(service, f"{fault}-1"))
            failed = sum(answer.status == _FAILED for answer, _ in asked)
            recovered = sum(answer.status == _OK for _, answer in asked)
            yield Figure(f"{fault}: requests of {len(asked)} that were one 500", failed, "", at_least(len(asked)))
            yield Figure(f"{fault}: requests of {len(asked)} that came next", recovered, "", at_least(len(asked)))
        logged = service.errors().count(" ERROR ")
        yield Figure("failures logged", logged, "", at_least(3 * len(FAULTS)))
        yield Figure("failures logged twice", logged - 3 * len(FAULTS), "", at_most(0))
        yield Figure("exit status", service.stop().status, "", at_most(0))


def _broken_off(service: LaunchedService, code: str) -> Iterator[tuple[Answer, Answer]]:
    for path, broken, whole in (
        (_BARCODE, {"product_code": code}, {"product_code": "A-1"}),
        (_LABELS, {"products": [code]}, {"products": ["A-1"]}),
    ):
        yield _ask(service, "POST", path, broken), _ask(service, "POST", path, whole)
    created = _ask(service, "POST", "/api/products", {"product_code": code, "description": "x"})
    failed = _ask(service, "GET", _EXPORT) if created.status == _CREATED else created
    _ask(service, "DELETE", f"/api/products/{_id_of(service, code)}")
    yield failed, _ask(service, "GET", _EXPORT)


def hanging(extent: Extent) -> Iterator[Figure]:
    """Let renders hang in the only render thread, one after the other and then too many, and end the service then."""
    with launched(render_timeout=_RENDER_TIMEOUT) as service:
        _ask(service, "POST", _BARCODE, {"product_code": "A-1"})
        before = asyncio.run(probe_idle(service.server, _CACHED, 2.0))
        beside, answers = asyncio.run(probe_beside(service.server, _CACHED, _hung(service, _HANGS[extent])))
        yield from _given_up(answers, before, beside)
        yield from _worn_out(service, MOST_HUNG - _HANGS[extent])
        end = service.stop()
        yield Figure("exit status, threads hanging", end.status, "", at_most(0))
        yield Figure("end of the service, threads hanging", end.seconds, "s", at_most(10.0))


async def _hung(service: LaunchedService, hangs: int) -> list[tuple[Answer, Answer]]:
    """Return the answers to renders that hang, each with that to a render which waits behind it."""
    answers = []
    for number in range(hangs):
        hung = asyncio.create_task(asyncio.to_thread(_render, service, f"{HANG}-{number}"))
        await asyncio.sleep(_RENDER_TIMEOUT / 10)
        behind = await asyncio.to_thread(_render, service, f"B-{number}")
        answers.append((await hung, behind))
    return answers


def _given_up(answers: list[tuple[Answer, Answer]], before: Latencies, beside: Latencies) -> Iterator[Figure]:
    count = len(answers)
    yield Figure(
        f"renders of {count} that hang: one 500",
        sum(hung.status == _FAILED for hung, _ in answers),
        "",
        at_least(count),
    )
    yield Figure("longest wait for it", max(hung.seconds for hung, _ in answers), "s", at_most(_RENDER_TIMEOUT + 1))
    yield Figure("renders behind them", sum(behind.status == _OK for _, behind in answers), "", at_least(count))
    slowest = max(behind.seconds for _, behind in answers)
    yield Figure("longest wait of a render behind a hang", slowest, "s", at_most(_RENDER_TIMEOUT + 1))
    shown = f"beside hangs: {beside}\n      before: {before}"
    yield Figure("cached codes beside hangs, p99", beside.percentile(99), "ms", at_most(_LONGEST_WAIT), shown)


def _worn_out(service: LaunchedService, hangs: int) -> Iterator[Figure]:
    """Let renders hang until no more thread is given for them."""
    for number in range(hangs):
        _render(service, f"{HANG}-more-{number}")
    refused = _render(service, "C-1")
    yield Figure(f"status of a render when {MOST_HUNG} threads hang", refused.status, "", at_least(_REFUSED))
    yield Figure("wait for that", refused.seconds * 1000, "ms", at_most(250.0))
    yield Figure("status of /health then", _ask(service, "GET", "/health").status, "", at_least(_REFUSED))
    cached = _render(service, "A-1").status
    yield Figure("status of a cached code then", cached, "", at_most(_OK))


def _render(service: LaunchedService, code: str) -> Answer:
    return _ask(service, "POST", _BARCODE, {"product_code": code})


def _ask(service: LaunchedService, method: str, path: str, body: Any = None) -> Answer:
    begin = time.perf_counter()
    status, _ = _exchange(service, method, path, body)
    return Answer(status, time.perf_counter() - begin)


def _id_of(service: LaunchedService, code: str) -> int:
    _, body = _exchange(service, "GET", f"/api/products?search={code}")
    found: int = json.loads(body)["data"][0]["id"]
    return found


def _exchange(service: LaunchedService, method: str, path: str, body: Any = None) -> tuple[int, bytes]:
    with closing(HTTPConnection(LOOPBACK, service.port, timeout=_ANSWER_WAIT)) as connection:
        sent = None if body is None else json.dumps(body)
        connection.request(method, path, sent, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read()
