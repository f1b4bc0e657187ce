from __future__ import annotations

import pytest
from borb.pdf.font.simple_font.helvetica.helvetica import Helvetica

from barcodesvc.errors import InvalidContent
from barcodesvc.labels.text.helvetica import code_line, encode, helvetica_line


def test_widths_are_those_of_helvetica() -> None:
    """Every character is as wide as in borb's metrics of Helvetica, if it is there."""
    font = Helvetica()
    known = {code: font.get_width(bytes([code]).decode("cp1252", "replace"), font_size=1000) for code in range(256)}
    ours = {code: round(helvetica_line(bytes([code])).width * 1000) for code in range(256)}
    assert sum(map(bool, known.values())) == 211
    assert all(ours[code] == known[code] for code in known if known[code])


@pytest.mark.parametrize(("character", "thousandths"), [("²", 333), ("µ", 556), ("\xa0", 278), ("ƒ", 556)])
def test_widths_that_borb_lacks(character: str, thousandths: int) -> None:
    """Characters missing from borb's metrics have Adobe's widths."""
    assert code_line(character).width == thousandths / 1000


@pytest.mark.parametrize("text", ["Żubr", "茶", "Ω", "ﬁ", "a\x07", "\x7f", "\x81", "\u200b"])
def test_what_the_font_lacks_is_not_encoded(text: str) -> None:
    """A text is encoded completely or not at all, and one that cannot be is rejected."""
    assert encode(f"a{text}") is None
    with pytest.raises(InvalidContent, match="is not a code that can be printed"):
        code_line(text)


def test_combining_accents_are_printed() -> None:
    """A letter followed by its accent is the accented letter."""
    assert encode("Cafe\u0301") == b"Caf\xe9"
