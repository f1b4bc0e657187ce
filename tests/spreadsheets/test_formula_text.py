from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from barcodesvc.spreadsheets.formula_text import guard_csv, guard_xlsx, unguard

DANGEROUS = st.text(alphabet="'=+-@\t\rab1", max_size=6)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''-1"])
def test_a_formula_in_csv_gets_one_apostrophe(text: str) -> None:
    """What a spreadsheet would run begins with an apostrophe instead."""
    assert guard_csv(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "plain", "'quoted'", " =1", "a=1", "1-1", "'"])
def test_harmless_text_is_left_alone(text: str) -> None:
    """Only a dangerous beginning is guarded, and only a guard is taken away."""
    assert guard_csv(text) == guard_xlsx(text) == unguard(text) == text


@given(DANGEROUS | st.text())
def test_reading_undoes_either_guard(text: str) -> None:
    """The import gives back exactly what was exported, and no CSV field begins like a formula."""
    assert unguard(guard_csv(text)) == text
    assert unguard(guard_xlsx(text)) == text
    assert not guard_csv(text).startswith(("=", "+", "-", "@", "\t", "\r"))
