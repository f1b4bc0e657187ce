"""Pages of long lists: which one a query asks for, and what an answer says of it."""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from barcodesvc.api.requests import GREATEST_IN_QUERY, QueryInteger
from barcodesvc.models import MAX_ID

PAGE_SIZE = 50
LARGEST_PAGE_SIZE = 500

PageNumber = Annotated[QueryInteger, Field(ge=1, le=GREATEST_IN_QUERY)]
PageLimit = Annotated[QueryInteger, Field(ge=1, le=LARGEST_PAGE_SIZE)]
QueryId = Annotated[QueryInteger, Field(ge=1, le=MAX_ID)]


class Pagination(TypedDict):
    """Where a page lies: its number from 1, its greatest length, and how many entries and pages there are."""

    page: int
    limit: int
    total: int
    pages: int


def offset_of(page: int, limit: int) -> int:
    """Return how many entries stand before a page."""
    return min((page - 1) * limit, MAX_ID)


def pagination(page: int, limit: int, total: int) -> Pagination:
    """Return what an answer says of a page."""
    return Pagination(page=page, limit=limit, total=total, pages=math.ceil(total / limit))
