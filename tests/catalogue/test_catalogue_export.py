from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, strategies as st

from barcodesvc.catalogue.export_tables import catalogue_table
from barcodesvc.catalogue.importing import CatalogueFile
from barcodesvc.catalogue.table import Selection
from barcodesvc.models import MAX_LEVEL, ProductDraft
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.spreadsheets.escapes import unguard
from barcodesvc.spreadsheets.read import FileFormat
from barcodesvc.store import inventory, limits
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.staging import SKIP, Entry
from barcodesvc.texts import shows_nothing
from tests.catalogue.exported import NOW, TEXTS, content, csv_export, csv_rows, stock, xlsx_export
from tests.catalogue.imported import alone, importer
from tests.engines import Places
from tests.properties import examples
from tests.stock import insert_all

HEADER = ["product_code", "description", "category", "unit_of_measure"]
HEADER += ["current_level", "minimum_level", "maximum_level"]
TRICKY = [
    *TEXTS,
    "'",
    "''=1",
    "'x'",
    '"x"',
    '"',
    "\ufffe",
    "\uffff",
    "a\ufffeb",
    "_x000D_",
    "_xFFFF_x",
    "_x005F_x0041_",
]
TRICKY += [
    "a\u200b",
    "\ufeffa",
    "👩‍🔬",
    "a  b",
    "TRUE",
    "2026-01-31",
    "1/2",
    "SKU",
    "product_code",
    "]]>",
    "<b>&amp;",
    "x" * 64,
    ";',\"=1",
    "a|=b;c",
    "sep=;",
]


def text(longest: int, least: int = 0) -> st.SearchStrategy[str]:
    """Draw texts as people may send them, often difficult ones."""
    any_text = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=least, max_size=longest)
    like_xml = st.text("_x0F5D'=<&\uffff", min_size=least, max_size=min(longest, 12))
    return st.sampled_from(TRICKY) | any_text | like_xml


CODE = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=64).filter(
    lambda code: code == code.strip(" ")
) | st.sampled_from([text for text in TRICKY if text.isascii()])
LEVEL = st.integers(0, MAX_LEVEL) | st.integers(0, 9)


@st.composite
def drafts(draw: st.DrawFn) -> ProductDraft:
    """Draw a product that the service accepts."""
    minimum = draw(LEVEL)
    return ProductDraft(
        product_code=draw(CODE),
        description=draw(text(500, least=1).filter(_has_words)),
        category=draw(text(64)),
        unit_of_measure=draw(text(64)),
        initial_level=draw(LEVEL),
        minimum_level=minimum,
        maximum_level=draw(st.just(0) | st.integers(minimum, MAX_LEVEL)),
    )


def _has_words(description: str) -> bool:
    return not shows_nothing(description)


CATALOGUES = st.lists(drafts(), max_size=6, unique_by=lambda draft: draft.product_code)


@asynccontextmanager
async def fresh_database(places: Places) -> AsyncIterator[tuple[Database, Path]]:
    """Open an empty database in a new folder; yield the folder too."""
    with TemporaryDirectory() as folder, places.one() as place:
        async with open_database(place) as database:
            yield database, Path(folder)


async def products(database: Database) -> list[tuple[Any, ...]]:
    """Return every product as it is exported."""
    async with database.snapshot() as connection:
        return [row async for batch in inventory.exported_products(connection) for row in batch]


async def exported(
    places: Places, threads: WorkerThreads, stored: Sequence[ProductDraft], file_format: FileFormat | None
) -> tuple[bytes, list[tuple[Any, ...]]]:
    """Export a catalogue of these products; return the file, and what is stored."""
    async with fresh_database(places) as (database, _):
        await database.change(lambda: insert_all(stored, NOW))
        if file_format == "csv":
            return await content(csv_export(database, threads, catalogue_table)), await products(database)
        return await content(xlsx_export(database, threads, (catalogue_table,))), await products(database)


async def imported(
    places: Places, threads: WorkerThreads, file: bytes, file_format: FileFormat | None
) -> list[tuple[Any, ...]]:
    """Import a file into an empty database and return what is stored then."""
    async with fresh_database(places) as (database, folder):
        path = folder / "products"
        path.write_bytes(file)
        exported = CatalogueFile(path, SKIP, Entry(NOW), Selection(file_format=file_format))
        result = await importer(database, threads).run(exported, alone)
        assert (result.skipped, result.errors) == (0, [])
        return await products(database)


@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example([ProductDraft(product_code="SKU", description="Name", category="Category", unit_of_measure="")])
@example([ProductDraft(product_code="product_code", description="description")])
@example(
    [ProductDraft(product_code=f"P{n}", description=t, category=t, unit_of_measure=t) for n, t in enumerate(TRICKY)]
)
@example([ProductDraft(product_code=code, description=code) for code in ("4006381333931.0", "1.0")])
@example([ProductDraft(product_code=code, description=code) for code in ('="007"', "7")])
@given(CATALOGUES)
@pytest.mark.parametrize("file_format", [None, "csv"])
async def test_an_export_builds_the_same_catalogue_elsewhere(
    places: Places, threads: WorkerThreads, file_format: FileFormat | None, stored: list[ProductDraft]
) -> None:
    """Every field of every stored product comes back unchanged, levels included."""
    file, before = await exported(places, threads, stored, file_format)
    assert len(before) == len(stored)
    assert await imported(places, threads, file, file_format) == before


async def test_a_csv_of_the_catalogue_holds_the_same(database: Database, threads: WorkerThreads) -> None:
    """The same columns, and texts like formulas are displayed, not run."""
    for number, tricky in enumerate(TRICKY):
        await stock(database, f"P{number}", description=tricky, minimum_level=1, maximum_level=9)
    header, *rows = csv_rows(await content(csv_export(database, threads, catalogue_table)))
    assert header == HEADER
    assert [[unguard(row[1]), *row[4:]] for row in rows] == [[tricky, "5", "1", "9"] for tricky in TRICKY]
    assert not any(row[1].startswith(("=", "+", "-", "@")) for row in rows)


@pytest.mark.each_engine
async def test_every_product_of_many_batches_is_exported(
    database: Database, threads: WorkerThreads, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each once, by id, whatever the batches."""
    monkeypatch.setattr(limits, "BATCH", 7)
    codes = [f"P{number}" for number in range(50)]
    await stock(database, *codes)
    rows = csv_rows(await content(csv_export(database, threads, catalogue_table)))
    assert [row[0] for row in rows[1:]] == codes
