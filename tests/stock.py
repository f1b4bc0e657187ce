"""Products that tests have in stock before they begin."""

from __future__ import annotations

from collections.abc import Iterable

from barcodesvc.models import ProductDraft
from barcodesvc.store.products import insert_product
from barcodesvc.store.script import Script


def insert_all(drafts: Iterable[ProductDraft], now: str) -> Script[None]:
    """Insert products whose codes are known to be new."""
    for draft in drafts:
        yield from insert_product(draft, now)
