import pytest

from barcodesvc.gs1.element_strings import parse_bracketed
from barcodesvc.gs1.printable import first_misprint, missing_companions
from tests.sweeps import sweep


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
