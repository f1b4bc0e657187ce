from collections.abc import Callable
from string import ascii_letters, digits

import pytest
from hypothesis import given, strategies as st

from barcodesvc.gs1.element_strings import (
    FNC1,
    Element,
    Gs1Error,
    iter_bracketed,
    iter_element_string,
    parse_bracketed,
    parse_element_string,
    to_element_string,
)
from barcodesvc.gs1.gtin import check_digit
from tests.sweeps import sweep

CSET_82 = ascii_letters + digits + "!\"%&'()*+,-./:;<=>?_"


def numeric(least: int, most: int) -> st.SearchStrategy[str]:
    """Strings of this many ASCII digits."""
    return st.text(digits, min_size=least, max_size=most)


def closed(length: int) -> st.SearchStrategy[str]:
    """Strings of this many digits with a valid check digit."""
    return numeric(length - 1, length - 1).map(lambda body: body + check_digit(body))


def elements_of(*ais: str, value: st.SearchStrategy[str]) -> st.SearchStrategy[Element]:
    """Elements with one of these AIs."""
    return st.builds(Element, st.sampled_from(ais), value)


valid_elements = st.lists(
    st.one_of(
        elements_of("00", "8017", value=closed(18)),
        elements_of("01", "02", "03", "8003", value=closed(14)),
        elements_of("410", "417", "253", "255", value=closed(13)),
        elements_of("402", value=closed(17)),
        elements_of("11", "17", "3100", "3695", "7006", "8005", "3955", value=numeric(6, 6)),
        elements_of("20", "7241", value=numeric(2, 2)),
        elements_of("30", "37", value=numeric(1, 8)),
        elements_of("3919", "3930", value=numeric(4, 18)),
        elements_of("10", "21", "22", "243", "710", value=st.text(CSET_82, min_size=1, max_size=20)),
        elements_of("90", "240", "400", value=st.text(CSET_82, min_size=1, max_size=30)),
        elements_of("91", "99", "7256", value=st.text(CSET_82, min_size=1, max_size=90)),
    ),
    min_size=1,
    max_size=8,
).map(tuple)


@given(valid_elements)
def test_element_strings_read_back_as_they_were_written(elements: tuple[Element, ...]) -> None:
    """Writing and reading raw strings is the identity for valid elements."""
    assert parse_element_string(to_element_string(elements)) == elements


@given(valid_elements, st.integers(0, 3), st.integers(0, 3))
def test_extra_separators_are_ignored(elements: tuple[Element, ...], front: int, behind: int) -> None:
    """FNC1 at the start, at the end, doubled and after predefined lengths changes nothing."""
    separator = FNC1 * (behind + 1)
    raw = FNC1 * front + separator.join(to_element_string([element]) for element in elements) + FNC1 * behind
    assert parse_element_string(raw) == elements


def test_a_separator_is_only_between_a_variable_length_and_the_next() -> None:
    """There is no separator after a predefined length, and none at the end."""
    elements = parse_bracketed("(01)04012345678901(17)271231(10)ABC(3103)001250(422)056(21)7")
    assert to_element_string(elements) == "01040123456789011727123110ABC\x1d3103001250422056\x1d217"


@sweep(
    "text",
    [
        "(00)095201234567890122",
        "(01)04012345678901",
        "(02)04012345678901",
        "(03)04012345678901",
        *[f"({ai})271231" for ai in ("11", "12", "13", "15", "16", "17", "3100", "3295", "3575", "3695")],
        "(20)01",
        "(410)9521321000018",
        "(417)9521321000018",
    ],
)
def test_predefined_lengths_never_need_a_separator(text: str) -> None:
    """The first two digits 00-04, 11-20, 31-36 and 41 tell where the next element begins."""
    elements = parse_bracketed(text + "(10)A")
    raw = to_element_string(elements)
    assert FNC1 not in raw
    assert parse_element_string(raw) == elements


def test_bracketed_text_is_read_as_people_type_it() -> None:
    """Spaces around values are ignored; brackets without an AI belong to the value."""
    assert parse_bracketed(" (01) 04012345678901 (10)A(B)(1)(12345)C") == (
        Element("01", "04012345678901"),
        Element("10", "A(B)(1)(12345)C"),
    )


@sweep(
    ("text", "position", "message"),
    [
        ("", 1, "start with an application identifier"),
        ("ABC", 1, "start with an application identifier"),
        ("x(10)A", 1, "start with an application identifier"),
        ("(05)1", 2, "not a GS1 application identifier"),
        ("(3106)123456", 2, "not a GS1 application identifier"),
        ("(10)A(0٣)7(21)B{", 8, r"takes letters .* not '٣'"),
        ("(10)", 5, "1 to 20 characters, not 0"),
        ("(10)" + "A" * 21, 5, "1 to 20 characters, not 21"),
        ("(17)27123", 5, "takes 6 characters, not 5"),
        ("(7007)2601012", 7, "6 or 12 characters, not 7"),
        ("(17) 27123A", 11, "takes digits here, not 'A'"),
        ("(8010)a", 7, "letters A-Z, digits and # - /"),
        ("(8030)+", 7, "digits and - _ ="),
        ("(10)A B", 6, "not ' '"),
        ("(01)04012345678902", 18, "check digit 2 instead of 1"),
        ("(8006)040123456789020102", 20, "check digit 2 instead of 1"),
        ("(00)095201234567890123", 22, "check digit 3 instead of 2"),
        ("(414)9521321000011", 18, "check digit 1 instead"),
    ],
)
def test_bracketed_errors_name_rule_and_position(text: str, position: int, message: str) -> None:
    """The position counts from 1 in the text as given."""
    with pytest.raises(Gs1Error, match=message) as caught:
        parse_bracketed(text)
    assert caught.value.position == position


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 1, "at least one"),
        ("\x1d\x1d", 1, "at least one"),
        ("A", 1, "no application identifier begins with 'A'"),
        ("0104012345678901\x1d05123", 18, "no application identifier begins with '0512'"),
        ("010401234", 3, "takes 14 characters, not 7"),
        ("0104012\x1d10A", 3, "takes 14 characters, not 5"),
        ("10\x1d21A", 3, "1 to 20 characters, not 0"),
        ("10AB{GS}21A", 5, "not '{'"),
        ("422056x", 4, "takes 3 characters, not 4"),
        ("0104012345678902", 16, "check digit 2 instead of 1"),
    ],
)
def test_raw_errors_name_rule_and_position(text: str, position: int, message: str) -> None:
    """The position counts from 1 and counts separators."""
    with pytest.raises(Gs1Error, match=message) as caught:
        parse_element_string(text)
    assert caught.value.position == position


def failing_position(parse: Callable[[str], tuple[Element, ...]], text: str) -> int | None:
    """Return the position of the refusal, or None if the text is read."""
    try:
        parse(text)
    except Gs1Error as error:
        return error.position
    return None


@pytest.mark.parametrize("parse", [parse_bracketed, parse_element_string])
@given(text=st.one_of(st.text(), st.text("01(2)37\x1d9A", max_size=60)))
def test_any_text_is_read_or_refused(parse: Callable[[str], tuple[Element, ...]], text: str) -> None:
    """Both parsers return elements or raise Gs1Error with a position in the text, nothing else."""
    position = failing_position(parse, text)
    assert position is None or 1 <= position <= len(text) + 1


@sweep("ai", [f"{n}" for n in (4, 5, 14, 18, 19, 23, 38, 3106, 3380, 3944, 418, 718, 8044, 8113)])
def test_unassigned_identifiers_are_refused(ai: str) -> None:
    """Numbers between the assigned ranges are not AIs."""
    with pytest.raises(Gs1Error, match="not a GS1 application identifier"):
        parse_bracketed(f"({ai.zfill(2)})123456")


def test_elements_before_the_first_error_can_be_had_one_by_one() -> None:
    """The iterating readers yield good elements before they raise."""
    good = Element("01", "04012345678901")
    assert next(iter_element_string("010401234567890110")) == good
    assert next(iter_bracketed("(01)04012345678901(10)")) == good
