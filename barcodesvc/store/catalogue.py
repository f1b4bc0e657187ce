"""Products with their levels, as they are exported: some at a time, never held as a whole."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from barcodesvc.store.database import Snapshot
from barcodesvc.store.script import Row


def exported_products(snapshot: Snapshot) -> AsyncGenerator[list[Row]]:
    """Yield each product as (code, description, category, unit, current, minimum, maximum level), some at a time."""
    return snapshot.stream("export_products")
