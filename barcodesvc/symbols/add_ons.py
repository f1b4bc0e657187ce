"""The add-ons EAN-2 and EAN-5, alone or beside an EAN or UPC symbol, encoded by zxing-cpp (ISO/IEC 15420).

Issue numbers of periodicals have two digits, prices of books five. Beside a symbol the add-on stands as far away as
that symbol's right quiet zone is wide: 7 modules, or 9 for UPC-A, the least that GS1 General Specifications 5.2.3.4
allow (12 are the most). 5 modules stay free to its right. Alone it has 7 to its left, and its digits below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import zxingcpp

from barcodesvc.symbols.modules import AddOn, Bars, Caption
from barcodesvc.symbols.written_numbers import WrittenNumber
from barcodesvc.symbols.zxing_modules import runs_of

_QUIET_LEFT, _QUIET_RIGHT = 7, 5
_FORMATS = {2: zxingcpp.BarcodeFormat.EAN2, 5: zxingcpp.BarcodeFormat.EAN5}


def ean2(content: str) -> Bars:
    """Encode two digits as an add-on that stands alone."""
    return _alone("EAN2", content, 2)


def ean5(content: str) -> Bars:
    """Encode five digits as an add-on that stands alone."""
    return _alone("EAN5", content, 5)


def with_add_on(name: str, content: str, encode: Callable[[str], Bars]) -> Bars:
    """Encode what stands before a `+`, and beside it the two or five digits behind the `+`, if there is one."""
    main, plus, digits = content.partition("+")
    bars = encode(main)
    if not plus:
        return bars
    _require_add_on(f"{name}: add-on", digits, tuple(_FORMATS), offset=len(main) + 1)
    runs = _runs(digits)
    left = bars.width
    add_on = AddOn(len(bars.runs) + 1, Caption(digits, left, left + sum(runs)))
    return replace(bars, runs=(*bars.runs, bars.quiet_right, *runs), quiet_right=_QUIET_RIGHT, add_on=add_on)


def _alone(name: str, content: str, length: int) -> Bars:
    _require_add_on(name, content, (length,), offset=0)
    runs = _runs(content)
    caption = Caption(content, _QUIET_LEFT, _QUIET_LEFT + sum(runs))
    return Bars(runs, _QUIET_LEFT, _QUIET_RIGHT, (caption,))


def _runs(digits: str) -> tuple[int, ...]:
    return runs_of(zxingcpp.create_barcode(digits, _FORMATS[len(digits)]))


def _require_add_on(name: str, digits: str, lengths: tuple[int, ...], offset: int) -> None:
    written = WrittenNumber(name, digits, offset=offset)
    written.require_digits()
    fits = f"{' or '.join(map(str, lengths))} digits"
    written.require_length(lengths, fits, fits)
