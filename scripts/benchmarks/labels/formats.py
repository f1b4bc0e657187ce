"""Rolls of CODE128 labels with descriptions, 100 x 50 mm: ZPL, PWG raster and pictures against the PDF.

The service prints 10,000 labels as PDF and as ZPL in turns; all codes differ. PWG raster, which only printers are sent,
and the picture of one label are made without the service. Ratios are of processor time.
"""

import asyncio
import json
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from http import HTTPStatus
from http.client import HTTPConnection

import uvloop

from barcodesvc.labels.label_content import LabelData
from barcodesvc.labels.label_requests import LabelsRequest
from barcodesvc.labels.layout_requests import Layout
from barcodesvc.labels.output import Output, as_pdf, as_png, as_pwg
from barcodesvc.labels.sheet_job import SheetJob
from scripts.benchmarks.labels import service
from scripts.benchmarks.labels.requests import PRINTABLE, description, product_code
from scripts.benchmarks.report import Figure, at_most
from scripts.benchmarks.resident import MB, peak_during
from scripts.benchmarks.servers import LOOPBACK, Server, running_module

LABELS = 10_000
ROLL, DPI, FINER_DPI = "100x50mm", 203, 300
TO_PDF = at_most(1.5)
FEW = 100
FIRST_BYTE = at_most(100)
BYTES = {DPI: at_most(5000), FINER_DPI: at_most(9000)}
GROWTH = at_most(100)
PICTURE = at_most(10)
ROUNDS = 3
PICTURES = 50


@dataclass(frozen=True, slots=True)
class Printed:
    """One response: until its first byte and in all, and processor time of the server, in seconds; its bytes."""

    first_byte: float
    seconds: float
    cpu_seconds: float
    size: int


def measure() -> Iterator[Figure]:
    """Yield times, sizes, the first byte and memory of ZPL, then PWG raster and the picture of a label."""
    yield from _served()
    yield from _raster()
    _cpu_seconds(_job(1, as_png))
    picture = _cpu_seconds(*(_job(1, as_png) for _ in range(PICTURES))) / PICTURES
    yield Figure("the picture of one label, processor time", picture * 1000, "ms", PICTURE)


def _raster() -> Iterator[Figure]:
    rounds = [(_cpu_seconds(_job(LABELS, as_pdf)), _cpu_seconds(_job(LABELS, as_pwg))) for _ in range(ROUNDS)]
    ratio = statistics.median(pwg / pdf for pdf, pwg in rounds)
    pdf, pwg = (min(times) / LABELS * 1e6 for times in zip(*rounds, strict=True))
    note = f"{pwg:,.0f} µs a label against {pdf:,.0f}"
    yield Figure(f"{LABELS:,} labels as PWG raster, processor time, times PDF", ratio, "x", TO_PDF, note)
    size = len(_job(LABELS, as_pwg).run()) / LABELS
    yield Figure(f"PWG raster of a label of {ROLL} at {DPI} dpi, bytes", size, "")


def _served() -> Iterator[Figure]:
    with running_module(service.MODULE) as server:
        rounds = [(_printed(server, "pdf"), _printed(server, "zpl")) for _ in range(ROUNDS + 1)][1:]
        finer = _printed(server, "zpl", FINER_DPI)
        few = [_printed(server, "zpl", labels=FEW) for _ in range(ROUNDS)]
    ratio = statistics.median(zpl.cpu_seconds / pdf.cpu_seconds for pdf, zpl in rounds)
    pdf, zpl = rounds[-1]
    note = (
        f"{zpl.cpu_seconds / LABELS * 1e6:,.0f} µs a label against {pdf.cpu_seconds / LABELS * 1e6:,.0f}; "
        f"response time {zpl.seconds:,.1f} s against {pdf.seconds:,.1f}"
    )
    yield Figure(f"{LABELS:,} labels as ZPL, processor time, times PDF", ratio, "x", TO_PDF, note)
    first = statistics.median(one.first_byte for one in few) * 1000
    cpu = statistics.median(one.cpu_seconds for one in few) * 1000
    note = f"{cpu:,.0f} ms of processor time"
    yield Figure(f"{FEW} labels as ZPL, time to the first byte", first, "ms", FIRST_BYTE, note)
    for dpi, one in ((DPI, zpl), (FINER_DPI, finer)):
        yield Figure(f"ZPL of a label of {ROLL} at {dpi} dpi, bytes", one.size / LABELS, "", BYTES[dpi])
    with running_module(service.MODULE) as server:
        _printed(server, "zpl", labels=10)
        before = server.resident_bytes()
        peak, _ = uvloop.run(peak_during(server, asyncio.to_thread(_printed, server, "zpl")))
    note = f"{before / MB:.0f} MB before, {peak / MB:.0f} at the peak"
    yield Figure(f"{LABELS:,} labels as ZPL, growth of resident memory", (peak - before) / MB, "MB", GROWTH, note)


def _printed(server: Server, output: str, dpi: int = DPI, labels: int = LABELS) -> Printed:
    layout = {"sheet": ROLL, "dpi": dpi, "include_description": True}
    body = {"products": [product_code(number) for number in range(labels)], "output": output, "layout": layout}
    connection = HTTPConnection(LOOPBACK, server.ports[0])
    cpu, begin = server.cpu_seconds(), time.perf_counter()
    connection.request("POST", PRINTABLE, json.dumps(body), {"Content-Type": "application/json"})
    response = connection.getresponse()
    size = len(response.read(1))
    first_byte = time.perf_counter() - begin
    while piece := response.read(1 << 16):
        size += len(piece)
    if response.status != HTTPStatus.OK:
        raise ConnectionError(f"status {response.status}")
    connection.close()
    return Printed(first_byte, time.perf_counter() - begin, server.cpu_seconds() - cpu, size)


def _job(labels: int, output: Output) -> SheetJob:
    codes = [product_code(number) for number in range(labels)]
    layout = Layout(sheet=ROLL, dpi=DPI, include_description=True)
    texts = {code: {"description": description(number)} for number, code in enumerate(codes)}
    return SheetJob(LabelsRequest(products=[*codes], layout=layout), LabelData(date.min, None, texts, None), output)


def _cpu_seconds(*jobs: SheetJob) -> float:
    begin = time.process_time()
    for job in jobs:
        job.run()
    return time.process_time() - begin
