import pytest

from barcodesvc.made_codes import made_codes


@pytest.mark.parametrize(
    ("pattern", "number", "code"),
    [
        ("P{n:05}", 1, "P00001"),
        ("P{n:05}", 123_456, "P123456"),
        ("shop/{n}-x", 7, "shop/7-x"),
        ("ean13:20", 1, "200000000001"),
        ("EAN13:0212345", 12, "021234500012"),
    ],
)
def test_a_pattern_makes_the_code_of_a_number(pattern: str, number: int, code: str) -> None:
    """Zeros fill it up, more digits do not stop it, and an EAN-13 has twelve digits before its check digit."""
    assert made_codes(pattern).code(number) == code


@pytest.mark.parametrize("text", ["", "P", "{n}{n}", "P {n}", "{m}", "ean13:30", "ean13:", "ean13:201234567", "é{n}"])
def test_what_makes_no_codes_is_refused(text: str) -> None:
    """A pattern has one number and printable ASCII, and an EAN-13 the digits that are each shop's own."""
    with pytest.raises(ValueError, match="neither a text with a number"):
        made_codes(text)


def test_a_pattern_that_makes_codes_too_long_is_refused() -> None:
    """A code has at most 64 characters."""
    with pytest.raises(ValueError, match="more than 64 characters"):
        made_codes("x" * 60 + "{n}")
