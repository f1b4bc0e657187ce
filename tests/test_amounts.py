"""Amounts on labels: prices as people write them, in the shop's currency and locale."""

from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from barcodesvc.amounts import PLAIN_AMOUNTS, AmountError, AmountFormat
from tests.properties import examples

GERMAN, AMERICAN = AmountFormat("EUR", "de_DE"), AmountFormat("USD", "en_US")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("4.1", "4,10\u00a0€"),
        ("4,10 €", "4,10\u00a0€"),
        ("EUR 4.10", "4,10\u00a0€"),
        ("4,-", "4,00\u00a0€"),
        ("1.234,50", "1.234,50\u00a0€"),
        ("1,234.50", "1.234,50\u00a0€"),
        ("1 234.5", "1.234,50\u00a0€"),
        ("1.234.567", "1.234.567,00\u00a0€"),
        ("1999", "1.999,00\u00a0€"),
        ("-0.125", "-0,13\u00a0€"),
    ],
)
def test_a_price_is_printed_as_a_price(text: str, printed: str) -> None:
    """Whatever signs and spaces its digits have, it is an amount of the currency in the locale."""
    assert GERMAN.money(text) == printed


def test_a_locale_and_a_currency_decide_how_a_price_looks() -> None:
    """A currency has its own number of decimals."""
    assert AMERICAN.money("1234.5") == "$1,234.50"
    assert AmountFormat("JPY", "ja").money("1234.5") == "￥1,235"
    assert AmountFormat("EUR", "fr").money("1234.5") == "1\u00a0234,50\u00a0€"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1.234", "a thousand times as much"),
        ("1,234", "a thousand times as much"),
        ("$4.10", "prints EUR, and '$4.10' is in another currency or unit"),
        ("12 Stk.", "in another currency or unit"),
        ("on request", "prints a number, not 'on request'"),
        ("1.23.4", "prints a number, not"),
        ("1,2,3.4", "prints a number, not"),
    ],
)
def test_no_price_is_guessed(text: str, message: str) -> None:
    """What can be two amounts, another currency or no amount is refused, and said why."""
    with pytest.raises(AmountError, match=message.replace("$", r"\$").replace(".", r"\.")):
        GERMAN.money(text)


def test_money_needs_a_currency() -> None:
    """The message names the setting."""
    with pytest.raises(AmountError, match="set BARCODESVC_CURRENCY"):
        PLAIN_AMOUNTS.money("4.10")


@pytest.mark.parametrize(
    ("text", "german", "american"),
    [
        ("0.25", "0,250", "0.250"),
        ("1.25 kg", "1,250", "1.250"),
        ("1.250", "1,250", "1.250"),
        ("1,250", "1,250", "1250.000"),
        ("1.234,5", "1234,500", "1234.500"),
    ],
)
def test_a_number_gets_its_decimals(text: str, german: str, american: str) -> None:
    """A point is that of decimals; a comma is what the locale says, where both are possible."""
    assert (GERMAN.decimals(text, 3), AMERICAN.decimals(text, 3)) == (german, american)


def test_a_number_may_have_no_decimals() -> None:
    """It is rounded as people do."""
    assert PLAIN_AMOUNTS.decimals("2.5", 0) == "3"


@examples(200)
@given(st.text(alphabet="0123456789.,-+' €$x", max_size=20))
def test_any_text_is_an_amount_or_refused(text: str) -> None:
    """No text fails in another way."""
    for printed in (GERMAN.money, lambda given: AMERICAN.decimals(given, 2)):
        with suppress(AmountError):
            assert printed(text)
