from __future__ import annotations

from hypothesis import given, settings, strategies as st

from barcodesvc.symbols.alphabets import CODE39
from barcodesvc.symbols.code93 import code93


@settings(deadline=None, derandomize=True)
@given(content=st.text(CODE39, min_size=1, max_size=64))
def test_every_character_takes_nine_modules(content: str) -> None:
    """Start, stop and two check characters come on top, and a bar of one module at the end (AIM USS-93)."""
    bars = code93(content)
    assert sum(bars.runs) == 9 * (len(content) + 4) + 1
    assert (bars.quiet_left, bars.quiet_right) == (10, 10)
    assert [caption.text for caption in bars.captions] == [content]
