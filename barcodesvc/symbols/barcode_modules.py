"""Modules from python-barcode, as run lengths. Its own writers are not used, because threads cannot share them.

The library is loaded with the first symbol that needs it, because it loads Pillow's fonts, some 4 MB.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from barcodesvc.symbols.modules import run_lengths


def runs_of(name: str, content: str, **options: Any) -> tuple[int, ...]:
    """Return the widths of bars and spaces in turn, in modules; `name` is the library's, such as `ean13`."""
    from barcode import get_barcode_class  # noqa: PLC0415 - loaded at its first use

    return run_lengths(get_barcode_class(name)(content, **options).build()[0])


def code128_tables() -> ModuleType:
    """Return the tables of Code 128, such as `A` and `B` (character to value) and `CODES` (value to modules)."""
    from barcode.charsets import code128  # noqa: PLC0415 - loaded at its first use

    tables: ModuleType = code128
    return tables
