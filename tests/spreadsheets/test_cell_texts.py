"""Texts of cells: how much of one is kept, and how it is written so that it is shown, and read back as it was."""

import re

import pytest
from hypothesis import example, given, strategies as st

from barcodesvc.spreadsheets.cells import KEPT_TEXT, MAX_TEXT, kept_text
from barcodesvc.spreadsheets.escapes import escape, guard_csv, guard_xlsx, replace_surrogates, unescape, unguard
from barcodesvc.texts import clean_text

DANGEROUS = st.text(alphabet="'\" \ufeff=+-@\uff1d\uff0b\uff0d\uff20\t\r;,|ab1", max_size=8)


@given(st.text(" \n\u3000aé😀", max_size=40), st.sampled_from((1, 20, 100, 400, 2000)))
def test_a_kept_text_is_bounded_and_says_nothing_false(text: str, times: int) -> None:
    """It is the text, at most without surrounding white space, or it is too long for any field of a product."""
    long = text * times
    kept = kept_text(long)
    assert len(kept) <= KEPT_TEXT
    assert kept in (long, long.strip()) or len(str(clean_text(kept))) > 500


def test_a_long_text_keeps_its_beginning() -> None:
    """That is its visible text; white space alone is blank, unless its end was not even read."""
    assert kept_text(" x" * (KEPT_TEXT // 2)) == " x" * (KEPT_TEXT // 2)
    assert kept_text("abc " * 9999).startswith("abc abc abc ")
    assert kept_text(" " * MAX_TEXT) == ""
    assert kept_text(" " * (MAX_TEXT + 1)).strip() != ""


@pytest.mark.parametrize(
    ("text", "guarded"),
    [
        ("=1+1", "'=1+1"),
        ("\r=1", "'\r=1"),
        ("''-1", "'''-1"),
        ("\uff1d1+1", "'\uff1d1+1"),
        ('"=1"', '\'"=1"'),
        (" =1", "' =1"),
        ("\u200b@A", "'\u200b@A"),
        ("x;=1+1", "x;'=1+1"),
        ("x,-1|@y", "x,'-1|'@y"),
        ("\t=1", "'\t'=1"),
        ("x;'=1", "x;''=1"),
        ('x;"=1"', 'x;\'"=1"'),
        ("a;\uff0b1", "a;'\uff0b1"),
        ("a|\u2060 +1", "a|'\u2060 +1"),
    ],
)
def test_a_formula_in_csv_gets_an_apostrophe(text: str, guarded: str) -> None:
    """At the beginning, and behind each separator, where a spreadsheet may see the beginning of a field."""
    assert guard_csv(text) == guarded


@pytest.mark.parametrize("text", ["", "plain", "'quoted'", " a=1", "1-1", "'", "x; a=1", "a;b,c|d", "it's;a"])
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
    left = set(escape(text)) - {"\t", "\n"}
    assert not any(character < " " or "\ud800" <= character <= "\udfff" for character in left)
    assert not left & {"\ufffe", "\uffff"}


@pytest.mark.parametrize(
    ("text", "written"),
    [("\x00", "_x0000_"), ("\r", "_x000D_"), ("\uffff", "_xFFFF_"), ("\ud800", "\ufffd"), ("_x000D_", "_x005F_x000D_")],
)
def test_characters_that_xml_cannot_carry_are_escaped(text: str, written: str) -> None:
    """An escape replaces an invalid character, and a replacement character half a pair, on the way in as well."""
    assert escape(f"a{text}b") == f"a{written}b"
    assert unescape("_xD83D_x") == "\ufffdx"
