import string

import pytest
from hypothesis import given, strategies as st

from barcodesvc.catalogue.other_codes import read, written
from barcodesvc.store.staging import OtherCode

CODES = st.text(string.printable[:95], min_size=1, max_size=64).map(str.strip).filter(bool)
NOTES = st.text(max_size=64).map(lambda text: " ".join(text.split()))


def test_codes_are_written_as_people_read_them() -> None:
    """A pack and a note only where there is one, and a backslash before what separates them."""
    codes = [OtherCode("4006381333948", 6, "box of six"), OtherCode("A-17"), OtherCode("a;b*(c)", 1, "x) \\")]
    text = r"4006381333948*6 (box of six); A-17; a\;b\*\(c\) (x\) \\)"
    assert (written(codes), read(text)) == (text, codes)


@given(st.lists(st.builds(OtherCode, CODES, st.integers(1, 1_000_000), NOTES), max_size=5))
def test_what_is_written_is_read_again(codes: list[OtherCode]) -> None:
    """Whatever characters codes and notes have."""
    assert read(written(codes)) == codes


@pytest.mark.parametrize("text", ["4711*6(x);A ", "4711 * 6 ( x ) ;A;", " 4711*6 (x);\tA"])
def test_people_may_space_as_they_like(text: str) -> None:
    """White space around signs, and a semicolon at the end, say nothing."""
    assert read(text) == [OtherCode("4711", 6, "x"), OtherCode("A")]


@pytest.mark.parametrize("text", ["a*b", "a*", ";", "a;;b", "(x)", "a(x", "a (x) b", "*6", "a*1234567890"])
def test_other_texts_are_refused(text: str) -> None:
    """The message says what is written how."""
    with pytest.raises(ValueError, match="separate codes by semicolons"):
        read(text)
