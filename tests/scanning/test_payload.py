import json

import pytest
from hypothesis import given, strategies as st

from barcodesvc.scanning.payload import AMERICAN, LAYOUTS, Payload, payload_of, retyped, with_case_inverted

CODE = st.text("ABCXYZabcqw0123456789-./", min_size=1, max_size=12)
layouts = st.sampled_from(sorted(LAYOUTS))
PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))
GERMAN, FRENCH, SWEDISH, NORWEGIAN, DANISH = range(5)


def typed(text: str, layout: str) -> str:
    """Return what a keyboard of this layout makes of a text."""
    return text.translate(str.maketrans(AMERICAN, LAYOUTS[layout]))


def test_a_payload_names_its_product() -> None:
    """Code, description and category are read; other fields do not matter."""
    text = '{"product_code":"A-1","description":"Bolt","category":"M","timestamp":5}'
    assert payload_of(text) == Payload("A-1", "Bolt", "M")
    assert payload_of('{"product_code":" A-1\u00a0","description":5}') == Payload("A-1")


def test_caps_lock_in_a_payload_is_turned_back() -> None:
    """The key in capitals shows that every letter has the wrong case."""
    assert payload_of('{"PRODUCT_CODE":"a-1"}') == Payload("A-1")
    assert payload_of("üäPRODUCT?CODEäöäa1ä*") == Payload("A1")


@given(CODE, layouts)
def test_a_payload_typed_on_another_keyboard_is_repaired_or_left(code: str, layout: str) -> None:
    """The original is recovered, unless another layout gives another code just as well: then nothing is."""
    repaired = payload_of(typed(json.dumps({"product_code": code}, separators=(",", ":")), layout))
    assert repaired in {None, Payload(code)}


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_digits_are_repaired_on_every_layout(layout: str) -> None:
    """All of them yield the GTIN, even without the closing brace, which is a dead key in the north."""
    sent = '{"product_code":"4006381333931"}'
    assert payload_of(typed(sent, layout)) == Payload("4006381333931")
    if layout in {"Swedish and Finnish", "Norwegian", "Danish"}:
        assert payload_of(typed(sent, layout)[:-1]) == Payload("4006381333931")


@pytest.mark.parametrize(
    "text", ["", "product", "Üproduct", "¨%product%M%£", '{"product_code":', "Ü" * 5000 + "product"]
)
def test_what_is_no_payload_stays_none(text: str) -> None:
    """The word alone is not evidence, and texts longer than any symbol are not tried."""
    assert payload_of(text) is None


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_the_identifier_in_front_was_typed_as_well(layout: str) -> None:
    """A scanner that sends identifiers types them on the same keyboard."""
    assert payload_of(typed(']Q1{"product_code":"4006381333931"}', layout)) == Payload("4006381333931")


def test_an_ambiguous_repair_is_not_made() -> None:
    """Swedish and German keyboards put `{"` on other keys, but if two layouts read two codes, neither is used."""
    for layout in LAYOUTS:
        for code in ("A-1", "A/1", "A_1", "z1"):
            repaired = payload_of(typed(json.dumps({"product_code": code}), layout))
            assert repaired in {None, Payload(code)}


@given(st.text(max_size=200).map(lambda text: f"{text}product"))
def test_any_text_is_judged_without_an_error(text: str) -> None:
    """No damage causes an exception."""
    payload_of(text)


@pytest.mark.parametrize(
    ("layout", "typed"),
    [
        (GERMAN, "ÜÄproduct?codeÄÖÄAY/yÄ*"),
        (FRENCH, "¨%product°code%M%QWµw%£"),
        (SWEDISH, "ÅÄproduct?codeÄÖÄAZ/zÄ^"),
        (NORWEGIAN, "ÅÆproduct?codeÆØÆAZ/zÆ^"),
        (DANISH, "ÅØproduct?codeØÆØAZ/zØ^"),
    ],
)
def test_each_layout_is_turned_back(layout: int, typed: str) -> None:
    """The structure of a payload can be recovered from what these keyboards make of it."""
    reading = list(retyped(typed))[layout]
    assert reading.startswith('{"product_code":"AZ')
    assert reading.endswith('"}')


def test_no_layout_loses_a_key() -> None:
    """Every character that an American keyboard types can come out of each layout."""
    keys = "^1234567890ß´qwertzuiopü+#asdfghjklöäyxcvbnm,.-°!\"§$%&/()=?`QWERTZUIOPÜ*'ASDFGHJKLÖÄYXCVBNM;:_"  # noqa: RUF001 - that key is an acute accent
    assert set(next(retyped(keys))) == set(PRINTABLE)


@given(st.text())
def test_every_reading_is_as_long_as_the_text(text: str) -> None:
    """A key is one character, so nothing grows and nothing fails."""
    assert {len(reading) for reading in retyped(text)} == {len(text)}
    assert len(with_case_inverted(text)) == len(text)


def test_caps_lock_is_turned_back_where_letters_have_one_other_case() -> None:
    """Sharp s, whose capital is two letters, stays."""
    assert with_case_inverted("aBß1") == "Abß1"
