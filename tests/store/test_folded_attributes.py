"""Folded values of attributes after the description."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from barcodesvc.models import ProductDraft
from barcodesvc.store import staging
from barcodesvc.store.database import Database
from barcodesvc.store.lists import ProductFilter, Sort, list_products
from barcodesvc.store.staging import Chunk, StagedRows, update_stored
from tests.direct_sql import run_sql
from tests.engines import Place

pytestmark = pytest.mark.each_engine

LATER = "2026-02-01T12:00:00.000Z"
TEXTS = "SELECT product_code, description_folded FROM products ORDER BY id"


async def codes(database: Database, search: str, sort: Sort | None = None) -> list[str]:
    """Return the codes of at most nine products that a search finds."""
    page = await list_products(database, ProductFilter(search), limit=9, offset=0, sort=sort)
    return [product.product_code for product in page.products]


async def test_products_of_one_description_are_sorted_by_id(database: Database, add: Callable[..., Any]) -> None:
    """Attributes are no part of an order: neither of one with an index nor of that of a search."""
    for code, attributes in (("A", {"x": "z"}), ("B", {}), ("C", {"x": "a"}), ("D", {"a": "é", "x": "b"})):
        await add(code, description="Bolt", attributes=attributes)
    await add("E", description="Bolt !", attributes={"x": "a"})
    await add("F", description="Bol", attributes={"x": "z"})
    in_order = ["F", *"ABCDE"]
    for search in ("", "bol"):
        assert await codes(database, search, "description") == in_order
        assert await codes(database, search, "-description") == in_order[::-1]


async def test_long_descriptions_and_values_are_stored_and_found(database: Database, add: Callable[..., Any]) -> None:
    """The longest description with 32 attributes of the longest values fits into all indexes."""
    values = {f"name_{number:02}": f"{number:03}" + "\U0001d160" * 197 for number in range(32)}
    await add("A", description="b" * 500, attributes=values)
    await add("B", description="b" * 499 + "a")
    assert await codes(database, "bbb 031 007") == ["A"]
    assert await codes(database, "", "description") == ["A", "B"]


async def test_many_merged_products_are_folded(
    database: Database, place: Place, add: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A chunk with more products that keep some attributes than are folded at once, and with others in between."""
    monkeypatch.setattr(staging, "TEXTS_AT_ONCE", 2)
    for number in range(7):
        await add(f"A-{number}", description="É", attributes={} if number == 3 else {"b": f"É{number}", "c": "Ü"})
    with database.staging(tmp_path / "staged") as file:
        drafts = [
            ProductDraft(product_code=f"A-{number}", description="Ö", attributes={} if number == 5 else {"a": "Ä"})
            for number in range(7)
        ]
        StagedRows(file).put((number, draft, frozenset(draft.model_fields_set)) for number, draft in enumerate(drafts))
    await database.change_long(lambda: update_stored(Chunk(0, 7), LATER), staged=tmp_path / "staged")
    merged = {f"A-{number}": f"o\na\ne{number}\nu" for number in range(7)}
    assert dict(run_sql(place, TEXTS)) == {**merged, "A-3": "o\na", "A-5": "o\ne5\nu"}
