import re
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, strategies as st

from barcodesvc.clock import Clock, as_timestamp
from tests.sweeps import sweep

MOMENTS = st.datetimes(timezones=st.timezones(), min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1))  # noqa: DTZ001 - hypothesis adds the zone


def test_a_timestamp_is_utc_in_milliseconds() -> None:
    """ISO 8601 with three decimals and Z, cut and not rounded, so that a day's last moment stays in its day."""
    assert Clock(wall=lambda: 1_700_000_000.25).timestamp() == "2023-11-14T22:13:20.250Z"
    assert Clock(wall=lambda: 0).timestamp() == "1970-01-01T00:00:00.000Z"
    assert as_timestamp(datetime(2026, 12, 31, 23, 59, 59, 999_999, UTC)) == "2026-12-31T23:59:59.999Z"


def test_today_depends_on_the_time_zone() -> None:
    """At an hour before midnight in UTC it is tomorrow in Kolkata."""
    clock = Clock(wall=lambda: datetime(2026, 1, 31, 23, tzinfo=UTC).timestamp())
    assert (clock.date_in(UTC), clock.date_in(ZoneInfo("Asia/Kolkata"))) == (date(2026, 1, 31), date(2026, 2, 1))


def test_the_zone_of_the_machine_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service in Kolkata writes the same timestamps."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Kolkata")
        time.tzset()
        assert Clock(wall=lambda: 0).timestamp() == "1970-01-01T00:00:00.000Z"
        assert as_timestamp(datetime(2026, 1, 31, 12, tzinfo=UTC)) == "2026-01-31T12:00:00.000Z"
    time.tzset()


@given(MOMENTS, MOMENTS)
def test_a_timestamp_reads_back_and_sorts_as_its_moment(one: datetime, other: datetime) -> None:
    """Whatever its zone, less than a millisecond earlier; the database compares the texts."""
    text = as_timestamp(one)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text)
    assert timedelta() <= one - datetime.fromisoformat(text) < timedelta(milliseconds=1)
    assert text <= as_timestamp(other) or one > other


def test_the_real_clock_goes() -> None:
    """By default, the wall time is now and the steady one does not go backwards."""
    clock = Clock()
    assert datetime.fromisoformat(clock.timestamp()) - datetime.now(UTC) < timedelta(seconds=60)
    assert clock.steady() <= clock.steady()


READ_ELSEWHERE = {
    "sqlite/connection.py": ["from time import perf_counter"],
    "postgres/pool.py": ["from time import perf_counter"],
    "guard/rate_limit.py": ["time.time"],
}
"""Exceptions: the duration of statements is real time, and subtracting the time of day that `limits` has
added gives again what the store said."""


@sweep("path", sorted((Path(__file__).parents[1] / "barcodesvc").rglob("*.py")))
def test_no_one_else_asks_for_the_time(path: Path) -> None:
    """Only the clock reads the time, so that tests control it everywhere."""
    pattern = r"\btime\.(?:time|monotonic|perf_counter)|from time import .*|\.(?:utc)?now\(|\.today\("
    read = re.findall(pattern, path.read_text("utf-8"))
    assert path.name == "clock.py" or read == READ_ELSEWHERE.get("/".join(path.parts[-2:]), [])
