"""Changes of levels by a difference, to a count, and back again, each with its history entry.

Rule: a refusal is raised before anything is written, so that the changes beside it in a transaction stand.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from barcodesvc.errors import AlreadyUndone, ChangeNotFound, LaterChange, LevelOutOfRange, ServiceError
from barcodesvc.models import MAX_LEVEL, LevelAdjustment, LevelChange
from barcodesvc.store.database import Database
from barcodesvc.store.idempotency import Answer, Send, forget_keys, once
from barcodesvc.store.products import no_such_product
from barcodesvc.store.script import Begin, Row, Script, one, run


@dataclass(frozen=True, slots=True)
class Entry:
    """What the history says of a change beside the levels: why, by whom, when it is written and when it was scanned."""

    change_reason: str
    updated_by: str
    now: str
    scanned_at: str | None = None


async def adjust_level(
    database: Database, product_id: int, send: Send[LevelAdjustment], answer: Callable[[LevelChange], bytes]
) -> Answer:
    """Add to the level and record the change, unless the send was answered before; return what `answer` makes of it.

    Raises ProductNotFound, LevelOutOfRange and KeyReused.
    """
    asked = send.asked
    entry = Entry(asked.change_reason, asked.updated_by, send.now)
    return await change_once(database, send, lambda: add(product_id, asked.delta, entry), answer)


async def change_once(
    database: Database, send: Send[Any], change: Begin[LevelChange], answer: Callable[[LevelChange], bytes]
) -> Answer:
    """Make a change unless the send was answered before; return what `answer` makes of it. Raises KeyReused."""

    def script() -> Script[Answer]:
        reply = yield from once(send, lambda: answered(change(), answer))
        if not reply.replayed:
            yield from forget_keys(send)
        return reply

    return await database.change(script)


def answered(change: Script[LevelChange], answer: Callable[[LevelChange], bytes]) -> Script[bytes]:
    """Make a change, and what `answer` makes of it."""
    return answer((yield from change))


def add(product_id: int, delta: int, entry: Entry, undoes: int | None = None) -> Script[LevelChange]:
    """Add to a level; raises ProductNotFound and LevelOutOfRange."""
    row = yield one(
        "insert_adjustment",
        product_id=product_id,
        delta=delta,
        greatest_level=MAX_LEVEL,
        undoes=undoes,
        **_columns(entry),
    )
    if row is None:
        raise _out_of_range(product_id, delta, (yield one("get_level", product_id=product_id)))
    return (yield from _set_level(LevelChange(*row), entry))


def count(product_id: int, new_level: int, entry: Entry) -> Script[LevelChange]:
    """Set a level to what was counted; raises ProductNotFound, and LaterChange where a later change stands already."""
    row = yield one("insert_count", product_id=product_id, new_level=new_level, **_columns(entry))
    if row is None:
        level = yield one("get_level", product_id=product_id)
        latest = yield one("get_latest_change", product_id=product_id)
        raise _outdated(product_id, entry, level, latest)
    return (yield from _set_level(LevelChange(*row), entry))


def undo(change_id: int, entry: Entry) -> Script[LevelChange]:
    """Take a change back by another one; raises ChangeNotFound, AlreadyUndone and LevelOutOfRange."""
    row = yield one("get_change", id=change_id)
    if row is None:
        raise ChangeNotFound(
            f"there is no change of a level with id {change_id}; the history of a product goes with it", id=change_id
        )
    product_id, old_level, new_level, undone_by = row
    if undone_by is not None:
        raise AlreadyUndone(
            f"the change {change_id} is undone already, by the change {undone_by}; nothing was changed",
            id=change_id,
            undone_by=undone_by,
        )
    return (yield from add(product_id, old_level - new_level, entry, undoes=change_id))


def each_alone(changes: Sequence[Begin[Answer]], products: Collection[int]) -> Script[list[Answer | ServiceError]]:
    """Make changes one after the other in one transaction; one that is refused leaves the others alone.

    `products` are those whose levels they change. Where several are, their levels are locked in one order first: of two
    such transactions that meet, each would otherwise come to wait for the other.
    """
    if len(products) > 1:
        yield run("lock_levels", ids=json.dumps(sorted(products)))
    outcomes: list[Answer | ServiceError] = []
    for change in changes:
        try:
            outcomes.append((yield from change()))
        except ServiceError as refusal:
            outcomes.append(refusal.with_traceback(None))  # which holds this list, as this list holds it
    return outcomes


def _columns(entry: Entry) -> dict[str, str | None]:
    return {
        "change_reason": entry.change_reason,
        "updated_by": entry.updated_by,
        "now": entry.now,
        "scanned_at": entry.scanned_at,
    }


def _set_level(change: LevelChange, entry: Entry) -> Script[LevelChange]:
    yield run(
        "set_level",
        product_id=change.product_id,
        new_level=change.new_level,
        updated_by=entry.updated_by,
        now=entry.now,
        changed_at=entry.scanned_at or entry.now,
    )
    return change


def _out_of_range(product_id: int, delta: int, level: Row | None) -> ServiceError:
    if level is None:
        return no_such_product(product_id)
    code, current = level[2], level[4]
    least, greatest = -current, MAX_LEVEL - current
    return LevelOutOfRange(
        f"the level of {code!r} is {current}; a delta from {least} to {greatest} is possible, not {delta}; "
        "nothing was changed",
        product_code=code,
        current_level=current,
        least_delta=least,
        greatest_delta=greatest,
    )


def _outdated(product_id: int, entry: Entry, level: Row | None, latest: Row | None) -> ServiceError:
    if level is None or latest is None:
        return no_such_product(product_id)
    code, current = level[2], level[4]
    return LaterChange(
        f"the level of {code!r} was counted at {entry.scanned_at}, but changed at {latest[0]}; it is {current} now, "
        "nothing was changed; count again",
        product_code=code,
        current_level=current,
        scanned_at=entry.scanned_at,
        changed_at=latest[0],
    )
