import pytest
from hypothesis import given, strategies as st

from barcodesvc.spreadsheets.cells import KEPT_TEXT, MAX_TEXT, kept_text
from barcodesvc.texts import clean_text


@given(st.text(" \n\u3000aé😀", max_size=40), st.sampled_from((1, 20, 100, 400, 2000)))
def test_a_kept_text_is_bounded_and_says_nothing_false(text: str, times: int) -> None:
    """It is the text, at most without surrounding white space, or it is too long for any field of a product."""
    long = text * times
    kept = kept_text(long)
    assert len(kept) <= KEPT_TEXT
    assert kept in (long, long.strip()) or len(str(clean_text(kept))) > 500


@pytest.mark.parametrize("text", ["", " ", "x" * KEPT_TEXT, " x" * (KEPT_TEXT // 2)])
def test_texts_up_to_the_bound_are_kept_as_they_are(text: str) -> None:
    """White space around them counts too."""
    assert kept_text(text) == text


def test_a_long_text_keeps_its_beginning() -> None:
    """That is its visible text; white space alone is blank, unless its end was not even read."""
    assert kept_text("abc " * 9999).startswith("abc abc abc ")
    assert kept_text(" " * MAX_TEXT) == ""
    assert kept_text(" " * (MAX_TEXT + 1)).strip() != ""
