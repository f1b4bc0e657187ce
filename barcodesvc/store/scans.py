"""Batched scan look-ups: which products the candidates of a scan mean.

Scans that arrive while others are looked up wait for the next look-up, and go together: one statement and one trip to
the connection's thread for all of them, where each alone would cost several times its own work, and those that are the
same are one. A single scan waits for nobody. They have a connection of their own, so that none is held up by a long
search or list.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, islice
from typing import NamedTuple

from pydantic_core import from_json, to_json

from barcodesvc.store.database import Database

MOST_TOGETHER = 64
"""Different scans that one statement looks up, some 2 ms of work."""

Comparison = tuple[str, str]
"""A key, one of those below, and the value that it should have."""
_PARAMETERS = {
    "code": "codes",
    "gtin": "gtins",
    "printed": "printeds",
    "main": "mains",
    "short_gtin": "short_gtins",
    "codabar": "codabars",
    "folded": "foldeds",
}
"""The keys, and the parameter of the statement that takes the values of each."""


class Found(NamedTuple):
    """A product that fits the comparison number `rank` of its scan (from 0), with the levels that a scan shows."""

    rank: int
    id: int
    product_code: str
    description: str
    category: str
    current_level: int
    minimum_level: int
    last_updated: str


_Outcome = asyncio.Future[list[Found]]


class ScanResolver:
    """Looks scans up, those that wait together in one statement."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: dict[tuple[Comparison, ...], list[_Outcome]] = {}
        self._looking_up: asyncio.Task[None] | None = None

    async def resolve(self, comparisons: Sequence[Comparison]) -> list[Found]:
        """Return the products that fit the first comparison that any product fits, by id; raises DatabaseFailure.

        Of more than ten that share a key, eleven are given.
        """
        resolved: _Outcome = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(tuple(comparisons), []).append(resolved)
        if self._looking_up is None:
            self._looking_up = asyncio.create_task(self._look_up())
        return await resolved

    async def _look_up(self) -> None:
        try:
            while self._waiting:
                await self._gather()
                together = list(islice(self._waiting, MOST_TOGETHER))
                await self._look_up_together(together, [self._waiting.pop(comparisons) for comparisons in together])
        finally:
            self._looking_up = None

    async def _look_up_together(
        self, together: Sequence[Sequence[Comparison]], waiting: Sequence[Sequence[_Outcome]]
    ) -> None:
        """Give each of those who wait what fits their scan."""
        try:
            fitting = await self._fitting(together)
        except Exception as failure:  # noqa: BLE001 - whatever it is, those who wait get it, and the next ones go on
            for resolved in chain.from_iterable(waiting):
                if not resolved.done():
                    resolved.set_exception(failure)
            return
        for scan, same in enumerate(waiting):
            found = _first(fitting[scan])
            for resolved in same:
                if not resolved.done():
                    resolved.set_result(found)

    async def _gather(self) -> None:
        """Wait briefly while more scans arrive, to look them up together."""
        seen = 1
        while seen < len(self._waiting) < MOST_TOGETHER:
            seen = len(self._waiting)
            await asyncio.sleep(0)
            await asyncio.sleep(0)

    async def _fitting(self, together: Sequence[Sequence[Comparison]]) -> dict[int, list[Found]]:
        """Return what fits any comparison of each scan, by the number of the scan."""
        values: dict[str, list[str]] = {kind: [] for kind in _PARAMETERS}
        origins: dict[str, list[tuple[int, int]]] = {kind: [] for kind in _PARAMETERS}
        for scan, comparisons in enumerate(together):
            for rank, (kind, value) in enumerate(comparisons):
                if kind in values:
                    values[kind].append(value)
                    origins[kind].append((scan, rank))
        wanted = {_PARAMETERS[kind]: to_json(of_kind).decode() for kind, of_kind in values.items()}
        fitting: dict[int, list[Found]] = defaultdict(list)
        row = await self._database.scan_row("resolve_scans", **wanted)
        for kind, number, *found in from_json(row[0]) if row else ():
            scan, rank = origins[kind][number]
            fitting[scan].append(Found(rank, *found))
        return fitting


def _first(fitting: list[Found]) -> list[Found]:
    if len(fitting) < 2:  # noqa: PLR2004 - one is the first
        return fitting
    rank = min(found.rank for found in fitting)
    return sorted((found for found in fitting if found.rank == rank), key=lambda found: found.id)
