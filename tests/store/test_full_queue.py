"""A full queue of changes, which says the same on each engine."""

from functools import partial

import pytest

from barcodesvc.errors import DatabaseOverload
from barcodesvc.store.engines import open_database
from barcodesvc.store.limits import DatabaseLimits
from barcodesvc.store.script import changed_rows, run
from tests.engines import Place


@pytest.mark.each_engine
@pytest.mark.parametrize("kind", ["change", "change_long"])
async def test_a_change_beyond_the_queue_is_refused_in_the_same_words(place: Place, kind: str) -> None:
    """A client reads one message, whatever serves it."""
    async with open_database(place, limits=DatabaseLimits(write_queue=0)) as database:
        with pytest.raises(DatabaseOverload) as refusal:
            await getattr(database, kind)(partial(changed_rows, run("ask_held_printers")))
    assert refusal.value.message == "too many requests are waiting for the database"
