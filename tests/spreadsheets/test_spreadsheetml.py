from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from barcodesvc.spreadsheets.spreadsheetml import escape, replace_surrogates, unescape


@example("_x0000\r")
@example("_x0000\uffff")
@example("_x0000\x01x")
@given(st.text() | st.text(alphabet="_x00D5F\r\x01\uffff\ud800", max_size=16))
def test_unescape_undoes_escape_but_for_lone_surrogates(text: str) -> None:
    """Text survives a string cell, including sequences that look escaped."""
    assert unescape(escape(text)) == replace_surrogates(text)


@given(st.text(st.characters(), max_size=8))
def test_what_is_escaped_can_stand_in_xml(text: str) -> None:
    """Every remaining character is valid in XML 1.0, and none is a CR, which XML would turn into a line feed."""
    left = set(escape(text)) - {"\t", "\n"}
    assert not any(character < " " or "\ud800" <= character <= "\udfff" for character in left)
    assert not left & {"\ufffe", "\uffff"}


@pytest.mark.parametrize(
    ("text", "written"),
    [("\x00", "_x0000_"), ("\r", "_x000D_"), ("\uffff", "_xFFFF_"), ("\ud800", "\ufffd"), ("_x000D_", "_x005F_x000D_")],
)
def test_characters_that_xml_cannot_carry_are_escaped(text: str, written: str) -> None:
    """An escape replaces an invalid character, and a replacement character half a pair."""
    assert escape(f"a{text}b") == f"a{written}b"


def test_lone_surrogates_are_replaced_on_the_way_in() -> None:
    """Half of a surrogate pair is not a character."""
    assert unescape("_xD83D_x") == "\ufffdx"
