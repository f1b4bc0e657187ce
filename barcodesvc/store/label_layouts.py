"""Layouts of labels in the database, saved under names.

Rule: their number and their sizes are limited, so that a list of all of them is short.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from barcodesvc.errors import FieldProblem, InvalidInput, NameNotFound
from barcodesvc.fields import Timestamp, described
from barcodesvc.store.database import Database, Reader
from barcodesvc.store.script import Row, Script, changed_rows, run

MOST_LAYOUTS = 200


@dataclass(frozen=True, slots=True)
class SavedLayout:
    """A layout with its name; `layout` has the fields that were sent."""

    name: Annotated[str, described("The name of the layout.", "shelf")]
    layout: Annotated[Mapping[str, Any], described("The fields of the layout.", {"sheet": "L7160"})]
    updated_at: Annotated[Timestamp, described("When the layout was last saved.")]


async def list_layouts(reader: Reader) -> list[SavedLayout]:
    """Return all layouts by name."""
    return [_layout(row) for row in await reader.rows("list_label_layouts")]


async def get_layout(reader: Reader, name: str) -> SavedLayout:
    """Return the layout of this name; raises NameNotFound."""
    row = await reader.row("get_label_layout", name=name)
    if row is None:
        raise _no_such_layout(name)
    return _layout(row)


async def save_layout(database: Database, name: str, layout: Mapping[str, Any], now: str) -> SavedLayout:
    """Save a layout in place of the one of this name; raises InvalidInput if there are too many others."""
    values = {"name": name, "layout": json.dumps(layout), "now": now}

    def save() -> Script[bool]:
        yield run("lock_names")
        return bool((yield run("save_label_layout", most=MOST_LAYOUTS, **values)))

    if not await database.change(save):
        message = f"there are {MOST_LAYOUTS} saved layouts already; delete one, or save under one of their names"
        raise InvalidInput.of(FieldProblem("name", message, name))
    return SavedLayout(name, layout, now)


async def delete_layout(database: Database, name: str) -> None:
    """Delete the layout of this name; raises NameNotFound."""
    if not await database.change(partial(changed_rows, run("delete_label_layout", name=name))):
        raise _no_such_layout(name)


def _no_such_layout(name: str) -> NameNotFound:
    return NameNotFound(f"there is no saved layout {name!r}", resource="layout", name=name)


def _layout(row: Row) -> SavedLayout:
    name, layout, updated_at = row
    return SavedLayout(name, json.loads(layout), updated_at)
