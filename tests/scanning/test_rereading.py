"""Scans in other characters, and scans that were typed on another keyboard."""

import json

import pytest
from hypothesis import assume, example, given, strategies as st

from barcodesvc.gs1.gtin import check_digit
from barcodesvc.scanning.candidates import Match
from barcodesvc.scanning.keyboard_layouts import AMERICAN, LAYOUTS
from barcodesvc.scanning.parsed_scan import ParsedScan
from barcodesvc.scanning.payload import Payload, with_case_inverted
from barcodesvc.scanning.rereading import reread
from barcodesvc.scanning.retyping import MOST_READINGS, retyped
from tests.properties import examples
from tests.scanning.catalogue import Catalogue
from tests.sweeps import sweep

layouts = st.sampled_from(sorted(LAYOUTS))
codes = st.text("ABCXYZ0123456789-./", min_size=1, max_size=12)
gtins = st.text("0123456789", min_size=13, max_size=13).map(lambda body: body[1:] + check_digit(body[1:]))


def typed(text: str, layout: str) -> str:
    """Return what a computer with this layout makes of the keys that a scanner presses."""
    return text.translate(str.maketrans(AMERICAN, LAYOUTS[layout]))


@pytest.mark.parametrize("characters", LAYOUTS.values(), ids=list(LAYOUTS))
def test_a_layout_has_a_character_for_each_key(characters: str) -> None:
    """They are those of 47 keys, without and with Shift."""
    assert len(characters) == len(AMERICAN) == 94
    assert characters.isprintable()


@pytest.mark.parametrize(
    ("stored", "sent"),
    [
        ("4006381333931", '\'àà-"_&"""ç"&'),
        ("96385074", "ç-\"_(àè'"),
        ("HA112", "HA&&é"),
        ("HA112", "HQ&&é"),
        ("HB-1010", "HBß1010"),
        ("XYZ", "XZY"),
        ("HUB#A", "HUB£A"),
        ("HB-1010", "РИ-1010"),
        ("A-1", "Aß1\t"),
        ("A;1", "aÖ1"),
        ("A=E", "AÉ"),
    ],
)
def test_a_scan_that_was_typed_on_another_keyboard_finds_its_product(stored: str, sent: str) -> None:
    """French keys without and with letters, German, British and Russian ones, with Caps Lock, and a dead key."""
    assert Catalogue([stored, "something else"]).find(sent) == (Match.KEYBOARD, stored)


def assume_one_key_each(text: str, layout: str) -> None:
    """Leave out characters that a layout has on two keys, which cannot be told apart."""
    assume(all(LAYOUTS[layout].count(character) == 1 for character in text if character != " "))


@examples(500)
@given(gtins, layouts)
def test_a_number_typed_on_any_keyboard_is_found(gtin: str, layout: str) -> None:
    """Every layout is turned back."""
    text = typed(gtin, layout)
    assume_one_key_each(text, layout)
    found = Catalogue([gtin]).find(text)
    assert found
    assert found[1] == gtin


@examples(500)
@given(codes, layouts)
@example("A-1", "de")
def test_a_code_typed_on_any_keyboard_is_found(code: str, layout: str) -> None:
    """The product is found alone, unless the text is another thing that a product could be called."""
    text = typed(code, layout)
    assume_one_key_each(text, layout)
    assert Catalogue([code]).find(text) is not None or reread(ParsedScan(text)).candidates == ()


@examples(500)
@given(st.text("ABCwxyz0123456789-", min_size=1, max_size=12), layouts)
def test_a_payload_typed_on_any_keyboard_finds_its_product(code: str, layout: str) -> None:
    """All of its structure comes back, also behind an identifier."""
    for text in (json.dumps({"product_code": code, "description": "Schraube"}), f']Q1{{"product_code":"{code}"}}'):
        assume_one_key_each(typed(text, layout), layout)
        found = Catalogue([code, "something else"]).find(typed(text, layout))
        assert found == (Match.JSON, code)


@pytest.mark.parametrize("layout", ["se", "no", "dk"])
def test_a_payload_whose_last_key_is_dead_is_complete(layout: str) -> None:
    """A dead key at the end yields no character; here it is the brace."""
    text = typed('{"product_code":"A1"}', layout)[:-1]
    assert Catalogue(["A1"]).find(text) == (Match.JSON, "A1")


@pytest.mark.parametrize(
    ("layout", "dead", "code"),
    [("fr", "[{", "A[1"), ("es", "[{'\"", "A'1"), ("de", "`=", "A=1"), ("pt", "]}", "A]1"), ("se", "=+}", "A=1")],
)
def test_the_web_app_hears_dead_keys_as_american_ones(layout: str, dead: str, code: str) -> None:
    """Its other keys are those of the layout."""
    sent = "".join(one if one in dead else typed(one, layout) for one in f'{{"product_code":"{code}"}}')
    assert Catalogue([code]).find(sent) == (Match.JSON, code)


def test_gs1_data_typed_on_another_keyboard_are_reported() -> None:
    """The scan is read as it is meant, with everything in it."""
    found = reread(ParsedScan(typed("]C1010400638133393110LOT7", "fr")))
    assert found.meant
    assert [(element.ai, element.value) for element in found.meant.elements][1:] == [("10", "LOT7")]


def test_two_products_that_layouts_find_are_none() -> None:
    """German and Spanish keyboards read it differently, and neither reading is better."""
    assert Catalogue(["A/1"]).find("A-1") == (Match.KEYBOARD, "A/1")
    assert Catalogue(["A/1", "A=1"]).find("A-1") is None


def test_a_valid_check_digit_decides_between_layouts() -> None:
    """French keys make a number of it, others a text."""
    sent = "ç-\"_(àè'"
    others = [text for text in retyped(sent) if not text.isdigit()]
    assert Catalogue(["96385074", *others]).find(sent) == (Match.KEYBOARD, "96385074")


@pytest.mark.parametrize(
    "sent", ["4006381333931", "4006381333932", "(10)A-1", '{"product_code":"A-1"}', "1", "", "+$$8053290331260301104+$"]
)
def test_what_is_evident_is_not_turned_back(sent: str) -> None:
    """Numbers, GS1 data and payloads are what they say; so are all digits, and what no one has typed: an image."""
    assert reread(ParsedScan(sent)).candidates == reread(ParsedScan("HBß1010", symbology="QR")).candidates == ()


@sweep(
    ("stored", "sent"),
    [
        ("4006381333931", "４００６３８１３３３９３１"),  # noqa: RUF001 - full-width digits
        ("4006381333931", "٤٠٠٦٣٨١٣٣٣٩٣١"),
        ("4006381333931", "۴۰۰۶۳۸۱۳۳۳۹۳۱"),
        ("4006381333931", "४००६३८१३३३९३१"),
        ("4006381333931", "　４００６ ３８１３３ ３９３１"),  # noqa: RUF001 - full-width digits
        ("HB-1010", "ＨＢ－１０１０"),  # noqa: RUF001 - full-width characters
        ("HB-1010", "HB-10١0"),  # noqa: RUF001 - an Arabic digit
        ("HB-1010", "hb－1010"),  # noqa: RUF001 - full-width characters
    ],
)
def test_characters_of_every_width_and_script_are_the_same_code(stored: str, sent: str) -> None:
    """Full-width, Arabic-Indic, Persian and Devanagari digits; input methods of East Asia write wide letters."""
    assert Catalogue([stored]).find(sent) == Catalogue([stored]).find(sent, symbology="QR") == (Match.NFKC, stored)


def test_a_payload_that_layouts_read_differently_is_proposed_with_its_code_alone() -> None:
    """A German keyboard exchanges y and z, which another German one does not."""
    for description, code, payload in (("Gray", "A1", None), ("Blue", "", Payload("A1", "Blue"))):
        meant = reread(ParsedScan(typed(f'{{"product_code":"A1","description":"{description}"}}', "de"))).meant
        assert meant
        assert meant.payload == payload
        assert not code or meant.bare == code


@examples(500)
@example("aBß1")
@given(st.text(max_size=40) | st.text(AMERICAN + "".join(LAYOUTS.values()), max_size=40))
def test_any_text_has_few_other_readings(text: str) -> None:
    """Nothing fails, and a text has at most 48 that are not the text itself in other words."""
    readings = retyped(text)
    assert len({reading.lower() for reading in readings}) == len(readings) <= MOST_READINGS
    assert text.lower() not in {reading.lower() for reading in readings}
    compared = [value for one in reread(ParsedScan(text)).candidates for _, value in one.comparisons]
    assert all(value and value.isascii() and value.isprintable() for value in compared)
    assert len(with_case_inverted(text)) == len(text)  # a capital sharp s would be two letters
