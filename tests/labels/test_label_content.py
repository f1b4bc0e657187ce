"""The content of labels: placeholders and what they stand for, payloads of symbols, fields and lines."""

import re
from datetime import date

import pytest
from hypothesis import given, strategies as st

from barcodesvc.amounts import AmountFormat
from barcodesvc.errors import InvalidContent, InvalidInput
from barcodesvc.gs1.digital_link import elements_of_link
from barcodesvc.labels.label_content import LabelContent, LabelData
from barcodesvc.labels.payloads import (
    CodePayload,
    ElementsPayload,
    LinkPayload,
    TextPayload,
    symbology_of_elements,
)
from barcodesvc.labels.placeholders import Fillings, UnfilledError, parsed
from barcodesvc.symbols.registry import BEST, find_symbology
from barcodesvc.texts import RefusedValueError
from tests.properties import examples

PRODUCT = {
    "description": "Blue {n} pen",
    "category": "",
    "attributes.price": "1,99 €",
    "attributes.weight": "0.25",
}
TODAY = date(2026, 1, 31)
GTIN = "4006381333931"
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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x {lot2}", "nothing fills {lot2}; give it in the values of the product"),
        ("{attributes.__class__}", "nothing fills {attributes.__class__}; the product has no attribute '__class__'"),
    ],
)
def test_a_name_that_nothing_fills_is_named(text: str, said: str) -> None:
    """The error has the placeholder as it is written, and says what would fill it."""
    with pytest.raises(UnfilledError, match=f"^{re.escape(said)}$"):
        _filled(text)


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
    with pytest.raises(
        RefusedValueError, match=r"is not a placeholder; there are \{description\}.*\{date\+7\} and"
    ) as refusal:
        parsed(text)
    assert refusal.value.details["rule"] == "unknown placeholder"


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
    """With the placeholder and what it was given."""
    with pytest.raises(UnfilledError, match=message):
        _filled(text)


@pytest.mark.parametrize(
    ("text", "given_date"), [("{date+9}", "soon"), ("{date+9}", ""), ("{date+9}", "9999-12-31"), ("{date:%d}", "soon")]
)
def test_days_are_counted_from_a_date_alone(text: str, given_date: str) -> None:
    """A value that is no date cannot be counted from or formatted, nor one at the end of the calendar."""
    with pytest.raises(UnfilledError, match=rf"{re.escape(text)} counts from a date"):
        _filled(text, Fillings("A-1", {}, {"date": given_date}, 1, TODAY))


def _item(code: str = GTIN, **values: str) -> Fillings:
    """Return what fills a label; values may be named after application identifiers: `ai10` becomes `10`."""
    named = {name.removeprefix("ai"): text for name, text in values.items()}
    return Fillings(code, {"description": "Highlighter"}, named, 7, TODAY)


def _elements(**elements: str) -> ElementsPayload:
    return ElementsPayload(tuple((ai.removeprefix("ai"), parsed(text)) for ai, text in elements.items()))


def test_the_code_is_the_default() -> None:
    """It is the code itself, even if a value has its name."""
    assert CodePayload().content(_item(product_code="B")) == GTIN


def test_a_text_is_filled() -> None:
    """It may number the labels; an empty one is refused, and so is one that is too long."""
    assert TextPayload(parsed("{product_code}-{n:05}")).content(_item()) == f"{GTIN}-00007"
    for text in ("{lot}", "x" * 501):
        with pytest.raises(InvalidContent, match="not 1 to 500 characters") as refusal:
            TextPayload(parsed(text)).content(_item(lot=""))
        assert refusal.value.details["rule"] == "length"
    with pytest.raises(UnfilledError):
        TextPayload(parsed("{lot}")).content(_item())


def test_elements_are_completed() -> None:
    """A GTIN gets its zeros, an ISO date becomes YYMMDD, and other values stay as they are."""
    payload = _elements(ai01="{product_code}", ai17="{date+7}", ai10="{lot}", ai15="261231", ai21="{n:05}")
    content = payload.content(_item(lot="A-7"))
    assert content == f"(01)0{GTIN}(17)260207(10)A-7(15)261231(21)00007"


@pytest.mark.parametrize("ai", ["11", "12", "13", "15", "16", "17"])
def test_every_date_may_be_iso(ai: str) -> None:
    """The dates of (11) to (17) are completed, and none of another identifier."""
    assert _elements(ai01=GTIN, **{ai: "2031-12-24"}).content(_item()) == f"(01)0{GTIN}({ai})311224"
    assert _elements(ai10="2031-12-24").content(_item()) == "(10)2031-12-24"


def test_a_value_never_becomes_another_element() -> None:
    """A lot with an identifier in brackets is written without brackets, and encoded as one value."""
    content = _elements(ai10="{lot}", ai21="9").content(_item(lot="A(21)7"))
    assert content == "10A(21)7\x1d219"
    assert find_symbology("GS1-128").encode(content).width


@pytest.mark.parametrize(
    ("elements", "message"),
    [
        ({"17": "2031-02-30"}, r"^\(17\) has 2031-02-30, not a date of the calendar$"),
        ({"17": "2077-01-01"}, "not a year from 1977 to 2076"),
        ({"01": "4006381333932"}, r"\(01\) takes 14 characters, not 13"),
        ({"10": "x\x1d21"}, r"\(10\) takes letters"),
        ({"01": GTIN, "02": GTIN}, r"\(02\) must not be in one symbol with \(01\)"),
    ],
)
def test_wrong_elements_are_refused_with_their_rule(elements: dict[str, str], message: str) -> None:
    """The message names the identifier and what would be right."""
    with pytest.raises(InvalidContent, match=message) as refusal:
        _elements(**elements).content(_item())
    assert refusal.value.details["rule"] == "GS1 element string"


def test_a_link_has_what_the_request_knows_of_the_item() -> None:
    """Lot and serial number are in its path, other elements in its query, and values of other names are not in it."""
    label = _item(lot="L/7", serial="9", expiry="2026-12-31", ai3103="000750", price="1,99")
    link = LinkPayload("id.shop.example").content(label)
    assert link == f"https://id.shop.example/01/0{GTIN}/10/L%2F7/21/9?17=261231&3103=000750"
    assert [(element.ai, element.value) for element in elements_of_link(link)] == [
        ("01", f"0{GTIN}"),
        ("10", "L/7"),
        ("21", "9"),
        ("17", "261231"),
        ("3103", "000750"),
    ]


@pytest.mark.parametrize("code", ["96385074", "036000291452", "15400141288763"])
def test_a_link_takes_a_gtin_of_any_length(code: str) -> None:
    """It has 14 digits in the link, and an equal (01) among the values adds nothing."""
    assert (
        LinkPayload("id.shop.example").content(_item(code, ai01=code)) == f"https://id.shop.example/01/{code.zfill(14)}"
    )


@pytest.mark.parametrize(
    ("code", "values", "rule"),
    [
        ("A-1", {}, "GTIN"),
        ("4006381333932", {}, "GTIN"),
        (GTIN, {"lot": "A", "ai10": "B"}, "GS1 element string"),
        (GTIN, {"ai01": "96385074"}, "GS1 element string"),
        (GTIN, {"expiry": "soon"}, "GS1 element string"),
        (GTIN, {"ai05": "1"}, "GS1 element string"),
    ],
)
def test_a_wrong_link_is_refused_with_its_rule(code: str, values: dict[str, str], rule: str) -> None:
    """A code that is no GTIN, an element with two values, and a value that breaks a rule."""
    with pytest.raises(InvalidContent) as refusal:
        LinkPayload("id.shop.example").content(_item(code, **values))
    assert refusal.value.details["rule"] == rule


@pytest.mark.parametrize(
    ("asked", "taken"),
    [("CODE128", "GS1-128"), ("GS1-128", "GS1-128"), ("QR", "GS1QR"), ("DATAMATRIX", "GS1DATAMATRIX")],
)
def test_elements_are_in_a_gs1_symbology(asked: str, taken: str) -> None:
    """A symbology of plain text becomes the one that holds elements; the best one for them is GS1-128."""
    assert symbology_of_elements(find_symbology(asked)).name == taken
    assert symbology_of_elements(BEST).name == "GS1-128"


@pytest.mark.parametrize("name", ["EAN13", "AZTEC", "DATABAROMNI"])
def test_other_symbologies_hold_no_elements(name: str) -> None:
    """The refusal names those that do."""
    with pytest.raises(InvalidInput, match=f"{name} holds no GS1 elements; there are GS1-128"):
        symbology_of_elements(find_symbology(name))


def _content(*lines: str, fields: tuple[str, ...] = (), payload: str = "{product_code}") -> LabelContent:
    return LabelContent(fields, tuple(map(parsed, lines)), TextPayload(parsed(payload)))


def _labels(content: LabelContent, *numbers: int) -> list[tuple[str, tuple[str, ...]]]:
    """Return payload and texts of labels with these numbers."""
    bolt = {"description": "Bolt", "category": "", "unit_of_measure": "pcs"}
    return [content.filled(LabelData(TODAY, None, {"A": bolt}, None), "A", {}, number) for number in numbers]


def test_fields_come_before_lines() -> None:
    """A label has the requested fields in their order, then the lines; those that are empty keep their places."""
    content = _content("Aisle 7", "", "{category}", "{date}", fields=("unit_of_measure", "description", "category"))
    assert _labels(content, 1) == [("A", ("pcs", "Bolt", "", "Aisle 7", "", "", "2026-01-31"))]


def test_labels_of_an_entry_differ_only_by_their_numbers() -> None:
    """Without a number all of them are equal; with one in a line or in the payload each has its own."""
    plain, line, payload = _content("{date}"), _content("{n}"), _content(payload="A-{n:02}")
    assert (plain.is_numbered, line.is_numbered, payload.is_numbered) == (False, True, True)
    assert _labels(line, 9, 10) == [("A", ("9",)), ("A", ("10",))]
    assert _labels(payload, 9, 10) == [("A-09", ()), ("A-10", ())]


def test_names_of_the_catalogue_are_known() -> None:
    """They decide which products are read; numbers, dates, codes and values need none."""
    assert _content("{n} {date} {product_code} {lot} {description}").product_names() == {"description"}
    assert _content(payload="{attributes.price}").product_names() == {"attributes.price"}
