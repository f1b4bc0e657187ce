"""The modules that python-barcode yields, as run lengths; its own writers are not used: threads cannot share them.

It is loaded with the first symbol that needs it: with it come Pillow's fonts, some 4 MB.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from barcodesvc.symbols.modules import run_lengths


def runs_of(name: str, content: str, **options: Any) -> tuple[int, ...]:
    """Return the widths in modules of bars and spaces in turn; `name` is the library's own, such as `ean13`."""
    from barcode import get_barcode_class  # noqa: PLC0415 - loaded at its first use

    return run_lengths(get_barcode_class(name)(content, **options).build()[0])


def code128_tables() -> ModuleType:
    """Return the tables of Code 128: `A` and `B` (character to value), `CODES` (value to modules), and those beside."""
    from barcode.charsets import code128  # noqa: PLC0415 - loaded at its first use

    tables: ModuleType = code128
    return tables
