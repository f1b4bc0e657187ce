"""Elements that exclude or require each other, and what of that keeps a symbol from being printed."""

import pytest

from barcodesvc.gs1.companions import exclusion_of, missing_in
from barcodesvc.gs1.element_strings import parse_bracketed
from barcodesvc.gs1.printable import first_misprint, missing_companions
from tests.sweeps import sweep

GTIN = "04006381333931"


def missing(text: str) -> list[tuple[str, str]]:
    """Return the elements that others require, as AI and alternatives."""
    return [(ai, " ".join(required)) for ai, required in missing_in(parse_bracketed(text))]


@sweep(
    "text",
    [
        f"(01){GTIN}(37)2",
        f"(37)2(01){GTIN}",
        f"(02){GTIN}(01){GTIN}",
        "(21)A(235)B",
        "(3103)001234(3102)001234",
        "(3902)123(3912)978123",
        "(420)AB1(421)276AB1",
        "(422)276(426)276",
        "(4330)000250(4331)000120",
        "(7253)A(7256)B",
        f"(8006){GTIN}0102(01){GTIN}",
    ],
)
def test_identifiers_that_exclude_each_other_are_found(text: str) -> None:
    """In either order, and for any number of decimals, the second one of the pair is the surplus one."""
    assert exclusion_of(parse_bracketed(text)) == (0, 1)


@pytest.mark.parametrize(
    "text",
    [
        f"(01){GTIN}(10)A(17)271231(21)B",
        f"(02){GTIN}(37)2(00)340123450000000000",
        "(3103)001234(3113)001234(3203)001234",
        f"(10)A(01){GTIN}(10)A",
        f"(01){GTIN}(3922)123(30)2",
    ],
)
def test_identifiers_that_go_together_are_left_alone(text: str) -> None:
    """Different measures, a repeated element and pairs that the dictionary does not exclude may occur together."""
    assert exclusion_of(parse_bracketed(text)) is None


def test_one_identifier_with_two_values_excludes_itself() -> None:
    """The index of the second value is returned, wherever it is."""
    assert exclusion_of(parse_bracketed("(10)A(21)C(10)B")) == (0, 2)


@sweep(
    ("text", "required"),
    [
        ("(10)A", [("10", "01 02 8006 8026 03")]),
        (f"(02){GTIN}", [("02", "37")]),
        ("(37)2", [("37", "00"), ("37", "02 8026")]),
        (f"(37)2(02){GTIN}", [("37", "00")]),
        ("(250)A", [("250", "01 8006"), ("250", "21")]),
        (f"(01){GTIN}(3922)123", [("3922", "30 31nn 32nn 35nn 36nn")]),
        (f"(01){GTIN}(3922)123(3103)001234", []),
        (f"(8030)A(01){GTIN}", [("8030", "01+21 00 253 255 8003 8004 8006+21 8010+8011 8017 8018")]),
        (f"(8030)A(21)B(01){GTIN}", []),
        (f"(01){GTIN}(10)A(10)A(17)271231", []),
        ("(17)271231(17)271231", [("17", "01 02 8006 8026 03 255")]),
        ("(400)A", []),
    ],
)
def test_what_an_identifier_requires_is_found(text: str, required: list[tuple[str, str]]) -> None:
    """Each missing companion is named once, with the elements that would satisfy the rule."""
    assert missing(text) == required


@sweep(
    ("text", "element", "offset", "sentence"),
    [
        ("(10)LOT7(17)261331", 1, 2, "(17) has month 13, not 01 to 12"),
        ("(10)LOT7(10)LOT8", 1, None, "(10) already has another value"),
        ("(02)04006381333931(01)04006381333931", 1, None, "(01) must not be in one symbol with (02)"),
    ],
)
def test_a_misprint_says_what_and_where(text: str, element: int, offset: int | None, sentence: str) -> None:
    """The halves of the sentence leave room for a place between them."""
    misprint = first_misprint(parse_bracketed(text))
    assert misprint
    assert (misprint.element, misprint.offset, misprint.found + misprint.verdict) == (element, offset, sentence)


@pytest.mark.parametrize("text", ["(17)261231", "(21)S-17", "(10)LOT7(10)LOT7"])
def test_what_only_lacks_a_companion_may_be_printed(text: str) -> None:
    """It may be in another symbol on the item, so it is a warning."""
    elements = parse_bracketed(text)
    assert first_misprint(elements) is None
    (sentence,) = missing_companions(elements)
    assert sentence.endswith("in this symbol or in another one on the same item")
