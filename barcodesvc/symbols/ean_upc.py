"""Retail symbols, EAN and UPC (ISO/IEC 15420), the numbers of books and periodicals as EAN-13, and their add-ons.

EAN-13 is the symbol of Japanese article numbers, with prefix 45 or 49 (JIS X 0501), of ISBN (ISO 2108) and ISSN (ISO
3297) as well. A UPC-E is also given as the UPC-A whose zeros it leaves out.

EAN-13, EAN-8 and UPC-A come from python-barcode, UPC-E and the add-ons from zxing-cpp. Digits are between the guards.
The quiet zones in modules, left and right, are 11 and 7 (EAN-13), 7 and 7 (EAN-8), 9 and 9 (UPC-A), 9 and 7 (UPC-E).

An add-on of two digits (issue of a periodical) or five (price of a book) may follow a `+`, except with EAN-8: the trade
knows symbol and add-on together only as `]E3`, which is EAN-13, UPC-A or UPC-E (GS1 General Specifications 5.1.2). The
gap before it is as wide as the right quiet zone of its symbol, the minimum of GS1 General Specifications 5.2.3.4 (the
maximum is 12 modules). 5 modules remain free to its right. Alone, an add-on has 7 modules to its left, and its digits
below.
"""

from collections.abc import Callable
from dataclasses import replace

from barcodesvc.errors import InvalidContent
from barcodesvc.numbers.check_digits import WrittenNumber, completed_isbn13, ean_of_isbn10, ean_of_issn
from barcodesvc.numbers.drawn import drawn_gtin, drawn_upce
from barcodesvc.symbols.libraries import barcode_runs, zxing_runs
from barcodesvc.symbols.modules import AddOn, Bars, Caption

_OUTER = 0.7
"""Size of UPC's digits in the quiet zones, relative to those between the guards."""
_JAPANESE_PREFIXES = ("45", "49")
_ADD_ON_QUIET_LEFT, _ADD_ON_QUIET_RIGHT = 7, 5
_ADD_ONS = {2: "EAN2", 5: "EAN5"}


def ean8(content: str) -> Bars:
    """Encode 7 or 8 digits as EAN-8."""
    main, plus, _ = content.partition("+")
    digits = drawn_gtin("EAN8", main, 8)
    if plus:
        position = len(main) + 1
        raise InvalidContent(
            f"EAN8: '+' at position {position} begins an add-on, which EAN-8 cannot have",
            rule="alphabet",
            position=position,
            fits="7 or 8 digits without an add-on",
        )
    captions = (Caption(digits[:4], 10, 38), Caption(digits[4:], 43, 71))
    return Bars(barcode_runs(digits, "ean8"), 7, 7, captions, frozenset({0, 2, 20, 22, 40, 42}))


def _retail(name: str, digits_of: Callable[[str], str], draw: Callable[[str], Bars]) -> Callable[[str], Bars]:
    """Return the encoder of what is before a `+` and, next to it, of the two or five digits after it, if any."""

    def encode(content: str) -> Bars:
        main, plus, digits = content.partition("+")
        bars = draw(digits_of(main))
        if not plus:
            return bars
        _require_add_on(f"{name}: add-on", digits, tuple(_ADD_ONS), offset=len(main) + 1)
        runs = _add_on_runs(digits)
        left = bars.width
        add_on = AddOn(len(bars.runs) + 1, Caption(digits, left, left + sum(runs)))
        return replace(bars, runs=(*bars.runs, bars.quiet_right, *runs), quiet_right=_ADD_ON_QUIET_RIGHT, add_on=add_on)

    return encode


def _add_on_alone(name: str, length: int) -> Callable[[str], Bars]:
    """Return the encoder of an add-on of this length without a symbol before it."""

    def encode(content: str) -> Bars:
        _require_add_on(name, content, (length,), offset=0)
        runs = _add_on_runs(content)
        caption = Caption(content, _ADD_ON_QUIET_LEFT, _ADD_ON_QUIET_LEFT + sum(runs))
        return Bars(runs, _ADD_ON_QUIET_LEFT, _ADD_ON_QUIET_RIGHT, (caption,))

    return encode


def _add_on_runs(digits: str) -> tuple[int, ...]:
    return zxing_runs(digits, _ADD_ONS[len(digits)])


def _require_add_on(name: str, digits: str, lengths: tuple[int, ...], offset: int) -> None:
    written = WrittenNumber(name, digits, offset=offset)
    written.require_digits()
    fits = f"{' or '.join(map(str, lengths))} digits"
    written.require_length(lengths, fits, fits)


def _japanese_gtin(content: str) -> str:
    digits = drawn_gtin("JAN", content, 13)
    if not digits.startswith(_JAPANESE_PREFIXES):
        raise InvalidContent(
            f"JAN: prefix {digits[:2]} at position 1 is neither 45 nor 49",
            rule="prefix",
            position=1,
            fits="45… or 49…",
        )
    return digits


def _ean13(digits: str) -> Bars:
    captions = (Caption(digits[0], 0, 11), Caption(digits[1:7], 14, 56), Caption(digits[7:], 61, 103))
    return Bars(barcode_runs(digits, "ean13"), 11, 7, captions, frozenset({0, 2, 28, 30, 56, 58}))


def _upca(digits: str) -> Bars:
    """Draw 12 digits, of which the first and the last have bars as long as the guards."""
    captions = (
        Caption(digits[0], 0, 9, _OUTER),
        Caption(digits[1:6], 19, 54),
        Caption(digits[6:11], 59, 94),
        Caption(digits[11], 104, 113, _OUTER),
    )
    guards = frozenset({0, 2, 4, 6, 28, 30, 52, 54, 56, 58})
    return Bars(barcode_runs(digits, "upca"), 9, 9, captions, guards)


def _upce(digits: str) -> Bars:
    captions = (
        Caption(digits[0], 0, 9, _OUTER),
        Caption(digits[1:7], 12, 54),
        Caption(digits[7], 60, 67, _OUTER),
    )
    runs = zxing_runs(digits, "UPCE")
    return Bars(runs, 9, 7, captions, frozenset({0, 2, 28, 30, 32}))


ean13 = _retail("EAN13", lambda content: drawn_gtin("EAN13", content, 13), _ean13)
upca = _retail("UPCA", lambda content: drawn_gtin("UPCA", content, 12), _upca)
upce = _retail("UPCE", drawn_upce, _upce)
jan = _retail("JAN", _japanese_gtin, _ean13)
isbn13 = _retail("ISBN13", completed_isbn13, _ean13)
isbn10 = _retail("ISBN10", ean_of_isbn10, _ean13)
issn = _retail("ISSN", ean_of_issn, _ean13)
ean2, ean5 = _add_on_alone("EAN2", 2), _add_on_alone("EAN5", 5)
