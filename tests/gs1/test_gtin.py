"""GTINs: their check digit, their one form of 14 digits, and those in the path of a GS1 Digital Link."""

import pytest
from hypothesis import given, strategies as st

from barcodesvc.gs1.digital_link import elements_of_link
from barcodesvc.gs1.gtin import check_digit, gtin14, has_valid_check_digit, is_digits
from barcodesvc.scanning.gs1_data import gtin_of
from tests.sweeps import sweep

GTIN = "03178040638617"
segments = st.text(st.characters(exclude_characters="/?#", exclude_categories=["Cs", "Zl", "Zp", "Cc"]), max_size=8)
bodies = st.text("0123456789", min_size=1, max_size=40)
gtins = (
    st.sampled_from([7, 11, 12, 13])
    .flatmap(lambda length: st.text("0123456789", min_size=length, max_size=length))
    .map(lambda body: body + check_digit(body))
)


@pytest.mark.parametrize(
    ("body", "digit"),
    [("629104150021", "3"), ("9638507", "4"), ("37610425002123456", "9"), ("0", "0")],
)
def test_published_examples_close_with_their_check_digit(body: str, digit: str) -> None:
    """EAN-13, UPC-A, EAN-8 and SSCC examples get the check digit printed on them."""
    assert check_digit(body) == digit


@pytest.mark.parametrize("body", ["", "12a", "-1", " 12", "٣", "²", "1.5"])
def test_a_body_that_is_not_ascii_digits_has_no_check_digit(body: str) -> None:
    """Other characters than 0-9 raise ValueError, digits of other scripts included."""
    with pytest.raises(ValueError, match="digits 0-9"):
        check_digit(body)


@given(bodies, st.data())
def test_every_single_wrong_digit_is_noticed(body: str, data: st.DataObject) -> None:
    """A code with one digit changed never has a valid check digit."""
    code = body + check_digit(body)
    index = data.draw(st.integers(0, len(code) - 1))
    wrong = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != code[index]]))
    assert has_valid_check_digit(code)
    assert not has_valid_check_digit(code[:index] + wrong + code[index + 1 :])


@pytest.mark.parametrize("text", ["", "0", "7", "abc", "63850٣", "12 "])
def test_what_is_not_two_or_more_digits_is_not_closed(text: str) -> None:
    """Short texts and other characters are invalid, without an error."""
    assert not has_valid_check_digit(text)


@given(st.text())
def test_digits_are_exactly_the_ten_ascii_characters(text: str) -> None:
    """`is_digits` agrees with a check of every character."""
    assert is_digits(text) == (text != "" and set(text) <= set("0123456789"))


@given(gtins)
def test_all_lengths_of_a_gtin_have_one_14_digit_form(code: str) -> None:
    """A GTIN padded to 12, 13 or 14 digits keeps its GTIN-14."""
    expected = code.zfill(14) if code.strip("0") else None
    assert [gtin14(code.zfill(width)) for width in (12, 13, 14)] == [expected] * 3
    assert gtin14(code) == expected


@pytest.mark.parametrize(
    "code",
    [
        "",
        "00000000000000",
        "4006381333932",
        "400638133393",
        "\uff14\uff10\uff10\uff16\uff13\uff18\uff11\uff13",
    ],
)
def test_what_is_no_gtin_has_no_14_digit_form(code: str) -> None:
    """Only zeros, a wrong check digit, another length or other characters give None."""
    assert gtin14(code) is None


@given(st.text(max_size=20))
def test_any_text_is_judged_without_an_error(text: str) -> None:
    """The function is total: it returns 14 digits with a valid check digit, or None."""
    form = gtin14(text)
    assert form is None or (len(form) == 14 and has_valid_check_digit(form))


@sweep(
    ("link", "gtin"),
    [
        (f"https://id.gs1.org/01/{GTIN}", GTIN),
        (f"http://example.com:8443/eu/p/01/01/{GTIN}/", GTIN),
        (f"HTTPS://EXAMPLE.COM/GTIN/{GTIN}/LOT/01", GTIN),
        (f"https://example.com/01/{GTIN}/22/2A/10/01/21/12345670?01=00000012345670#/01/00000012345670", GTIN),
        (f"https://user@[::1]/%30%31/%303178040638617?x=/01/{GTIN}", GTIN),
        ("https://example.com/01/3178040638617/10/a%2Fb", GTIN),
        (f"https:///01/{GTIN}", None),
        ("https://example.com/01/", None),
        ("https://example.com/01/03178040638618", None),
        ("https://example.com/01/00000000000000", None),
        (f"https://example.com/?01={GTIN}", None),
        (f"https://example.com/x#/01/{GTIN}", None),
        (f"ftp://example.com/01/{GTIN}", None),
        (f"see https://example.com/01/{GTIN}", None),
    ],
)
def test_the_gtin_is_taken_out_of_the_path_of_a_web_address(link: str, gtin: str | None) -> None:
    """Host, prefix, qualifiers, query, fragment and deprecated spellings make no difference."""
    assert gtin_of(elements_of_link(link)) == gtin


@given(st.lists(segments, max_size=5), st.text("0123456789", min_size=13, max_size=13), st.text(max_size=30))
def test_any_prefix_and_query_lead_to_the_same_gtin(prefix: list[str], body: str, query: str) -> None:
    """The text around the last key and GTIN never changes the result."""
    gtin = body + check_digit(body)
    link = "/".join(["https://example.com", *prefix, "01", gtin]) + "?" + query
    assert gtin_of(elements_of_link(link)) == (gtin if gtin.strip("0") else None)


@given(st.one_of(st.text(), st.text("htps:/?#%01[]", max_size=60).map(lambda rest: "https://" + rest)))
def test_any_text_is_a_link_or_none(text: str) -> None:
    """Malformed addresses are not links."""
    assert gtin_of(elements_of_link(text)) is None or text.lower().startswith("http")
