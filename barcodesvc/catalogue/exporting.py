"""Exports: a file from a snapshot of the database, as text (CSV or JSON) or as .xlsx, written first and then sent.

The snapshot makes an export of a busy shop consistent. A file is never held in memory: it is written to a temporary
folder as fast as the database returns rows. So a slow client does not prolong the snapshot, which keeps the database's
log from being cleared. A client reads at most half of the snapshots at a time, so that its exports do not delay those
of others.

A file stays on the disk until its client has received it. The number of files and their bytes are limited, and no
client has more than half of either; otherwise idle clients would fill the disk.

Rule: nothing is sent before the whole file is written, so a failure becomes an error response, and never half a file.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from weakref import WeakValueDictionary

from barcodesvc.errors import ExportFailure
from barcodesvc.runtime.capacity import Acquire, Capacity
from barcodesvc.runtime.processes import IsWanted, UnwantedError, always_wanted
from barcodesvc.runtime.threads import WorkerThreads, run_to_end
from barcodesvc.spreadsheets.tables import TableDesign, Values
from barcodesvc.spreadsheets.write import CSV_BOM, XlsxFile, csv_bytes, disk_errors_translated
from barcodesvc.store.database import Database, Snapshot
from barcodesvc.store.limits import SNAPSHOT_WAIT, SNAPSHOTS, held, too_many_snapshots

_LOG = logging.getLogger(__name__)

CHUNK = 256 * 1024
"""Bytes that are sent at a time."""

_FOLDER = partial(TemporaryDirectory, prefix="barcodesvc-export-", ignore_cleanup_errors=True)

Batches = AsyncGenerator[Iterable[Values]]
"""The rows of a table, some at a time. What they compute, they compute in the thread that writes them."""


@dataclass(frozen=True, slots=True)
class ExportTable:
    """One table of an export, read from a snapshot: its design and its rows."""

    design: TableDesign
    batches: Batches


OpenTable = Callable[[Snapshot], Awaitable[ExportTable]]
"""Begins to read a table."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table as text: its rows, how they are written, and the text before, between and after them."""

    batches: Batches
    written: Callable[[Iterable[Any]], bytes]
    begin: bytes
    separator: bytes = b""
    end: bytes = b""


@dataclass(frozen=True, slots=True)
class Exporter:
    """What exports need: a database, threads, and capacity on the disk for a number of files and bytes."""

    database: Database
    threads: WorkerThreads
    files: Capacity
    bytes: Capacity
    _shares: WeakValueDictionary[str, asyncio.Semaphore] = field(default_factory=WeakValueDictionary)

    @asynccontextmanager
    async def snapshot(self, client: str) -> AsyncIterator[Snapshot]:
        """Open a snapshot for a client; raises ExportOverload if none becomes free in time, and DatabaseFailure."""
        share = self._shares.setdefault(client, asyncio.Semaphore(SNAPSHOTS // 2))
        async with held(share, SNAPSHOT_WAIT, too_many_snapshots), self.database.snapshot() as snapshot:
            yield snapshot

    @asynccontextmanager
    async def file(self, client: str, is_wanted: IsWanted) -> AsyncIterator[ExportFile]:
        """Yield a client's file, removed at the end of the block; raises ExportOverload and ExportFailure."""
        with self.files.held(1, client), self.bytes.held(0, client) as acquire:
            with disk_errors_translated():
                folder = await run_to_end(self.threads, _FOLDER)
            try:
                yield ExportFile(Path(folder.name) / "export", self, client, is_wanted, acquire)
            finally:
                await run_to_end(self.threads, folder.cleanup)  # removing a large file takes long


@dataclass(slots=True)
class ExportFile:
    """A growing file for a client, and the capacity that it has taken."""

    path: Path
    exporter: Exporter
    client: str
    is_wanted: IsWanted
    _acquire: Acquire
    _size: int = 0

    async def append(self, batches: Batches, write: Callable[[Iterable[Values]], Any]) -> None:
        """Write batches in a thread; raises ExportOverload, ExportFailure, and UnwantedError if no client waits."""
        async with aclosing(batches):
            async for rows in batches:
                if not self.is_wanted():
                    raise UnwantedError
                await run_to_end(self.exporter.threads, write, rows)
                self.count()

    def count(self) -> None:
        """Take capacity for the growth of the file; raises ExportOverload, and ExportFailure if it is too large."""
        size, most = self.path.stat().st_size, self.exporter.bytes.share
        if size > most:
            _LOG.error("an export has more than %d bytes, half of BARCODESVC_MAX_EXPORT_BYTES", most)
            raise ExportFailure(f"the export has more than {most} bytes; export less of it")
        self._acquire(size - self._size)
        self._size = size


def csv_export(
    exporter: Exporter, table: OpenTable, client: str, is_wanted: IsWanted = always_wanted, delimiter: str = ","
) -> AsyncGenerator[bytes]:
    """Yield one table as CSV in chunks, as `text_export` does."""

    async def opened(snapshot: Snapshot) -> TextTable:
        found = await table(snapshot)
        begin = CSV_BOM + csv_bytes([found.design.header], delimiter)
        return TextTable(found.batches, lambda rows: csv_bytes(list(rows), delimiter), begin)

    return text_export(exporter, opened, client, is_wanted)


def text_export(
    exporter: Exporter,
    opened: Callable[[Snapshot], Awaitable[TextTable]],
    client: str,
    is_wanted: IsWanted = always_wanted,
) -> AsyncGenerator[bytes]:
    """Yield the table that a snapshot has as text in chunks, or nothing if it is no longer wanted.

    `is_wanted` is asked for each batch of rows. Raises ExportOverload, ExportFailure and DatabaseFailure before any
    chunk.
    """
    return _sent(exporter, client, is_wanted, partial(_write_text, opened))


def xlsx_export(
    exporter: Exporter, tables: Sequence[OpenTable], client: str, is_wanted: IsWanted = always_wanted
) -> AsyncGenerator[bytes]:
    """Yield a workbook in chunks, as `text_export` does."""
    return _sent(exporter, client, is_wanted, partial(_write_workbook, tables))


async def _sent(
    exporter: Exporter, client: str, is_wanted: IsWanted, write: Callable[[ExportFile], Awaitable[None]]
) -> AsyncGenerator[bytes]:
    async with exporter.file(client, is_wanted) as export:
        try:
            with disk_errors_translated():
                await write(export)
        except UnwantedError:
            return
        export.count()
        with export.path.open("rb") as file:
            while chunk := await run_to_end(exporter.threads, file.read, CHUNK):
                yield chunk


async def _write_text(opened: Callable[[Snapshot], Awaitable[TextTable]], export: ExportFile) -> None:
    with export.path.open("wb") as file:
        async with export.exporter.snapshot(export.client) as snapshot:
            table = await opened(snapshot)
            file.write(table.begin)
            separators = chain([b""], repeat(table.separator))
            await export.append(table.batches, lambda rows: file.write(next(separators) + table.written(rows)))
        file.write(table.end)


async def _write_workbook(tables: Sequence[OpenTable], export: ExportFile) -> None:
    threads = export.exporter.threads
    with await run_to_end(threads, XlsxFile, export.path) as book:
        async with export.exporter.snapshot(export.client) as snapshot:
            for opened in tables:
                table = await opened(snapshot)
                await run_to_end(threads, book.sheet, table.design)
                await export.append(table.batches, lambda rows: book.append(list(rows)))
        await run_to_end(threads, book.finish)
