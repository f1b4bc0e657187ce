"""Batched scan look-ups: which products the candidates of a scan mean.

Scans that arrive during a look-up share the next one: one statement, and one trip to the connection's thread. Alone,
each would cost several times as much. Equal scans are looked up once, and a single scan does not wait for others. Scans
have a separate connection, so no long search or list delays them.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final, NamedTuple

from pydantic_core import from_json, to_json

from barcodesvc import fields
from barcodesvc.store.attributes import attributes_in
from barcodesvc.store.database import Database

MOST_TOGETHER = 64
"""Different scans that one statement looks up, in about 2 ms."""

Comparison = tuple[str, str]
"""A key, and the value that it must have."""
Candidate = tuple[Comparison, ...]
"""Equally good comparisons: a product matches if one of them does."""


class Key:
    """The stored key of a product that is compared.

    CODE is the product code itself, NUMBER its `number_key`, MAIN the part of its `number_key` before a `+` and an
    add-on, CODABAR the code without its start and stop letters, FOLDED the product code in lower case.
    """

    CODE: Final = "code"
    NUMBER: Final = "number"
    MAIN: Final = "main"
    CODABAR: Final = "codabar"
    FOLDED: Final = "folded"


_KEYS = (Key.CODE, Key.NUMBER, Key.MAIN, Key.CODABAR, Key.FOLDED)
"""All of them: the statement has a parameter for the values of each."""


@dataclass(frozen=True, slots=True)
class ScannedProduct:
    """The product that a scan names."""

    id: fields.ProductId
    product_code: fields.Code
    description: fields.DescriptionText
    category: fields.CategoryText
    attributes: fields.AttributeTexts


@dataclass(frozen=True, slots=True)
class ScannedLevel:
    """Its inventory."""

    current_level: fields.CurrentLevel
    minimum_level: fields.MinimumLevel
    last_updated: fields.LastUpdated


class Found(NamedTuple):
    """A product that matches the candidate number `rank` of a scan (from 0), with the levels that a scan shows."""

    rank: int
    product: ScannedProduct
    level: ScannedLevel


_Outcome = asyncio.Future[list[Found]]


class ScanLookup:
    """Looks up scans, all that wait in one statement."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: dict[tuple[Candidate, ...], list[_Outcome]] = {}
        self._looking_up: asyncio.Task[None] | None = None

    async def resolve(self, candidates: Sequence[Candidate]) -> list[Found]:
        """Return the products that match the first candidate with a match, by id; raises DatabaseFailure.

        If more than ten products share a key, eleven of them are returned.
        """
        resolved: _Outcome = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(tuple(candidates), []).append(resolved)
        if self._looking_up is None:
            self._looking_up = asyncio.create_task(self._look_up())
        return await resolved

    async def _look_up(self) -> None:
        try:
            while self._waiting:
                await self._gather()
                together = list(islice(self._waiting, MOST_TOGETHER))
                await self._look_up_together(together, [self._waiting.pop(candidates) for candidates in together])
        finally:
            self._looking_up = None

    async def _look_up_together(
        self, together: Sequence[Sequence[Candidate]], waiting: Sequence[Sequence[_Outcome]]
    ) -> None:
        """Look up different scans in one statement, and resolve the futures of each scan."""
        try:
            matching = await self._matching(together)
        except Exception as failure:  # noqa: BLE001 - all of these scans fail with it, and the next ones go on
            for resolved in chain.from_iterable(waiting):
                if not resolved.done():
                    resolved.set_exception(failure)
            return
        for scan, same in enumerate(waiting):
            found = _first(matching[scan])
            for resolved in same:
                if not resolved.done():
                    resolved.set_result(found)

    async def _gather(self) -> None:
        """Wait briefly as long as more scans arrive."""
        seen = 1
        while seen < len(self._waiting) < MOST_TOGETHER:
            seen = len(self._waiting)
            await asyncio.sleep(0)
            await asyncio.sleep(0)

    async def _matching(self, together: Sequence[Sequence[Candidate]]) -> dict[int, list[Found]]:
        """Return the products that match any candidate of a scan, by the number of the scan."""
        values: dict[str, list[str]] = {kind: [] for kind in _KEYS}
        origins: dict[str, list[tuple[int, int]]] = {kind: [] for kind in _KEYS}
        for scan, candidates in enumerate(together):
            for rank, candidate in enumerate(candidates):
                for kind, value in candidate:
                    values[kind].append(value)
                    origins[kind].append((scan, rank))
        wanted = {kind: to_json(of_kind).decode() for kind, of_kind in values.items()}
        matching: dict[int, list[Found]] = defaultdict(list)
        row = await self._database.scan_row("resolve_scans", **wanted)
        for kind, number, *found in from_json(row[0]) if row else ():
            scan, rank = origins[kind][number]
            product = ScannedProduct(*(*found[:4], attributes_in(found[-1])))
            matching[scan].append(Found(rank, product, ScannedLevel(*found[4:-1])))
        return matching


def _first(matching: list[Found]) -> list[Found]:
    if len(matching) < 2:  # noqa: PLR2004 - one is the first
        return matching
    rank = min(found.rank for found in matching)
    first = {found.product.id: found for found in matching if found.rank == rank}
    return [first[product_id] for product_id in sorted(first)]
