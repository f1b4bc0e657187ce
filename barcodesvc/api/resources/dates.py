"""Dates and timestamps in queries, as the beginning or the end of a range in the service's format.

Both ends are inclusive. A bare date begins at its first moment, or ends at its last one. Times without an
offset are UTC.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated

from pydantic import BeforeValidator, WithJsonSchema

from barcodesvc.clock import as_timestamp

_MILLISECOND = timedelta(milliseconds=1)
_LATEST = datetime.max.replace(tzinfo=UTC) - _MILLISECOND
_LAST_MOMENT = time(23, 59, 59, 999000, UTC)


def _from_time(value: object) -> str:
    moment = _moment(str(value))
    return as_timestamp(min(moment, _LATEST) + (_MILLISECOND if moment.microsecond % 1000 else timedelta()))


def _to_time(value: object) -> str:
    text = str(value)
    try:
        return as_timestamp(datetime.combine(date.fromisoformat(text), _LAST_MOMENT))
    except ValueError:
        return as_timestamp(_moment(text))


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise ValueError(
            "not a date (2026-01-31) or timestamp (2026-01-31T12:00:00Z; a + in a query is written %2B)"
        ) from None


_DAY_OR_MOMENT = WithJsonSchema(
    {
        "anyOf": [
            {"title": title, "type": "string", "format": kind}
            for title, kind in (("Day", "date"), ("Moment", "date-time"))
        ]
    }
)
FromTime = Annotated[str, BeforeValidator(_from_time), _DAY_OR_MOMENT]
"""The beginning of a range."""
ToTime = Annotated[str, BeforeValidator(_to_time), _DAY_OR_MOMENT]
"""The end of a range."""
