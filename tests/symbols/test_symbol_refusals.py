import contextlib
import re
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

from barcodesvc.errors import InvalidContent
from barcodesvc.gs1.gtin import gtin14, with_check_digit
from barcodesvc.symbols.registry import SYMBOLOGIES, Symbology, find_symbology
from tests.properties import examples
from tests.sweeps import sweep

REFUSED: list[tuple[str, str, dict[str, Any]]] = [
    ("CODE128", "Caf\u00e9", {"rule": "alphabet", "position": 4, "fits": "printable ASCII"}),
    ("CODE39", "ABc", {"rule": "alphabet", "position": 3, "fits": "A-Z, 0-9, space and - . $ / + %"}),
    ("CODE39", "*A*", {"rule": "start and stop", "position": 1}),
    ("CODE39", "*a*", {"rule": "alphabet", "position": 2}),
    ("ITF", "123", {"rule": "length", "position": 4, "fits": "an even number of digits 0-9"}),
    ("CODABAR", "A", {"rule": "length", "position": 2}),
    ("CODABAR", "12E45", {"rule": "alphabet", "position": 3}),
    ("CODABAR", "A1A1A", {"rule": "alphabet", "position": 3}),
    ("CODABAR", "1A", {"rule": "start and stop", "position": 1}),
    ("CODABAR", "A12", {"rule": "start and stop", "position": 4}),
    ("GS1-128", "(01)09521234543214", {"rule": "GS1 element string", "position": 18}),
    ("GS1-128", "AB-12345", {"rule": "GS1 element string", "position": 1}),
    ("ISBN13", "0306406152", {"rule": "length", "position": 11, "fits": "12 or 13 digits, or ISBN10 as the format"}),
    ("PDF417", "\x7f", {"rule": "alphabet", "position": 1}),
    ("RMQR", "A\u00e9", {"rule": "alphabet", "position": 2}),
    ("CODE128A", "ABc", {"rule": "alphabet", "position": 3}),
    ("CODE128B", "A\x7f", {"rule": "alphabet", "position": 2, "fits": "printable ASCII"}),
    ("CODE128C", "123", {"rule": "length", "position": 4, "fits": "an even number of digits 0-9"}),
    ("EAN2", "1", {"rule": "length", "position": 2, "fits": "2 digits"}),
    ("EAN5", "512999", {"rule": "length", "position": 6, "fits": "5 digits"}),
    ("EAN13", "4006381333931+1", {"rule": "length", "position": 16, "fits": "2 or 5 digits"}),
    ("EAN13", "400638133393+", {"rule": "length", "position": 14, "fits": "2 or 5 digits"}),
    ("EAN13", "4006381333931+1A", {"rule": "alphabet", "position": 16}),
    ("EAN13", "4006381333932+12", {"rule": "check digit", "expected": "1"}),
    ("EAN8", "96385074+12", {"rule": "alphabet", "position": 9, "fits": "7 or 8 digits without an add-on"}),
    ("UPCE", "0123456500", {"rule": "length", "position": 9}),
    ("UPCE", "21234565", {"rule": "number system", "position": 1, "fits": "0… or 1…"}),
    ("UPCE", "0622803000089", {"rule": "length", "position": 13}),  # a UPC-A of number system 6, as an EAN-13
    ("UPCE", "6 22803 00008 9", {"rule": "alphabet", "position": 2}),
    ("UPCE", "01234566", {"rule": "check digit", "position": 8, "expected": "5", "fits": "01234565"}),
    ("UPCE", "036000291452", {"rule": "zero suppression", "position": 7}),
    ("UPCE", "120003", {"rule": "zero suppression", "position": 6, "fits": "0120000"}),
    ("JAN", "4006381333931", {"rule": "prefix", "position": 1, "fits": "45… or 49…"}),
    (
        "ISBN10",
        "978-0-306-40615-7",
        {"rule": "length", "position": 14, "fits": "9 or 10 digits, or ISBN13 as the format"},
    ),
    ("ISBN10", "0-8044-2957-X+1", {"rule": "length", "position": 16}),
    ("MSI", "80-523", {"rule": "alphabet", "position": 3}),
    ("PHARMACODE", "2", {"rule": "range", "position": 1}),
    ("PHARMACODE", "131071", {"rule": "range", "position": 1}),
    ("PHARMACODE", "9" * 64, {"rule": "range", "position": 1}),
    ("PHARMACODE", "0123", {"rule": "leading zero", "position": 1}),
    (
        "DATABAROMNI",
        "(01)09521234543214",
        {"rule": "check digit", "position": 18, "expected": "3", "fits": "09521234543213"},
    ),
    ("DATABAROMNI", "(01)0952123454321A", {"rule": "alphabet", "position": 18}),
    ("DATABARLIMITED", "25400141288760", {"rule": "indicator", "position": 1}),
    ("DATABARLIMITED", "(01)2540014128876", {"rule": "indicator", "position": 5}),
    ("DATABAREXPANDEDSTACKED", "(05)1", {"rule": "GS1 element string", "position": 2}),
    ("DATABAREXPANDED", f"(01)09521234543213(91){'A' * 40}", {"rule": "length", "position": 20}),
    ("GS1-128", "(17)991332", {"rule": "GS1 element string", "position": 7, "fits": "01 to 12"}),
    ("GS1-128", "(01)04006381333931 (17) 270229", {"position": 29, "fits": "00 to 28"}),
    ("GS1-128", "(01)04006381333931(37)2", {"position": 20, "fits": "one of (01) and (37)"}),
    ("GS1-128", "(10)A(21)B(10) C", {"position": 12, "fits": "one value for (10)"}),
]


LEAST_WIDTH = 12
"""Modules of the smallest symbol of all, a Data Matrix of 10 x 10 with its quiet zone."""


@sweep(("name", "content", "details"), REFUSED)
def test_a_refusal_says_rule_place_and_what_fits(name: str, content: str, details: dict[str, Any]) -> None:
    """Content that a symbology cannot encode is rejected with its name, the rule, the position and valid values."""
    with pytest.raises(InvalidContent, match=f"^{name}: ") as refusal:
        find_symbology(name).encode(content)
    assert refusal.value.details.items() >= details.items()
    assert refusal.value.details["fits"]
    assert re.search(rf"\bposition {refusal.value.details['position']}\b", refusal.value.message)


@pytest.mark.parametrize(
    ("name", "content", "advice"),
    [
        ("CODABAR", "A12", "the stop letter A-D is missing at position 4"),
        ("CODABAR", "12B", "the start letter A-D is missing at position 1"),
        ("ISBN13", "0-306-40615-2", "ISBN10 takes 10"),
        ("ISBN10", "978-0-306-40615-7", "ISBN13 takes 13"),
        ("EAN8", "96385074+12", "'+' at position 9 begins an add-on, which EAN-8 cannot have"),
        ("UPCE", "036000291452", "digit 2 at position 7"),
        ("UPCE", "120003", "is written 0120000 from position 6 on"),
        ("EAN8", "963850745", "the first too many is at position 9"),
    ],
)
def test_a_refusal_advises(name: str, content: str, advice: str) -> None:
    """If another format or one more character is the solution, the message says so."""
    with pytest.raises(InvalidContent) as refusal:
        find_symbology(name).encode(content)
    assert advice in refusal.value.message


@sweep("name", [entry.name for entry in SYMBOLOGIES])
def test_nothing_is_refused_by_every_symbology(name: str) -> None:
    """Empty content is rejected, not drawn and not passed to the library."""
    with pytest.raises(InvalidContent) as refusal:
        find_symbology(name).encode("")
    assert refusal.value.details["fits"]
    assert refusal.value.details["position"] == 1


@examples(300, derandomize=True)
@given(st.sampled_from(SYMBOLOGIES), st.text(max_size=64) | st.text("0123456789ABX-()\x1d", max_size=20))
def test_any_text_is_either_encoded_or_refused(symbology: Symbology, content: str) -> None:
    """No text brings a library's own exception out of an encoder."""
    with contextlib.suppress(InvalidContent):
        assert symbology.encode(content).width >= LEAST_WIDTH


GS1_NAMES = ["GS1-128", "DATABAREXPANDED", "DATABAREXPANDEDSTACKED", "GS1DATAMATRIX", "GS1QR"]


BARE_DIGITS = st.sampled_from([8, 12, 13, 14]).flatmap(
    lambda length: st.text("0123456789", min_size=length, max_size=length)
)
BARE_GTINS = BARE_DIGITS.map(lambda digits: with_check_digit(digits[:-1])).filter(gtin14)


@pytest.mark.parametrize("name", GS1_NAMES)
@examples(100, derandomize=True)
@given(BARE_DIGITS | BARE_GTINS)
@example("4006381333931")  # could also be an element (400)
def test_bare_digits_as_long_as_a_gtin_are_never_guessed_into_elements(name: str, digits: str) -> None:
    """Whatever identifiers they could be read as, the refusal says to write (01), and shows a GTIN with it."""
    encode, gtin = find_symbology(name).encode, gtin14(digits)
    with pytest.raises(InvalidContent, match=rf"^{name}: {digits} at position 1 .*\(01\)") as refusal:
        encode(digits)
    fits = f"(01){gtin}" if gtin else "(01) and the 14 digits of a GTIN, or another identifier in brackets"
    assert refusal.value.details == {"rule": "GS1 element string", "position": 1, "fits": fits}
    assert not gtin or encode(fits).width > LEAST_WIDTH


@sweep("name", GS1_NAMES)
def test_an_identifier_in_brackets_is_never_guessed_into_a_gtin(name: str) -> None:
    """Even if all digits together are one."""
    encode = find_symbology(name).encode
    assert encode("(400)6381333931") != encode("(400)6381333932")
