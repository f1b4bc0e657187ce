import pytest
from hypothesis import given, strategies as st

from barcodesvc.gs1.element_strings import Element
from barcodesvc.scanning.element_string import read_element_string
from barcodesvc.scanning.gs1_data import gtin_of
from tests.sweeps import sweep

GTIN = "03178040638617"


@pytest.mark.parametrize("separator", ["\x1d", "{GS}", "{gs}", "<GS>", "^]", "|", "\u241d"])
def test_typed_separators_separate(separator: str) -> None:
    """Each usual representation of 0x1D ends a batch number."""
    elements = read_element_string(f"10B/4471{separator}01{GTIN}{separator}21A").elements
    assert elements == (Element("10", "B/4471"), Element("01", GTIN), Element("21", "A"))


@pytest.mark.parametrize(
    "text",
    [
        f"01{GTIN}",
        f"01{GTIN}10",
        f"01{GTIN}10" + "L" * 40,
        f"01{GTIN}??",
        f"01{GTIN}10A<GS>B",
        f"01{GTIN}01{GTIN}",
        f"(01){GTIN}(10)",
        f"(21)X-9(01) {GTIN} (05)1",
        f"17271231\x1d01{GTIN}\x1d",
    ],
)
def test_damage_behind_the_gtin_does_not_hide_it(text: str) -> None:
    """Elements before the first bad one count."""
    assert gtin_of(read_element_string(text).elements) == GTIN


@sweep(
    "text",
    [
        "",
        "(",
        "()",
        "(01)",
        "ABC",
        GTIN,
        f"x01{GTIN}",
        f"0501{GTIN}",
        "0103178040638618",
        "010317804063",
        "01" + "0" * 14,
        f"02{GTIN}3724",
        f"01{GTIN}0100000012345670",
        f"(01){GTIN}(01)00000012345670",
        f"10AB01{GTIN}21ABCDEFGHIJ",
    ],
)
def test_no_gtin_is_guessed(text: str) -> None:
    """Truncated, invalid, contradictory or contained GTINs, or those after the damage, are ignored."""
    assert gtin_of(read_element_string(text).elements) is None


@given(st.one_of(st.text(), st.text("()0123456789|\x1d^]{GS}<>A", max_size=80)))
def test_any_text_is_judged_without_an_error(text: str) -> None:
    """Unreadable parts mean fewer elements, never an exception."""
    assert all(element.value for element in read_element_string(text).elements)
    assert gtin_of(read_element_string(text).elements) is None or "01" in text
