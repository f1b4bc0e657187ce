import pytest
from hypothesis import given, strategies as st

from barcodesvc.scanning.payload import Payload, payload_of


def test_a_payload_names_its_product() -> None:
    """Code, description and category are read; other fields do not matter."""
    text = '{"product_code":"A-1","description":"Bolt","category":"M","timestamp":5}'
    assert payload_of(text) == Payload("A-1", "Bolt", "M")
    assert payload_of('{"product_code":" A-1\u00a0","description":5}') == Payload("A-1")


def test_caps_lock_in_a_payload_is_turned_back() -> None:
    """The key in capitals shows that every letter has the wrong case."""
    assert payload_of('{"PRODUCT_CODE":"a-1"}') == Payload("A-1")


@pytest.mark.parametrize("text", ["", "product", "Üproduct", "¨%product%M%£", '{"product_code":', "{}", "{" * 5000])
def test_what_is_no_payload_stays_none(text: str) -> None:
    """The word alone is not evidence."""
    assert payload_of(text) is None


@given(st.text(max_size=200).map(lambda text: f'{{"product_code":{text}'))
def test_any_text_is_judged_without_an_error(text: str) -> None:
    """No damage causes an exception."""
    payload_of(text)
