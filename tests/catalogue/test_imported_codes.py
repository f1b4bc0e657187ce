"""Further codes and made codes in imports: what new and stored products get, and which rows are refused."""

from pathlib import Path
from typing import Any

import pytest

from barcodesvc.catalogue.export_tables import catalogue_table
from barcodesvc.catalogue.importing import CatalogueFile, ImportResult
from barcodesvc.catalogue.table import Selection
from barcodesvc.models import ProductChange, ProductDraft
from barcodesvc.product_codes import CodeDraft
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store import further_codes
from barcodesvc.store.database import Database
from barcodesvc.store.products import get_product_by_code
from barcodesvc.store.staging import COUNT, SKIP, UPDATE, Entry
from tests.catalogue.exported import content, exporter, sheets, xlsx_export
from tests.catalogue.imported import NOW, alone, codes, counts, imported, importer, lines, tried_out, workbook
from tests.stock import MADE_CODES, add_code, change_product, create_product

pytestmark = pytest.mark.each_engine

HEADER = ("SKU", "Name", "Qty", "other_codes")


def table(folder: Path, *rows: tuple[Any, ...]) -> Path:
    """Write a workbook of codes, names, levels and further codes."""
    return workbook(folder, *rows, header=HEADER)


async def codes_of(database: Database, product_code: str) -> list[tuple[str, int, str]]:
    """Return the further codes of a product."""
    product = await get_product_by_code(database, product_code)
    return [(one.code, one.pack_quantity, one.note) for one in await further_codes.list_codes(database, product.id)]


async def test_new_products_get_their_further_codes(database: Database, threads: WorkerThreads, tmp_path: Path) -> None:
    """Each with its pack and its note; a product that exists keeps what it has, except in an update."""
    await imported(database, threads, table(tmp_path, ("A-1", "x", 1, "BOX*6 (six); B"), ("A-2", "x", 1, None)))
    assert await codes_of(database, "A-1") == [("BOX", 6, "six"), ("B", 1, "")]
    assert await codes_of(database, "A-2") == []
    for mode in (SKIP, COUNT):
        await imported(database, threads, table(tmp_path, ("A-1", "x", 2, "C")), mode)
        assert await codes_of(database, "A-1") == [("BOX", 6, "six"), ("B", 1, "")]


async def test_an_update_replaces_further_codes(database: Database, threads: WorkerThreads, tmp_path: Path) -> None:
    """A code that stays keeps its id; a blank cell changes nothing, and one of a new product is its first."""
    await imported(database, threads, table(tmp_path, ("A-1", "x", 1, "BOX*6; B"), ("A-2", "x", 1, "C")))
    stored = await further_codes.list_codes(database, (await get_product_by_code(database, "A-1")).id)
    rows = [("A-1", "y", None, "D; BOX*6; B*2"), ("A-2", "y", None, " "), ("A-3", "y", None, "E")]
    result = await imported(database, threads, table(tmp_path, *rows), UPDATE)
    assert counts(result) == (1, 2, 0, 0)
    assert sorted(await codes_of(database, "A-1")) == [("B", 2, ""), ("BOX", 6, ""), ("D", 1, "")]
    assert stored[0] in await further_codes.list_codes(database, stored[0].product_id)
    assert (await codes_of(database, "A-2"), await codes_of(database, "A-3")) == ([("C", 1, "")], [("E", 1, "")])


async def test_an_update_keeps_former_codes(database: Database, threads: WorkerThreads, tmp_path: Path) -> None:
    """Labels on the shelf have them; the preview shows what the product has after the import."""
    product = await create_product(database, ProductDraft(product_code="OLD", description="x"), NOW)
    await change_product(database, product.id, ProductChange(product_code="A-1"), NOW)
    path = table(tmp_path, ("A-1", "x", None, "BOX*6"))
    [row] = (await tried_out(database, threads, path, UPDATE)).preview
    assert [(one.code, one.pack_quantity) for one in row.other_codes] == [("OLD", 1), ("BOX", 6)]
    await imported(database, threads, path, UPDATE)
    assert await codes_of(database, "A-1") == [("OLD", 1, "former code"), ("BOX", 6, "")]


async def test_a_row_with_a_code_of_another_product_is_refused(
    database: Database, threads: WorkerThreads, tmp_path: Path
) -> None:
    """Of a stored product, or of an earlier row; the other rows are imported, and none of them is counted twice."""
    product = await create_product(database, ProductDraft(product_code="A-1", description="x"), NOW)
    await create_product(database, ProductDraft(product_code="A-2", description="x"), NOW)
    for code in ("BOX", "BOX-2"):
        await add_code(database, product.id, CodeDraft(code=code), NOW)
    rows = [
        ("BOX", "x", 1, None),
        ("B-1", "x", 1, "BOX-2"),
        ("B-2", "x", 1, "A-2"),
        ("B-3", "x", 1, "N"),
        ("B-4", "x", 1, "N"),
        ("N", "x", 1, None),
        ("A-1", "y", None, "FREE"),
    ]
    result = await imported(database, threads, table(tmp_path, *rows), UPDATE)
    assert counts(result) == (1, 1, 0, 5)
    assert lines(result) == [
        (2, "product_code: 'BOX' is a code of 'A-1'"),
        (3, "other_codes: 'BOX-2' is a code of 'A-1'"),
        (4, "other_codes: 'A-2' is a code of 'A-2'"),
        (6, "other_codes: 'N' is already in row 5"),
        (7, "product_code: 'N' is already in row 5"),
    ]
    assert await codes(database) == ["A-1", "A-2", "B-3"]
    assert await codes_of(database, "A-1") == [("FREE", 1, "")]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("a*b", "is not a code such as"),
        ("a*0", "greater than or equal to 1"),
        ("a*1000001", "less than or equal to 1000000"),
        ("é", "printable ASCII"),
        ("x; x", "is there twice"),
        ("A-1", "is there twice, or is the product's own"),
        ("; ".join(map(str, range(101))), "at most 100"),
        ("x" * 65, "at most 64 characters"),
    ],
)
async def test_a_wrong_cell_is_a_row_error(
    database: Database, threads: WorkerThreads, tmp_path: Path, cell: str, message: str
) -> None:
    """Its column and what is wrong are named; nothing of the row is imported."""
    result = await imported(database, threads, table(tmp_path, ("A-1", "x", 1, cell)))
    [(row, error)] = lines(result)
    assert (row, error.startswith("other_codes: "), message in error) == (2, True, True), error
    assert await codes(database) == []


async def test_what_is_exported_is_imported_as_the_same(
    database: Database, threads: WorkerThreads, tmp_path: Path
) -> None:
    """Whatever characters codes and notes have."""
    product = await create_product(database, ProductDraft(product_code="A-1", description="x"), NOW)
    for code, pack, note in ((r"a\;*()b", 1, "x; (y) *"), ("=1+1", 12, ""), ("4006381333948", 6, "Kiste ü")):
        await add_code(database, product.id, CodeDraft(code=code, pack_quantity=pack, note=note), NOW)
    before = await codes_of(database, "A-1")
    exported = await content(xlsx_export(exporter(database, threads), catalogue_table))
    header, row = sheets(exported)["Products"]
    assert row[header.index("other_codes")] == r"a\\\;\*\(\)b (x\; \(y\) \*); =1+1*12; 4006381333948*6 (Kiste ü)"
    await database.change(lambda: further_codes.remove(product.id, 2, NOW))
    (tmp_path / "made.xlsx").write_bytes(exported)
    await imported(database, threads, tmp_path / "made.xlsx", UPDATE)
    assert sorted(await codes_of(database, "A-1")) == sorted(before)


async def named(database: Database, threads: WorkerThreads, path: Path, *, tried: bool = False) -> ImportResult:
    """Import a workbook whose rows may have no codes, or try it out."""
    selection = Selection(needed=("description",), make_codes=True)
    file = CatalogueFile(path, SKIP, Entry(NOW), selection, MADE_CODES)
    imports = importer(database, threads)
    return await (imports.try_out(file) if tried else imports.run(file, alone))


async def test_rows_without_a_code_get_one(database: Database, threads: WorkerThreads, tmp_path: Path) -> None:
    """The next ones that neither a product nor another row has; a dry run gives none away."""
    await create_product(database, ProductDraft(product_code="P00001", description="x"), NOW)
    path = table(tmp_path, (None, "a", 1, None), ("P00003", "b", 2, None), (None, "c", 3, "BOX"), ("X", "d", 4, None))
    tried = await named(database, threads, path, tried=True)
    assert [row.product_code for row in tried.preview] == ["P00002", "P00003", "P00004", "X"]
    assert counts(await named(database, threads, path)) == (4, 0, 0, 0)
    assert await codes(database) == ["P00001", "P00002", "P00003", "P00004", "X"]
    assert await codes_of(database, "P00004") == [("BOX", 1, "")]


async def test_no_code_is_made_that_the_file_has(database: Database, threads: WorkerThreads, tmp_path: Path) -> None:
    """Neither as a code of a row nor as a further one, wherever in the file it is."""
    rows = [(None, "a", 1, None), ("P00002", "b", 1, None), (None, "c", 1, "P00001; P00004"), (None, "d", 1, None)]
    assert counts(await named(database, threads, table(tmp_path, *rows))) == (4, 0, 0, 0)
    assert await codes(database) == ["P00003", "P00002", "P00005", "P00006"]


async def test_a_table_needs_no_column_of_codes(database: Database, threads: WorkerThreads, tmp_path: Path) -> None:
    """If the codes are made, its header names the description and another field."""
    await named(database, threads, workbook(tmp_path, ("a", 1), ("b", 2), header=("Name", "Qty")))
    assert await codes(database) == ["P00001", "P00002"]
