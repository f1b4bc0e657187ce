"""Query parameters of lists: the requested page, its description in a response, and the filter `stock`."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType, TypedDict

from barcodesvc.api.requests import QueryInteger
from barcodesvc.fields import described
from barcodesvc.models import MAX_ID
from barcodesvc.store.stock import LOW, OUT, StockBounds

PAGE_SIZE = 50
LARGEST_PAGE_SIZE = 500

PageNumber = Annotated[
    QueryInteger, Field(ge=1, le=MAX_ID), described("The number of the page; one past the end is empty.", 1)
]
PageLimit = Annotated[
    QueryInteger, Field(ge=1, le=LARGEST_PAGE_SIZE), described("The most entries that the page may have.", 50)
]
QueryId = Annotated[QueryInteger, Field(ge=1, le=MAX_ID)]


class Pagination(TypedDict):
    """The page: its number from 1, its maximum length, and the total number of entries and pages."""

    page: Annotated[int, described("The number of this page, from 1.", 1)]
    limit: Annotated[int, described("The most entries that a page may have.", 50)]
    total: Annotated[int, described("The number of entries on all pages.", 1)]
    pages: Annotated[int, described("The number of pages.", 1)]


def offset_of(page: int, limit: int) -> int:
    """Return the number of entries before a page."""
    return min((page - 1) * limit, MAX_ID)


def pagination(page: int, limit: int, total: int) -> Pagination:
    """Return the pagination of a response."""
    return Pagination(page=page, limit=limit, total=total, pages=math.ceil(total / limit))


Stock = TypeAliasType(
    "Stock",
    Annotated[
        Literal["low", "out"],
        described("`low`: products with a minimum, at or below it; `out`: products with a level of 0.", "low"),
    ],
)
"""An alias with a name, so that the document has one schema for all lists."""


def stock_bounds(stock: Stock | None) -> StockBounds | None:
    """Return the limits of levels that the parameter selects; none by default."""
    return {"low": LOW, "out": OUT, None: None}[stock]
