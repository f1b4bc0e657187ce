"""Query parameters of lists: the requested page, its description in a response, and the filter `stock`."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from barcodesvc.api.requests import QueryInteger
from barcodesvc.models import MAX_ID
from barcodesvc.store.stock import LOW, OUT, StockBounds

PAGE_SIZE = 50
LARGEST_PAGE_SIZE = 500

PageNumber = Annotated[QueryInteger, Field(ge=1, le=MAX_ID)]
PageLimit = Annotated[QueryInteger, Field(ge=1, le=LARGEST_PAGE_SIZE)]
QueryId = Annotated[QueryInteger, Field(ge=1, le=MAX_ID)]


class Pagination(TypedDict):
    """The page: its number from 1, its maximum length, and the total number of entries and pages."""

    page: int
    limit: int
    total: int
    pages: int


def offset_of(page: int, limit: int) -> int:
    """Return the number of entries before a page."""
    return min((page - 1) * limit, MAX_ID)


def pagination(page: int, limit: int, total: int) -> Pagination:
    """Return the pagination of a response."""
    return Pagination(page=page, limit=limit, total=total, pages=math.ceil(total / limit))


Stock = Literal["low", "out"]
"""`low` has a minimum and is at or below it, `out` has a level of 0."""


def stock_bounds(stock: Stock | None) -> StockBounds | None:
    """Return the limits of levels that the parameter selects; none by default."""
    return {"low": LOW, "out": OUT, None: None}[stock]
