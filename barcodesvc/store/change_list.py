"""Changes of levels over all products, newest first.

Of all products they come by their time of writing, because that is what an index finds among millions; those of one
millisecond come as they were written, as those of one product do. Rule: where a list goes on is a bound of an index, so
that a page costs what it holds, however far back it lies.
"""

from __future__ import annotations

from dataclasses import dataclass

from barcodesvc.models import MAX_ID, ListedChange
from barcodesvc.store.database import Database
from barcodesvc.store.inventory import EARLIEST, LATEST
from barcodesvc.store.script import Row


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which changes: between two timestamps, both inclusive, behind the change `before`, at most `limit` of them."""

    limit: int
    before: int | None = None
    product_id: int | None = None
    updated_by: str | None = None
    from_time: str | None = None
    to_time: str | None = None


async def list_changes(database: Database, wanted: Wanted) -> list[ListedChange]:
    """Return changes with the codes and descriptions of their products."""
    if wanted.product_id is None:
        rows = await _of_all(database, wanted)
    else:
        rows = await database.rows(
            "list_changes",
            product_id=wanted.product_id,
            updated_by=wanted.updated_by,
            from_time=wanted.from_time or EARLIEST,
            to_time=wanted.to_time or LATEST,
            before=wanted.before or MAX_ID,
            limit=wanted.limit,
        )
    return [ListedChange(*row[:-2], product_code=row[-2], description=row[-1]) for row in rows]


async def _of_all(database: Database, wanted: Wanted) -> list[Row]:
    time, change_id = await _end(database, wanted)
    bounds = {"from_time": wanted.from_time or EARLIEST, "before_time": time, "before": change_id}
    if wanted.updated_by is None:
        return await database.rows("list_recent_changes", limit=wanted.limit, **bounds)
    return await database.rows("list_changes_by_author", updated_by=wanted.updated_by, limit=wanted.limit, **bounds)


async def _end(database: Database, wanted: Wanted) -> tuple[str, int]:
    """Return the time and the id that changes lie before: those of a change, or the end of the time that is wanted."""
    end = wanted.to_time or LATEST, MAX_ID
    if wanted.before is None:
        return end
    row = await database.row("time_of_change", id=wanted.before)
    return min(end, (row[0] if row else EARLIEST, wanted.before))
