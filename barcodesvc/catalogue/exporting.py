"""Exports: a file from a snapshot of the database, sent as text (CSV or JSON) or as .xlsx.

The snapshot is what makes an export of a busy shop consistent. A file is never held as a whole: a task of its own
writes it into a temporary folder as fast as the database gives rows. A text is sent while it grows, a workbook
when it is complete. So a snapshot, which keeps the database's log from being cleared, is held as long as the database
needs, however slow a client is. A failure before the first chunk is an error in words; a later one, which only a text
can have, ends the chunks with an exception, so that nobody takes half a file for a whole one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from barcodesvc.errors import ExportFailure
from barcodesvc.runtime.threads import WorkerThreads, run_to_end
from barcodesvc.spreadsheets.tables import TableDesign
from barcodesvc.spreadsheets.write import CSV_BOM, XlsxFile, csv_bytes
from barcodesvc.store.database import Database, Snapshot
from barcodesvc.store.script import Row

_LOG = logging.getLogger(__name__)

CHUNK = 256 * 1024
"""Bytes that are sent at a time."""

IsWanted = Callable[[], bool]
"""Whether anybody still waits for an export."""
Read = Callable[[Snapshot], AsyncGenerator[list[Row]]]
"""Reads rows of a snapshot, some at a time."""


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class ExportTable:
    """One table of an export: what it looks like, and how its rows are read."""

    design: TableDesign
    read: Read


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table as text: how its rows are read and written, and what stands before, between and behind them."""

    read: Read
    written: Callable[[list[Row]], bytes]
    begin: bytes
    between: bytes = b""
    end: bytes = b""


def csv_export(database: Database, threads: WorkerThreads, table: ExportTable) -> AsyncGenerator[bytes]:
    """Yield one table as CSV in chunks, while it is written; raises as `text_export`."""
    return text_export(
        database, threads, TextTable(table.read, csv_bytes, begin=CSV_BOM + csv_bytes([table.design.header]))
    )


async def text_export(database: Database, threads: WorkerThreads, table: TextTable) -> AsyncGenerator[bytes]:
    """Yield one table as text in chunks, while it is written.

    Raises ExportOverload before the first chunk, ExportFailure and DatabaseFailure before any.
    """
    with _export_folder() as folder:
        path, news = folder / "export", asyncio.Event()
        path.touch()
        writing = asyncio.create_task(_write_text(database, threads, table, path, news))
        writing.add_done_callback(lambda _: news.set())
        try:
            with path.open("rb") as file:
                while chunk := await _next_chunk(threads, file, writing, news):
                    yield chunk
        finally:
            writing.cancel()
            await asyncio.wait([writing])
            _ = writing.cancelled() or writing.exception()  # one that nobody asks for would be logged


async def xlsx_export(
    database: Database, threads: WorkerThreads, tables: Sequence[ExportTable], is_wanted: IsWanted = _always
) -> AsyncGenerator[bytes]:
    """Yield a workbook in chunks, and nothing once it is no longer wanted, which is asked at each batch of rows.

    Raises ExportOverload, ExportFailure and DatabaseFailure before the first chunk.
    """
    with _export_folder() as folder:
        path = folder / "export.xlsx"
        if not await _write_workbook(database, threads, tables, path, is_wanted):
            return
        with path.open("rb") as file:
            while chunk := await run_to_end(threads, file.read, CHUNK):
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
    """Return what comes next in a file that may still grow, nothing at its end; raises what the writing raised."""
    while True:
        news.clear()
        complete = writing.done()
        if complete:
            writing.result()
        chunk = await run_to_end(threads, file.read, CHUNK)
        if chunk or complete:
            return chunk
        await news.wait()


async def _write_text(
    database: Database, threads: WorkerThreads, table: TextTable, path: Path, news: asyncio.Event
) -> None:
    try:
        with path.open("wb") as file:
            file.write(table.begin)  # read by nobody before rows flush it
            between = b""
            async with database.snapshot() as snapshot, aclosing(table.read(snapshot)) as batches:
                async for rows in batches:
                    await run_to_end(threads, _append, file, between, table.written, rows)
                    between = table.between
                    news.set()
            file.write(table.end)
    except OSError as error:
        raise _unwritable(error) from error


def _append(file: IO[bytes], between: bytes, written: Callable[[list[Row]], bytes], rows: list[Row]) -> None:
    file.write(between + written(rows))
    file.flush()


async def _write_workbook(
    database: Database, threads: WorkerThreads, tables: Sequence[ExportTable], path: Path, is_wanted: IsWanted
) -> bool:
    """Return whether the workbook is complete."""
    with await run_to_end(threads, XlsxFile, path) as book:
        async with database.snapshot() as snapshot:
            for table in tables:
                await run_to_end(threads, book.sheet, table.design)
                async with aclosing(table.read(snapshot)) as batches:
                    async for rows in batches:
                        if not is_wanted():
                            return False
                        await run_to_end(threads, book.append, rows)
        await run_to_end(threads, book.finish)
    return True


def _unwritable(error: OSError) -> ExportFailure:
    _LOG.error("an export cannot be written: %s", error)
    return ExportFailure("the rows could not be put aside in a file; free disk space and try again")
