"""What every writer relies on, for every symbology."""

import pytest
from hypothesis import given, strategies as st

from barcodesvc.errors import InvalidContent
from barcodesvc.symbols.modules import Bars, Matrix, run_lengths
from barcodesvc.symbols.registry import SYMBOLOGIES, Symbology, find_symbology
from tests.properties import examples
from tests.sweeps import sweep
from tests.symbols.contents import CONTENTS

QUIET_ZONES = dict.fromkeys((entry.name for entry in SYMBOLOGIES), (10, 10)) | {
    **dict.fromkeys(["EAN13", "JAN", "ISBN13", "ISBN10", "ISSN"], (11, 7)),
    **dict.fromkeys(["EAN2", "EAN5"], (7, 5)),
    "EAN8": (7, 7),
    "UPCA": (9, 9),
    "UPCE": (9, 7),
    **dict.fromkeys(["MSI", "PHARMACODE"], (12, 12)),
    # one module on either side of the symbol, and the light ones with which its guards begin and end
    "DATABAROMNI": (2, 1),
    "DATABARLIMITED": (2, 6),
    "DATABAREXPANDED": (2, 1),
    **dict.fromkeys(["DATABARSTACKED", "DATABARSTACKEDOMNI", "DATABAREXPANDEDSTACKED"], (1, 1)),
    **dict.fromkeys(["QR", "GS1QR"], (4, 4)),
    **dict.fromkeys(["MICROQR", "RMQR", "PDF417"], (2, 2)),
    **dict.fromkeys(["DATAMATRIX", "GS1DATAMATRIX", "MICROPDF417"], (1, 1)),
    "AZTEC": (0, 0),
}


def check_bars(bars: Bars) -> None:
    """Check that a linear symbol begins and ends with a bar and that its captions do not overlap within it."""
    assert len(bars.runs) % 2 == 1
    assert min(bars.runs) >= 1
    assert bars.width == bars.quiet_left + sum(bars.runs) + bars.quiet_right
    assert all(index % 2 == 0 and 0 <= index < len(bars.runs) for index in bars.guards)
    captions = [*bars.captions, *([bars.add_on.caption] if bars.add_on else [])]
    edges = [edge for caption in captions for edge in (caption.start, caption.stop)]
    assert edges == sorted(edges)
    assert edges[0] >= 0
    assert edges[-1] <= bars.width
    assert all(caption.start < caption.stop for caption in captions)


def check_matrix(matrix: Matrix) -> None:
    """Check that a matrix symbol is a rectangle of dark and light modules."""
    assert len({len(row) for row in matrix.rows}) == 1
    assert set(b"".join(matrix.rows)) == {0, 1}
    assert matrix.width == len(matrix.rows[0]) + 2 * matrix.quiet
    assert matrix.height == len(matrix.rows) + 2 * matrix.quiet


@pytest.mark.parametrize("name", [entry.name for entry in SYMBOLOGIES])
@examples(30, derandomize=True)
@given(data=st.data())
def test_any_content_keeps_the_invariants(name: str, data: st.DataObject) -> None:
    """Any content that the symbology accepts becomes modules that writers can draw without checks."""
    try:
        symbol = find_symbology(name).encode(data.draw(CONTENTS[name]))
    except InvalidContent:
        return
    if isinstance(symbol, Bars):
        check_bars(symbol)
    else:
        check_matrix(symbol)


@sweep("entry", SYMBOLOGIES)
def test_quiet_zones_are_those_of_the_standards(entry: Symbology) -> None:
    """Left and right, in modules; ten unless the standard requires another number."""
    symbol = entry.encode(entry.example)
    sides = (symbol.quiet_left, symbol.quiet_right) if isinstance(symbol, Bars) else (symbol.quiet, symbol.quiet)
    assert sides == QUIET_ZONES[entry.name]


def test_equal_modules_in_a_row_are_one_run() -> None:
    """Runs are counted in order, whatever represents a module."""
    assert run_lengths("1011001") == (1, 1, 2, 2, 1)
    assert run_lengths(bytes([1, 1, 0])) == (2, 1)
