import re

import pytest
from hypothesis import example, given, strategies as st

from barcodesvc.spreadsheets.escapes import escape, guard_csv, guard_xlsx, replace_surrogates, unescape, unguard

DANGEROUS = st.text(alphabet="'\" \ufeff=+-@\uff1d\uff0b\uff0d\uff20\t\r;,|ab1", max_size=8)


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\r=1", "'=1", "''-1", "\uff1d1+1", '"=1"', " =1", "\ufeff=1", "\u200b@A"]
)
def test_a_formula_in_csv_gets_one_apostrophe(text: str) -> None:
    """A text that a spreadsheet would run begins with an apostrophe."""
    assert guard_csv(text) == f"'{text}"


@pytest.mark.parametrize(
    ("text", "guarded"),
    [
        ("x;=1+1", "x;'=1+1"),
        ("x,-1|@y", "x,'-1|'@y"),
        ("\t=1", "'\t'=1"),
        ("x;'=1", "x;''=1"),
        ('x;"=1"', 'x;\'"=1"'),
        ("a;\uff0b1", "a;'\uff0b1"),
        ("a; =1+1", "a;' =1+1"),
        ("a|\u2060 +1", "a|'\u2060 +1"),
    ],
)
def test_a_formula_behind_a_separator_gets_one_as_well(text: str, guarded: str) -> None:
    """A spreadsheet that splits the text there sees the beginning of a field."""
    assert guard_csv(text) == guarded


@pytest.mark.parametrize("text", ["", "plain", "'quoted'", " a=1", "a=1", "1-1", "'", "x; a=1", "a;b,c|d", "it's;a"])
def test_harmless_text_is_left_alone(text: str) -> None:
    """Only a dangerous beginning gets a guard, and only a guard is removed."""
    assert guard_csv(text) == guard_xlsx(text) == unguard(text) == text


@given(DANGEROUS | st.text())
def test_reading_undoes_either_guard(text: str) -> None:
    """The import returns exactly what was exported, and no CSV field begins like a formula."""
    assert unguard(guard_csv(text)) == text
    assert unguard(guard_xlsx(text)) == text
    beginnings = re.split("[;,\t|]", guard_csv(text))
    assert not any(begun.startswith(tuple("=+-@\r\uff1d\uff0b\uff0d\uff20")) for begun in beginnings)


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
