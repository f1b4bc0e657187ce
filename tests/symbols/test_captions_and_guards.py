"""What people see of linear symbols: the texts below and above them, the guards, and add-ons."""

from collections.abc import Callable

import pytest

from barcodesvc.symbols.ean_upc import ean2, ean5, ean8, ean13, isbn10, isbn13, issn, jan, upca, upce
from barcodesvc.symbols.modules import Bars
from barcodesvc.symbols.registry import find_symbology
from tests.sweeps import sweep

EXAMPLES = {"EAN13": ean13("4006381333931"), "EAN8": ean8("96385074"), "UPCA": upca("036000291452")}
UPCE = upce("01234565")


def _bars(name: str, content: str) -> Bars:
    symbol = find_symbology(name).encode(content)
    assert isinstance(symbol, Bars)
    return symbol


@sweep(
    ("name", "content", "texts"),
    [
        ("EAN13", "400638133393", ["4", "006381", "333931"]),
        ("EAN8", "96385074", ["9638", "5074"]),
        ("UPCA", "036000291452", ["0", "36000", "29145", "2"]),
        ("UPCE", "123456", ["0", "123456", "5"]),
        ("JAN", "4901234567894", ["4", "901234", "567894"]),
        ("ISBN13", "978-0-306-40615-7", ["9", "780306", "406157"]),
        ("ISBN10", "0-8044-2957-X", ["9", "780804", "429573"]),
        ("ISSN", "2434-561X", ["9", "772434", "561006"]),
    ],
)
def test_digits_are_split_around_the_guards(name: str, content: str, texts: list[str]) -> None:
    """Captions are the number that scanners read: outer digits next to the symbol, the others between its guards."""
    assert [caption.text for caption in _bars(name, content).captions] == texts


@sweep(
    ("name", "content", "text"),
    [
        ("CODE128", "AB-12345", "AB-12345"),
        ("CODE128A", "AB", "AB"),
        ("CODE39", "AB-12345", "AB-12345"),
        ("CODE93", "AB-12345", "AB-12345"),
        ("ITF", "12345678", "12345678"),
        ("ITF14", "1540014128876", "15400141288763"),
        ("MSI", "80523", "805234"),
        ("PHARMACODE", "1234", "1234"),
        ("PZN", "12345626", "PZN - 12345626"),
        ("CODABAR", "A12345B", "A12345B"),
        ("CODABAR", "12345", "12345"),
        ("GS1-128", "010952123454321310LOT7\x1d215", "(01)09521234543213(10)LOT7(21)5"),
        ("GS1-128", "10A(B\x1d215", "(10)A(B(21)5"),
        ("DATABAROMNI", "09521234543213", "(01)09521234543213"),
        ("DATABARLIMITED", "0952123454321", "(01)09521234543213"),
        ("DATABAREXPANDED", "010952123454321310LOT7", "(01)09521234543213(10)LOT7"),
    ],
)
def test_other_symbols_have_one_caption_below_the_whole_symbol(name: str, content: str, text: str) -> None:
    """It reads as the trade writes it: with added check digits, a PZN with its letters, GS1 identifiers in brackets."""
    bars = _bars(name, content)
    assert not bars.guards
    assert [(caption.text, caption.start, caption.stop) for caption in bars.captions] == [(text, 0, bars.width)]


@pytest.mark.parametrize("name", EXAMPLES)
def test_guards_are_the_outer_and_the_middle_bars(name: str) -> None:
    """Two bars of one module left, in the middle and right are guards; UPC-A's outer digits join them."""
    bars = EXAMPLES[name]
    middle, last = len(bars.runs) // 2, len(bars.runs) - 1
    guards = {0, 2, middle - 1, middle + 1, last - 2, last}
    assert {bars.runs[index] for index in guards} == {1}
    assert bars.guards == guards | ({4, 6, last - 6, last - 4} if name == "UPCA" else set())


def test_the_guards_of_upce_are_two_bars_left_and_three_right() -> None:
    """It has no middle guard, and its right one is longer by a space and a bar (ISO/IEC 15420)."""
    assert UPCE.guards == {0, 2, 28, 30, 32}
    assert UPCE.runs[:3] == (1, 1, 1)
    assert UPCE.runs[27:] == (1,) * 6


@pytest.mark.parametrize("bars", [*EXAMPLES.values(), UPCE])
def test_digits_stand_under_their_own_bars(bars: Bars) -> None:
    """A caption's room is seven modules a digit between the guards, so that guards and digits never meet."""
    inner = [caption for caption in bars.captions if len(caption.text) > 1]
    assert all(caption.stop - caption.start == 7 * len(caption.text) for caption in inner)
    starts = [bars.quiet_left + sum(bars.runs[:index]) for index in range(len(bars.runs))]
    for caption in bars.captions:
        assert not any(caption.start <= starts[guard] < caption.stop for guard in bars.guards)


@sweep(("digits", "width"), [("12", 20), ("51299", 47)])
@sweep(
    ("encode", "content", "gap"),
    [
        (ean13, "4006381333931", 7),
        (upca, "036000291452", 9),
        (upce, "01234565", 7),
        (jan, "4901234567894", 7),
        (isbn13, "9780306406157", 7),
        (isbn10, "0-306-40615-2", 7),
        (issn, "2434-561X", 7),
    ],
)
def test_an_add_on_follows_its_symbol(
    encode: Callable[[str], Bars], content: str, gap: int, digits: str, width: int
) -> None:
    """The symbol is unchanged; then come the gap, the add-on's bars below its digits, and five light modules.

    See GS1 General Specifications 5.2.3.4. The caption is exactly as wide as the bars.
    """
    alone, both = encode(content), encode(f"{content}+{digits}")
    add_on = (ean2 if len(digits) == 2 else ean5)(digits)
    assert both.runs == (*alone.runs, gap, *add_on.runs)
    assert (both.captions, both.guards, both.quiet_left) == (alone.captions, alone.guards, alone.quiet_left)
    assert both.width == alone.quiet_left + sum(alone.runs) + gap + width + 5
    assert both.add_on is not None
    assert both.add_on.start == len(alone.runs) + 1
    caption = both.add_on.caption
    assert (caption.text, caption.start, caption.stop) == (digits, both.width - 5 - width, both.width - 5)


@pytest.mark.parametrize(("bars", "text", "width"), [(ean2("12"), "12", 20), (ean5("51299"), "51299", 47)])
def test_an_add_on_alone_has_its_digits_below(bars: Bars, text: str, width: int) -> None:
    """There are seven light modules to its left and five to its right."""
    assert sum(bars.runs) == width
    assert [(caption.text, caption.start, caption.stop) for caption in bars.captions] == [(text, 7, 7 + width)]
    assert bars.add_on is None
