from collections.abc import Callable

import pytest

from barcodesvc.symbols.ean_upc import ean2, ean5, ean13, isbn10, isbn13, issn, jan, upca, upce
from barcodesvc.symbols.modules import Bars
from tests.sweeps import sweep

SYMBOLS = [
    (ean13, "4006381333931", 7),
    (upca, "036000291452", 9),
    (upce, "01234565", 7),
    (jan, "4901234567894", 7),
    (isbn13, "9780306406157", 7),
    (isbn10, "0-306-40615-2", 7),
    (issn, "2434-561X", 7),
]


@sweep(("digits", "width"), [("12", 20), ("51299", 47)])
@sweep(("encode", "content", "gap"), SYMBOLS)
def test_an_add_on_follows_its_symbol(
    encode: Callable[[str], Bars], content: str, gap: int, digits: str, width: int
) -> None:
    """The symbol is unchanged; then come the gap, the add-on's bars and five light modules (GS1 5.2.3.4)."""
    alone, both = encode(content), encode(f"{content}+{digits}")
    add_on = (ean2 if len(digits) == 2 else ean5)(digits)
    assert both.runs == (*alone.runs, gap, *add_on.runs)
    assert (both.captions, both.guards, both.quiet_left) == (alone.captions, alone.guards, alone.quiet_left)
    assert both.width == alone.quiet_left + sum(alone.runs) + gap + width + 5


@pytest.mark.parametrize(("encode", "content", "gap"), SYMBOLS)
def test_the_digits_of_an_add_on_are_above_its_bars(encode: Callable[[str], Bars], content: str, gap: int) -> None:
    """A separate bar marks where its bars begin, and its caption is exactly as wide as they are."""
    both = encode(f"{content}+51299")
    assert both.add_on is not None
    assert both.add_on.start % 2 == 0
    start = both.quiet_left + sum(both.runs[: both.add_on.start])
    caption = both.add_on.caption
    assert (caption.text, caption.start, caption.stop) == ("51299", start, both.width - 5)
    assert both.runs[both.add_on.start - 1] == gap


@pytest.mark.parametrize(("bars", "text", "width"), [(ean2("12"), "12", 20), (ean5("51299"), "51299", 47)])
def test_an_add_on_alone_has_its_digits_below(bars: Bars, text: str, width: int) -> None:
    """There are seven light modules to its left and five to its right."""
    assert sum(bars.runs) == width
    assert [(caption.text, caption.start, caption.stop) for caption in bars.captions] == [(text, 7, 7 + width)]
    assert bars.add_on is None
