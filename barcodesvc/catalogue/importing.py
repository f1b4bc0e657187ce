"""Imports: the rows of a workbook are staged in a file, and then written to the catalogue in one transaction.

Reading a workbook takes many times as long as writing its rows, so it ends before the transaction begins, and a sale
waits for the writing only. Each file is read in a worker process with limits of time and memory: it can ask for any
amount of both, and a thread would hold the interpreter lock against every scan. Statements over thousands of rows write
them without holding the lock. Reading stops at its next report if the client has disconnected. A dry run is an import
whose transaction is rolled back, so it cannot report anything that the import would not.

Rule: every data row is counted exactly once, as imported, updated, skipped or an error. An update never changes the
level: a file that was exported last week must not undo today's bookings. It reports how many levels it ignores; a count
and a receipt book them, and change nothing else. Blank cells change nothing. A row without a description is an error,
unless it books the level of an existing product.
"""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from barcodesvc.catalogue.refused_rows import write_refused_rows
from barcodesvc.catalogue.rows import WrongCell, WrongRow
from barcodesvc.catalogue.staged_table import (
    MOST_ERRORS,
    FirstErrors,
    Progress,
    progress_from_json,
    stage_table,
    table_from_json,
)
from barcodesvc.catalogue.table import RecognisedTable, Selection
from barcodesvc.errors import DatabaseFailure, FileTooLarge, GenerationFailure
from barcodesvc.made_codes import MadeCodes
from barcodesvc.models import MAX_LEVEL, MOST_ATTRIBUTES, disordered_levels, too_many_attributes
from barcodesvc.runtime.processes import IsWanted, ProcessLimits, WorkerProcesses, always_wanted
from barcodesvc.runtime.threads import WorkerThreads, run_to_end
from barcodesvc.spreadsheets.read import is_held_in_memory
from barcodesvc.store.attributes import require_room_for_names
from barcodesvc.store.database import Database
from barcodesvc.store.script import Begin, Script
from barcodesvc.store.staging import (
    RECEIPT,
    TRIAL_IDS,
    UPDATE,
    BeyondRange,
    Chunk,
    Contradiction,
    Entry,
    Mode,
    OtherName,
    PreviewRow,
    TakenCode,
    begun,
    book_levels,
    chunks,
    contradictions,
    count_levels_ignored,
    insert_new,
    leave_out_taken_codes,
    levels_before,
    merged_rows,
    name_rows,
    rows_beyond_range,
    rows_of_other_names,
    unknown_rows,
    update_stored,
)

T = TypeVar("T")

_LOG = logging.getLogger(__name__)

LIMITS = ProcessLimits(seconds=900.0, bytes=1_000_000_000)
"""Limits of a process that reads a file: many times what the largest catalogue takes."""
LIMITS_OF_XLS = ProcessLimits(seconds=60.0, bytes=400_000_000)
"""The same for a file that is held in memory, such as an .xls: ten times the processor time of a full one in 13 MB."""
PREVIEWED = 500
"""Rows that a result has as they are stored, for people to look at before they import."""
NEW_PRODUCTS = 500
"""New products that a result names, whose labels are printed next: as many as one list of products has."""
_FILE = "file"
"""The field that a refusal of the whole file is about."""
_SMALLER = "send it in parts, or save it as .xlsx with the data only"


@dataclass(slots=True)
class ImportResult:
    """The counts of an import so far; at its end the others add up to `rows_read`.

    `errors_read` counts the errors found while reading the file; `preview` has the first rows that are not refused.
    `levels_ignored` counts rows whose level was not booked and is not that of their product; their outcome counts too.
    `warned` are the warnings of the file and of valid rows. `new_products` are the ids of the first new ones.
    """

    rows_read: int = 0
    errors_read: int = field(default=0, compare=False)
    imported: int = 0
    updated: int = 0
    skipped: int = 0
    levels_ignored: int = 0
    refused: FirstErrors = field(default_factory=FirstErrors)
    warned: FirstErrors = field(default_factory=FirstErrors)
    found: RecognisedTable | None = None
    preview: list[PreviewRow] = field(default_factory=list, compare=False)
    import_id: int | None = field(default=None, compare=False)
    new_products: list[int] = field(default_factory=list, compare=False)

    @property
    def errors(self) -> list[WrongRow]:
        """The first errors by row, at most MOST_ERRORS."""
        return self.refused.first

    @property
    def errors_count(self) -> int:
        """The number of all rows with errors found so far."""
        return max(self.refused.count, self.errors_read)

    def copy(self) -> ImportResult:
        """Return a copy that counts independently."""
        return replace(
            self,
            refused=self.refused.copy(),
            warned=self.warned.copy(),
            preview=[*self.preview],
            new_products=[*self.new_products],
        )


Report = Callable[[ImportResult], None]
"""Receives the counts so far, in the event loop, after some rows were read or written."""


def _unreported(_: Any) -> None:
    """Ignore the progress."""


@dataclass(frozen=True, slots=True)
class CatalogueFile:
    """A workbook to import: in which mode, by whose entry, which part of it, and which codes rows without one get."""

    path: Path
    mode: Mode
    entry: Entry
    selection: Selection = field(default_factory=Selection)
    made_codes: MadeCodes | None = None


class _DryRunOver(Exception):  # noqa: N818 - not an error, and it leaves this module only towards the database
    """Rolls back a dry run, and carries its result."""

    def __init__(self, result: ImportResult) -> None:
        super().__init__()
        self.result = result


@dataclass(frozen=True, slots=True)
class Importer:
    """What imports need: a database, threads, and processes that read files."""

    database: Database
    threads: WorkerThreads
    processes: WorkerProcesses

    async def run(
        self, file: CatalogueFile, whole: Callable[[Begin[ImportResult]], Script[T]], report: Report = _unreported
    ) -> T:
        """Import a workbook in one transaction; nothing is written if anything but single rows fails.

        The transaction is the script that `whole` makes of the one that imports. Raises InvalidFileFormat, FileTooLarge
        (also if reading takes too long or too much memory), InvalidInput (no header row, or a selection that the file
        does not have), GenerationFailure (its process was killed), RenderOverload (shutting down) and DatabaseFailure.
        """
        async with self._staged(file, report, always_wanted) as staged:

            def merge() -> Script[ImportResult]:
                return _merge(staged, file, file.entry, report)

            return await self.database.change_long(partial(whole, merge), staged=staged.file)

    async def try_out(
        self, file: CatalogueFile, report: Report = _unreported, is_wanted: IsWanted = always_wanted
    ) -> ImportResult:
        """Import a workbook and roll it back: return what `run` would.

        Raises the same, and GenerationFailure as well if the result is not wanted any longer while the file is read.
        """

        def tried() -> Script[None]:
            trial = replace(file.entry, first_id=TRIAL_IDS)
            raise _DryRunOver((yield from _merge(staged, file, trial, report)))

        async with self._staged(file, report, is_wanted) as staged:
            try:
                await self.database.change_long(tried, staged=staged.file)
            except _DryRunOver as over:
                return over.result
        raise AssertionError("a dry run ends by being rolled back")

    async def refused_rows(self, file: CatalogueFile, is_wanted: IsWanted = always_wanted) -> bytes:
        """Return a workbook of the first rows that `run` would refuse; raises what `try_out` raises."""
        result = await self.try_out(file, is_wanted=is_wanted)
        messages = {error.row: error.error for error in result.errors}
        with _new_file() as new:
            target = Path(new.name)
            await self._read(file, _unreported, write_refused_rows, messages, target)
            return await run_to_end(self.threads, target.read_bytes)

    @asynccontextmanager
    async def _staged(self, file: CatalogueFile, report: Report, is_wanted: IsWanted) -> AsyncIterator[_StagedFile]:
        """Stage the workbook in a file that is removed at the end, and count the rows read and the errors."""
        result = ImportResult()

        def count(read: Progress) -> None:
            result.rows_read, result.errors_read = read
            report(result)

        def read_so_far(read: Any) -> None:
            if not is_wanted():
                raise GenerationFailure("the client has disconnected")
            loop.call_soon_threadsafe(count, progress_from_json(read))

        loop = asyncio.get_running_loop()
        with _new_file() as new:
            staged = Path(new.name)
            table = table_from_json(await self._read(file, read_so_far, stage_table, staged, self.database.staging))
            result.found, result.refused, result.warned = table.found, table.refused, table.warned
            yield _StagedFile(staged, table.rows, table.names, result)

    async def _read(
        self, file: CatalogueFile, report: Callable[[Any], None], work: Callable[..., Any], *more: Any
    ) -> Any:
        """Return `work(report, path, selection, *more)`, from a process with limits.

        What it returns and reports becomes JSON on its way. Raises FileTooLarge beyond the limits.
        """
        job = file.path, file.selection, *more
        is_held = await run_to_end(self.threads, is_held_in_memory, file.path, file.selection.file_format)
        limits = LIMITS_OF_XLS if is_held else LIMITS
        try:
            return await run_to_end(self.threads, partial(self.processes.run, limits, work, *job, report=report))
        except TimeoutError as error:
            message = f"the file takes more than {limits.seconds:g} seconds to read; send it in parts"
            raise FileTooLarge(message) from error
        except MemoryError as error:
            raise FileTooLarge(f"the file takes too much memory to read; {_SMALLER}") from error


def _merge(staged: _StagedFile, file: CatalogueFile, entry: Entry, report: Report) -> Script[ImportResult]:
    mode, made, result = file.mode, file.made_codes, staged.read.copy()
    yield from require_room_for_names(staged.names, _FILE)
    entry = yield from begun(entry)
    result.import_id = entry.import_id
    if made:
        yield from name_rows(staged.rows, made)
    for chunk in chunks(staged.rows):
        taken = yield from leave_out_taken_codes(chunk, mode)
        refused = _taken_problems(taken, mode) + (yield from _refused(chunk, mode))
        # a row that names another product than that of its code may be of another program
        others = [] if mode is UPDATE else (yield from rows_of_other_names(chunk, MOST_ERRORS))
        if not mode.reason:
            result.levels_ignored += yield from count_levels_ignored(chunk)
        previewed = PREVIEWED - len(result.preview) + len(refused)
        before = yield from levels_before(chunk, previewed)
        updated = yield from _changed(chunk, mode, entry)
        created = yield from insert_new(chunk, entry)
        merged = yield from merged_rows(chunk, mode, before, previewed)
        left_out = {problem.row for problem in refused}
        result.preview += [row for row in merged if row.row not in left_out][: PREVIEWED - len(result.preview)]
        result.imported += len(created)
        result.new_products += created[: NEW_PRODUCTS - len(result.new_products)]
        result.updated += updated
        result.skipped += chunk.rows - len(created) - updated - len(refused)
        for problem in refused:
            result.refused.add(problem)
        for other in others:
            result.warned.add(_name_problem(other))
        report(result)
    return result


def _changed(chunk: Chunk, mode: Mode, entry: Entry) -> Script[int]:
    """Change the products that exist, and return their number."""
    if mode is UPDATE:
        return (yield from update_stored(chunk, entry.now))
    return (yield from book_levels(chunk, mode, entry)) if mode.reason else 0


def _refused(chunk: Chunk, mode: Mode) -> Script[list[WrongRow]]:
    """Return the problems of the rows that the mode does not let in."""
    if mode is UPDATE:
        return [_contradiction_problem(row) for row in (yield from contradictions(chunk))]
    if not mode.reason:
        return []
    refused = [_unknown_problem(*row) for row in (yield from unknown_rows(chunk))]
    if mode is RECEIPT:
        refused += [_range_problem(row) for row in (yield from rows_beyond_range(chunk))]
    return refused


def _taken_problems(rows: Sequence[TakenCode], mode: Mode) -> list[WrongRow]:
    """Return the problems of rows with codes of other products, the first one of each row."""
    return list({row.position: _taken_problem(row, mode) for row in reversed(rows)}.values())


def _taken_problem(row: TakenCode, mode: Mode) -> WrongRow:
    column = "product_code" if row.code == row.product_code else "other_codes"
    message = f"{row.code!r} is a code of {row.owner!r}"
    if column == "product_code" and mode.reason:
        message += "; name the product by its own code"
    refusal = WrongCell(column, row.code, "taken", message)
    return WrongRow.of(row.number, (refusal,), row.product_code, row.description or "")


def _contradiction_problem(row: Contradiction) -> WrongRow:
    refusals = []
    if 0 < row.maximum_level < row.minimum_level:
        column, value = "maximum_level", row.given_maximum
        if value is None:
            column, value = "minimum_level", row.given_minimum
        message = disordered_levels(row.minimum_level, row.maximum_level)
        refusals.append(WrongCell(column, str(value), "order", message))
    if row.attributes > MOST_ATTRIBUTES:
        message = f"with those of the product {too_many_attributes(row.attributes)}"
        refusals.append(WrongCell("attributes", "", "too many", message))
    return WrongRow.of(row.number, tuple(refusals), row.product_code, row.description)


def _unknown_problem(number: int, code: str) -> WrongRow:
    message = f"there is no product {code!r}; give a description to create it"
    return WrongRow.of(number, (WrongCell("description", "", "required", message),), code)


def _name_problem(row: OtherName) -> WrongRow:
    message = f"the product with this code is {row.description!r}; check that the row means it"
    given = row.given_description
    return WrongRow.of(row.number, (WrongCell("description", given, "other name", message),), row.product_code, given)


def _range_problem(row: BeyondRange) -> WrongRow:
    message = f"with the {row.old_level} in stock more than {MAX_LEVEL}, the greatest level"
    refusal = WrongCell("current_level", str(row.given_level), "range", message)
    return WrongRow.of(row.number, (refusal,), row.product_code, row.description)


@dataclass(frozen=True, slots=True)
class _StagedFile:
    """The staged file, the number of its rows, the names of their attributes, and the counts while it was read."""

    file: Path
    rows: int
    names: Collection[str]
    read: ImportResult


def _new_file() -> AbstractContextManager[Any]:
    try:
        return tempfile.NamedTemporaryFile(prefix="barcodesvc-import-")
    except OSError as error:
        _LOG.error("the rows of an import cannot be stored: %s", error)
        raise DatabaseFailure("the rows of the import could not be stored; free disk space and try again") from error
