from __future__ import annotations

from contextlib import closing

import pytest
from hypothesis import given, strategies as st

from barcodesvc.spreadsheets import shared_strings
from barcodesvc.spreadsheets.shared_strings import TextTable
from tests.properties import examples


@examples(40)
@given(texts=st.lists(st.text(max_size=40), max_size=60), in_memory=st.integers(0, 2000), at_once=st.integers(1, 200))
def test_every_text_is_there_wherever_it_lies(texts: list[str], in_memory: int, at_once: int) -> None:
    """In memory, waiting, or on disk: a text is found by its number."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shared_strings, "AT_ONCE", at_once)
        patch.setattr(shared_strings, "IN_MEMORY", in_memory)
        with closing(TextTable()) as table:
            for text in texts:
                table.append(text)
            assert [table[number] for number in range(len(table))] == texts


@pytest.mark.parametrize("in_memory", [0, 1000])
def test_a_number_beyond_the_last_text_is_an_index_error(monkeypatch: pytest.MonkeyPatch, in_memory: int) -> None:
    """Cells may refer to missing texts; reading one is an error."""
    monkeypatch.setattr(shared_strings, "IN_MEMORY", in_memory)
    with closing(TextTable()) as table:
        table.append("a")
        assert table[0] == "a"
        with pytest.raises(IndexError):
            table[1]


def test_unpaired_surrogates_survive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Invalid texts of a damaged file are kept as they are, on disk too."""
    monkeypatch.setattr(shared_strings, "IN_MEMORY", 0)
    with closing(TextTable()) as table:
        table.append("a\ud800b")
        assert table[0] == "a\ud800b"
