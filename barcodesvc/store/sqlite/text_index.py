"""The index of trigrams behind searches, filled in the background after the changes that add products.

An import that waited for the index would take several times as long. Until a product is indexed, a search compares its
texts, so its result is exact at any time. Whatever is left when the database closes is indexed when it opens again.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.store.script import Begin, Script, one

INDEXED_AT_ONCE = 1000
"""Products that one transaction indexes, in about 10 ms; a change that arrives meanwhile waits as long."""
PAUSE = 1.0
"""Seconds after a change until its products are indexed, together with those of the changes in between."""


class TextIndex:
    """Indexes new products; `change` makes a change of the database."""

    def __init__(self, change: Callable[[Begin[bool]], Awaitable[bool]]) -> None:
        self._change = change
        self._added = asyncio.Event()
        self._ending = asyncio.Event()

    def look(self) -> None:
        """Look for new products soon."""
        self._added.set()

    def end(self) -> None:
        """Let `keep_filled` return once the transaction under way is finished."""
        self._ending.set()
        self._added.set()

    async def keep_filled(self) -> None:
        """Index new products until `end` is called; what fails is tried again after another pause."""
        while not self._ending.is_set():
            await self._added.wait()
            self._added.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), PAUSE)
            try:
                while not self._ending.is_set() and await self._change(lambda: index_more(INDEXED_AT_ONCE)):
                    pass
            except (DatabaseFailure, DatabaseOverload):
                self._added.set()


def index_more(limit: int) -> Script[bool]:
    """Index the next products; return whether there were any."""
    return (yield one("index_more_products", limit=limit)) is not None
