"""Handlers of movements, which change levels (set, adjust, undo), and of their lists."""

from dataclasses import replace
from typing import Annotated

from pydantic import Field, StringConstraints, ValidationInfo, field_validator
from typing_extensions import TypedDict

from barcodesvc import fields
from barcodesvc.api.parameters import MovementInPath, ProductInPath, QueryInteger
from barcodesvc.api.resources.list_parameters import FromTime, QueryId, ToTime
from barcodesvc.api.signature import Enveloped, Example
from barcodesvc.fields import described
from barcodesvc.models import (
    LONGEST_AUTHOR,
    MAX_ID,
    ChangeUndo,
    LevelAdjustment,
    LevelChange,
    LevelUpdate,
    ListedChange,
    NewChange,
    Query,
)
from barcodesvc.service import Service
from barcodesvc.store import movements
from barcodesvc.store.idempotency import KeyedRequest
from barcodesvc.store.movements import Entry, MovementFilter
from barcodesvc.store.script import Script

HISTORY_SIZE = 50
LARGEST_HISTORY_SIZE = 1000


class HistoryQuery(Query):
    """The selected part of a history; both ends are inclusive, and a bare `to_date` covers its whole day.

    `before` and `after` are ids of changes: they select a page of older or newer ones.
    """

    limit: Annotated[
        QueryInteger, Field(ge=1, le=LARGEST_HISTORY_SIZE), described("The maximum number of changes to list.", 50)
    ] = HISTORY_SIZE
    before: Annotated[
        QueryId | None, described("Only changes before the one with this id: the last id of the previous page.", 9)
    ] = None
    after: Annotated[
        Annotated[QueryInteger, Field(ge=0, le=MAX_ID)] | None,
        described("Only changes after the one with this id, oldest first; 0 begins with the first change.", 9),
    ] = None
    from_date: Annotated[
        FromTime | None,
        described("Only changes from this day or moment on; a moment without an offset is in UTC.", "2026-01-01"),
    ] = None
    to_date: Annotated[
        ToTime | None,
        described("Only changes up to this moment, or to the end of this day.", "2026-01-31"),
    ] = None

    @field_validator("after")
    @classmethod
    def _one_way(cls, after: int, info: ValidationInfo) -> int:
        if info.data.get("before") is not None:
            raise ValueError("before lists older changes, after newer ones; send one of them")
        return after

    @field_validator("to_date")
    @classmethod
    def _in_order(cls, to_date: str, info: ValidationInfo) -> str:
        from_date = info.data.get("from_date")
        if from_date and from_date > to_date:
            raise ValueError("is before from_date")
        return to_date


class ChangesQuery(HistoryQuery):
    """The filters of changes of all products; both ends are inclusive, and a bare `to_date` covers its whole day."""

    product_id: Annotated[QueryId | None, described("Only changes of this product.", 1)] = None
    updated_by: (
        Annotated[
            str, StringConstraints(max_length=LONGEST_AUTHOR), described("Only changes by exactly this name.", "till 2")
        ]
        | None
    ) = None
    import_id: Annotated[QueryId | None, described("Only changes by this import.", 1)] = None


class ChangedLevel(TypedDict):
    """A level before and after a change."""

    product_id: fields.ProductId
    old_level: fields.OldLevel
    new_level: fields.NewLevel
    change_reason: fields.ReasonText
    updated_by: fields.AuthorText
    updated_at: fields.ChangedAt
    product_code: fields.Code
    unit_of_measure: fields.UnitText


_ORDER = "newest first; with `after` oldest first."
ListedChanges = Annotated[
    list[ListedChange], Enveloped("ChangesResponse", f"Changes of levels, {_ORDER}", f"The changes, {_ORDER}")
]
History = Annotated[
    list[LevelChange], Enveloped("HistoryResponse", f"Changes of a level, {_ORDER}", f"The changes, {_ORDER}")
]
MadeChange = Annotated[
    NewChange, Enveloped("ChangeResponse", "A change of a level, as in the history.", "The new change.")
]
SetLevel = Annotated[
    ChangedLevel,
    Enveloped("ChangedLevelResponse", "A level that was set or adjusted.", "The level before and after the change."),
]


def set_level(
    productId: ProductInPath, body: Annotated[LevelUpdate, Example({"new_level": 8})], key: KeyedRequest[LevelUpdate]
) -> Script[SetLevel]:
    """Set a level."""
    return _changed(movements.set_level(productId, body.new_level, _entry(body, key.now), body.expected_level))


def adjust_level(
    productId: ProductInPath,
    body: Annotated[LevelAdjustment, Example({"delta": -2, "change_reason": "sold"})],
    key: KeyedRequest[LevelAdjustment],
) -> Script[SetLevel]:
    """Change a level by a difference."""
    return _changed(movements.adjust(productId, body.delta, _entry(body, key.now)))


def undo_change(
    changeId: MovementInPath,
    body: Annotated[ChangeUndo, Example({"updated_by": "till 2"})],
    key: KeyedRequest[ChangeUndo],
) -> Script[MadeChange]:
    """Undo a change of a level.

    An undo is itself a change, and can be undone once.
    """
    return movements.undo(changeId, _entry(body, key.now), body.updated_at)


async def list_changes(service: Service, query: ChangesQuery) -> ListedChanges:
    """List the changes of all levels.

    Newest first, or with `after` oldest first. `from_date` is not after `to_date`. Send at most one of `before` and
    `after`.
    """
    wanted = replace(
        _filter(query), product_id=query.product_id, updated_by=query.updated_by, import_id=query.import_id
    )
    return await movements.list_movements(service.database, wanted)


async def history(service: Service, productId: ProductInPath, query: HistoryQuery) -> History:
    """List the changes of one level.

    Newest first, or with `after` oldest first. `from_date` is not after `to_date`. Send at most one of `before` and
    `after`.
    """
    return await movements.history(service.database, productId, _filter(query))


def _filter(query: HistoryQuery) -> MovementFilter:
    return MovementFilter(
        limit=query.limit,
        before=query.before,
        after=query.after,
        from_time=query.from_date,
        to_time=query.to_date,
    )


def _entry(sent: LevelUpdate | LevelAdjustment | ChangeUndo, now: str) -> Entry:
    return Entry(sent.change_reason, sent.updated_by, now)


def _changed(change: Script[NewChange]) -> Script[ChangedLevel]:
    made = yield from change
    return ChangedLevel(
        product_id=made.product_id,
        old_level=made.old_level,
        new_level=made.new_level,
        change_reason=made.change_reason,
        updated_by=made.updated_by,
        updated_at=made.updated_at,
        product_code=made.product_code,
        unit_of_measure=made.unit_of_measure,
    )
