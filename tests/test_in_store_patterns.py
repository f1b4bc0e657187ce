import re

import pytest
from hypothesis import given, strategies as st

from barcodesvc.gs1.gtin import gtin14, with_check_digit
from barcodesvc.in_store_patterns import in_store_patterns, price_check_digit
from barcodesvc.scanning.embedded import Embedded, ScannedInStoreNumber, in_store_number

SHOP = "21IIIIIPPPPPC:2, 20IIIIIWWWWWC:3, 28IIIINNNNNNC, 2IIIIIVPPPPC:2"


@pytest.mark.parametrize(
    ("body", "embedded", "prefix", "item"),
    [
        ("211234501234", Embedded("price", "12.34", 1234), "2112345", "0211234500000"),
        ("201234500070", Embedded("weight", "0.070", 70), "2012345", "0201234500000"),
        ("281234000012", Embedded("count", "12", 12), "281234", "0281234000000"),
        ("21234592875", Embedded("price", "28.75", 2875), "212345", "0021234500000"),
    ],
)
def test_a_number_says_its_value_and_its_item(body: str, embedded: Embedded, prefix: str, item: str) -> None:
    """A price, a weight and a count, and the item with zeros in place of them; a UPC-A with the price's own digit."""
    number = gtin14(with_check_digit(body))
    assert number
    found = in_store_number([number], in_store_patterns(SHOP))
    assert found == ScannedInStoreNumber(embedded, with_check_digit(item), prefix)


@pytest.mark.parametrize("body", ["221234501234", "21234512875", "400638133393"])
def test_another_number_says_nothing(body: str) -> None:
    """Other first digits, and a price whose own check digit is wrong."""
    assert in_store_number([gtin14(with_check_digit(body)) or ""], in_store_patterns(SHOP)) is None


@pytest.mark.parametrize(
    ("price", "digit"), [("2875", "9"), ("14685", "6"), ("0000", "0"), ("00000", "0"), ("123", "")]
)
def test_the_check_digit_of_a_price_is_that_of_gs1(price: str, digit: str) -> None:
    """The examples of GS1 General Specifications 7.9.4, no price at all, and a length that has none."""
    assert price_check_digit(price) == digit


@given(st.integers(0, 99_999), st.integers(0, 99_999))
def test_every_value_of_every_item_is_read(item: int, price: int) -> None:
    """The item does not depend on the value, and the value is exact."""
    patterns = in_store_patterns("21IIIIIPPPPPC:2")
    number = with_check_digit(f"021{item:05}{price:05}")
    found = in_store_number([number], patterns)
    assert found
    assert (found.embedded.units, found.gtin) == (price, with_check_digit(f"021{item:05}00000"))
    assert re.fullmatch(r"\d{1,3}\.\d\d", found.embedded.value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("21IIIIIPPPPP", "is not a pattern"),
        ("IIIIIIIPPPPPC", "is not a pattern"),
        ("21PPPPPIIIIIC", "is not a pattern"),
        ("21IIIIVPPPPVC", "is not a pattern"),
        ("21IIIIPPPPPC:2", "a number may fit both"),
        ("21IIIIIPPPPPPC", "has 14 characters"),
        ("21IIIIIPPPPPC:6", "no 6 decimals"),
        ("21IIIIIINNNNC:1", "a count has no decimals"),
        ("21IIIIVWWWWWC:3", "only a price of four or five digits"),
        ("21IIIIIPPPPPC,2112IIIPPPPPC", "a number may fit both"),
        ("2IIIIIVPPPPC,02IIIIIVPPPPC", "a number may fit both"),
        (",".join(f"{first:02}IIIIIPPPPPC" for first in range(33)), "at most 32"),
    ],
)
def test_what_is_no_pattern_is_refused(text: str, problem: str) -> None:
    """Each mistake has its message; two patterns that one number fits are a mistake, too."""
    with pytest.raises(ValueError, match=problem):
        in_store_patterns(f"{text},{text}" if problem == "a number may fit both" and "," not in text else text)
