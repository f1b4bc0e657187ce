"""Descriptions folded without accents: by the migration for products of an earlier release."""

from __future__ import annotations

import pytest

from barcodesvc.store.engines import open_database
from barcodesvc.store.migrations import PRODUCTS_AT_ONCE
from barcodesvc.store.product_lists import list_products
from barcodesvc.store.product_search import ProductFilter
from tests.direct_sql import run_sql
from tests.engines import Place
from tests.store.conftest import AtVersion

pytestmark = pytest.mark.each_engine

FORMER = {"A-1": ("Crème", "crème"), "A-2": ("m²", "m²"), "A-3": ("Bolt", "bolt"), "A-4": ("肉", "肉")}
"""Descriptions, and their former folded texts."""
EXPECTED = {"A-1": "creme", "A-2": "m2", "A-3": "bolt", "A-4": "肉"}


@pytest.fixture
async def former(at_version: AtVersion) -> Place:
    """Return the place of a database of the version before."""
    return await at_version(10)


async def test_the_migration_folds_what_was_there(former: Place) -> None:
    """Products of an earlier release are found without accents, and those with ASCII alone stay as they are."""
    products = {**FORMER, **{f"B-{number}": ("É", "é") for number in range(PRODUCTS_AT_ONCE)}, "Z-1": ("Ü", "ü")}
    rows = ", ".join(
        f"('{code}', '{text}', '', 'pcs', '', '', '{code.lower()}', '{folded}')"
        for code, (text, folded) in products.items()
    )
    columns = "product_code, description, category, unit_of_measure, created_at, updated_at"
    run_sql(former, f"INSERT INTO products ({columns}, code_folded, description_folded) VALUES {rows}")  # noqa: S608 - own
    async with open_database(former) as database:
        for search, code in (("creme", "A-1"), ("M2", "A-2"), ("u z-", "Z-1")):
            page = await list_products(database, ProductFilter(search), limit=5, offset=0)
            assert [product.product_code for product in page.products] == [code]
    folded = dict(run_sql(former, "SELECT product_code, description_folded FROM products"))
    assert {code: folded.pop(code) for code in FORMER} == EXPECTED
    assert folded.pop("Z-1") == "u"
    assert set(folded.values()) == {"e"}


async def test_the_index_of_texts_follows_the_migration(former: Place, engine: str) -> None:
    """A product that was indexed before is found by its new trigrams."""
    run_sql(
        former,
        "INSERT INTO products (product_code, description, category, unit_of_measure, created_at, updated_at, "
        "code_folded, description_folded) VALUES ('A-1', 'Crème', '', 'pcs', '', '', 'a-1', 'crème')",
    )
    if engine == "sqlite":
        run_sql(former, "UPDATE indexed_products SET upto = 1")
    async with open_database(former) as database:
        page = await list_products(database, ProductFilter("creme"), limit=5, offset=0)
    assert page.total == 1
    if engine == "sqlite":
        run_sql(former, "INSERT INTO product_texts (product_texts, rank) VALUES ('integrity-check', 1)")
