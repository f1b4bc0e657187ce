import csv
from pathlib import Path

import pytest
from openpyxl import load_workbook

from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.products import get_product_by_code
from tests.catalogue.imported import codes, counts, imported, levels
from tests.engines import Places

NO_CODE = [*range(63, 69), 71, 72, 78, 82, 84, 85, 87, *range(95, 111), *range(355, 409), 412]
FRACTIONS = [91, 93, 411, 415]


@pytest.mark.parametrize("name", ["catalogue.xlsx", "catalogue.xls"])
async def test_the_real_catalogue_is_imported(
    database: Database, threads: WorkerThreads, catalogue_data: Path, name: str
) -> None:
    """Rows without a code and with a fraction are errors, all others products; a second time all are skipped."""
    first = await imported(database, threads, catalogue_data / name)
    assert counts(first) == (326, 0, 0, 88)
    assert [error.row for error in first.errors] == sorted(NO_CODE + FRACTIONS)
    assert [error.row for error in first.errors if error.error == "product_code: required"] == NO_CODE
    assert [error.row for error in first.errors if "is not a whole number from 0" in error.error] == FRACTIONS
    second = await imported(database, threads, catalogue_data / name)
    assert counts(second) == (0, 0, 326, 88)
    assert second.errors == first.errors


async def test_both_formats_of_the_real_catalogue_are_the_same(
    database: Database, threads: WorkerThreads, catalogue_data: Path, places: Places
) -> None:
    """Codes, texts and levels do not depend on the file format."""
    await imported(database, threads, catalogue_data / "catalogue.xlsx")
    with places.one() as place:
        async with open_database(place) as other:
            await imported(other, threads, catalogue_data / "catalogue.xls")
            assert await levels(other) == await levels(database)
            assert max(level.current_level for level in (await levels(other)).values()) == 19_625
    assert (await get_product_by_code(database, "widget.red.01")).category.count("/") > 0


async def test_levels_of_the_real_catalogue_are_those_of_the_file(
    database: Database, threads: WorkerThreads, catalogue_data: Path
) -> None:
    """Every product has the level and the minimum of its row, as another reader reads it; blank ones are 0."""
    await imported(database, threads, catalogue_data / "catalogue.xlsx")
    rows = load_workbook(catalogue_data / "catalogue.xlsx").worksheets[0].iter_rows(min_row=2, values_only=True)
    expected = {row[0]: (row[4] or 0, row[5] or 0) for row in rows if row[0] and isinstance(row[4] or 0, int)}
    stored = {code: (level.current_level, level.minimum_level) for code, level in (await levels(database)).items()}
    assert stored == expected


async def test_the_codes_of_real_groceries_are_kept(
    database: Database, threads: WorkerThreads, catalogue_data: Path
) -> None:
    """Every code is stored as its cell shows it, however the workbook stores it."""
    result = await imported(database, threads, catalogue_data / "groceries.xlsx")
    assert counts(result) == (1848, 0, 0, 152)
    assert {error.error for error in result.errors} == {"description: required"}
    with (catalogue_data / "groceries.csv").open(encoding="utf-8", newline="") as file:
        expected = [row["xlsx_code"] for row in csv.DictReader(file) if row["name"].strip()]
    assert await codes(database) == expected
