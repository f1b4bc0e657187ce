"""Two and three times the load that the service can handle: the excess is rejected quickly, and the rest is served.

Each part measures the peak of one kind of request before and after, with connections that wait for their responses; in
between it sends two and three times as much on a timetable.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import count, cycle, repeat

import uvloop

from scripts.benchmarks.codes import BARCODE, REPEATED, different_codes
from scripts.benchmarks.load import Round, for_seconds, post, send_load, set_level
from scripts.benchmarks.report import Figure, at_least, at_most
from scripts.benchmarks.timetable import OK, REFUSED, Load, Seen
from scripts.faults.launched import LaunchedService, launched
from tests.forms import form, form_head, part

GOODPUT = {2: at_least(0.7), 3: at_least(0.5)}
"""The share of the peak that is still answered, by how many times the peak is offered."""
REFUSAL = at_most(1000)
"""Milliseconds, p99: refusals wait behind the work of the one event loop, and share two cores with their sender."""
ACCEPTED = at_most(10_000)
"""Milliseconds, p99, of answered requests: longest queue by slowest work."""
_PRODUCTS = 20
_LABELS = 100
_SECONDS, _BRIEF_SECONDS = (8.0, 20.0), (1.5, 4.0)
"""How long the peak is measured, and how long the overload lasts."""

Requests = Callable[[LaunchedService], Iterator[bytes]]


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    requests: Requests
    connections: int = 32
    """Connections that measure the peak: no more than the requests, and sheets, of one client that may wait."""
    refusal_is_due: bool = True
    """Whether enough of it waits that refusals must come; requests that are answered at once slow down instead."""


def _barcodes(_: LaunchedService) -> Iterator[bytes]:
    return different_codes(BARCODE, format="CODE128")


def _sheets(_: LaunchedService) -> Iterator[bytes]:
    for sheet in count():
        codes = [f"C-{sheet}-{label}" for label in range(_LABELS)]
        yield post("/api/codes/printable", json.dumps({"products": codes}))


def _images(service: LaunchedService) -> Iterator[bytes]:
    body = form(part("image", service.download("/api/codes/barcode/P-1.png?width=3"), filename="a.png"))
    return repeat(form_head("/api/codes/decode", len(body)) + body)


def _levels(_: LaunchedService) -> Iterator[bytes]:
    return map(set_level, cycle(range(1, _PRODUCTS + 1)), count())


def _cached(_: LaunchedService) -> Iterator[bytes]:
    return repeat(post(BARCODE, REPEATED[BARCODE]))


def _mix(service: LaunchedService) -> Iterator[bytes]:
    """Yield a shop's requests: mostly scans and codes drawn before, some new codes and changes, few sheets."""
    new, levels, sheets = _barcodes(service), _levels(service), _sheets(service)
    scans, cached = repeat(post("/api/codes/decode", '{"code_data":"P-1"}')), _cached(service)
    turn = [scans, cached, scans, new, levels, cached, scans, cached, scans, new] * 20
    for kinds in repeat([*turn, sheets]):
        yield from (next(kind) for kind in kinds)


_KINDS = (
    _Kind("barcodes", _barcodes),
    _Kind("sheets", _sheets, connections=4),
    _Kind("images", _images, connections=8),
    _Kind("levels", _levels),
    _Kind("mix", _mix, connections=4, refusal_is_due=False),
    _Kind("cached", _cached, refusal_is_due=False),
)


def _measured(kind: _Kind, *, brief: bool) -> Iterator[Figure]:
    """Yield what share of the peak is still answered during the overload, and how long the others wait."""
    peak_seconds, overload_seconds = _BRIEF_SECONDS if brief else _SECONDS
    with launched(max_connections=10_000) as service:
        for product in range(1, _PRODUCTS + 1):
            service.call("POST", "/api/products", {"product_code": f"P-{product}", "description": "x"})
        requests = kind.requests(service)
        before = _peak(service, kind, requests, peak_seconds)
        for times, goodput in GOODPUT.items():
            cpu = service.server.cpu_seconds()
            seen = uvloop.run(Load(service.port, requests, times * before.per_second).run(overload_seconds))
            cost = (service.server.cpu_seconds() - cpu) / max(1, len(seen.waits[OK])) * 1e6
            after = _peak(service, kind, requests, peak_seconds)
            peak = (before.per_second + after.per_second) / 2
            note = (
                f"{_rates(seen)}, peak {peak:,.0f}/s; {cost:.0f} µs of processor time a response, refusals included, "
                f"against {after.cpu_microseconds:.0f}"
            )
            title = f"{kind.name}: goodput at {times} times the peak, as a share of it"
            yield Figure(title, seen.per_second(OK) / peak, "%", goodput, note)
            yield from _figures(kind, seen)
            before = after


def _peak(service: LaunchedService, kind: _Kind, requests: Iterator[bytes], seconds: float) -> Round:
    return uvloop.run(send_load(service.server, service.port, for_seconds(seconds, requests), kind.connections))


def _rates(seen: Seen) -> str:
    offered = (seen.due - seen.unsent) / seen.seconds
    return f"{seen.per_second(OK):,.0f}/s answered and {seen.per_second(REFUSED):,.0f}/s refused of {offered:,.0f}/s"


def _figures(kind: _Kind, seen: Seen) -> Iterator[Figure]:
    refused, answered = seen.latencies(REFUSED), seen.latencies(OK)
    if kind.refusal_is_due:
        yield Figure(f"{kind.name}: wait for a refusal, p99", refused.percentile(99), "ms", REFUSAL, f"{refused}")
        yield Figure(f"{kind.name}: share of the excess that is refused", _share(seen), "%", at_least(0.5))
    yield Figure(f"{kind.name}: wait of what is answered, p99", answered.percentile(99), "ms", ACCEPTED, f"{answered}")
    others = sum(len(waits) for status, waits in seen.waits.items() if status not in (OK, REFUSED))
    wrong = others + seen.broken + seen.unanswered
    others_seen = f"{others} other responses, {seen.broken} broken connections, {seen.unanswered} never answered"
    yield Figure(f"{kind.name}: neither answered nor refused", wrong, "", at_most(0), others_seen)


def _share(seen: Seen) -> float:
    """Return the share of requests without a 200 that got an explicit refusal."""
    sent = seen.due - seen.unsent
    return len(seen.waits[REFUSED]) / max(1, sent - len(seen.waits[OK]))


PARTS: Mapping[str, Callable[..., Iterator[Figure]]] = {kind.name: partial(_measured, kind) for kind in _KINDS}
