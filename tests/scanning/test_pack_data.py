import pytest
from hypothesis import given, strategies as st

from barcodesvc.numbers.check_digits import modulo_43_character
from barcodesvc.scanning.hibc_data import secondary_data
from barcodesvc.scanning.pack_data import pack_data, read_pack
from tests.sweeps import sweep

YEAR = 2026


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


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("+EHWD3551419G", "+EHWD3551419G"),
        ("+EHWD3551419/$$900100F", "+EHWD3551419G"),
        ("*+EHWD3551419/$$900100F*", "+EHWD3551419G"),
        ("+$$8053290331260301104+$", ""),
        ("[)>\x1e069N110498762989\x1d1TLOT7", "9N110498762989"),
        ("[)>\x1e06\x1d8P04006381333931\x1d1TLOT7", "04006381333931"),
        ("[)>\x1e06\x1d1TLOT7", ""),
    ],
)
def test_the_number_of_the_product_is_a_text_that_is_found(text: str, number: str) -> None:
    """With the check character that it has alone, and empty for a lot alone."""
    pack = read_pack(text)
    assert pack is not None
    assert pack.number == number


@pytest.mark.parametrize(
    "text", ["+EHWD3551419/$$900100G", "EHWD3551419G", "+1HWD3551419G", "+", "", "+EHWG", "[)>", "9N"]
)
def test_other_texts_are_no_pack(text: str) -> None:
    """Without flag, with another check character, or too short."""
    assert read_pack(text) is None


@pytest.mark.parametrize("separator", ["\x1d", "{GS}", "<GS>", "[GS]", "^]", "|", "\\x1d", "\u241d"])
def test_a_message_is_read_with_separators_as_keyboards_type_them(separator: str) -> None:
    """PPN, lot, expiry and serial number of a German pack."""
    text = separator.join(["[)>\x1e06", "9N110498762989", "1TLOT7", "D270600", "S17ABC"]) + "\x1e\x04"
    assert said(text) == {"lot": "LOT7", "expiry": "2027-06-30", "serial": "17ABC"}


@given(st.text("+$/0123456789ABCDEHW-. %*", max_size=80) | st.text(max_size=80))
def test_any_text_is_judged_without_an_error(text: str) -> None:
    """What is damaged is left out."""
    said(text)
    said(checked(f"+{text}+"))
    secondary_data(text)
