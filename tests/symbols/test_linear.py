import pytest
from hypothesis import given, settings, strategies as st

from barcodesvc.numbers.check_digits import CODE39
from barcodesvc.symbols.code128 import code128, gs1_128
from barcodesvc.symbols.linear import codabar, code39, code93, itf, itf14, pzn
from barcodesvc.symbols.modules import Bars


def _texts(bars: Bars) -> list[str]:
    return [caption.text for caption in bars.captions]


@pytest.mark.parametrize(
    "bars",
    [
        code128("AB-12345"),
        code39("AB-12345"),
        itf("12345678"),
        itf14("15400141288763"),
        codabar("A12345B"),
        gs1_128("(01)09521234543213(10)LOT7"),
        pzn("12345626"),
    ],
)
def test_symbols_without_guards_have_bars_of_one_length(bars: Bars) -> None:
    """Only EAN and UPC have guard bars; other symbols have one caption below the whole symbol."""
    assert not bars.guards
    assert [(caption.start, caption.stop) for caption in bars.captions] == [(0, bars.width)]


@pytest.mark.parametrize(
    ("bars", "text"),
    [
        (itf14("15400141288763"), "15400141288763"),
        (pzn("12345626"), "PZN - 12345626"),
        (gs1_128("(01)09521234543213(10)LOT7"), "(01)09521234543213(10)LOT7"),
        (codabar("A12345B"), "A12345B"),
    ],
)
def test_captions_read_as_the_trade_writes_them(bars: Bars, text: str) -> None:
    """A PZN says what it is; GS1 identifiers are in brackets."""
    assert _texts(bars) == [text]


def test_added_check_digits_are_shown() -> None:
    """People read the number that scanners read."""
    assert _texts(itf14("1540014128876")) == ["15400141288763"]


def test_optional_check_characters_are_never_added() -> None:
    """A Code 39 symbol is 16 modules a character with start and stop, and nothing else."""
    for length in (1, 5, 64):
        assert sum(code39("A" * length).runs) == 16 * (length + 2) - 1


def test_codabar_without_start_and_stop_gets_a_and_a() -> None:
    """A bare number gets start and stop letters, given ones are kept in either case, and only given ones are shown."""
    assert codabar("12345").runs == codabar("A12345A").runs == codabar("a12345a").runs
    assert codabar("12345").runs != codabar("B12345D").runs
    assert _texts(codabar("12345")) == ["12345"]


@settings(deadline=None, derandomize=True)
@given(content=st.text(CODE39, min_size=1, max_size=64))
def test_every_character_of_code93_takes_nine_modules(content: str) -> None:
    """Start, stop and two check characters are added, and a bar of one module at the end (AIM USS-93)."""
    bars = code93(content)
    assert sum(bars.runs) == 9 * (len(content) + 4) + 1
    assert (bars.quiet_left, bars.quiet_right) == (10, 10)
    assert [caption.text for caption in bars.captions] == [content]
