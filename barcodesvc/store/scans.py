"""Batched scan look-ups: which codes of products the candidates of a scan mean.

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
"""Equally good comparisons: a code matches if one of them does."""


class Key:
    """The stored key of a code that is compared: the code itself, or one of `numbers.code_keys`."""

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
    retired: fields.Retired
    attributes: fields.AttributeTexts


@dataclass(frozen=True, slots=True)
class ScannedLevel:
    """Its inventory."""

    current_level: fields.CurrentLevel
    minimum_level: fields.MinimumLevel
    last_updated: fields.LastUpdated


@dataclass(frozen=True, slots=True)
class ScannedCode:
    """The code of the product that a scan means, and how many pieces it stands for."""

    code: fields.Code
    pack_quantity: fields.PackQuantity


class Found(NamedTuple):
    """A code that matches the candidate number `rank` of a scan (from 0), with its product.

    `is_own` tells the own code of a product from further ones.
    """

    rank: int
    is_own: bool
    code: ScannedCode
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
        """Return the codes that match any candidate; raises DatabaseFailure.

        If very many codes share a key, some of them are returned, of more than ten products.
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
            for resolved in same:
                if not resolved.done():
                    resolved.set_result(matching[scan])

    async def _gather(self) -> None:
        """Wait briefly as long as more scans arrive."""
        seen = 1
        while seen < len(self._waiting) < MOST_TOGETHER:
            seen = len(self._waiting)
            await asyncio.sleep(0)
            await asyncio.sleep(0)

    async def _matching(self, together: Sequence[Sequence[Candidate]]) -> dict[int, list[Found]]:
        """Return the codes that match any candidate of a scan, by the number of the scan."""
        origins: dict[str, dict[str, list[tuple[int, int]]]] = {kind: defaultdict(list) for kind in _KEYS}
        for scan, candidates in enumerate(together):
            for rank, candidate in enumerate(candidates):
                for kind, value in candidate:
                    origins[kind][value].append((scan, rank))
        wanted = {kind: to_json(list(values)).decode() for kind, values in origins.items()}
        matching: dict[int, list[Found]] = defaultdict(list)
        row = await self._database.scan_row("resolve_scans", **wanted)
        found = from_json(row[0]) if row else ()
        for kind, value, is_own, code, pack_quantity, *of_product, retired, attributes in found:
            product = ScannedProduct(*(*of_product[:4], bool(retired), attributes_in(attributes)))
            level = ScannedLevel(*of_product[4:])
            scanned = ScannedCode(code, pack_quantity)
            for scan, rank in origins[kind][value]:
                matching[scan].append(Found(rank, bool(is_own), scanned, product, level))
        return matching
