"""Movements: changes of levels, as a family of scripts, and the lists of them.

    set_level   to a given level, if the level is the expected one
    adjust      by a difference
    count       to what was counted, unless a later movement is recorded already
    undo        by the opposite difference, once for each movement

Rule: a level and its movement are written together or not at all. A refusal is raised before anything is written, so
that other changes in the same transaction remain.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from barcodesvc.clock import LATEST
from barcodesvc.errors import AlreadyUndone, ChangeNotFound, LaterChange, LevelChanged, LevelOutOfRange, ServiceError
from barcodesvc.models import MAX_ID, MAX_LEVEL, Level, LevelChange, ListedChange, NewChange
from barcodesvc.store.database import Database
from barcodesvc.store.idempotency import Reply
from barcodesvc.store.products import get_product, no_such_product, read_level
from barcodesvc.store.script import Begin, Row, Script, one, rows, run

EARLIEST = ""
"""A timestamp that means no limit, as LATEST does."""


class Entry(NamedTuple):
    """What a movement records besides the levels: why, by whom, when it is written and when it was scanned."""

    change_reason: str
    updated_by: str
    now: str
    scanned_at: str | None = None


@dataclass(frozen=True, slots=True)
class MovementFilter:
    """Which movements: between two timestamps, both inclusive, at most `limit` of them.

    `before` and `after` are ids of movements, of which one may be set: only those before it, or only those after it.
    """

    limit: int
    before: int | None = None
    after: int | None = None
    product_id: int | None = None
    updated_by: str | None = None
    import_id: int | None = None
    from_time: str | None = None
    to_time: str | None = None


def set_level(product_id: int, new_level: int, entry: Entry, expected_level: int | None = None) -> Script[NewChange]:
    """Set a level; raises ProductNotFound and LevelChanged."""
    row = yield one(
        "insert_setting", product_id=product_id, new_level=new_level, expected_level=expected_level, **entry._asdict()
    )
    if row is None:
        if expected_level is None:
            raise no_such_product(product_id)
        level = yield from read_level(product_id)
        raise _unexpected(expected_level, level.current_level)
    return (yield from _moved(row, entry))


def adjust(product_id: int, delta: int, entry: Entry, pack_quantity: int = 1) -> Script[NewChange]:
    """Add `delta` packs of so many pieces to a level; raises ProductNotFound and LevelOutOfRange."""
    pieces = delta * pack_quantity
    row = None
    if abs(pieces) <= MAX_LEVEL:  # more would be too much for the database as well
        row = yield one(
            "insert_adjustment", product_id=product_id, delta=pieces, greatest_level=MAX_LEVEL, **entry._asdict()
        )
    if row is None:
        raise _out_of_range(pieces, (yield from read_level(product_id)), pack_quantity)
    return (yield from _moved(row, entry))


def count(product_id: int, new_level: int, entry: Entry) -> Script[NewChange]:
    """Set a level to what was counted; raises ProductNotFound, and LaterChange for a later movement."""
    row = yield one("insert_count", product_id=product_id, new_level=new_level, **entry._asdict())
    if row is None:
        level = yield from read_level(product_id)
        raise _outdated(level, entry.scanned_at, (yield one("get_latest_movement", product_id=product_id)))
    return (yield from _moved(row, entry))


def undo(movement_id: int, entry: Entry, updated_at: str | None = None) -> Script[NewChange]:
    """Reverse a movement by another one; raises ChangeNotFound, AlreadyUndone and LevelOutOfRange.

    `updated_at` is when the movement was written: a restored database assigns the ids of lost movements again.
    """
    row = yield one(
        "insert_undo", movement_id=movement_id, written_at=updated_at, greatest_level=MAX_LEVEL, **entry._asdict()
    )
    if row is None:
        raise (yield from _not_undone(movement_id, updated_at))
    return (yield from _moved(row, entry))


def each_alone(changes: Sequence[Begin[Reply]], products: Collection[int]) -> Script[list[Reply | ServiceError]]:
    """Make changes one after the other in one transaction; a refusal of one does not affect the others.

    `products` are those whose levels they change. Several are locked in one order first: otherwise two such
    transactions could each hold a level that the other one waits for.
    """
    if len(products) > 1:
        yield rows("lock_levels", wanted=json.dumps(sorted(products)))
    outcomes: list[Reply | ServiceError] = []
    for change in changes:
        try:
            outcomes.append((yield from change()))
        except ServiceError as refusal:
            outcomes.append(refusal.with_traceback(None))  # which holds this list, as this list holds it
    return outcomes


async def history(database: Database, product_id: int, wanted: MovementFilter) -> list[LevelChange]:
    """Return the movements of one product in the order of `list_movements`; raises ProductNotFound."""
    found = await _of_product(database, product_id, wanted)
    if not found:
        await get_product(database, product_id)
    return [LevelChange(*row[:-2]) for row in found]


async def list_movements(database: Database, wanted: MovementFilter) -> list[ListedChange]:
    """Return movements, newest first, with the codes and descriptions of their products.

    Those of all products are in the order of their timestamps, because an index finds that among millions; those of one
    millisecond, and those of one product, are in the order in which they were written. A page continues at a position
    in an index, so it costs the same however old it is.

    With `after`, they are in the order in which they were written, oldest first: a later page then contains what was
    written since, even by an import whose timestamp is that of its beginning.
    """
    if wanted.product_id is not None:
        found = await _of_product(database, wanted.product_id, wanted)
    elif wanted.import_id is not None:
        found = await _of_import(database, wanted)
    elif wanted.after is not None:
        found = await database.rows("list_all_movements_after", after=wanted.after, **_bounds(wanted))
    else:
        found = await _of_all(database, wanted)
    return [ListedChange(*row[:-2], product_code=row[-2], description=row[-1]) for row in found]


async def _of_product(database: Database, product_id: int, wanted: MovementFilter) -> list[Row]:
    bounds = {"product_id": product_id, **_bounds(wanted)}
    if wanted.after is not None:
        return await database.rows("list_movements_after", after=wanted.after, **bounds)
    return await database.rows("list_movements", before=wanted.before or MAX_ID, **bounds)


async def _of_import(database: Database, wanted: MovementFilter) -> list[Row]:
    if wanted.after is not None:
        return await database.rows("list_movements_of_import_after", after=wanted.after, **_bounds(wanted))
    return await database.rows("list_movements_of_import", before=wanted.before or MAX_ID, **_bounds(wanted))


def _bounds(wanted: MovementFilter) -> dict[str, Any]:
    return {
        "updated_by": wanted.updated_by,
        "import_id": wanted.import_id,
        "from_time": wanted.from_time or EARLIEST,
        "to_time": wanted.to_time or LATEST,
        "limit": wanted.limit,
    }


async def _of_all(database: Database, wanted: MovementFilter) -> list[Row]:
    time, movement_id = await _end(database, wanted)
    bounds = {"from_time": wanted.from_time or EARLIEST, "before_time": time, "before": movement_id}
    if wanted.updated_by is None:
        return await database.rows("list_recent_movements", limit=wanted.limit, **bounds)
    return await database.rows("list_movements_by_author", updated_by=wanted.updated_by, limit=wanted.limit, **bounds)


async def _end(database: Database, wanted: MovementFilter) -> tuple[str, int]:
    """Return the time and the id that all listed movements lie before."""
    end = wanted.to_time or LATEST, MAX_ID
    if wanted.before is None:
        return end
    row = await database.row("time_of_movement", id=wanted.before)
    return min(end, (row[0] if row else EARLIEST, wanted.before))


def _moved(row: Row, entry: Entry) -> Script[NewChange]:
    *recorded, product_code, unit = row
    movement = NewChange(*recorded, product_code=product_code, unit_of_measure=unit)
    yield run(
        "set_level",
        product_id=movement.product_id,
        new_level=movement.new_level,
        updated_by=entry.updated_by,
        now=entry.now,
        changed_at=entry.scanned_at or entry.now,
    )
    return movement


def _unexpected(expected: int, current: int) -> LevelChanged:
    return LevelChanged(
        f"the level is {current}, not {expected} as expected; nothing was changed",
        current_level=current,
        expected_level=expected,
    )


def _out_of_range(delta: int, level: Level, pack_quantity: int = 1) -> LevelOutOfRange:
    current = level.current_level
    least, greatest = -current, MAX_LEVEL - current
    of_packs = f", in packs of {pack_quantity}" if pack_quantity > 1 else ""
    return LevelOutOfRange(
        f"the level of {level.product_code!r} is {current}; "
        f"a delta from {least} to {greatest} is possible, not {delta}{of_packs}; nothing was changed",
        pack_quantity=pack_quantity,
        product_id=level.product_id,
        product_code=level.product_code,
        description=level.description,
        current_level=current,
        least_delta=least,
        greatest_delta=greatest,
    )


def _not_undone(movement_id: int, updated_at: str | None) -> Script[ServiceError]:
    """Find out why a movement cannot be undone, as a part of a script."""
    row = yield one("get_movement", id=movement_id)
    if row is None:
        message = f"there is no change of a level with id {movement_id}; a product's history is deleted with it"
        return ChangeNotFound(message, id=movement_id)
    product_id, old_level, new_level, written_at, undone_by = row
    if updated_at not in (None, written_at):
        message = f"there is no change of a level with id {movement_id} that was written at {updated_at}"
        return ChangeNotFound(message, id=movement_id)
    if undone_by is not None:
        return AlreadyUndone(
            f"the change {movement_id} has already been undone by the change {undone_by}; nothing was changed",
            id=movement_id,
            undone_by=undone_by,
        )
    return _out_of_range(old_level - new_level, (yield from read_level(product_id)))


def _outdated(level: Level, scanned_at: str | None, latest: Row | None) -> ServiceError:
    if latest is None or scanned_at is None:  # another replica has deleted or created it meanwhile
        return no_such_product(level.product_id)
    return LaterChange(
        f"the level of {level.product_code!r} was counted at {scanned_at}, but changed at {latest[0]}; "
        f"it is {level.current_level} now, nothing was changed; count again",
        product_id=level.product_id,
        product_code=level.product_code,
        description=level.description,
        current_level=level.current_level,
        scanned_at=scanned_at,
        changed_at=latest[0],
    )
