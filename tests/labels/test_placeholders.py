"""Placeholders: what they stand for, and what is not one."""

import re
from datetime import date

import pytest
from hypothesis import given, strategies as st

from barcodesvc.amounts import AmountFormat
from barcodesvc.labels.placeholders import Fillings, UnfilledError, parsed
from tests.properties import examples

PRODUCT = {
    "description": "Blue {n} pen",
    "category": "",
    "attributes.price": "1,99 €",
    "attributes.weight": "0.25",
}
TODAY = date(2026, 1, 31)
LABEL = Fillings("A-1", PRODUCT, {"lot": "L7"}, 7, TODAY, AmountFormat("EUR"))


def _filled(text: str, label: Fillings = LABEL) -> str:
    return parsed(text).filled(label)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{product_code}: {attributes.price}", "A-1: 1,99 €"),
        ("{category}", ""),
        ("{n} {n:05} {n:01}", "7 00007 7"),
        ("{date} {date+7} {date-31}", "2026-01-31 2026-02-07 2025-12-31"),
        ("{date:%d.%m.%Y} {date+1:%d/%m/%y %j%%}", "31.01.2026 01/02/26 032%"),
        ("{attributes.price:money} {attributes.weight:.3} {attributes.weight:.0}", "€1.99 0.250 0"),
        ("{lot}", "L7"),
        ("{{n}} {{{n}}} }}{{", "{n} {7} }{"),
        ("50 { } {} a{ }b { n } {-1} {", "50 { } {} a{ }b { n } {-1} {"),
        ("", ""),
    ],
)
def test_a_template_is_filled(text: str, expected: str) -> None:
    """Names become their texts, doubled braces become braces, and other braces stay."""
    assert _filled(text) == expected


def test_what_is_filled_in_is_not_parsed_again() -> None:
    """A product whose description has braces prints them."""
    assert _filled("{description}") == "Blue {n} pen"


def test_own_values_win() -> None:
    """A value may have the name of a number, a date or a field."""
    label = Fillings("A-1", PRODUCT, {"n": "12", "date": "2024-02-28", "product_code": "B"}, 7, TODAY)
    assert _filled("{n:03} {date} {date+2} {product_code}", label) == "012 2024-02-28 2024-03-01 B"


@pytest.mark.parametrize("text", ["{price}", "{attributes.colour}", "x {lot2}"])
def test_a_name_that_nothing_fills_is_named(text: str) -> None:
    """The error has the placeholder as it is written."""
    with pytest.raises(UnfilledError, match=f"^nothing fills {re.escape(text.removeprefix('x '))}; "):
        _filled(text)


@pytest.mark.parametrize("given_date", ["soon", "", "9999-12-31"])
def test_days_are_counted_from_a_date_alone(given_date: str) -> None:
    """A value that is no date cannot be counted from, nor one at the end of the calendar."""
    with pytest.raises(UnfilledError, match=r"\{date\+9\} counts from a date"):
        _filled("{date+9}", Fillings("A-1", {}, {"date": given_date}, 1, TODAY))


@pytest.mark.parametrize(
    "text",
    [
        *("{description.__class__}", "{attributes.__class__.x}", "{0.__class__.__mro__}", "{product_code[0]}"),
        *("{n!r}", "{n:>9999999}", "{n:5}", "{n:021}", "{n+1}", "{date:05}", "{date+99999}", "{description:05}"),
        *("{M}", "{Description}", "{attributes.}", "{attributes.a.b}", "{a b}", "{n }", "{" + "x" * 33 + "}"),
        *("{aü}", "{n:0\u0665}"),
        *("{date:%H}", "{date:%}", "{date:%d%s}", "{date:.2}", "{n:money}", "{description:money}", "{lot:%d}"),
        *("{attributes.price:.7}", "{attributes.price:money.2}", "{attributes.price:05}", "{attributes.price+1}"),
    ],
)
def test_format_tricks_are_refused(text: str) -> None:
    """What only begins like a placeholder is refused with a hint, instead of printed on thousands of labels."""
    with pytest.raises(ValueError, match=r"is no placeholder; there are \{description\}"):
        parsed(text)


def test_a_dunder_name_is_a_name_like_others() -> None:
    """It is looked up in the table, where it is not."""
    with pytest.raises(UnfilledError, match=r"nothing fills \{attributes\.__class__\}"):
        _filled("{attributes.__class__}")


def test_a_template_knows_its_names() -> None:
    """They tell which products have to be read, and whether equal labels are equal."""
    assert parsed("{description} {{lot}} {n:02}").names == {"description", "n"}
    assert parsed("{n:02}").is_numbered
    assert not parsed("{{n}} {date}").is_numbered


@examples(200)
@given(st.text(alphabet="{}n:05date+-_. A", max_size=20))
def test_any_text_is_filled_or_refused_with_a_reason(text: str) -> None:
    """No text fails in another way, and one without braces is itself."""
    try:
        filled = _filled(text)
    except ValueError as refusal:
        filled = str(refusal)
    assert filled == text or {"{", "}"} & set(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{lot:money}", r"^\{lot:money\} prints EUR, and 'L7' is in another currency or unit$"),
        ("{lot:.2}", r"^\{lot:\.2\} prints a number"),
    ],
)
def test_what_is_no_amount_is_named(text: str, message: str) -> None:
    """With the placeholder and what it was given; so is any other text instead of a date."""
    with pytest.raises(UnfilledError, match=message):
        _filled(text)
    with pytest.raises(UnfilledError, match="counts from a date"):
        _filled("{date:%d}", Fillings("A-1", {}, {"date": "soon"}, 1, TODAY))
