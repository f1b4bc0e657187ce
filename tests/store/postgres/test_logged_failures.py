"""Log lines for failures of a server."""

import pytest

pytest.importorskip("asyncpg")

import asyncpg

from barcodesvc.store.limits import FailureLog
from barcodesvc.store.postgres.failures import UnconfirmedError, failure_of


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (TimeoutError(), "TimeoutError"),
        (UnconfirmedError("gone"), "gone (UnconfirmedError)"),
        (asyncpg.ReadOnlySQLTransactionError("only reads"), "only reads (25006)"),
    ],
)
def test_each_line_names_a_cause(caplog: pytest.LogCaptureFixture, error: Exception, said: str) -> None:
    """This includes errors without a text, such as a timeout."""
    FailureLog(lambda: 0.0, failure_of).failed("a change", error)
    assert caplog.messages == [f"database failure in a change: {said}"]
