from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from barcodesvc.spreadsheets.formula_text import guard_csv, guard_xlsx, unguard

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
