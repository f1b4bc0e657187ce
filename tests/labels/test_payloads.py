"""Payloads: what the symbol of a label holds."""

from datetime import date

import pytest

from barcodesvc.errors import InvalidContent, InvalidInput
from barcodesvc.gs1.digital_link import elements_of_link
from barcodesvc.gs1.element_strings import parse_bracketed
from barcodesvc.labels.payloads import (
    CodePayload,
    ElementsPayload,
    LinkPayload,
    TextPayload,
    symbology_of_elements,
)
from barcodesvc.labels.placeholders import Fillings, UnfilledError, parsed
from barcodesvc.symbols.registry import BEST, find_symbology

GTIN = "4006381333931"
LINK = LinkPayload("id.shop.example")


def _label(code: str = GTIN, **values: str) -> Fillings:
    return Fillings(code, {"description": "Highlighter"}, values, 7, date(2026, 1, 31))


def _numbered(code: str = GTIN, **values: str) -> Fillings:
    """Return a label whose values are named after application identifiers: `ai10` becomes `10`."""
    return _label(code, **{name.removeprefix("ai"): text for name, text in values.items()})


def _elements(**elements: str) -> ElementsPayload:
    return ElementsPayload(tuple((ai.removeprefix("ai"), parsed(text)) for ai, text in elements.items()))


def test_the_code_is_the_default() -> None:
    """It is the code itself, even if a value has its name."""
    assert CodePayload().content(_label(product_code="B")) == GTIN


def test_a_text_is_filled() -> None:
    """It may number the labels; an empty one is refused, and so is one that is too long."""
    assert TextPayload(parsed("{product_code}-{n:05}")).content(_label()) == f"{GTIN}-00007"
    for text in ("{lot}", "x" * 501):
        with pytest.raises(InvalidContent, match="not 1 to 500 characters") as refusal:
            TextPayload(parsed(text)).content(_label(lot=""))
        assert refusal.value.details["rule"] == "length"
    with pytest.raises(UnfilledError):
        TextPayload(parsed("{lot}")).content(_label())


def test_elements_are_completed() -> None:
    """A GTIN gets its zeros, an ISO date becomes YYMMDD, and other values stay as they are."""
    payload = _elements(ai01="{product_code}", ai17="{date+7}", ai10="{lot}", ai15="261231", ai21="{n:05}")
    content = payload.content(_label(lot="A-7"))
    assert content == f"(01)0{GTIN}(17)260207(10)A-7(15)261231(21)00007"


@pytest.mark.parametrize("ai", ["11", "12", "13", "15", "16", "17"])
def test_every_date_may_be_iso(ai: str) -> None:
    """The dates of (11) to (17) are completed, and none of another identifier."""
    assert _elements(ai01=GTIN, **{ai: "2031-12-24"}).content(_label()) == f"(01)0{GTIN}({ai})311224"
    assert _elements(ai10="2031-12-24").content(_label()) == "(10)2031-12-24"


def test_a_value_never_becomes_another_element() -> None:
    """A lot with an identifier in brackets is written without brackets, and encoded as one value."""
    content = _elements(ai10="{lot}", ai21="9").content(_label(lot="A(21)7"))
    assert content == "10A(21)7\x1d219"
    assert find_symbology("GS1-128").encode(content).width


@pytest.mark.parametrize(
    ("elements", "message"),
    [
        ({"17": "2031-02-30"}, r"^\(17\) has 2031-02-30, not a date of the calendar$"),
        ({"17": "311301"}, r"^\(17\) has month 13 in '311301', not 01 to 12$"),
        ({"17": "2077-01-01"}, "not a year from 1977 to 2076"),
        ({"17": "tomorrow"}, r"\(17\) takes digits here"),
        ({"01": "4006381333932"}, r"\(01\) takes 14 characters, not 13"),
        ({"10": ""}, r"\(10\) takes 1 to 20 characters, not 0"),
        ({"10": "ä"}, r"\(10\) takes letters"),
        ({"10": "x\x1d21"}, r"\(10\) takes letters"),
        ({"01": GTIN, "02": GTIN}, r"\(02\) must not be in one symbol with \(01\)"),
    ],
)
def test_wrong_elements_are_refused_with_their_rule(elements: dict[str, str], message: str) -> None:
    """The message names the identifier and what would be right."""
    with pytest.raises(InvalidContent, match=message) as refusal:
        _elements(**elements).content(_label())
    assert refusal.value.details["rule"] == "GS1 element string"


def test_a_link_has_what_the_request_knows_of_the_item() -> None:
    """Lot and serial number are in its path, other elements in its query, and values of other names are not in it."""
    label = _numbered(lot="L/7", serial="9", expiry="2026-12-31", ai3103="000750", price="1,99")
    link = LINK.content(label)
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
    """It has 14 digits in the link."""
    assert LINK.content(_label(code)) == f"https://id.shop.example/01/{code.zfill(14)}"


@pytest.mark.parametrize(
    ("code", "values", "rule"),
    [
        ("A-1", {}, "GTIN"),
        ("4006381333932", {}, "GTIN"),
        (GTIN, {"lot": "A", "ai10": "B"}, "GS1 element string"),
        (GTIN, {"ai01": "96385074"}, "GS1 element string"),
        (GTIN, {"expiry": "soon"}, "GS1 element string"),
        (GTIN, {"ai05": "1"}, "GS1 element string"),
        (GTIN, {"lot": "x" * 21}, "GS1 element string"),
    ],
)
def test_a_wrong_link_is_refused_with_its_rule(code: str, values: dict[str, str], rule: str) -> None:
    """A code that is no GTIN, an element with two values, and a value that breaks a rule."""
    with pytest.raises(InvalidContent) as refusal:
        LINK.content(_numbered(code, **values))
    assert refusal.value.details["rule"] == rule


def test_the_gtin_itself_may_be_repeated() -> None:
    """An equal (01) among the values adds nothing."""
    assert LINK.content(_numbered(ai01=GTIN)) == f"https://id.shop.example/01/0{GTIN}"


@pytest.mark.parametrize(
    ("asked", "taken"),
    [
        ("CODE128", "GS1-128"),
        ("GS1-128", "GS1-128"),
        ("QR", "GS1QR"),
        ("DATAMATRIX", "GS1DATAMATRIX"),
        ("DATABAREXPANDED", "DATABAREXPANDED"),
    ],
)
def test_elements_are_in_a_gs1_symbology(asked: str, taken: str) -> None:
    """A symbology of plain text becomes the one that holds elements, which draws them."""
    symbology = symbology_of_elements(find_symbology(asked))
    assert symbology.name == taken
    content = _elements(ai01=GTIN, ai10="7").content(_label())
    assert symbology.encode(content).width
    assert len(parse_bracketed(content)) == 2


def test_the_best_symbology_for_elements_is_gs1_128() -> None:
    """There is no other one that suits elements better."""
    assert symbology_of_elements(BEST).name == "GS1-128"


@pytest.mark.parametrize("name", ["EAN13", "AZTEC", "PDF417", "DATABAROMNI"])
def test_other_symbologies_hold_no_elements(name: str) -> None:
    """The refusal names those that do."""
    with pytest.raises(InvalidInput, match=f"{name} holds no GS1 elements; there are GS1-128"):
        symbology_of_elements(find_symbology(name))
