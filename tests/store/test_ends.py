"""What happens to changes in progress when the block with the open database ends with an error."""

import asyncio
from collections.abc import Callable

import pytest

from barcodesvc.models import ProductDraft
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from tests.engines import Place
from tests.stock import create_product

pytestmark = pytest.mark.each_engine

NOW = "2026-01-31T12:00:00.000Z"


class OtherError(Exception):
    """An error outside of the database."""


async def failing_during(place: Place, begun: Callable[[Database], object]) -> None:
    """Open the database, begin something, and fail."""
    async with open_database(place) as database:
        begun(database)
        await asyncio.sleep(0)
        raise OtherError


async def test_a_change_under_way_is_made_where_a_start_fails(place: Place) -> None:
    """It is neither cut off nor left hanging, and the error is the one that ended the block."""
    made: list[asyncio.Task[object]] = []
    draft = ProductDraft(product_code="A-1", description="x")
    with pytest.raises(OtherError):
        await failing_during(
            place, lambda database: made.append(asyncio.create_task(create_product(database, draft, NOW)))
        )
    assert made[0].done()
    assert made[0].exception() is None
    async with open_database(place) as database:
        assert await database.row("get_product_by_code", product_code="A-1") is not None
