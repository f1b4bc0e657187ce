"""Codes: a cached one against a bare handler, and new ones against python-barcode's writers and `segno.make`."""

import json
import statistics
import time
from collections.abc import Iterator
from itertools import count, repeat

import segno

from scripts.benchmarks.alone import alone
from scripts.benchmarks.load import post
from scripts.benchmarks.report import Figure, at_least, at_most
from scripts.benchmarks.servers import running_module
from scripts.benchmarks.service import serving
from scripts.benchmarks.turns import Contender, by_turns, share

BARCODE = "/api/codes/barcode"
QR = "/api/codes/qrcode"
REPEATED = {
    BARCODE: '{"product_code":"4006381333931","format":"CODE128"}',
    QR: '{"product_code":"4006381333931"}',
}
NEVER_REACHED = "999999999/15 minutes"
SHARE = at_least(0.75)
CODE128 = at_least(7)
QR_TIME = at_most(1)
QR_ROUNDS = 5
SYMBOLS = 400
PEER = "python-barcode's writers"
PEERS = "scripts.benchmarks.peers"
"""The module that serves as a peer."""


def cached() -> Iterator[Figure]:
    """Yield the share of the throughput of a bare handler that returns the same bytes, in the same event loop.

    The service has a rate limit, which by default it has, but one that is never reached.
    """
    with serving({"rate_limit": NEVER_REACHED}, bare=REPEATED) as server:
        port, bare_port = server.ports
        for path, body in REPEATED.items():
            request = repeat(post(path, body))
            turns = by_turns(
                {"service": Contender(server, port, request), "bare": Contender(server, bare_port, request)}
            )
            kind = path.rpartition("/")[2]
            yield share(f"cached {kind}, share of a bare handler", turns, ("service", "bare"), SHARE)


def code128() -> Iterator[Figure]:
    """Yield how many times as many new CODE128, with text, SVG and PNG, are drawn as by python-barcode's writers."""
    with serving() as ours, running_module(PEERS, "barcodes") as theirs:
        turns = by_turns(
            {
                name: Contender(server, server.ports[0], different_codes(BARCODE, format="CODE128"))
                for name, server in {"service": ours, PEER: theirs}.items()
            }
        )
    name = f"uncached CODE128 from 16 connections, times {PEER}"
    yield Figure(name, turns.speed_ratio("service", PEER), "x", CODE128, turns.rates("service", PEER))


def qr() -> Iterator[Figure]:
    """Yield processor time of the whole service, all of its threads, as a multiple of that of segno's encoder alone.

    The contents are of one kind, and so are the rounds of both, which take turns.
    """
    with serving() as server:
        drawing = Contender(server, server.ports[0], different_codes(QR))
        drawing.one_round()
        rounds = [(drawing.one_round().cpu_microseconds, alone(_microseconds_of_segno)) for _ in range(QR_ROUNDS)]
    ours, theirs = (statistics.median(each) for each in zip(*rounds, strict=True))
    ratio = statistics.median(a / b for a, b in rounds)
    name = "uncached QR, whole service, processor time, times segno.make(…, micro=False)"
    yield Figure(name, ratio, "x", QR_TIME, f"{ours:,.0f} µs against {theirs:,.0f}")


def different_codes(path: str, **options: str) -> Iterator[bytes]:
    """Yield requests for distinct codes, as SVG and PNG."""
    return (post(path, json.dumps({"product_code": short_code(number), **options})) for number in count(1))


def short_code(number: int) -> str:
    """Return a code as a shop uses it, such as `AB-00000001`."""
    return f"AB-{number:08}"


def _microseconds_of_segno() -> float:
    """Return the processor time of one symbol; plain `segno.make` may choose a Micro QR code, another symbol."""
    for number in range(SYMBOLS // 10):
        segno.make(short_code(number), error="M", boost_error=False, micro=False)
    begin = time.process_time()
    for number in range(SYMBOLS):
        segno.make(short_code(number), error="M", boost_error=False, micro=False)
    return (time.process_time() - begin) / SYMBOLS * 1e6
