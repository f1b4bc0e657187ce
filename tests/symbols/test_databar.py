from collections.abc import Callable
from itertools import pairwise

import pytest

from barcodesvc.errors import InvalidContent
from barcodesvc.symbols import databar
from barcodesvc.symbols.modules import Bars, Matrix, Symbol

ENCODERS = [databar.omnidirectional, databar.stacked, databar.stacked_omnidirectional, databar.limited]
GTIN = "09521234543213"


@pytest.mark.parametrize("encode", ENCODERS)
def test_a_gtin_is_taken_with_and_without_identifier_and_check_digit(encode: Callable[[str], Symbol]) -> None:
    """The four spellings are one symbol."""
    assert encode(GTIN) == encode(GTIN[:-1]) == encode(f"(01){GTIN}") == encode(f"(01){GTIN[:-1]}")


@pytest.mark.parametrize(("encode", "width"), [(databar.omnidirectional, 96), (databar.limited, 79)])
def test_linear_symbols_have_a_fixed_width(encode: Callable[[str], Bars], width: int) -> None:
    """96 and 79 modules, guards included, and one more on either side; the caption is the element string."""
    bars = encode(GTIN)
    assert bars.width == width + 2
    assert [caption.text for caption in bars.captions] == [f"(01){GTIN}"]


@pytest.mark.parametrize(
    ("encode", "heights"),
    [(databar.stacked, [5, 1, 7]), (databar.stacked_omnidirectional, [33, 1, 1, 1, 33])],
)
def test_stacked_symbols_have_rows_of_the_standards_heights(
    encode: Callable[[str], Matrix], heights: list[int]
) -> None:
    """50 modules wide; 5 and 7 high with one of separator, or 33 each with three (ISO/IEC 24724)."""
    rows = encode(GTIN).rows
    starts = [0, *(index for index in range(1, len(rows)) if rows[index] != rows[index - 1]), len(rows)]
    assert [stop - start for start, stop in pairwise(starts)] == heights
    assert len(rows[0]) == 50


@pytest.mark.parametrize("encode", [databar.expanded, databar.expanded_stacked])
def test_expanded_symbols_take_both_spellings_of_element_strings(encode: Callable[[str], Symbol]) -> None:
    """Bracketed and raw are one symbol."""
    assert encode("(01)09521234543213(10)LOT7(21)5") == encode("010952123454321310LOT7\x1d215")


@pytest.mark.parametrize("encode", [databar.expanded, databar.expanded_stacked])
def test_expanded_symbols_hold_what_the_refusal_says(encode: Callable[[str], Symbol]) -> None:
    """74 digits that begin with an article, 70 others, 41 capitals, 30 of the rest (ISO/IEC 24724); no more."""
    article = "(01)09521234543213(91)"
    for head, character, most in [(article, "1", 56), ("(91)", "1", 68), ("(91)", "A", 39), ("(91)", '"', 28)]:
        encode(head + character * most)
        with pytest.raises(InvalidContent, match="characters are too many") as refusal:
            encode(head + character * (most + 1))
        assert refusal.value.details["rule"] == "length"
        assert "41 capitals" in refusal.value.details["fits"]


def test_the_expanded_caption_is_the_bracketed_element_string() -> None:
    """The same for either spelling."""
    (caption,) = databar.expanded("010952123454321310LOT7").captions
    assert caption.text == "(01)09521234543213(10)LOT7"
