from datetime import datetime
from io import BytesIO
from pathlib import Path

import pytest
from openpyxl import load_workbook

from barcodesvc.catalogue.export_tables import history_table, level_table, levels_with_history_table
from barcodesvc.models import LevelUpdate
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.lists import ProductFilter, list_products
from barcodesvc.store.staging import SKIP
from tests.catalogue.exported import NOW, TEXTS, content, csv_export, csv_rows, sheets, stock, xlsx_export
from tests.catalogue.imported import imported
from tests.engines import Places
from tests.stock import levels_of_all, set_level

LEVEL = ["id", "product_id", "product_code", "description", "current_level", "minimum_level", "maximum_level"]
LEVEL += ["last_updated", "updated_by", "category", "unit_of_measure"]
CHANGE = ["change_id", "old_level", "new_level", "change_reason", "change_updated_by", "change_updated_at"]
HISTORY_SHEET = [
    "product_id",
    "id",
    "product_code",
    "old_level",
    "new_level",
    "change_reason",
    "updated_by",
    "updated_at",
]


async def test_a_csv_is_utf_8_with_bom_and_rfc_4180(database: Database, threads: WorkerThreads) -> None:
    """One BOM, CRLF after every line, quotes doubled where a field needs them."""
    await stock(database, "A-1", description='ü "x", y', category="Bolts", minimum_level=1, maximum_level=9)
    exported = await content(csv_export(database, threads, level_table))
    assert exported.decode("utf-8") == (
        "\ufeff"
        + ",".join(f'"{name}"' for name in LEVEL)
        + f'\r\n1,1,"A-1","ü ""x"", y",5,1,9,"{NOW}","system","Bolts","pcs"\r\n'
    )


async def test_a_csv_with_history_repeats_each_level(database: Database, threads: WorkerThreads) -> None:
    """One row per change, with its columns after the level's; a level without changes has them empty."""
    await stock(database, "A-1")
    await stock(database, "A-2", initial_level=0)
    update = LevelUpdate(new_level=7, change_reason="count", updated_by="Ann")
    await set_level(database, 1, update, NOW)
    header, *rows = csv_rows(await content(csv_export(database, threads, levels_with_history_table)))
    assert header == LEVEL + CHANGE
    assert [row[2:5:2] + row[11:] for row in rows] == [
        ["A-1", "7", "1", "0", "5", "initial level", "system", NOW],
        ["A-1", "7", "2", "5", "7", "count", "Ann", NOW],
        ["A-2", "0", "", "", "", "", "", ""],
    ]


async def test_a_workbook_has_the_levels(database: Database, threads: WorkerThreads) -> None:
    """One sheet, its header, numbers as numbers, texts as texts and timestamps as dates."""
    noon = datetime.fromisoformat(NOW).replace(tzinfo=None)
    await stock(database, "0042", minimum_level=1, category="Bolts")
    exported = sheets(await content(xlsx_export(database, threads, (level_table,))))
    assert exported == {
        "Inventory": [
            tuple(LEVEL),
            (1, 1, "0042", "The 0042", 5, 1, 0, noon, "system", "Bolts", "pcs"),
        ]
    }


async def test_a_workbook_with_history_has_a_sheet_for_it(database: Database, threads: WorkerThreads) -> None:
    """Every change is on the second sheet, in the order of products and changes."""
    await stock(database, "A-1", "A-2")
    await set_level(database, 1, LevelUpdate(new_level=7), NOW)
    exported = sheets(await content(xlsx_export(database, threads, (level_table, history_table))))
    assert list(exported) == ["Inventory", "History"]
    assert exported["History"][0] == tuple(HISTORY_SHEET)
    assert [row[:5] for row in exported["History"][1:]] == [
        (1, 1, "A-1", 0, 5),
        (1, 3, "A-1", 5, 7),
        (2, 2, "A-2", 0, 5),
    ]


async def test_an_empty_catalogue_is_a_header(database: Database, threads: WorkerThreads) -> None:
    """Without products, every table has its header and nothing else."""
    assert csv_rows(await content(csv_export(database, threads, level_table))) == [LEVEL]
    assert csv_rows(await content(csv_export(database, threads, levels_with_history_table))) == [LEVEL + CHANGE]
    exported = sheets(await content(xlsx_export(database, threads, (level_table, history_table))))
    assert exported == {"Inventory": [tuple(LEVEL)], "History": [tuple(HISTORY_SHEET)]}


async def test_texts_like_formulas_are_shown_not_run(database: Database, threads: WorkerThreads) -> None:
    """In CSV an apostrophe disarms them; in a workbook they are text cells, never formulas."""
    for number, text in enumerate(TEXTS):
        await stock(database, f"P{number}", description=text, category=text[:64])
    rows = csv_rows(await content(csv_export(database, threads, level_table)))[1:]
    guarded = ["'=1+1", "'+49 30", "'-5", "'@home", "''=quoted"]
    assert [row[3] for row in rows] == [row[9] for row in rows] == guarded + TEXTS[len(guarded) :]
    book = load_workbook(BytesIO(await content(xlsx_export(database, threads, (level_table,)))))
    assert {cell.data_type for row in book.worksheets[0].iter_rows(min_col=3, max_col=4) for cell in row} == {"s"}


async def test_an_exported_workbook_is_imported_unharmed(
    database: Database, threads: WorkerThreads, tmp_path: Path, places: Places
) -> None:
    """Codes, texts and levels come back as they were, formulas, zeros and apostrophes included."""
    for number, text in enumerate(TEXTS):
        code = text if text.isascii() else f"P{number}"
        await stock(database, code, description=text, category=text, minimum_level=1, maximum_level=9)
    path = tmp_path / "export.xlsx"
    path.write_bytes(await content(xlsx_export(database, threads, (level_table, history_table))))
    with places.one() as place:
        async with open_database(place) as other:
            result = await imported(other, threads, path, SKIP)
            assert (result.imported, result.errors) == (len(TEXTS), [])
            pages = [await list_products(each, ProductFilter(), limit=100, offset=0) for each in (other, database)]
            assert pages[0] == pages[1]
            assert await levels_of_all(other) == await levels_of_all(database)


@pytest.mark.each_engine
async def test_the_columns_are_those_of_the_queries(database: Database) -> None:
    """Every header has as many names as the rows below it have values."""
    await stock(database, "A-1")
    async with database.snapshot() as snapshot:
        for opened in (level_table, history_table, levels_with_history_table):
            table = await opened(snapshot)
            async for [row] in table.batches:
                assert len(row) == len(table.design.header) == len(set(table.design.header))


async def test_rows_of_low_stock_are_marked(database: Database, threads: WorkerThreads) -> None:
    """The sheet of levels colours the rows at or below the minimum, by a rule on its two columns."""
    await stock(database, "A-1")
    book = load_workbook(BytesIO(await content(xlsx_export(database, threads, (level_table, history_table)))))
    [(places, [rule])] = [(str(found.sqref), found.rules) for found in book["Inventory"].conditional_formatting]
    header = [cell.value for cell in book["Inventory"][1]]
    assert (places, rule.formula) == ("A2:K2", ["$E2<=$F2"])
    assert [header.index(name) for name in ("current_level", "minimum_level")] == [4, 5]
    assert list(book["History"].conditional_formatting) == []
