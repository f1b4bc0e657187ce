from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from barcodesvc.store.condition import Condition
from barcodesvc.store.failures import LOG_PAUSE, NOTHING_CHANGED, UNCONFIRMED, FailureLog, StuckError, failure_of
from barcodesvc.store.file_identity import MovedFileError, UnconfirmedError


def error_of(statement: str) -> sqlite3.Error:
    """Return what SQLite raises for a statement."""
    with pytest.raises(sqlite3.Error) as raised:
        sqlite3.connect(":memory:").execute(statement)
    return raised.value


def test_a_cause_that_stays_is_logged_once_a_minute(standing_clock: Any, caplog: pytest.LogCaptureFixture) -> None:
    """However often it comes, there is one line, and a minute later one more that counts the others."""
    log = FailureLog(standing_clock.clock().steady)
    for _ in range(1000):
        log.tell("scan", error_of("SELECT 1 FROM nowhere"))
    log.tell("scan", error_of("SELECT 1 FROM elsewhere"))
    standing_clock.advance(LOG_PAUSE)
    log.tell("list", error_of("SELECT 1 FROM nowhere"))
    assert [record.message for record in caplog.records] == [
        "database failure in scan: no such table: nowhere (SQLITE_ERROR)",
        "database failure in scan: no such table: elsewhere (SQLITE_ERROR)",
        "database failure in list: no such table: nowhere (SQLITE_ERROR); 999 more like it since it was last logged",
    ]


def test_many_causes_take_no_more_room(standing_clock: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Causes that are all different are all logged, and only some of them remembered."""
    log = FailureLog(standing_clock.clock().steady)
    for number in range(1000):
        log.tell("scan", ValueError(str(number)))
    assert len(caplog.records) == 1000
    assert len(log._logged) <= 256  # noqa: SLF001 - nothing public tells what it remembers


def test_a_mistake_in_a_statement_is_no_fault(standing_clock: Any) -> None:
    """Only what disk, file or another process does makes the database unwell."""
    condition = Condition(FailureLog(standing_clock.clock().steady))
    condition.read_failed("scan", error_of("SELECT 1 FROM nowhere"))
    condition.write_failed("add", ValueError("embedded null byte"))
    assert condition.is_sound
    condition.write_failed("add", StuckError("no end"))
    assert (condition.is_sound, condition.reads) == (False, True)
    condition.written()
    assert condition.is_sound


@pytest.mark.parametrize("code", [sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB])
def test_a_broken_file_that_a_change_has_met_is_over_when_all_of_it_was_read(standing_clock: Any, code: int) -> None:
    """A change that succeeds elsewhere in the file proves nothing."""
    error = sqlite3.DatabaseError("broken")
    error.sqlite_errorcode = code
    condition = Condition(FailureLog(standing_clock.clock().steady))
    condition.write_failed("add", error)
    condition.written()
    assert (condition.is_sound, condition.is_whole) == (False, False)
    condition.read()
    assert condition.is_sound


def test_a_commit_that_was_broken_off_promises_nothing() -> None:
    """Whether a change was made is unknown if the disk gave no answer to its commit; else nothing was changed."""
    assert failure_of("COMMIT", StuckError("no end")).message == UNCONFIRMED
    assert failure_of("COMMIT", UnconfirmedError("gone")).message == UNCONFIRMED
    assert failure_of("COMMIT", MovedFileError("gone")).message == NOTHING_CHANGED
    assert failure_of("COMMIT", error_of("SELECT 1 FROM nowhere")).message == NOTHING_CHANGED
    assert failure_of("insert", StuckError("no end")).message == NOTHING_CHANGED
