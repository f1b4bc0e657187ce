"""Scripts of changes, played with no engine: plain answers go in, and what they ask for comes out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from barcodesvc.errors import DuplicateProductCode, KeyReused, LevelChanged, LevelOutOfRange, ProductNotFound
from barcodesvc.models import LevelAdjustment, LevelUpdate, ProductChange, ProductDraft
from barcodesvc.store.adjustments import adjust_level
from barcodesvc.store.idempotency import Answer as Answered, Send
from barcodesvc.store.inventory import set_level
from barcodesvc.store.products import change_product, create_product, delete_product
from barcodesvc.store.script import (
    Begin,
    MetAnotherChangeError,
    Result,
    Script,
    Statement,
    one,
    play,
    play_waiting,
    rows,
    run,
)
from barcodesvc.store.staging import Chunk, insert_new, update_stored

NOW = "2026-01-31T12:00:00.000Z"
MONTH = timedelta(days=30)
LEVEL = (1, 7, "A-1", "Pen", 4, 1, 9, NOW, "system")
CHANGE = (3, 7, 4, 5, "found", "till", NOW)
PRODUCT = (7, "A-1", "Pen", "", "pcs", NOW, NOW)


class PlainAnswers:
    """Answers statements from a dict, by their names, and notes which were asked."""

    def __init__(self, **answers: Any) -> None:
        self._answers = answers
        self.asked: list[str] = []
        self.parameters: dict[str, Any] = {}

    async def change(self, begin: Begin[Any]) -> Any:
        """Play a script."""
        return play(begin(), self.answer)

    def answer(self, statement: Statement) -> Any:
        """Return what the dict has, or None."""
        self.asked.append(statement.name)
        self.parameters[statement.name] = statement.parameters
        return self._answers.get(statement.name)


async def test_setting_a_level_adds_to_its_history_first() -> None:
    """The change and the level follow one another, with the same time and author."""
    answers = PlainAnswers(insert_change=CHANGE)
    change = await set_level(answers, 7, LevelUpdate(new_level=5, updated_by="till"), NOW)  # type: ignore[arg-type]
    assert (change.old_level, change.new_level) == (4, 5)
    assert answers.asked == ["insert_change", "set_level"]
    assert answers.parameters["set_level"] == {
        "product_id": 7,
        "new_level": 5,
        "updated_by": "till",
        "now": NOW,
        "changed_at": NOW,
    }


async def test_a_level_that_is_not_the_expected_one_is_refused() -> None:
    """Nothing is written after the refusal."""
    answers = PlainAnswers(get_level=LEVEL)
    with pytest.raises(LevelChanged, match="the level is 4, not 3"):
        await set_level(answers, 7, LevelUpdate(new_level=5, expected_level=3), NOW)  # type: ignore[arg-type]
    assert answers.asked == ["insert_change", "get_level"]
    with pytest.raises(ProductNotFound):
        await set_level(PlainAnswers(), 7, LevelUpdate(new_level=5), NOW)  # type: ignore[arg-type]


async def test_an_adjustment_under_a_key_keeps_its_answer() -> None:
    """The key is looked up before, and the answer kept behind the change."""
    send = Send(LevelAdjustment(delta=1), "POST /x", "K", NOW, MONTH)
    answers = PlainAnswers(insert_adjustment=CHANGE, keep_answer=1)
    answer = await adjust_level(answers, 7, send, lambda change: b"%d" % change.new_level)  # type: ignore[arg-type]
    assert answer == Answered(b"5", replayed=False)
    made = ["insert_adjustment", "set_level"]
    assert answers.asked == ["get_kept_answer", *made, "keep_answer", "forget_answers", "forget_surplus"]
    assert answers.parameters["keep_answer"]["answer"] == "5"


async def test_an_adjustment_whose_answer_another_connection_has_kept_meanwhile_is_begun_anew() -> None:
    """Nothing is kept twice under a key: the engine is asked to play the script again, which then finds the answer."""
    send = Send(LevelAdjustment(delta=1), "POST /x", "K", NOW, MONTH)
    answers = PlainAnswers(insert_adjustment=CHANGE, keep_answer=0)
    with pytest.raises(MetAnotherChangeError):
        await adjust_level(answers, 7, send, lambda _: b"")  # type: ignore[arg-type]


async def test_an_adjustment_that_was_answered_changes_nothing() -> None:
    """The kept answer comes back; a key that stands for another request is refused."""
    send = Send(LevelAdjustment(delta=1), "POST /x", "K", NOW, MONTH)
    answers = PlainAnswers(get_kept_answer=("POST /x", NOW, send.fingerprint, "5"))
    assert await adjust_level(answers, 7, send, lambda _: b"") == Answered(b"5", replayed=True)  # type: ignore[arg-type]
    assert answers.asked == ["get_kept_answer"]
    with pytest.raises(KeyReused):
        await adjust_level(
            PlainAnswers(get_kept_answer=("POST /y", NOW, "another", "5")),  # type: ignore[arg-type]
            7,
            send,
            lambda _: b"",
        )


async def test_an_adjustment_out_of_range_is_refused() -> None:
    """The refusal says what would be possible."""
    send = Send(LevelAdjustment(delta=-9), "POST /x", None, NOW, MONTH)
    answers = PlainAnswers(get_level=LEVEL)
    with pytest.raises(LevelOutOfRange, match="a delta from -4"):
        await adjust_level(answers, 7, send, lambda _: b"")  # type: ignore[arg-type]
    assert answers.asked == ["insert_adjustment", "get_level"]


async def test_a_product_is_born_with_its_level() -> None:
    """A code that is taken is refused before anything is written."""
    draft = ProductDraft(product_code="A-1", description="Pen", initial_level=4)
    taken = PlainAnswers(get_product_by_code=PRODUCT)
    with pytest.raises(DuplicateProductCode):
        await create_product(taken, draft, NOW)  # type: ignore[arg-type]
    assert taken.asked == ["get_product_by_code"]


async def test_a_product_that_is_not_there_is_neither_changed_nor_deleted() -> None:
    """Either is refused after one statement."""
    for changing in (
        change_product(PlainAnswers(), 7, ProductChange(description="x"), NOW),  # type: ignore[arg-type]
        delete_product(PlainAnswers(), 7),  # type: ignore[arg-type]
    ):
        with pytest.raises(ProductNotFound):
            await changing


async def test_a_product_is_changed_with_its_bounds() -> None:
    """What is changed is what is returned."""
    answers = PlainAnswers(get_level=LEVEL, get_product=PRODUCT)
    product = await change_product(answers, 7, ProductChange(minimum_level=2), NOW)  # type: ignore[arg-type]
    assert product.product_code == "A-1"
    assert answers.asked == ["get_level", "update_product", "set_level_bounds", "get_product"]


def test_staged_rows_that_create_nothing_need_no_levels() -> None:
    """Levels and histories follow where products were created, and so do bounds where some were changed."""
    answers = PlainAnswers(last_product_id=(0,), insert_staged_products=0, update_staged_products=0)
    assert play(insert_new(Chunk(0, 9), NOW), answers.answer) == 0
    assert play(update_stored(Chunk(0, 9), NOW), answers.answer) == 0
    assert answers.asked == ["last_product_id", "insert_staged_products", "update_staged_products"]


def asking() -> Script[list[Any]]:
    """Ask for something of each kind."""
    return [(yield one("a", x=1)), (yield rows("b")), (yield run("c"))]


async def test_a_script_is_sent_what_each_statement_gives() -> None:
    """In order, whether the answers are at hand or have to be waited for."""
    asked: list[Statement] = []

    def answer(statement: Statement) -> int:
        asked.append(statement)
        return len(asked)

    async def answer_later(statement: Statement) -> int:
        return answer(statement)

    assert play(asking(), answer) == [1, 2, 3]
    assert await play_waiting(asking(), answer_later) == [4, 5, 6]
    assert asked[:3] == asked[3:]
    assert [statement.result for statement in asked[:3]] == [Result.ROW, Result.ROWS, Result.COUNT]
    assert (asked[0].name, asked[0].parameters) == ("a", {"x": 1})


def test_an_answer_that_fails_ends_the_script() -> None:
    """The failure comes out, and nothing further is asked."""

    def fail(_: Statement) -> None:
        raise LookupError

    with pytest.raises(LookupError):
        play(asking(), fail)
