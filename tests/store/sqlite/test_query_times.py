import logging
from pathlib import Path

import pytest

from barcodesvc.errors import DatabaseFailure
from barcodesvc.store.limits import unobserved, warning_of_slow
from barcodesvc.store.script import Script, run
from barcodesvc.store.sqlite.database import open_database
from tests.store.own_queries import ALL

HOURS = 3600.0


async def test_each_query_is_observed_by_its_name(database_file: Path) -> None:
    """Reads, scans, changes and snapshots pass a query's name and duration to the observer."""
    seen: list[tuple[str, float]] = []

    def script() -> Script[None]:
        yield run("touch", text="x")
        yield run("touch", text="y")

    async with open_database(database_file, observe=lambda *message: seen.append(message), queries=ALL) as database:
        seen.clear()
        await database.row("echo", value=1)
        await database.scan_row("echo", value=1)
        await database.change(script)
        await database.change_long(script)
        async with database.snapshot() as snapshot:
            await snapshot.rows("codes")
    named = [name for name, _ in seen if name not in {"ping", "begin_reading"}]
    assert named == ["echo", "echo", *["touch"] * 4, "codes"]
    assert all(0 < seconds < HOURS for _, seconds in seen)


async def test_a_query_that_fails_is_observed_too(database_file: Path) -> None:
    """The duration of a failed query counts as well."""
    seen: list[str] = []
    async with open_database(database_file, observe=lambda name, _: seen.append(name), queries=ALL) as database:
        with pytest.raises(DatabaseFailure):
            await database.rows("wrong")
    assert seen[-1] == "wrong"


async def test_a_slow_query_is_logged_by_name_alone(database_file: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A query over the limit is a warning with name and duration, without parameters."""
    async with open_database(database_file, slow_query=1e-9, queries=ALL) as database:
        caplog.clear()
        await database.row("echo", value="somebody's data")
    [record] = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert record.message.startswith("slow query echo: 0.")
    assert "somebody" not in caplog.text


@pytest.mark.parametrize("bound", [HOURS, 0.0], ids=["within", "off"])
def test_what_is_not_slow_is_not_logged(bound: float, caplog: pytest.LogCaptureFixture) -> None:
    """A query within the limit is not logged, and a limit of 0 disables the log."""
    warning_of_slow(unobserved, bound)("one", 60.0)
    assert caplog.records == []


def test_the_observer_hears_of_slow_queries_as_of_others(caplog: pytest.LogCaptureFixture) -> None:
    """The warning is additional to the observation."""
    seen: list[tuple[str, float]] = []
    observe = warning_of_slow(lambda *message: seen.append(message), 1.0)
    observe("quick", 1.0)
    observe("slow", 1.5)
    assert seen == [("quick", 1.0), ("slow", 1.5)]
    assert [record.message for record in caplog.records] == ["slow query slow: 1.500 s"]
