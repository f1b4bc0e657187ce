from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings, strategies as st

from barcodesvc.symbols.alphabets import SET_A
from barcodesvc.symbols.code128 import code128
from barcodesvc.symbols.code128_sets import code128a, code128b, code128c
from barcodesvc.symbols.modules import Bars

ASCII = "".join(map(chr, range(32, 127)))
STARTS = [(code128a, (2, 1, 1, 4, 1, 2)), (code128b, (2, 1, 1, 2, 1, 4)), (code128c, (2, 1, 1, 2, 3, 2))]


def test_set_a_ends_before_the_small_letters() -> None:
    """It holds space to underscore."""
    assert ASCII[:64] == SET_A


@pytest.mark.parametrize(("encode", "start"), STARTS)
def test_each_set_has_its_own_start_character(encode: Callable[[str], Bars], start: tuple[int, ...]) -> None:
    """The start characters A, B and C, as bars and spaces (ISO/IEC 15417 table 1)."""
    assert encode("12").runs[:6] == start


@settings(deadline=None, derandomize=True)
@given(st.text(SET_A, min_size=1, max_size=64))
def test_sets_a_and_b_take_a_character_for_each(content: str) -> None:
    """Eleven modules a character, with start and check character, and a stop of thirteen; CODE128 is no longer."""
    assert sum(code128a(content).runs) == sum(code128b(content).runs) == 11 * (len(content) + 2) + 13
    assert sum(code128(content).runs) <= sum(code128a(content).runs)
    assert code128a(content).captions[0].text == content


@settings(deadline=None, derandomize=True)
@given(st.lists(st.text("0123456789", min_size=2, max_size=2), min_size=1, max_size=32))
def test_set_c_takes_a_character_for_two_digits(pairs: list[str]) -> None:
    """It is what the automatic choice makes of an even number of digits."""
    content = "".join(pairs)
    assert sum(code128c(content).runs) == 11 * (len(pairs) + 2) + 13
    assert code128c(content) == code128(content)
