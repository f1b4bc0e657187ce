import pytest

from barcodesvc.gs1.companions import exclusion_of, missing_in
from barcodesvc.gs1.element_strings import parse_bracketed
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
        f"(01){GTIN}(255)9521321000018",
        f"(02){GTIN}(01){GTIN}",
        f"(01){GTIN}(03){GTIN}",
        "(21)A(235)B",
        "(3103)001234(3102)001234",
        "(3950)000123(3952)000123",
        "(3902)123(3912)978123",
        "(3940)1234(8111)1234",
        "(420)AB1(421)276AB1",
        "(421)276AB1(4307)DE",
        "(422)276(426)276",
        "(4330)000250(4331)000120",
        "(7250)20200101(7251)202001011200",
        "(7253)A(7256)B",
        "(7259)A(7253)B",
        f"(8006){GTIN}0102(01){GTIN}",
        "(8017)952132100000000007(8018)952132100000000007",
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
        "(91)A(92)B",
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
        ("(21)A", [("21", "01 8006 03")]),
        ("(12)260101", [("12", "8020")]),
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
        ("(91)A(90)B", []),
    ],
)
def test_what_an_identifier_requires_is_found(text: str, required: list[tuple[str, str]]) -> None:
    """Each missing companion is named once, with the elements that would satisfy the rule."""
    assert missing(text) == required
