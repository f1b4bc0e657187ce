"""The cache of rendered codes: least recently used, bounded in bytes.

An entry weighs its bytes plus a flat allowance for key and bookkeeping, so that the bound is about memory, not
about payload only. Used on the event loop's thread alone, hence without a lock.
"""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from cachetools import LRUCache

from barcodesvc.render.rendering import RenderKey

ENTRY_OVERHEAD = 1000
"""Bytes of key, dictionary slots, object headers and of what lies idle between objects of different sizes.

Measured as 940 in a full cache through which 100,000 codes had gone. The longer content of a QR code with product
information weighs little beside its own picture.
"""


class Weighed(Protocol):
    """What is cached of a rendered code."""

    @property
    def weight(self) -> int:
        """Bytes that it occupies."""


Rendered = TypeVar("Rendered", bound=Weighed)


def _weight(rendered: Weighed) -> int:
    return rendered.weight + ENTRY_OVERHEAD


class RenderCache(Generic[Rendered]):
    """What was made of keys, never heavier than `capacity` bytes; 0 switches the cache off."""

    def __init__(self, capacity: int) -> None:
        self._entries: LRUCache[RenderKey, Rendered] = LRUCache(capacity, getsizeof=_weight)

    def get(self, key: RenderKey) -> Rendered | None:
        """Return what was made of the key and mark it as used, or None."""
        try:
            return self._entries[key]
        except KeyError:
            return None

    def put(self, key: RenderKey, rendered: Rendered) -> None:
        """Keep what was made of the key, dropping the least recently used ones; one that is too heavy is left out."""
        if _weight(rendered) <= self._entries.maxsize:
            self._entries[key] = rendered

    @property
    def weight(self) -> float:
        """Bytes held now."""
        return self._entries.currsize

    def __len__(self) -> int:
        return len(self._entries)
