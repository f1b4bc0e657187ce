"""What the tests of exports share: products to export, and readers of what comes out."""

from __future__ import annotations

import csv
from collections.abc import AsyncGenerator
from io import BytesIO, StringIO
from typing import Any

from openpyxl import load_workbook

from barcodesvc.models import ProductDraft
from barcodesvc.store.database import Database
from tests.stock import insert_all

NOW = "2026-01-31T12:00:00.000Z"
TEXTS = ["=1+1", "+49 30", "-5", "@home", "'=quoted", "''x", "#N/A", "1e5", "0042", 'say "hi", ok', "ü €", "_x0041_"]


async def stock(database: Database, *codes: str, **fields: Any) -> None:
    """Insert products of these codes with a level of 5."""
    drafts = [
        ProductDraft(**{"product_code": c, "description": f"The {c}", "initial_level": 5, **fields}) for c in codes
    ]
    await database.change(lambda: insert_all(drafts, NOW))


async def content(chunks: AsyncGenerator[bytes]) -> bytes:
    """Return a whole export."""
    return b"".join([chunk async for chunk in chunks])


def csv_rows(exported: bytes) -> list[list[str]]:
    """Read a CSV export, header and rows."""
    return list(csv.reader(StringIO(exported.decode("utf-8-sig"), newline=""), strict=True))


def sheets(exported: bytes) -> dict[str, list[tuple[Any, ...]]]:
    """Read a workbook: the rows of each sheet by its name."""
    book = load_workbook(BytesIO(exported))
    return {sheet.title: list(sheet.iter_rows(values_only=True)) for sheet in book.worksheets}
