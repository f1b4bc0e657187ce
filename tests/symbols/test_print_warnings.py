"""Warnings match what an independent reader finds in the picture, for every symbology that it reads."""

import re

import pytest
from hypothesis import given, strategies as st

from barcodesvc.gs1.element_strings import parse_element_string
from barcodesvc.gs1.gtin import gtin14
from barcodesvc.numbers.upce import expanded
from barcodesvc.symbols.print_warnings import print_warnings
from barcodesvc.symbols.registry import SYMBOLOGIES, find_symbology
from tests.codes.test_read_back import SPECIMENS
from tests.properties import examples
from tests.sweeps import sweep

GTIN_ALONE = {"ITF14", "DATABAROMNI", "DATABARSTACKED", "DATABARSTACKEDOMNI", "DATABARLIMITED"}
ELEMENT_STRINGS = ["GS1-128", "DATABAREXPANDED", "DATABAREXPANDEDSTACKED", "GS1QR", "GS1DATAMATRIX"]
REQUIRES = " requires "


def as_carried(name: str, held: str) -> str:
    """Return a reader's text for a symbol's content: its own notation instead of that of product codes."""
    main, _, add_on = held.partition("+")
    if name == "UPCE":
        return f"0{expanded(main[:7])}{main[7]}{add_on}"
    if name == "UPCA":
        return f"0{main}{add_on}"
    if name.startswith("DATABAR") and name in GTIN_ALONE:
        return f"01{main}"
    if name == "PZN":
        return f"-{held}"
    return f"{main}{add_on}" if name in {"EAN13", "JAN", "ISBN13", "ISBN10", "ISSN"} else held


@pytest.mark.parametrize("name", SPECIMENS)
@examples(50, derandomize=True)
@given(data=st.data())
def test_what_a_symbol_is_said_to_hold_is_what_readers_get(name: str, data: st.DataObject) -> None:
    """The texts are read back from pictures, and a warning quotes them if they differ from the content."""
    content, carried = data.draw(SPECIMENS[name].contents)
    held = find_symbology(name).encoded_content(content)
    if name in ELEMENT_STRINGS:
        assert "".join(f"({ai}){value}" for ai, value in parse_element_string(carried)) == held
    else:
        assert as_carried(name, held) == carried
    changes = [warning for warning in print_warnings(find_symbology(name), content) if REQUIRES not in warning]
    assert [held in warning for warning in changes] == [True] * (held != content)


@sweep(
    ("name", "content", "warning"),
    [
        ("EAN13", "400638133393", "the check digit 1 is added: the symbol holds 4006381333931"),
        ("UPCE", "123456", "the symbol holds 01234565, not 123456"),
        ("ISBN10", "0-8044-2957-X+51299", "the symbol holds 9780804429573+51299, not 0-8044-2957-X+51299"),
        ("ISSN", "2434-561X", "the symbol holds 9772434561006, not 2434-561X"),
        ("CODABAR", "12345", "the symbol holds A12345A, not 12345"),
        ("CODABAR", "+1", "the symbol holds A+1A, not +1"),
        ("MSI", "80523", "the check digit 4 is added: the symbol holds 805234"),
        ("PZN", "PZN-12345626", "the symbol holds 12345626, not PZN-12345626"),
        ("DATABAROMNI", "(01)0952123454321", "the check digit 3 is added: the symbol holds (01)09521234543213"),
        (
            "GS1-128",
            "(01) 09521234543213 (10) A",
            "the symbol holds (01)09521234543213(10)A, not (01) 09521234543213 (10) A",
        ),
    ],
)
def test_what_printing_changes_is_a_warning(name: str, content: str, warning: str) -> None:
    """Added check digits, added or removed letters and zeros, and removed hyphens and spaces."""
    assert print_warnings(find_symbology(name), content) == (warning,)


ALWAYS_CHANGED = {"MSI", "ISBN10", "ISSN"}
"""Symbologies that always add a check digit, or whose symbol is that of a longer number."""


@sweep("name", [entry.name for entry in SYMBOLOGIES if entry.name not in ALWAYS_CHANGED])
def test_what_a_symbol_holds_can_be_asked_for_without_a_warning(name: str) -> None:
    """A warning that quotes the symbol's content says how to avoid it."""
    symbology = find_symbology(name)
    assert print_warnings(symbology, symbology.encoded_content(symbology.example)) == ()


@pytest.mark.parametrize(
    ("name", "content", "shown", "right"),
    [
        ("EAN13", "501234567890+12", "5012345678900", "0501234567890"),
        ("JAN", "491234567894", "4912345678942", "0491234567894"),
        ("DATABARSTACKED", "(01)4006381333931", "40063813339314", "04006381333931"),
    ],
)
def test_a_gtin_that_becomes_another_ones_is_a_warning(name: str, content: str, shown: str, right: str) -> None:
    """A whole GTIN that is one digit too short for its symbology is read as one without its check digit."""
    (warning,) = print_warnings(find_symbology(name), content)
    assert f"{shown} is that of another trade item, so a scan will not find this product" in warning
    assert warning.endswith(f"its GTIN is {right}")
    assert gtin14(shown) != gtin14(right) == gtin14(re.sub(r"^\(01\)|\+.*", "", content))


@pytest.mark.parametrize("name", ELEMENT_STRINGS)
def test_an_identifier_that_requires_another_is_a_warning(name: str) -> None:
    """It is drawn, as the required one may be in another symbol on the item; with it there is no warning."""
    lot, signature = print_warnings(find_symbology(name), "(10)LOT7(8030)aZ09")
    elsewhere = ", in this symbol or in another one on the same item"
    assert lot == f"(10) requires (01) or (02) or (8006) or (8026) or (03){elsewhere}"
    assert signature == f"(8030) requires (01) with (21) or (00) or (253) or one of 7 others{elsewhere}"
    assert print_warnings(find_symbology(name), "(01)09521234543213(10)LOT7") == ()
