import asyncio
import sqlite3
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, strategies as st

from barcodesvc.catalogue import importing
from barcodesvc.errors import InvalidInput
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store import staging
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.products import get_product_by_code
from barcodesvc.store.staging import SKIP, UPDATE, Mode
from tests.catalogue.imported import codes, counts, imported, levels, lines, tried_out, workbook
from tests.engines import Place, Places
from tests.properties import examples
from tests.stock import history

CELLS = st.sampled_from(["A", "B", "a", "é", " A", "", " ", None, 7, 7.5, True, "#N/A", "x" * 65])
TEXTS = st.sampled_from(["text", "two\nlines", "", None, "#REF!", "tab\tinside", 5])
NUMBERS = st.sampled_from([0, 1, 5, -1, 2.5, "3", "many", None, "", 2**53])
ROWS = st.lists(st.tuples(CELLS, TEXTS, TEXTS, NUMBERS, NUMBERS, NUMBERS), max_size=12)


async def test_imported_products_are_indexed_after_the_response(
    database: Database,
    threads: WorkerThreads,
    database_file: Path,
    tmp_path: Path,
    until: Callable[[Callable[[], bool]], Awaitable[None]],
) -> None:
    """The index adds the new products by itself, without delaying the import."""

    def indexed() -> int:
        with closing(sqlite3.connect(database_file)) as connection:
            return int(connection.execute("SELECT upto FROM indexed_products").fetchone()[0])

    await imported(database, threads, workbook(tmp_path, *((f"A-{number}", "x") for number in range(7))))
    await until(lambda: indexed() == 7)


@pytest.mark.each_engine
async def test_imported_levels_begin_their_histories(
    database: Database, threads: WorkerThreads, tmp_path: Path
) -> None:
    """A level over 0 has its first history entry, a blank one is 0 and has none."""
    await imported(database, threads, workbook(tmp_path, ("A-1", "x", "", 5), ("A-2", "x")))
    histories = [await history(database, level.product_id) for level in (await levels(database)).values()]
    assert [[(change.old_level, change.new_level) for change in changes] for changes in histories] == [[(0, 5)], []]


async def test_rows_fall_into_their_classes(database: Database, threads: WorkerThreads, tmp_path: Path) -> None:
    """New rows are imported, known codes skipped, wrong rows and repeats reported with their numbers."""
    await imported(database, threads, workbook(tmp_path, ("old", "x")))
    rows = [
        ("new", "x"),
        ("old", "y"),
        (),
        (None, "x"),
        ("new", "again"),
        ("old", "again"),
        ("bad", "#N/A"),
        ("bad", "x"),
    ]
    result = await imported(database, threads, workbook(tmp_path, *rows))
    assert (result.imported, result.skipped) == (1, 1)
    assert lines(result) == [
        (5, "product_code: required"),
        (6, "product_code: 'new' is already in row 2"),
        (7, "product_code: 'old' is already in row 3"),
        (8, "description: contains the error #N/A: correct it in the spreadsheet"),
        (9, "product_code: 'bad' is already in row 8"),
    ]
    assert (await get_product_by_code(database, "old")).description == "x"


@pytest.mark.each_engine
async def test_a_repeat_is_seen_over_batches(database: Database, threads: WorkerThreads, tmp_path: Path) -> None:
    """The first row of a code is remembered to the end of the file; other letters are another code."""
    rows = [("first", "x"), *((f"P{number}", "x") for number in range(1200)), ("first", "x"), ("FIRST", "x")]
    result = await imported(database, threads, workbook(tmp_path, *rows))
    assert result.imported == 1202
    assert lines(result) == [(1203, "product_code: 'first' is already in row 2")]


@pytest.mark.parametrize("mode", [SKIP, UPDATE])
async def test_a_dry_run_reports_and_writes_nothing(
    database: Database, threads: WorkerThreads, catalogue_data: Path, mode: Mode
) -> None:
    """The import then does what the dry run said, with an empty catalogue and with a full one."""
    for _ in range(2):
        before = await levels(database)
        tried = await tried_out(database, threads, catalogue_data / "catalogue.xlsx", mode)
        assert await levels(database) == before
        assert await imported(database, threads, catalogue_data / "catalogue.xlsx", mode) == tried


async def test_a_workbook_without_header_imports_nothing(
    database: Database, threads: WorkerThreads, tmp_path: Path
) -> None:
    """Unknown columns are a refusal, in a dry run too."""
    path = workbook(tmp_path, ("A-1", "x"), header=("this", "that"))
    with pytest.raises(InvalidInput, match="no sheet has a header row"):
        await imported(database, threads, path)
    with pytest.raises(InvalidInput, match="no sheet has a header row"):
        await tried_out(database, threads, path, SKIP)


@pytest.mark.parametrize("chunk", [3, staging.CHUNK])
async def test_a_preview_passes_over_rows_with_errors(
    database: Database, threads: WorkerThreads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    """It continues, chunk by chunk, to its number of valid rows (both made smaller here)."""
    monkeypatch.setattr(staging, "CHUNK", chunk)
    monkeypatch.setattr(importing, "PREVIEWED", 10)
    known = [("A-1", "x", "", 0, 1, 9), ("A-2", "x", "", 0, 1, 9)]
    await imported(database, threads, workbook(tmp_path, *known, *((f"B-{number}", "x") for number in range(12))))
    wrong = [("A-1", "y", "", None, 10), ("A-2", "y", "", None, 10)]
    rows = [row for number in range(12) for row in [(f"N-{number}", "y"), (f"B-{number}", "y")]]
    result = await tried_out(database, threads, workbook(tmp_path, *wrong, *rows), UPDATE)
    assert [row.row for row in result.preview] == list(range(4, 14))
    assert [row.outcome for row in result.preview] == ["imported", "updated"] * 5
    assert counts(result) == (12, 12, 0, 2)


@pytest.mark.each_engine
@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    before=ROWS,
    rows=ROWS,
    mode=st.sampled_from([SKIP, UPDATE]),
    chunk=st.sampled_from([1, 2, 3, staging.CHUNK]),
)
def test_classes_add_up_whatever_the_rows(places: Places, before: Any, rows: Any, mode: Mode, chunk: int) -> None:
    """Every row that is not blank is in exactly one class, dry or not, and importing again adds nothing."""
    with tempfile.TemporaryDirectory() as folder, places.one() as place, pytest.MonkeyPatch.context() as patched:
        patched.setattr(staging, "CHUNK", chunk)
        asyncio.run(import_twice(place, Path(folder), before, rows, mode))


async def import_twice(place: Place, folder: Path, before: list[Any], rows: list[Any], mode: Mode) -> None:
    """Import rows into a catalogue that has others, as a dry run, then really, then again."""
    blank = [row for row in rows if not any(cell is not None and str(cell).strip() for cell in row)]
    threads = WorkerThreads("files", 1)
    async with open_database(place) as database:
        await imported(database, threads, workbook(folder, *before))
        path = workbook(folder, *rows)
        tried = await tried_out(database, threads, path, mode)
        result = await imported(database, threads, path, mode)
        again = await imported(database, threads, path, SKIP)
        stored = await codes(database)
    await threads.close()
    assert tried == result
    assert sum(counts(result)) == sum(counts(again)) == len(rows) - len(blank)
    assert again.imported == 0
    assert len({error.row for error in result.errors}) == len(result.errors)
    assert len(stored) == len(set(stored)) >= result.imported
