"""Files sent to the service and fetched from it, over HTTP, each timed from the request to the end of its response.

An unexpected response ends the measurement, because a refusal is quicker than the work.
"""

import time
from dataclasses import dataclass

from aiohttp import ClientSession, ClientTimeout, FormData

from scripts.benchmarks.load import Round
from scripts.benchmarks.servers import LOOPBACK, Server
from scripts.benchmarks.spreadsheets.workbooks import Workbook

IMPORT = "/api/products/import"
EXPORT = "/api/inventory/export"
_LONGEST = ClientTimeout(total=900)
_CHUNK = 256 * 1024


@dataclass(frozen=True, slots=True)
class Export:
    """One export: its time, and the bytes of the file."""

    round: Round
    size: int


async def import_workbook(server: Server, workbook: Workbook) -> Round:
    """Import a file of new products."""
    form = FormData({"file": workbook.path.read_bytes()})
    cpu, begin = server.cpu_seconds(), time.perf_counter()
    async with _session(server) as session, session.post(IMPORT, data=form) as response:
        told = await response.json()
    spent = _since(server, cpu, begin)
    if told.get("data", {}).get("imported") != workbook.rows:
        raise ConnectionError(f"not all {workbook.rows} rows were imported: {str(told)[:300]}")
    return spent


async def export(server: Server, kind: str) -> Export:
    """Fetch the levels as `xlsx` or `csv`, and discard them."""
    cpu, begin = server.cpu_seconds(), time.perf_counter()
    async with _session(server) as session, session.get(EXPORT, params={"format": kind}) as response:
        response.raise_for_status()
        size = sum([len(chunk) async for chunk in response.content.iter_chunked(_CHUNK)])
    return Export(_since(server, cpu, begin), size)


def _session(server: Server) -> ClientSession:
    return ClientSession(f"http://{LOOPBACK}:{server.ports[0]}", timeout=_LONGEST)


def _since(server: Server, cpu: float, begin: float) -> Round:
    return Round(1, time.perf_counter() - begin, server.cpu_seconds() - cpu)
