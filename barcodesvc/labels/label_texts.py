"""What is printed below the code of each label: texts of its product, then lines that all labels have in common."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from barcodesvc.errors import ProductNotFound
from barcodesvc.store.database import Database
from barcodesvc.store.products import product_texts

TEXT_FIELDS = ("description", "category", "unit_of_measure")
"""What of a product can stand on its label."""


async def texts_of(
    database: Database, codes: Sequence[str], fields: Sequence[str], lines: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return what is printed with every code: these of TEXT_FIELDS, then the lines, as far as not empty.

    Raises ProductNotFound listing all codes that are missing.
    """
    wanted = list(dict.fromkeys(codes))
    found = await product_texts(database, wanted)
    if len(found) < len(wanted):
        raise _not_found([code for code in wanted if code not in found])
    return await asyncio.to_thread(_below, found, [TEXT_FIELDS.index(field) for field in fields], lines)


def _below(
    found: Mapping[str, Sequence[str]], indexes: Sequence[int], lines: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    return {code: tuple(filter(None, (*(texts[index] for index in indexes), *lines))) for code, texts in found.items()}


def _not_found(missing: Sequence[str]) -> ProductNotFound:
    more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
    return ProductNotFound(f"there is no product with code {missing[0]!r}{more}", missing=missing)
