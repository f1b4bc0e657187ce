import sqlite3
from contextlib import closing
from typing import Any

import pytest

from barcodesvc.store.limits import LOG_PAUSE, NOTHING_CHANGED, UNCONFIRMED, FailureLog
from barcodesvc.store.sqlite.failures import (
    StatementTimeoutError,
    failure_of,
    is_fatal,
    is_fault,
)


def error_of(statement: str) -> sqlite3.Error:
    """Return what SQLite raises for a statement."""
    with closing(sqlite3.connect(":memory:")) as connection, pytest.raises(sqlite3.Error) as raised:
        connection.execute(statement)
    return raised.value


def test_a_cause_that_stays_is_logged_once_a_minute(standing_clock: Any, caplog: pytest.LogCaptureFixture) -> None:
    """However often it occurs, there is one line, and a minute later one more that counts the others."""
    log = FailureLog(standing_clock.clock().steady, failure_of)
    for _ in range(1000):
        log.failed("scan", error_of("SELECT 1 FROM nowhere"))
    log.failed("scan", error_of("SELECT 1 FROM elsewhere"))
    standing_clock.advance(LOG_PAUSE)
    log.failed("list", error_of("SELECT 1 FROM nowhere"))
    assert [record.message for record in caplog.records] == [
        "database failure in scan: no such table: nowhere (SQLITE_ERROR)",
        "database failure in scan: no such table: elsewhere (SQLITE_ERROR)",
        "database failure in list: no such table: nowhere (SQLITE_ERROR); 999 more like it since it was last logged",
    ]


def test_many_causes_are_all_logged(standing_clock: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Each different cause has a line."""
    log = FailureLog(standing_clock.clock().steady, failure_of)
    for number in range(1000):
        log.failed("scan", ValueError(str(number)))
    assert len(caplog.records) == 1000


def coded(code: int) -> sqlite3.Error:
    """Return an error as SQLite raises it with this code."""
    error = sqlite3.OperationalError("broken")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("error", "fault", "fatal", "lasting"),
    [
        (ValueError("embedded null byte"), False, False, False),
        (coded(sqlite3.SQLITE_ERROR), False, False, False),
        (coded(sqlite3.SQLITE_CONSTRAINT), False, False, False),
        (coded(sqlite3.SQLITE_BUSY), True, False, False),
        (coded(sqlite3.SQLITE_FULL), True, False, False),
        (coded(sqlite3.SQLITE_READONLY), True, True, False),
        (coded(sqlite3.SQLITE_IOERR_SHORT_READ), True, True, False),
        (coded(sqlite3.SQLITE_CANTOPEN), True, True, False),
        (coded(sqlite3.SQLITE_CORRUPT), True, True, True),
        (coded(sqlite3.SQLITE_NOTADB), True, True, True),
        (StatementTimeoutError("no end"), True, False, False),
        (FileNotFoundError("gone"), True, False, True),
    ],
    ids=repr,
)
def test_errors_are_distinguished(
    standing_clock: Any, error: Exception, *, fault: bool, fatal: bool, lasting: bool
) -> None:
    """A wrong statement is not a fault; a disk fails temporarily, a connection for good, a file until a restart."""
    log = FailureLog(standing_clock.clock().steady, failure_of)
    log.failed("scan", error)
    assert (is_fault(error), is_fatal(error), log.is_broken) == (fault, fatal, lasting)


def test_a_commit_that_was_broken_off_promises_nothing(standing_clock: Any) -> None:
    """If the disk did not confirm the commit, it is unknown whether a change was made; else nothing was changed."""
    log = FailureLog(standing_clock.clock().steady, failure_of)
    assert log.failed("COMMIT", StatementTimeoutError("no end")).message == UNCONFIRMED
    assert log.failed("COMMIT", coded(sqlite3.SQLITE_IOERR_FSYNC)).message == UNCONFIRMED
    assert log.failed("COMMIT", coded(sqlite3.SQLITE_FULL)).message == NOTHING_CHANGED
    assert log.failed("COMMIT", FileNotFoundError("gone")).message == NOTHING_CHANGED
    assert log.failed("COMMIT", error_of("SELECT 1 FROM nowhere")).message == NOTHING_CHANGED
    assert log.failed("insert", StatementTimeoutError("no end")).message == NOTHING_CHANGED
