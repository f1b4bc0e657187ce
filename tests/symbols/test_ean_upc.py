import pytest

from barcodesvc.symbols.ean_upc import ean8, ean13, isbn10, isbn13, issn, jan, upca, upce
from barcodesvc.symbols.modules import Bars

EXAMPLES = {
    "EAN13": ean13("4006381333931"),
    "EAN8": ean8("96385074"),
    "UPCA": upca("036000291452"),
    "UPCE": upce("01234565"),
    "JAN": jan("4901234567894"),
    "ISBN13": isbn13("9780306406157"),
    "ISBN10": isbn10("0-8044-2957-X"),
    "ISSN": issn("2434-561X"),
}


def _texts(bars: Bars) -> list[str]:
    return [caption.text for caption in bars.captions]


@pytest.mark.parametrize(
    ("name", "width"), [("EAN13", 113), ("EAN8", 81), ("UPCA", 113), ("UPCE", 67), ("ISSN", 113), ("ISBN10", 113)]
)
def test_ean_and_upc_have_a_fixed_width(name: str, width: int) -> None:
    """95, 67, 95 and 51 modules and their quiet zones (ISO/IEC 15420)."""
    assert EXAMPLES[name].width == width


@pytest.mark.parametrize("name", ["EAN13", "EAN8", "UPCA"])
def test_guards_are_the_outer_and_the_middle_bars(name: str) -> None:
    """Two bars of one module left, in the middle and right are guards; UPC-A's outer digits join them."""
    bars = EXAMPLES[name]
    middle, last = len(bars.runs) // 2, len(bars.runs) - 1
    guards = {0, 2, middle - 1, middle + 1, last - 2, last}
    assert {bars.runs[index] for index in guards} == {1}
    assert bars.guards == guards | ({4, 6, last - 6, last - 4} if name == "UPCA" else set())


def test_the_guards_of_upce_are_two_bars_left_and_three_right() -> None:
    """It has no middle guard, and its right one is longer by a space and a bar (ISO/IEC 15420)."""
    bars = EXAMPLES["UPCE"]
    assert bars.guards == {0, 2, 28, 30, 32}
    assert bars.runs[:3] == (1, 1, 1)
    assert bars.runs[27:] == (1,) * 6


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("EAN13", ["4", "006381", "333931"]),
        ("EAN8", ["9638", "5074"]),
        ("UPCA", ["0", "36000", "29145", "2"]),
        ("UPCE", ["0", "123456", "5"]),
        ("JAN", ["4", "901234", "567894"]),
        ("ISBN13", ["9", "780306", "406157"]),
        ("ISBN10", ["9", "780804", "429573"]),
        ("ISSN", ["9", "772434", "561006"]),
    ],
)
def test_digits_are_split_around_the_guards(name: str, texts: list[str]) -> None:
    """Captions read as in the trade: outer digits next to the symbol, the others between its guards."""
    assert _texts(EXAMPLES[name]) == texts


@pytest.mark.parametrize("name", ["EAN13", "EAN8", "UPCA", "UPCE"])
def test_digits_stand_under_their_own_bars(name: str) -> None:
    """A caption's room is seven modules a digit between the guards, so that guards and digits never meet."""
    bars = EXAMPLES[name]
    inner = [caption for caption in bars.captions if len(caption.text) > 1]
    assert all(caption.stop - caption.start == 7 * len(caption.text) for caption in inner)
    starts = [bars.quiet_left + sum(bars.runs[:index]) for index in range(len(bars.runs))]
    for caption in bars.captions:
        assert not any(caption.start <= starts[guard] < caption.stop for guard in bars.guards)


def test_added_check_digits_are_shown() -> None:
    """People read the number that scanners read."""
    assert "".join(_texts(ean13("400638133393"))) == "4006381333931"
    assert "".join(_texts(upce("123456"))) == "01234565"


def test_numbers_of_books_periodicals_and_japan_are_ean13() -> None:
    """They have the bars of the equivalent EAN-13."""
    assert isbn10("0-306-40615-2") == isbn13("978-0-306-40615-7") == ean13("9780306406157")
    assert issn("2434-561X") == ean13("9772434561006")
    assert jan("490123456789") == ean13("4901234567894")
