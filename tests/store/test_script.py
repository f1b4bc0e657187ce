"""Scripts of changes, played without an engine: canned results in, statements out."""

from datetime import timedelta
from typing import Any

import pytest

from barcodesvc.errors import DuplicateProductCode, KeyReused, LevelChanged, LevelOutOfRange, ProductNotFound
from barcodesvc.models import LevelAdjustment, LevelUpdate, ProductChange, ProductDraft
from barcodesvc.store.idempotency import KeyedRequest, Reply
from barcodesvc.store.script import (
    Begin,
    ConflictError,
    Result,
    Script,
    Statement,
    one,
    play,
    play_waiting,
    rows,
    run,
)
from barcodesvc.store.staging import Chunk, Entry, insert_new, update_stored
from tests.stock import adjust_level, change_product, create_product, delete_product, set_level

NOW = "2026-01-31T12:00:00.000Z"
MONTH = timedelta(days=30)
LEVEL = (1, 7, "A-1", "Pen", 4, 1, 9, NOW, "system")
CHANGE = (3, 7, 4, 5, "found", "till", NOW, None, None, "A-1", "pcs")
PRODUCT = (7, "A-1", "Pen", "", "pcs", NOW, NOW, "{}")


class PlainResults:
    """Returns results of statements from a dict, by name, and records the statements."""

    def __init__(self, **results: Any) -> None:
        self._results = results
        self.asked: list[str] = []
        self.parameters: dict[str, Any] = {}

    async def change(self, begin: Begin[Any]) -> Any:
        """Play a script."""
        return play(begin(), self.result_of)

    def result_of(self, statement: Statement) -> Any:
        """Return the dict's result, or None."""
        self.asked.append(statement.name)
        self.parameters[statement.name] = statement.parameters
        return self._results.get(statement.name)


async def test_setting_a_level_adds_to_its_history_first() -> None:
    """The change and the level are written in this order, with the same time and author."""
    results = PlainResults(insert_setting=CHANGE)
    change = await set_level(results, 7, LevelUpdate(new_level=5, updated_by="till"), NOW)  # type: ignore[arg-type]
    assert (change.old_level, change.new_level) == (4, 5)
    assert results.asked == ["insert_setting", "set_level"]
    assert results.parameters["set_level"] == {
        "product_id": 7,
        "new_level": 5,
        "updated_by": "till",
        "now": NOW,
        "changed_at": NOW,
    }


async def test_a_level_that_is_not_the_expected_one_is_refused() -> None:
    """Nothing is written after the refusal."""
    results = PlainResults(get_level=LEVEL)
    with pytest.raises(LevelChanged, match="the level is 4, not 3"):
        await set_level(results, 7, LevelUpdate(new_level=5, expected_level=3), NOW)  # type: ignore[arg-type]
    assert results.asked == ["insert_setting", "get_level"]
    with pytest.raises(ProductNotFound):
        await set_level(PlainResults(), 7, LevelUpdate(new_level=5), NOW)  # type: ignore[arg-type]


async def test_an_adjustment_under_a_key_keeps_its_reply() -> None:
    """The key is looked up first, and the reply stored after the change; no other key is touched under the lock."""
    request = KeyedRequest(LevelAdjustment(delta=1), "POST /x", "K", NOW, MONTH)
    results = PlainResults(insert_adjustment=CHANGE, keep_reply=1)
    reply = await adjust_level(results, 7, request, lambda change: b"%d" % change.new_level)  # type: ignore[arg-type]
    assert reply == Reply(b"5", replayed=False)
    assert results.asked == ["get_kept_reply", "insert_adjustment", "set_level", "keep_reply"]
    assert results.parameters["keep_reply"]["body"] == "5"


async def test_an_adjustment_that_another_connection_has_made_meanwhile_is_begun_again() -> None:
    """No key gets two replies: the engine is asked to replay the script, which then finds the reply."""
    request = KeyedRequest(LevelAdjustment(delta=1), "POST /x", "K", NOW, MONTH)
    results = PlainResults(insert_adjustment=CHANGE, keep_reply=0)
    with pytest.raises(ConflictError):
        await adjust_level(results, 7, request, lambda _: b"")  # type: ignore[arg-type]


async def test_an_adjustment_that_was_made_changes_nothing() -> None:
    """The stored reply is returned; a key of another request is refused."""
    request = KeyedRequest(LevelAdjustment(delta=1), "POST /x", "K", NOW, MONTH)
    results = PlainResults(get_kept_reply=("POST /x", NOW, request.fingerprint, "5"))
    assert await adjust_level(results, 7, request, lambda _: b"") == Reply(b"5", replayed=True)  # type: ignore[arg-type]
    assert results.asked == ["get_kept_reply"]
    with pytest.raises(KeyReused):
        await adjust_level(
            PlainResults(get_kept_reply=("POST /y", NOW, "another", "5")),  # type: ignore[arg-type]
            7,
            request,
            lambda _: b"",
        )


async def test_an_adjustment_out_of_range_is_refused() -> None:
    """The refusal contains the possible differences."""
    request = KeyedRequest(LevelAdjustment(delta=-9), "POST /x", None, NOW, MONTH)
    results = PlainResults(get_level=LEVEL)
    with pytest.raises(LevelOutOfRange, match="a delta from -4"):
        await adjust_level(results, 7, request, lambda _: b"")  # type: ignore[arg-type]
    assert results.asked == ["insert_adjustment", "get_level"]


async def test_a_product_is_created_with_its_level() -> None:
    """An existing code is refused before anything is written."""
    draft = ProductDraft(product_code="A-1", description="Pen", initial_level=4)
    free, taken = PlainResults(insert_product=PRODUCT), PlainResults()
    await create_product(free, draft, NOW)  # type: ignore[arg-type]
    assert free.asked == ["insert_product", "insert_level", "insert_first_movement"]
    with pytest.raises(DuplicateProductCode):
        await create_product(taken, draft, NOW)  # type: ignore[arg-type]
    assert taken.asked == ["insert_product"]


async def test_a_product_that_is_not_there_is_neither_changed_nor_deleted() -> None:
    """Either is refused after one statement."""
    for changing in (
        change_product(PlainResults(), 7, ProductChange(description="x"), NOW),  # type: ignore[arg-type]
        delete_product(PlainResults(), 7),  # type: ignore[arg-type]
    ):
        with pytest.raises(ProductNotFound):
            await changing


@pytest.mark.parametrize(
    ("change", "asked"),
    [
        ({"minimum_level": 2}, ["get_level", "update_product", "set_level_bounds"]),
        ({"maximum_level": 9}, ["get_level", "update_product", "set_level_bounds"]),
        ({"description": "x"}, ["get_level", "update_product"]),
    ],
)
async def test_a_product_is_changed_in_few_statements(change: dict[str, Any], asked: list[str]) -> None:
    """The changed product is returned; its level is written only if one of its bounds is given."""
    results = PlainResults(get_level=LEVEL, update_product=PRODUCT)
    product = await change_product(results, 7, ProductChange(**change), NOW)  # type: ignore[arg-type]
    assert product.product_code == "A-1"
    assert results.asked == asked


def test_staged_rows_that_create_nothing_need_no_levels() -> None:
    """Levels and histories are written for created products, and level limits for changed ones."""
    results = PlainResults(last_product_id=(0,), insert_staged_products=[], update_staged_products=0)
    assert play(insert_new(Chunk(0, 9), Entry(NOW)), results.result_of) == []
    assert play(update_stored(Chunk(0, 9), NOW), results.result_of) == 0
    assert results.asked == ["last_product_id", "insert_staged_products", "update_staged_products"]


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
