import pytest

from barcodesvc.gs1.element_strings import Element, parse_bracketed
from barcodesvc.scanning.gs1_data import gs1_data


def test_what_a_symbol_says_comes_out_by_name() -> None:
    """GTIN, lot, serial, expiry, weight and price, and every element under its AI."""
    elements = parse_bracketed("(01)03140100143119(10)L2307A(21)SN1(17)271231(3103)001250(3922)1234")
    assert gs1_data(elements, 2026) == {
        "gtin": "03140100143119",
        "lot": "L2307A",
        "serial": "SN1",
        "expiry": "2027-12-31",
        "net_weight_kg": 1.25,
        "price": 12.34,
        "elements": {
            "01": "03140100143119",
            "10": "L2307A",
            "21": "SN1",
            "17": "271231",
            "3103": "001250",
            "3922": "1234",
        },
    }


def test_only_what_is_there_is_returned() -> None:
    """A pallet's number has no GTIN."""
    assert gs1_data(parse_bracketed("(00)340123450000000000"), 2026) == {"elements": {"00": "340123450000000000"}}


def test_contradicting_gtins_are_none() -> None:
    """With two trade items in one symbol, neither is chosen; the first is among the elements."""
    said = gs1_data([Element("01", "03140100143119"), Element("01", "04006381333931")], 2026)
    assert said == {"elements": {"01": "03140100143119"}}


@pytest.mark.parametrize("decimals", range(6))
def test_the_ai_says_where_the_decimal_point_is(decimals: int) -> None:
    """(310n) has n decimals."""
    said = gs1_data([Element(f"310{decimals}", "123456")], 2026)
    assert said["net_weight_kg"] == pytest.approx(123456 / 10**decimals)
