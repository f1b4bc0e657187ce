"""Exports: a file from a snapshot of the database, sent as text (CSV or JSON) or as .xlsx.

The snapshot makes an export of a busy shop consistent. A file is never held in memory: a separate task writes it to a
temporary folder as fast as the database returns rows. Text is sent while the file grows, a workbook when it is
complete. So a slow client does not prolong the snapshot, which keeps the database's log from being cleared. A client
reads at most half of the snapshots at a time, so that its exports do not delay those of others.

A file stays on the disk until its client has received it. The number of files and their bytes are limited, and no
client has more than half of either; otherwise idle clients would fill the disk.

Rule: a failure before the first chunk becomes an error response. A later one, which only a text can have, ends the
chunks with an exception, so that half a file is never mistaken for a whole one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO
from weakref import WeakValueDictionary

from barcodesvc.errors import ExportFailure
from barcodesvc.runtime.capacity import Acquire, Capacity
from barcodesvc.runtime.processes import IsWanted, always_wanted
from barcodesvc.runtime.threads import WorkerThreads, run_to_end
from barcodesvc.spreadsheets.tables import TableDesign, Values
from barcodesvc.spreadsheets.write import CSV_BOM, XlsxFile, csv_bytes
from barcodesvc.store.database import Database, Snapshot
from barcodesvc.store.limits import SNAPSHOT_WAIT, SNAPSHOTS, held, too_many_snapshots
from barcodesvc.store.lists import StockBounds
from barcodesvc.store.script import Row

_LOG = logging.getLogger(__name__)

CHUNK = 256 * 1024
"""Bytes that are sent at a time."""

Read = Callable[..., AsyncGenerator[list[Row]]]
"""Reads rows of a snapshot in batches; that of an ExportTable takes bounds of levels as `stock`."""


def as_read(rows: list[Row]) -> Sequence[Values]:
    """Return rows that are the values of the columns already."""
    return rows


async def as_designed(table: ExportTable, _: Snapshot) -> ExportTable:
    """Return a table whose columns are always the same."""
    return table


@dataclass(frozen=True, slots=True)
class ExportTable:
    """One table of an export: its design, and how its rows are read.

    `values` turns rows into the values of the columns, in a thread. `complete` adds columns that depend on the data.
    """

    design: TableDesign
    read: Read
    values: Callable[[list[Row]], Sequence[Values]] = as_read
    complete: Callable[[ExportTable, Snapshot], Awaitable[ExportTable]] = as_designed

    def within(self, stock: StockBounds | None) -> ExportTable:
        """Return the same table, with only the rows of products whose levels are within the bounds."""
        return replace(self, read=partial(self.read, stock=stock)) if stock else self


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table as text: how its rows are read and written, and the text before, between and after them."""

    read: Read
    written: Callable[[list[Row]], bytes]
    begin: bytes
    between: bytes = b""
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

    @contextmanager
    def file(self, client: str) -> Iterator[ExportFile]:
        """Yield a client's file, removed at the end of the block; raises ExportOverload and ExportFailure."""
        with self.files.held(1, client), self.bytes.held(0, client) as acquire, _export_folder() as folder:
            yield ExportFile(folder / "export", client, self.bytes.share, acquire)


class ExportFile:
    """A growing file for a client, and the capacity that it has taken."""

    def __init__(self, path: Path, client: str, most_bytes: int, acquire: Acquire) -> None:
        self.path = path
        self.client = client
        self._most_bytes = most_bytes
        self._acquire = acquire
        self._size = 0

    def count(self) -> None:
        """Take capacity for the growth of the file; raises ExportOverload, and ExportFailure if it is too large."""
        size = self.path.stat().st_size
        if size > self._most_bytes:
            _LOG.error("an export has more than %d bytes, half of BARCODESVC_MAX_EXPORT_BYTES", self._most_bytes)
            raise ExportFailure(f"the export has more than {self._most_bytes} bytes; export less of it")
        self._acquire(size - self._size)
        self._size = size


def csv_export(exporter: Exporter, table: ExportTable, client: str, delimiter: str = ",") -> AsyncGenerator[bytes]:
    """Yield one table as CSV in chunks, while it is written; raises what `text_export` raises."""

    async def opened(snapshot: Snapshot) -> TextTable:
        found = await table.complete(table, snapshot)
        begin = CSV_BOM + csv_bytes([found.design.header], delimiter)
        return TextTable(found.read, lambda rows: csv_bytes(found.values(rows), delimiter), begin)

    return text_export(exporter, opened, client)


async def text_export(
    exporter: Exporter, opened: Callable[[Snapshot], Awaitable[TextTable]], client: str
) -> AsyncGenerator[bytes]:
    """Yield the table that a snapshot has as text in chunks, while it is written.

    Raises ExportOverload, ExportFailure and DatabaseFailure before any chunk.
    """
    with exporter.file(client) as export:
        news = asyncio.Event()
        export.path.touch()
        writing = asyncio.create_task(_write_text(exporter, opened, export, news))
        writing.add_done_callback(lambda _: news.set())
        try:
            with export.path.open("rb") as file:
                while chunk := await _next_chunk(exporter.threads, file, writing, news):
                    yield chunk
        finally:
            writing.cancel()
            await asyncio.wait([writing])
            _ = writing.cancelled() or writing.exception()  # else asyncio logs that it was not retrieved


async def xlsx_export(
    exporter: Exporter, tables: Sequence[ExportTable], client: str, is_wanted: IsWanted = always_wanted
) -> AsyncGenerator[bytes]:
    """Yield a workbook in chunks, or nothing if `is_wanted`, called for each batch of rows, returns False.

    Raises ExportOverload, ExportFailure and DatabaseFailure before the first chunk.
    """
    with exporter.file(client) as export:
        if not await _write_workbook(exporter, tables, export, is_wanted):
            return
        with export.path.open("rb") as file:
            while chunk := await run_to_end(exporter.threads, file.read, CHUNK):
                yield chunk


@contextmanager
def _export_folder() -> Iterator[Path]:
    try:
        folder = TemporaryDirectory(prefix="barcodesvc-export-", ignore_cleanup_errors=True)
    except OSError as error:
        raise _unwritable(error) from error
    with folder as name:
        yield Path(name)


async def _next_chunk(
    threads: WorkerThreads, file: IO[bytes], writing: asyncio.Task[None], news: asyncio.Event
) -> bytes:
    """Return the next bytes of a growing file, or none at its end; raises what the writing raised."""
    while True:
        news.clear()
        complete = writing.done()
        chunk = await run_to_end(threads, file.read, CHUNK)
        if writing.done():  # after reading: the end of a failed writing flushes the beginning, which must not be sent
            writing.result()
        if chunk or complete:
            return chunk
        await news.wait()


async def _write_text(
    exporter: Exporter,
    opened: Callable[[Snapshot], Awaitable[TextTable]],
    export: ExportFile,
    news: asyncio.Event,
) -> None:
    try:
        with export.path.open("wb") as file:
            between = b""
            async with exporter.snapshot(export.client) as snapshot:
                table = await opened(snapshot)
                file.write(table.begin)  # not read before rows flush it
                async with aclosing(table.read(snapshot)) as batches:
                    async for rows in batches:
                        await run_to_end(exporter.threads, _append, file, between, table.written, rows)
                        export.count()
                        between = table.between
                        news.set()
            file.write(table.end)
    except OSError as error:
        raise _unwritable(error) from error


def _append(file: IO[bytes], between: bytes, written: Callable[[list[Row]], bytes], rows: list[Row]) -> None:
    file.write(between + written(rows))
    file.flush()


async def _write_workbook(
    exporter: Exporter, tables: Sequence[ExportTable], export: ExportFile, is_wanted: IsWanted
) -> bool:
    """Return whether the workbook is complete."""
    threads = exporter.threads
    with await run_to_end(threads, XlsxFile, export.path) as book:
        async with exporter.snapshot(export.client) as snapshot:
            for designed in tables:
                table = await designed.complete(designed, snapshot)
                await run_to_end(threads, book.sheet, table.design)
                async with aclosing(table.read(snapshot)) as batches:
                    async for rows in batches:
                        if not is_wanted():
                            return False
                        await run_to_end(threads, _append_rows, book, table, rows)
                        export.count()
        await run_to_end(threads, book.finish)
    export.count()
    return True


def _append_rows(book: XlsxFile, table: ExportTable, rows: list[Row]) -> None:
    book.append(table.values(rows))


def _unwritable(error: OSError) -> ExportFailure:
    _LOG.error("an export cannot be written: %s", error)
    return ExportFailure("the rows could not be written to a temporary file; free disk space and try again")
