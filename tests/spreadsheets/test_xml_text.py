from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from barcodesvc.spreadsheets.xml_text import escape, replace_unwritable, unescape


@example("_x0000\r")
@given(st.text() | st.text(alphabet="_x00D5F\r", max_size=16))
def test_unescape_undoes_escape_but_for_unwritable_characters(text: str) -> None:
    """Text survives the way through a string cell, sequences that look escaped included."""
    assert unescape(escape(text)) == replace_unwritable(text)


@pytest.mark.parametrize("text", ["\x00", "\x1f", "\ud800", "\uffff"])
def test_characters_that_xml_cannot_carry_are_replaced(text: str) -> None:
    """A replacement character stands where a character cannot."""
    assert escape(f"a{text}b") == "a\ufffdb"


def test_lone_surrogates_are_replaced_on_the_way_in() -> None:
    """Half of a pair is no character."""
    assert unescape("_xD83D_x") == "\ufffdx"
