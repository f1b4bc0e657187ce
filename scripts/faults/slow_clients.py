"""Clients that hardly send or read anything: others still import and export, and the disk does not fill up.

They come in numbers. From one address they hold half of the slots; from two they hold all, until their time is over.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aiohttp import ClientError

from barcodesvc.api.connections import STALL_WAIT
from scripts.benchmarks.load import get
from scripts.benchmarks.report import Figure, at_most
from scripts.benchmarks.resident import MB
from scripts.benchmarks.servers import LOOPBACK, Server
from scripts.benchmarks.spreadsheets.transfers import EXPORT, IMPORT, export, import_workbook
from scripts.benchmarks.spreadsheets.workbooks import NEW, shared_xlsx
from scripts.faults.extent import Extent
from scripts.faults.launched import LaunchedService, launched
from tests.forms import form_head, part

_MANY = {Extent.BRIEF: 30, Extent.FULL: 300}
_ROWS = {Extent.BRIEF: 8_000, Extent.FULL: 50_000}
_OTHERS = 5
"""Imports, and exports of either format, that come when all slots are occupied."""
_EXPORTS, _MOST_BYTES = 4, 64 * 1024 * 1024
_PAUSE = 0.2
_LONGEST = 5.0
"""Seconds that another transfer may take next to those of one address: the machine has other work to do."""
_UPLOAD_TIMEOUT = 6.0
_GIVEN_UP = 300.0
_ONE, _OTHER = "127.0.0.2", "127.0.0.3"
"""Addresses of slow clients; the others have another one."""


def _uploads(extent: Extent, addresses: tuple[str, ...], longest: float) -> Iterator[Figure]:
    """Yield what becomes of imports during uploads from some addresses that send a byte now and then."""
    with launched(upload_timeout=_UPLOAD_TIMEOUT) as service, TemporaryDirectory() as folder, ExitStack() as stack:
        begin = form_head(IMPORT, 100_000) + part("file")
        origins = islice(cycle(addresses), _MANY[extent])
        slow = [_sending(stack, service.port, begin, address) for address in origins]
        _trickle(slow, 1.0)
        waits = [_time_until_imported(service.server, Path(folder), number) for number in range(_OTHERS)]
    what = f"slow uploads, addresses: {len(addresses)}"
    yield Figure(f"{what}; imports that fail", waits.count(_GIVEN_UP), "", at_most(0), f"{len(slow)} slow uploads")
    yield Figure(f"{what}; longest wait of an import", max(waits), "s", at_most(longest))


def _sending(stack: ExitStack, port: int, sent: bytes, address: str) -> socket.socket:
    connection = stack.enter_context(socket.create_connection((LOOPBACK, port), source_address=(address, 0)))
    connection.sendall(sent)
    return connection


def _trickle(connections: list[socket.socket], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    for connection in cycle(connections):
        if time.monotonic() > deadline:
            return
        with suppress(OSError):  # it was rejected
            connection.send(b"x")
        time.sleep(0.001)


def _time_until_imported(server: Server, folder: Path, number: int) -> float:
    workbook = shared_xlsx(folder, rows=10, first=NEW + 10 * number)
    return _time_until(lambda: import_workbook(server, workbook))


def _time_until(begun: Callable[[], Coroutine[Any, Any, object]]) -> float:
    """Return the seconds until a transfer succeeds that is retried again and again; at most _GIVEN_UP."""
    begin = time.monotonic()
    while not asyncio.run(_succeeds(begun())):
        if time.monotonic() - begin > _GIVEN_UP:
            return _GIVEN_UP
        time.sleep(_PAUSE)
    return time.monotonic() - begin


async def _succeeds(transfer: Coroutine[Any, Any, object]) -> bool:
    try:
        await transfer
    except (ClientError, ConnectionError):
        return False
    return True


def _readers(extent: Extent, addresses: tuple[str, ...], longest: float) -> Iterator[Figure]:
    """Yield what becomes of the disk, and of other exports, while readers from some addresses read nothing."""
    with launched(max_concurrent_exports=_EXPORTS, max_export_bytes=_MOST_BYTES) as service, ExitStack() as stack:
        with TemporaryDirectory() as folder:
            asyncio.run(import_workbook(service.server, shared_xlsx(Path(folder), rows=_ROWS[extent])))
        paths = cycle(("/api/inventory", f"{EXPORT}?format=csv", EXPORT, "/api/products/export"))
        for address in islice(cycle(addresses), _MANY[extent]):
            _stalled(stack, service.port, next(paths), address)
        waits = [_time_until(partial(export, service.server, kind)) for kind in ("csv", "xlsx") for _ in range(_OTHERS)]
        files, size = _on_disk(service)
    what = f"readers that take nothing, addresses: {len(addresses)}"
    yield Figure(f"{what}; files on the disk", files, "", at_most(_EXPORTS))
    yield Figure(f"{what}; size of these files", size / MB, "MB", at_most(_MOST_BYTES / MB + 1))
    note = f"{_MANY[extent]} readers, {_ROWS[extent]:,} levels"
    yield Figure(f"{what}; exports that fail", waits.count(_GIVEN_UP), "", at_most(0), note)
    yield Figure(f"{what}; longest wait of an export", max(waits), "s", at_most(longest))


def _readers_of_two(extent: Extent) -> Iterator[Figure]:
    """Yield the same for readers from two addresses, which hold all slots for two minutes; too long for a brief run."""
    if extent is Extent.FULL:
        yield from _readers(extent, (_ONE, _OTHER), 2 * STALL_WAIT + _LONGEST)


def _stalled(stack: ExitStack, port: int, path: str, address: str) -> None:
    """Request a file and read none of it; with such segments the system buffers little of what is unread."""
    connection = stack.enter_context(socket.socket())
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    connection.bind((address, 0))
    connection.connect((LOOPBACK, port))
    connection.sendall(get(path))


def _on_disk(service: LaunchedService) -> tuple[int, int]:
    """Return the number of temporary files, and their bytes."""
    files = [path for path in service.temporary.rglob("*") if path.is_file()]
    return len(files), sum(path.stat().st_size for path in files)


PARTS: Mapping[str, Callable[[Extent], Iterator[Figure]]] = {
    "uploads": partial(_uploads, addresses=(_ONE,), longest=_LONGEST),
    "uploads-of-two": partial(_uploads, addresses=(_ONE, _OTHER), longest=_UPLOAD_TIMEOUT + _LONGEST),
    "readers": partial(_readers, addresses=(_ONE,), longest=_LONGEST),
    "readers-of-two": _readers_of_two,
}
