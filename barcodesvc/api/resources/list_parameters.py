"""Query parameters of lists: the requested page and its description in a response, ranges of time, the filter `stock`.

Both ends of a range are inclusive. A bare date is a day of the service's time zone: it begins at its first moment, or
ends at its last one. Times without an offset are UTC.
"""

import math
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, WithJsonSchema
from typing_extensions import TypeAliasType, TypedDict

from barcodesvc.api.parameters import QueryInteger
from barcodesvc.clock import as_timestamp
from barcodesvc.config import Settings
from barcodesvc.fields import described
from barcodesvc.models import MAX_ID
from barcodesvc.store.lists import LOW, OUT, Retired, StockBounds

PAGE_SIZE = 50
LARGEST_PAGE_SIZE = 500
_MILLISECOND = timedelta(milliseconds=1)
_LATEST = datetime.max.replace(tzinfo=UTC) - _MILLISECOND
_LAST_MOMENT = time(23, 59, 59, 999000, fold=1)

PageNumber = Annotated[
    QueryInteger, Field(ge=1, le=MAX_ID), described("The number of the page; one past the end is empty.", 1)
]
PageLimit = Annotated[
    QueryInteger, Field(ge=1, le=LARGEST_PAGE_SIZE), described("The maximum number of entries on the page.", 50)
]
QueryId = Annotated[QueryInteger, Field(ge=1, le=MAX_ID)]


class Pagination(TypedDict):
    """The page: its number from 1, its maximum length, and the total number of entries and pages."""

    page: Annotated[int, described("The number of this page, from 1.", 1)]
    limit: Annotated[int, described("The maximum number of entries on a page.", 50)]
    total: Annotated[int, described("The number of entries on all pages.", 1)]
    pages: Annotated[int, described("The number of pages.", 1)]


def offset_of(page: int, limit: int) -> int:
    """Return the number of entries before a page."""
    return min((page - 1) * limit, MAX_ID)


def pagination(page: int, limit: int, total: int) -> Pagination:
    """Return the pagination of a response."""
    return Pagination(page=page, limit=limit, total=total, pages=math.ceil(total / limit))


def _from_time(value: object, info: ValidationInfo) -> str:
    moment = _in_day(str(value), time.min, info) or _moment(str(value))
    return as_timestamp(min(moment, _LATEST) + (_MILLISECOND if moment.microsecond % 1000 else timedelta()))


def _to_time(value: object, info: ValidationInfo) -> str:
    return as_timestamp(_in_day(str(value), _LAST_MOMENT, info) or _moment(str(value)))


def _in_day(text: str, at: time, info: ValidationInfo) -> datetime | None:
    """Return this time of a day in the service's time zone; None if the text is not a bare date."""
    settings: Settings = info.context  # type: ignore[assignment]  # read_query gives it
    try:
        moment = datetime.combine(date.fromisoformat(text.upper()), at)
    except ValueError:
        return None
    try:
        return moment.replace(tzinfo=settings.time_zone).astimezone(UTC)
    except OverflowError:  # the first or the last day of the calendar
        return moment.replace(tzinfo=UTC)


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.upper())  # RFC 3339, clause 5.6, allows `t` and `z`
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

Stock = TypeAliasType(
    "Stock",
    Annotated[
        Literal["low", "out"],
        described("`low`: products with a minimum, at or below it; `out`: products with a level of 0.", "low"),
    ],
)
"""An alias with a name, so that the document has one schema for all lists."""


RetiredFilter = TypeAliasType(
    "RetiredFilter",
    Annotated[Retired, described("`true`: only products that are no longer sold; `any`: also these.", "any")],
)


def stock_bounds(stock: Stock | None) -> StockBounds | None:
    """Return the limits of levels that the parameter selects; none by default."""
    return {"low": LOW, "out": OUT, None: None}[stock]
