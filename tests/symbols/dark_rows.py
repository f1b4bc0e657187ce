"""Symbols as text, one line a row, 1 for a dark module: the form in which encoders are compared."""

from barcodesvc.symbols.modules import Bars, Symbol


def dark_rows(symbol: Symbol) -> list[str]:
    """Return the rows of a symbol from its first to its last dark module, one row for a linear symbol."""
    if isinstance(symbol, Bars):
        return ["".join("10"[index % 2] * run for index, run in enumerate(symbol.runs))]
    return ["".join(map(str, row)) for row in symbol.rows]
