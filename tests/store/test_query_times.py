from __future__ import annotations

import logging

import pytest

from barcodesvc.config import Settings
from barcodesvc.errors import DatabaseFailure
from barcodesvc.store.database import open_database
from barcodesvc.store.queries import Query
from barcodesvc.store.query_times import unobserved, warning_of_slow
from barcodesvc.store.statements import Statements
from tests.store.faulty import ENDLESS, IMPATIENT

ONE = Query("one", frozenset(), "^", "SELECT 1")
SECRET = Query("secret", frozenset({"text"}), "^", "SELECT :text")
LOST = Query("lost", frozenset(), "", "SELECT 1 FROM nowhere")
TOUCH = Query("touch", frozenset({"text"}), "!", "UPDATE products SET category = :text")
HOURS = 3600.0


async def test_each_query_is_observed_by_its_name(settings: Settings) -> None:
    """Reads, scans, writes and snapshots tell the observer a query's name and time; BEGIN and COMMIT do not."""
    seen: list[tuple[str, float]] = []

    def work(statements: Statements) -> None:
        statements.change(TOUCH, text="x")
        statements.each(TOUCH, [{"text": "x"}, {"text": "y"}])

    async with open_database(settings.database, observe=lambda *told: seen.append(told)) as database:
        await database.row(ONE)
        await database.scan_row(ONE)
        await database.write(work)
        async with database.snapshot() as connection:
            await connection.rows(ONE)
    assert [name for name, _ in seen] == ["one", "one", "touch", "touch", "ping", "one"]
    assert all(0 < seconds < HOURS for _, seconds in seen)


async def test_a_query_that_fails_is_observed_too(settings: Settings) -> None:
    """The time that a failure took counts as well."""
    seen: list[str] = []
    async with open_database(settings.database, observe=lambda name, _: seen.append(name)) as database:
        with pytest.raises(DatabaseFailure):
            await database.rows(LOST)
    assert seen == ["lost"]


async def test_a_query_of_a_change_that_is_given_up_is_observed(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """It took as long as it was waited for, which is what an operator looks for."""
    seen: list[str] = []
    async with open_database(
        settings.database, observe=lambda name, _: seen.append(name), slow_query=0.05, bounds=IMPATIENT
    ) as database:
        with pytest.raises(DatabaseFailure):
            await database.write(lambda statements: statements.rows(ENDLESS))
    assert "endless" in seen
    assert "slow query endless: " in caplog.text


async def test_a_slow_query_is_logged_by_name_alone(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    """What takes longer than the bound is a warning with name and time, without what was asked for."""
    async with open_database(settings.database, slow_query=1e-9) as database:
        await database.row(SECRET, text="somebody's data")
    [record] = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert record.message.startswith("slow query secret: 0.")
    assert "somebody" not in caplog.text


@pytest.mark.parametrize("bound", [HOURS, 0.0], ids=["within", "off"])
def test_what_is_not_slow_is_not_logged(bound: float, caplog: pytest.LogCaptureFixture) -> None:
    """A query within the bound is silent, and a bound of 0 is none."""
    warning_of_slow(unobserved, bound)("one", 60.0)
    assert caplog.records == []


def test_the_observer_hears_of_slow_queries_as_of_others(caplog: pytest.LogCaptureFixture) -> None:
    """The warning is beside what is observed, not in its place."""
    seen: list[tuple[str, float]] = []
    observe = warning_of_slow(lambda *told: seen.append(told), 1.0)
    observe("quick", 1.0)
    observe("slow", 1.5)
    assert seen == [("quick", 1.0), ("slow", 1.5)]
    assert [record.message for record in caplog.records] == ["slow query slow: 1.500 s"]
