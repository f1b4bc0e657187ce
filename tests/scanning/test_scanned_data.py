"""The data in a scan next to the number of a product: GS1 elements, HIBC data, messages of packs, payloads."""

from hypothesis import given, strategies as st

from barcodesvc.gs1.element_strings import Element, parse_bracketed
from barcodesvc.numbers.check_digits import modulo_43_character
from barcodesvc.scanning.element_string import read_element_string
from barcodesvc.scanning.gs1_data import gs1_data, gtin_of
from barcodesvc.scanning.hibc_data import secondary_data
from barcodesvc.scanning.pack_data import pack_data, read_pack
from barcodesvc.scanning.payload import Payload, payload_of
from tests.sweeps import sweep

GTIN = "03178040638617"
YEAR = 2026


@sweep("separator", ["\x1d", "{GS}", "{gs}", "<GS>", "^]", "|", "\u241d"])
def test_typed_separators_separate(separator: str) -> None:
    """Each usual representation of 0x1D ends a batch number."""
    elements = read_element_string(f"10B/4471{separator}01{GTIN}{separator}21A").elements
    assert elements == (Element("10", "B/4471"), Element("01", GTIN), Element("21", "A"))


@sweep(
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
        *("", "(", "()", "(01)", "ABC", GTIN, f"x01{GTIN}", f"0501{GTIN}", "0103178040638618", "010317804063"),
        *("01" + "0" * 14, f"02{GTIN}3724", f"01{GTIN}0100000012345670", f"(01){GTIN}(01)00000012345670"),
        f"10AB01{GTIN}21ABCDEFGHIJ",
    ],
)
def test_no_gtin_is_guessed(text: str) -> None:
    """Truncated, invalid, contradictory or contained GTINs, or those after the damage, are ignored."""
    assert gtin_of(read_element_string(text).elements) is None


@given(st.one_of(st.text(), st.text("()0123456789|\x1d^]{GS}<>A", max_size=80)))
def test_any_element_string_is_judged_without_an_error(text: str) -> None:
    """Unreadable parts mean fewer elements, never an exception."""
    assert all(element.value for element in read_element_string(text).elements)
    assert gtin_of(read_element_string(text).elements) is None or "01" in text


@sweep(
    ("elements", "expected"),
    [
        (
            parse_bracketed("(01)03140100143119(10)L2307A(21)SN1(17)271231(3103)001250(3922)1234"),
            {
                "gtin": "03140100143119",
                "lot": "L2307A",
                "serial": "SN1",
                "expiry": "2027-12-31",
                "net_weight_kg": 1.25,
                "price": 12.34,
            },
        ),
        (parse_bracketed("(00)340123450000000000"), {}),
        ([Element("01", "03140100143119"), Element("01", "04006381333931")], {}),
        ([Element("3100", "123456")], {"net_weight_kg": 123456}),
        ([Element("3105", "123456")], {"net_weight_kg": 1.23456}),
    ],
)
def test_what_a_symbol_says_comes_out_by_name(elements: list[Element], expected: dict[str, object]) -> None:
    """Next to every element under its AI; of two trade items in one symbol none is chosen, and the first is listed."""
    listed = {element.ai: element.value for element in reversed(elements)}
    assert gs1_data(elements, YEAR) == {**expected, "elements": listed}


def checked(text: str) -> str:
    """Return HIBC data with their check character."""
    return text + modulo_43_character(text)


def said(text: str) -> dict[str, object] | None:
    """Return what a code says, None if it is not a pack's."""
    pack = read_pack(text)
    return dict(pack_data(pack.said, YEAR)) if pack else None


@sweep(
    ("secondary", "expected"),
    [
        ("$LOT7", {"lot": "LOT7"}),
        ("$+S-17", {"serial": "S-17"}),
        ("29090LOT7", {"lot": "LOT7", "expiry": "2029-03-31"}),
        ("29090", {"expiry": "2029-03-31"}),
        ("$$0329LOT7", {"lot": "LOT7", "expiry": "2029-03-31"}),
        ("$$1129", {"expiry": "2029-11-30"}),
        ("$$2033129LOT7", {"lot": "LOT7", "expiry": "2029-03-31"}),
        ("$$3290331LOT7", {"lot": "LOT7", "expiry": "2029-03-31"}),
        ("$$429033123LOT7", {"lot": "LOT7", "expiry": "2029-03-31"}),
        ("$$529090LOT7", {"lot": "LOT7", "expiry": "2029-03-31"}),
        ("$$62909023LOT7", {"lot": "LOT7", "expiry": "2029-03-31"}),
        ("$$7LOT7", {"lot": "LOT7"}),
        ("$$+7S17", {"serial": "S17"}),
        ("$$+3290331S17", {"serial": "S17", "expiry": "2029-03-31"}),
        ("$$8053290331260301104", {"lot": "260301104", "expiry": "2029-03-31", "quantity": 5}),
        ("$$900100", {"quantity": 100}),
        ("$$9001007LOT7", {"lot": "LOT7", "quantity": 100}),
        ("$$8050329LOT7", {"lot": "LOT7", "expiry": "2029-03-31", "quantity": 5}),
        ("$$8053290331260301104/S17/Q6", {"lot": "260301104", "expiry": "2029-03-31", "quantity": 6, "serial": "17"}),
        ("$$52001510X3/16D20111212/S77DEFG45", {"lot": "10X3", "expiry": "2020-01-15", "serial": "77DEFG45"}),
        ("S77/14D20290331/Q5", {"serial": "77", "expiry": "2029-03-31", "quantity": 5}),
        ("$$3290231LOT7", {"lot": "LOT7"}),
        ("29367LOT7", {"lot": "LOT7"}),
        ("28366", {"expiry": "2028-12-31"}),
        ("29366", {}),
        ("$$2133129LOT7", {"lot": "LOT7"}),
        ("$$371LOT", {"lot": "371LOT"}),
    ],
)
def test_secondary_data_are_read(secondary: str, expected: dict[str, object]) -> None:
    """Lot, serial number, expiry and quantity in each of the formats; a day that does not exist is left out."""
    assert said(checked(f"+EHWD3551419/{secondary}")) == expected
    if not secondary.startswith("S"):
        assert said(checked(f"+{secondary}+")) == expected


@sweep(
    ("text", "number"),
    [
        ("+EHWD3551419G", "+EHWD3551419G"),
        ("*+EHWD3551419/$$900100F*", "+EHWD3551419G"),
        ("+$$8053290331260301104+$", ""),
        ("[)>\x1e069N110498762989\x1d1TLOT7", "9N110498762989"),
        ("[)>\x1e06\x1d8P04006381333931\x1d1TLOT7", "04006381333931"),
        ("[)>\x1e06\x1d1TLOT7", ""),
        ("+EHWD3551419/$$900100G", None),
        *((text, None) for text in ("EHWD3551419G", "+1HWD3551419G", "+", "", "+EHWG", "[)>", "9N")),
    ],
)
def test_the_number_of_the_product_is_a_text_that_is_found(text: str, number: str | None) -> None:
    """With the check character that it has alone, and empty for a lot alone; without flag or check it is no pack."""
    pack = read_pack(text)
    assert (pack.number if pack else None) == number


@sweep("separator", ["\x1d", "{GS}", "<GS>", "[GS]", "^]", "|", "\\x1d", "\u241d"])
def test_a_message_is_read_with_separators_as_keyboards_type_them(separator: str) -> None:
    """PPN, lot, expiry and serial number of a German pack."""
    text = separator.join(["[)>\x1e06", "9N110498762989", "1TLOT7", "D270600", "S17ABC"]) + "\x1e\x04"
    assert said(text) == {"lot": "LOT7", "expiry": "2027-06-30", "serial": "17ABC"}


@given(st.text("+$/0123456789ABCDEHW-. %*", max_size=80) | st.text(max_size=80))
def test_any_pack_is_judged_without_an_error(text: str) -> None:
    """What is damaged is left out."""
    said(text)
    said(checked(f"+{text}+"))
    secondary_data(text)


@sweep(
    ("text", "payload"),
    [
        (
            '{"product_code":"A-1","description":"Bolt","category":"M","timestamp":5}',
            Payload("A-1", "Bolt", "M"),
        ),
        ('{"product_code":" A-1\u00a0","description":5}', Payload("A-1")),
        ('{"PRODUCT_CODE":"a-1"}', Payload("A-1")),  # Caps Lock: every letter has the wrong case
        *((text, None) for text in ("", "product", "Üproduct", "¨%product%M%£", '{"product_code":', "{}")),
        *((text, None) for text in ('{"product_code": 5}', '{"product_code": null}', '{"product_code": ["A"]}')),
        *((text, None) for text in ('["product_code", "A"]', '{"product_code": "A"', '{"product_code": "A"} A')),
        *((text, None) for text in ('{"product_code": ' + "9" * 5000 + "}", '{"product_code": ' + "[" * 4000)),
    ],
)
def test_a_payload_names_its_product(text: str, payload: Payload | None) -> None:
    """Only a whole JSON object with a text under product_code counts, however deep or large the rest is."""
    assert payload_of(text) == payload


@given(st.text(max_size=200).map(lambda text: f'{{"product_code":{text}'))
def test_any_payload_is_judged_without_an_error(text: str) -> None:
    """No damage causes an exception."""
    payload_of(text)
