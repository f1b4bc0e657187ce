import pytest
from barcode import Code39
from hypothesis import given, strategies as st

from barcodesvc.gs1.gtin import check_digit, gtin14
from barcodesvc.scanning.linear_variants import (
    full_ascii,
    other_check_digits,
    without_letters,
)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("+A+B-1", "ab-1"),
        ("W+I+D+G+E+T/O1", "Widget/1"),
        ("%V%W%K%P/Z", "@`[{:"),
        ("/A/B", '!"'),
        ("%F%J", ";?"),
        ("$A1", "$A1"),
    ],
)
def test_pairs_of_code_39_are_letters_and_signs(text: str, meant: str) -> None:
    """Full ASCII as annex A of ISO/IEC 16388 spells it; pairs of control characters stay as they are."""
    assert full_ascii(text) == meant


@pytest.mark.parametrize("text", ["ABC", "+", "A+1", "+a", "é+A"])
def test_texts_without_pairs_mean_themselves(text: str) -> None:
    """Characters outside Code 39 show that no pair was meant."""
    assert full_ascii(text) == ""


@pytest.mark.parametrize(
    ("text", "body"), [("A123B", "123"), ("d1-2$:/.+a", "1-2$:/.+"), ("123", None), ("AB", None), ("AX1B", None)]
)
def test_start_and_stop_letters_are_taken_off(text: str, body: str | None) -> None:
    """Only a number between two letters A to D is a Codabar number."""
    assert without_letters(text) == body


@given(st.text("0123456789ABCXYZ-. $/+%", min_size=3, max_size=20))
def test_modulo_43_comes_and_goes(text: str) -> None:
    """A check character that Code 39 libraries add is removed, and a missing one is added."""
    added = Code39(text, add_checksum=True).get_fullcode()
    assert added.startswith(text)
    assert text in other_check_digits("CODE39", added)
    assert added in other_check_digits("CODE39", text)


@given(st.text("0123456789", min_size=3, max_size=20))
def test_modulo_10_of_itf_comes_and_goes(text: str) -> None:
    """The weights 3 and 1, but never so that a cut GTIN becomes a whole one."""
    assert text in other_check_digits("ITF", text + check_digit(text))
    assert not any(gtin14(code) for code in other_check_digits("ITF", text) if len(code) > len(text))


@pytest.mark.parametrize(
    ("symbology", "sent", "code"),
    [("MSI", "80523", "8052"), ("CODABAR", "A37853B", "3785"), ("CODABAR", "A37858B", "3785")],
)
def test_published_check_digits(symbology: str, sent: str, code: str) -> None:
    """MSI doubles every second digit (Luhn), as Codabar does in libraries; elsewhere it adds all modulo 16."""
    assert code in other_check_digits(symbology, sent)


@pytest.mark.parametrize("symbology", ["", "EAN13", "QR", "CODE128"])
def test_no_check_digit_is_optional_elsewhere(symbology: str) -> None:
    """Without a symbology that has an optional one, nothing is guessed."""
    assert list(other_check_digits(symbology, "12345670")) == []


@given(st.text(max_size=40), st.sampled_from(["CODE39", "ITF", "CODABAR", "MSI"]))
def test_any_text_has_variants_or_none(text: str, symbology: str) -> None:
    """No text is an error."""
    assert len(list(other_check_digits(symbology, text))) <= 2
    assert not full_ascii(text) or text.isascii()
