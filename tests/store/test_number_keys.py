"""Number keys: derived whenever a product is written, and by the migration for existing products."""

from __future__ import annotations

import pytest

from barcodesvc.store.engines import open_database
from barcodesvc.store.migrations import PRODUCTS_AT_ONCE
from barcodesvc.store.scans import ScanLookup
from tests.direct_sql import run_sql
from tests.engines import Place
from tests.store.conftest import AtVersion

pytestmark = pytest.mark.each_engine

FORMER_COLUMNS = (
    "(product_code, description, category, unit_of_measure, created_at, updated_at, code_folded, "
    "description_folded, gtin, short_gtin)"
)
KEYS = {
    "4006381333931": "04006381333931",
    "4 006381 333932": "4006381333932",
    "0-36000-29145-2": "00036000291452",
    "0-8044-2957-X": "09780804429573",
    "(01) 04006381333931": "04006381333931",
    "9771234567003+05": "09771234567003+05",
    "PZN - 1234567": "-12345678",
    "36000291452": None,
    "36000 29145 2": "00036000291452",
    "ISBN 978-0-306-40615-7": "09780306406157",
    "01 04006381333930": "0104006381333930",
    "]C100340123450000000000": "(00)340123450000000000",
    "+EHWD3551419G": "+EHWD3551419",
    "A-1": None,
}


@pytest.fixture
async def former(at_version: AtVersion) -> Place:
    """Return the place of a database of the version before number keys."""
    return await at_version(7)


def row(code: str) -> str:
    """Return the row of a product as that version wrote it."""
    gtin = f"'{code.zfill(14)}'" if code == "4006381333931" else "NULL"
    return f"('{code}', 'x', '', 'pcs', '', '', '{code.lower()}', 'x', {gtin}, NULL)"


def insert(place: Place, codes: list[str]) -> None:
    """Insert products without levels into a database of that version."""
    run_sql(place, f"INSERT INTO products {FORMER_COLUMNS} VALUES {', '.join(map(row, codes))}")  # noqa: S608 - own


async def test_the_migration_makes_the_keys_of_all_products(former: Place) -> None:
    """GTINs keep theirs, numbers in other spellings get theirs, and other codes have none."""
    codes = [*KEYS, *(f"B-{number}" for number in range(PRODUCTS_AT_ONCE)), "978 1 56581 231 4"]
    insert(former, codes)
    async with open_database(former):
        pass
    keys = dict(run_sql(former, "SELECT product_code, number_key FROM products"))
    assert {code: keys[code] for code in KEYS} == KEYS
    assert keys["978 1 56581 231 4"] == "09781565812314"
    assert len(keys) == len(codes)


async def test_what_was_there_is_found_by_its_bars_afterwards(former: Place) -> None:
    """A level is added, as every product has one; the scan finds the product by its key."""
    insert(former, ["4 006381 333931"])
    run_sql(
        former,
        "INSERT INTO levels (product_id, current_level, minimum_level, maximum_level, last_updated, updated_by) "
        "SELECT id, 0, 0, 0, '', '' FROM products",
    )
    async with open_database(former) as database:
        found = await ScanLookup(database).resolve([(("number", "04006381333931"),)])
    assert [one.product_code for one in found] == ["4 006381 333931"]
