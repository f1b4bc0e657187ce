from __future__ import annotations

from collections.abc import Sequence

import pytest

from barcodesvc.errors import ProductNotFound
from barcodesvc.labels.label_texts import texts_of
from barcodesvc.models import ProductDraft
from barcodesvc.store.database import Database
from barcodesvc.store.products import create_product

NOW = "2023-11-14T22:13:20.000Z"


async def _stock(database: Database, codes: Sequence[str]) -> None:
    for code in codes:
        await create_product(database, ProductDraft(product_code=code, description=f"the {code}"), NOW)


async def test_descriptions_are_those_of_the_codes(database: Database) -> None:
    """Each code is asked for once, repeats or not."""
    await _stock(database, ["A", "B", "C"])
    assert await texts_of(database, ["B", "A", "B"], ["description"], ["new"]) == {
        "A": ("the A", "new"),
        "B": ("the B", "new"),
    }


@pytest.mark.parametrize(
    ("codes", "message", "missing"),
    [
        (["A", "X"], "there is no product with code 'X'", ["X"]),
        (["Y", "A", "X", "Y"], "there is no product with code 'Y' (and 1 more)", ["Y", "X"]),
    ],
)
async def test_every_code_without_a_product_is_listed(
    database: Database, codes: list[str], message: str, missing: list[str]
) -> None:
    """The missing ones are all named, each once, in the order in which they were asked for."""
    await _stock(database, ["A"])
    with pytest.raises(ProductNotFound) as failure:
        await texts_of(database, codes, ["description"], [])
    assert (failure.value.message, failure.value.details) == (message, {"missing": missing})
