from collections.abc import Callable

import pytest
from hypothesis import given, settings, strategies as st

from barcodesvc.symbols.alphabets import SET_A as ALPHABET_A
from barcodesvc.symbols.code128 import code128, code128a, code128b, code128c, gs1_128
from barcodesvc.symbols.modules import Bars
from tests.properties import examples

PRINTABLE_ASCII = "".join(map(chr, range(32, 127)))
SET_A, SET_B = set(map(chr, range(96))), set(map(chr, range(32, 128)))
FAR = 10_000
STARTS = [(code128a, (2, 1, 1, 4, 1, 2)), (code128b, (2, 1, 1, 2, 1, 4)), (code128c, (2, 1, 1, 2, 3, 2))]


def least_characters(content: str) -> int:
    """Return the least number of symbol characters, start included, by trying every way through the three code sets.

    ISO/IEC 15417: a latch or a shift costs one character, set C holds two digits in one.
    """
    costs = {"A": 1, "B": 1, "C": 1}
    ahead: list[dict[str, int]] = [costs, *({"A": FAR, "B": FAR, "C": FAR} for _ in content)]
    for index, character in enumerate(content):
        here = {to: min(cost + (at != to) for at, cost in ahead[index].items()) for to in "ABC"}
        for name, alphabet, other in (("A", SET_A, SET_B), ("B", SET_B, SET_A)):
            step = 1 if character in alphabet else 2 if character in other else FAR
            ahead[index + 1][name] = min(ahead[index + 1][name], here[name] + step)
        if content[index : index + 2].isdigit() and index + 2 <= len(content) - (len(content[index:]) < 2):
            ahead[index + 2]["C"] = min(ahead[index + 2]["C"], here["C"] + 1)
    return min(ahead[-1].values())


@examples(500, derandomize=True)
@given(st.text(PRINTABLE_ASCII, min_size=1, max_size=64) | st.text("0123456789A-", min_size=1, max_size=64))
def test_a_symbol_is_as_short_as_the_standard_allows(content: str) -> None:
    """No way through the code sets is shorter; check character and stop pattern are added."""
    assert sum(code128(content).runs) == 11 * (least_characters(content) + 1) + 13


@pytest.mark.parametrize(("content", "characters"), [("AB-12345", 8), ("12345678", 5), ("A", 2), ("a1", 3), ("12", 2)])
def test_known_lengths(content: str, characters: int) -> None:
    """Worked out by hand, start character included."""
    assert least_characters(content) == characters
    assert sum(code128(content).runs) == 11 * (characters + 1) + 13


def test_round_brackets_inside_of_a_value_are_data() -> None:
    """A lot may contain a bracket, which does not begin another element."""
    assert gs1_128("10A(B\x1d215").captions[0].text == "(10)A(B(21)5"
    assert gs1_128("10A(B").runs != gs1_128("10AB").runs


@pytest.mark.parametrize("content", ["99", "9912", "99AB", "9" * 64, "9940409318744667715638"])
def test_regression_a_leading_99_is_not_lost(content: str) -> None:
    """python-barcode drops the digits 99 at the beginning; here the whole content counts."""
    longer = code128("12" + content[2:])
    assert sum(code128(content).runs) == sum(longer.runs)
    assert code128(content).runs != longer.runs


def test_gs1_elements_with_a_fixed_length_need_no_separator() -> None:
    """One FNC1, eleven modules, follows an element of variable length if another one comes after it."""
    fixed_first = gs1_128("(17)261231(10)1234")
    variable_first = gs1_128("(10)1234(17)261231")
    assert sum(variable_first.runs) == sum(fixed_first.runs) + 11


def test_gs1_element_strings_may_be_bracketed_or_raw() -> None:
    """Both spellings, with superfluous separators or spaces, are one symbol with one caption."""
    bracketed = gs1_128("(01)09521234543213(10)LOT7(21)5")
    assert gs1_128("010952123454321310LOT7\x1d215") == bracketed
    assert gs1_128("(01) 09521234543213 (10) LOT7 (21) 5") == bracketed
    assert gs1_128("\x1d0109521234543213\x1d10LOT7\x1d215\x1d") == bracketed


def test_set_a_ends_before_the_small_letters() -> None:
    """It contains space to underscore."""
    assert PRINTABLE_ASCII[:64] == ALPHABET_A


@pytest.mark.parametrize(("encode", "start"), STARTS)
def test_each_set_has_its_own_start_character(encode: Callable[[str], Bars], start: tuple[int, ...]) -> None:
    """The start characters A, B and C, as bars and spaces (ISO/IEC 15417 table 1)."""
    assert encode("12").runs[:6] == start


@settings(deadline=None, derandomize=True)
@given(st.text(ALPHABET_A, min_size=1, max_size=64))
def test_sets_a_and_b_take_a_character_for_each(content: str) -> None:
    """Eleven modules a character, with start and check character, and a stop of thirteen; CODE128 is no longer."""
    assert sum(code128a(content).runs) == sum(code128b(content).runs) == 11 * (len(content) + 2) + 13
    assert sum(code128(content).runs) <= sum(code128a(content).runs)
    assert code128a(content).captions[0].text == content


@settings(deadline=None, derandomize=True)
@given(st.lists(st.text("0123456789", min_size=2, max_size=2), min_size=1, max_size=32))
def test_set_c_takes_a_character_for_two_digits(pairs: list[str]) -> None:
    """It equals the automatic choice for an even number of digits."""
    content = "".join(pairs)
    assert sum(code128c(content).runs) == 11 * (len(pairs) + 2) + 13
    assert code128c(content) == code128(content)
