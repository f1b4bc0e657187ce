from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from barcodesvc.symbols.code128 import code128, gs1_128
from barcodesvc.symbols.linear import codabar, code39, ean8, ean13, isbn13, issn, itf14, pzn, upca
from barcodesvc.symbols.modules import Bars

PRINTABLE_ASCII = "".join(map(chr, range(32, 127)))
CODE39 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ -.$/+%"
EXAMPLES = {
    "CODE128": code128("AB-12345"),
    "CODE39": code39("AB-12345"),
    "EAN13": ean13("4006381333931"),
    "EAN8": ean8("96385074"),
    "UPCA": upca("036000291452"),
    "ITF14": itf14("15400141288763"),
    "CODABAR": codabar("A12345B"),
    "GS1-128": gs1_128("(01)09521234543213(10)LOT7"),
    "PZN": pzn("12345626"),
    "ISBN13": isbn13("9780306406157"),
    "ISSN": issn("2434-561X"),
}
QUIET_ZONES = dict.fromkeys(EXAMPLES, (10, 10)) | {
    "EAN13": (11, 7),
    "EAN8": (7, 7),
    "UPCA": (9, 9),
    "ISBN13": (11, 7),
    "ISSN": (11, 7),
}


def _texts(bars: Bars) -> list[str]:
    return [caption.text for caption in bars.captions]


def _check_invariants(bars: Bars) -> None:
    """Check what every writer relies on."""
    assert len(bars.runs) % 2 == 1
    assert min(bars.runs) >= 1
    assert bars.width == bars.quiet_left + sum(bars.runs) + bars.quiet_right
    assert all(index % 2 == 0 and 0 <= index < len(bars.runs) for index in bars.guards)
    edges = [edge for caption in bars.captions for edge in (caption.start, caption.stop)]
    assert edges == sorted(set(edges))
    assert edges[0] >= 0
    assert edges[-1] <= bars.width


@pytest.mark.parametrize("name", EXAMPLES)
def test_symbols_begin_and_end_with_a_bar(name: str) -> None:
    """Runs are positive and odd in number, guards are bars, captions stand side by side inside the symbol."""
    _check_invariants(EXAMPLES[name])


@settings(deadline=None, derandomize=True)
@given(st.text(PRINTABLE_ASCII, min_size=1, max_size=64), st.text(CODE39, min_size=1, max_size=64))
def test_any_content_keeps_the_invariants(ascii_text: str, code39_text: str) -> None:
    """Whatever the alphabet allows becomes a row of bars and spaces that ends with a bar."""
    _check_invariants(code128(ascii_text))
    _check_invariants(code39(code39_text))


@pytest.mark.parametrize("name", EXAMPLES)
def test_quiet_zones_are_those_of_the_standards(name: str) -> None:
    """EAN-13 has 11 and 7 modules, EAN-8 7 and 7, UPC-A 9 and 9, everything else 10 and 10."""
    assert (EXAMPLES[name].quiet_left, EXAMPLES[name].quiet_right) == QUIET_ZONES[name]


@pytest.mark.parametrize(("name", "width"), [("EAN13", 113), ("EAN8", 81), ("UPCA", 113), ("ISSN", 113)])
def test_ean_and_upc_have_a_fixed_width(name: str, width: int) -> None:
    """95, 67 and 95 modules and their quiet zones (ISO/IEC 15420)."""
    assert EXAMPLES[name].width == width


@pytest.mark.parametrize("name", ["EAN13", "EAN8", "UPCA"])
def test_guards_are_the_outer_and_the_middle_bars(name: str) -> None:
    """Two bars of one module left, in the middle and right are guards; UPC-A's outer digits join them."""
    bars = EXAMPLES[name]
    middle, last = len(bars.runs) // 2, len(bars.runs) - 1
    guards = {0, 2, middle - 1, middle + 1, last - 2, last}
    assert {bars.runs[index] for index in guards} == {1}
    assert bars.guards == guards | ({4, 6, last - 6, last - 4} if name == "UPCA" else set())


def test_symbols_without_guards_have_bars_of_one_length() -> None:
    """Only EAN and UPC have guard bars."""
    assert not any(EXAMPLES[name].guards for name in ("CODE128", "CODE39", "ITF14", "CODABAR", "GS1-128", "PZN"))


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("EAN13", ["4", "006381", "333931"]),
        ("EAN8", ["9638", "5074"]),
        ("UPCA", ["0", "36000", "29145", "2"]),
        ("ISBN13", ["9", "780306", "406157"]),
        ("ISSN", ["9", "772434", "561006"]),
        ("ITF14", ["15400141288763"]),
        ("PZN", ["PZN - 12345626"]),
        ("GS1-128", ["(01)09521234543213(10)LOT7"]),
        ("CODABAR", ["A12345B"]),
    ],
)
def test_captions_read_as_the_trade_writes_them(name: str, texts: list[str]) -> None:
    """EAN and UPC digits are split around the guards, a PZN says what it is, GS1 identifiers stand in brackets."""
    assert _texts(EXAMPLES[name]) == texts


@pytest.mark.parametrize("name", ["EAN13", "EAN8", "UPCA"])
def test_digits_stand_under_their_own_bars(name: str) -> None:
    """A caption's place is seven modules a digit between the guards, so that guards and digits never meet."""
    bars = EXAMPLES[name]
    inner = [caption for caption in bars.captions if len(caption.text) > 1]
    assert all(caption.stop - caption.start == 7 * len(caption.text) for caption in inner)
    starts = [bars.quiet_left + sum(bars.runs[:index]) for index in range(len(bars.runs))]
    for caption in bars.captions:
        assert not any(caption.start <= starts[guard] < caption.stop for guard in bars.guards)


def test_added_check_digits_are_shown() -> None:
    """People read the number that scanners read."""
    assert "".join(_texts(ean13("400638133393"))) == "4006381333931"
    assert "".join(_texts(itf14("1540014128876"))) == "15400141288763"


def test_optional_check_characters_are_never_added() -> None:
    """A Code 39 symbol is 16 modules a character with start and stop, and nothing besides."""
    for length in (1, 5, 64):
        assert sum(code39("A" * length).runs) == 16 * (length + 2) - 1


def test_codabar_without_start_and_stop_gets_a_and_a() -> None:
    """A bare number is framed, a frame given is kept in either case, and only what was given is shown."""
    assert codabar("12345").runs == codabar("A12345A").runs == codabar("a12345a").runs
    assert codabar("12345").runs != codabar("B12345D").runs
    assert _texts(codabar("12345")) == ["12345"]
