"""Scripts: what they are sent, and in how few statements; on PostgreSQL each is a round trip while others wait.

They are the same on each engine.
"""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

import pytest

from barcodesvc.models import LevelAdjustment, LevelUpdate, ProductChange, ProductDraft
from barcodesvc.store import movements, products
from barcodesvc.store.database import Database
from barcodesvc.store.idempotency import Asked, KeyedRequest, Reply, once, unless_kept
from barcodesvc.store.movements import Entry
from barcodesvc.store.script import Begin, ConflictError, Result, Script, Statement, one, play, play_waiting, rows, run
from tests.fixture_types import Add
from tests.stock import MADE_CODES, set_level
from tests.store.conftest import NOW

ENTRY = Entry("found", "till", NOW)
SCANNED = Entry("counted", "till", NOW, scanned_at=NOW)
ASKED = LevelAdjustment(delta=1)
T = TypeVar("T")
Once = Callable[[KeyedRequest[Any], Begin[Any], Callable[[Any], bytes]], Script[Reply]]
MOST = 4
"""Statements of a change with six round trips, of which two are `BEGIN` and `COMMIT`."""


def keyed(asked: Asked) -> KeyedRequest[Asked]:
    """Return a request with a key."""
    return KeyedRequest(asked, "POST /x", "K", NOW, timedelta(days=30))


def recorded(script: Script[T], asked: list[str]) -> Script[T]:
    """Play a script, and record the names of its statements."""
    asked.clear()
    try:
        statement = next(script)
        while True:
            asked.append(statement.name)
            statement = script.send((yield statement))
    except StopIteration as end:
        result: T = end.value
        return result


async def statements_of(database: Database, change: Begin[Any], once: Once = once) -> int:
    """Make a change under a key, and return the number of its statements."""
    asked: list[str] = []
    await database.change(lambda: recorded(once(keyed(ASKED), change, lambda _: b"{}"), asked))
    assert "keep_reply" in asked
    return len(asked)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(partial(movements.set_level, 1, 8, ENTRY, 5), id="a level that is set"),
        pytest.param(partial(movements.adjust, 1, 2, ENTRY), id="a difference"),
        pytest.param(partial(movements.adjust, 1, 2, SCANNED), id="a scan"),
        pytest.param(partial(movements.count, 1, 8, SCANNED), id="a count"),
        pytest.param(partial(movements.undo, 1, ENTRY, NOW), id="an undo"),
        pytest.param(partial(products.delete, 1), id="a deletion"),
    ],
)
async def test_a_change_under_a_key_takes_six_round_trips(database: Database, add: Add, change: Begin[Any]) -> None:
    """Two of its four statements look the reply up and keep it."""
    await add("A-1")
    await set_level(database, 1, LevelUpdate(new_level=5), NOW)
    assert await statements_of(database, change) <= MOST


@pytest.mark.parametrize(
    ("attributes", "most"),
    [({}, MOST + 1), ({"price": "2.99"}, MOST + 2)],
    ids=["without attributes", "with attributes"],
)
async def test_a_new_product_takes_seven_round_trips(
    database: Database, add: Add, attributes: dict[str, str], most: int
) -> None:
    """Its code is a row of its own. It takes one more with attributes, whose names are compared with those in use."""
    await add("A-1", attributes={"price": "1.99"})
    draft = ProductDraft(product_code="A-2", description="Pen", initial_level=5, attributes=attributes)
    create = partial(products.create, keyed(draft), MADE_CODES)
    assert await statements_of(database, create, unless_kept) <= most


async def test_limits_are_written_only_if_one_of_them_changes(database: Database, add: Add) -> None:
    """A change of anything else takes two statements."""
    await add("A-1")
    for change, number in (({"description": "x"}, 2), ({"minimum_level": 2}, 3)):
        asked: list[str] = []
        update = partial(products.update, 1, ProductChange(**change), NOW)
        await database.change(lambda: recorded(update(), asked))  # noqa: B023 - it is played at once
        assert len(asked) == number


def test_a_change_that_another_connection_has_made_meanwhile_is_begun_again() -> None:
    """No key gets two replies: the engine is asked to play the script anew, which then finds the reply."""

    def made() -> Script[bytes]:
        yield from ()
        return b"{}"

    def result_of(statement: Statement) -> int | None:
        return 0 if statement.name == "keep_reply" else None

    with pytest.raises(ConflictError):
        play(once(keyed(ASKED), made, bytes), result_of)


def asking() -> Script[list[Any]]:
    """Yield a statement of each kind."""
    return [(yield one("a", x=1)), (yield rows("b")), (yield run("c"))]


async def test_a_script_is_sent_what_each_statement_gives() -> None:
    """In order, whether results are available or have to be awaited."""
    asked: list[Statement] = []

    def result_of(statement: Statement) -> int:
        asked.append(statement)
        return len(asked)

    async def result_later(statement: Statement) -> int:
        return result_of(statement)

    assert play(asking(), result_of) == [1, 2, 3]
    assert await play_waiting(asking(), result_later) == [4, 5, 6]
    assert asked[:3] == asked[3:]
    assert [statement.result for statement in asked[:3]] == [Result.ROW, Result.ROWS, Result.COUNT]
    assert (asked[0].name, asked[0].parameters) == ("a", {"x": 1})


def test_a_result_that_fails_ends_the_script() -> None:
    """The failure is raised, and no further statement follows."""

    def fail(_: Statement) -> None:
        raise LookupError

    with pytest.raises(LookupError):
        play(asking(), fail)
