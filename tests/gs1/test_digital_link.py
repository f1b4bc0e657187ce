import pytest
from hypothesis import given, strategies as st

from barcodesvc.gs1.digital_link import elements_of_link
from barcodesvc.gs1.gtin import check_digit
from barcodesvc.scanning.gs1_data import gtin_of
from tests.sweeps import sweep

GTIN = "03178040638617"
segments = st.text(st.characters(exclude_characters="/?#", exclude_categories=["Cs", "Zl", "Zp", "Cc"]), max_size=8)


@pytest.mark.parametrize(
    "link",
    [
        f"https://id.gs1.org/01/{GTIN}",
        f"http://example.com:8443/eu/p/01/01/{GTIN}/",
        f"HTTPS://EXAMPLE.COM/GTIN/{GTIN}/LOT/01",
        f"https://example.com/01/{GTIN}/22/2A/10/01/21/12345670?01=00000012345670#/01/00000012345670",
        f"https://example.com/01/00000012345670/01/{GTIN}",
        f"https://user@[::1]/%30%31/%303178040638617?x=/01/{GTIN}",
        "https://example.com/01/3178040638617/10/a%2Fb",
    ],
)
def test_the_gtin_is_taken_out_of_the_path(link: str) -> None:
    """Host, prefix, qualifiers, query, fragment and deprecated spellings make no difference."""
    assert gtin_of(elements_of_link(link)) == GTIN


@sweep(
    "text",
    [
        "",
        "https://",
        "https:///01/03178040638617",
        "https://example.com",
        "https://example.com/01/",
        "https://example.com/01",
        "https://example.com/01/03178040638618",
        "https://example.com/01/00000000000000",
        "https://example.com/02/03178040638617",
        "https://example.com/?01=03178040638617",
        "https://example.com/x#/01/03178040638617",
        "ftp://example.com/01/03178040638617",
        "see https://example.com/01/03178040638617",
        "03178040638617",
    ],
)
def test_other_addresses_carry_no_gtin(text: str) -> None:
    """Without a web address, a key and a valid GTIN in its path there is no GTIN."""
    assert gtin_of(elements_of_link(text)) is None


@given(st.lists(segments, max_size=5), st.text("0123456789", min_size=13, max_size=13), st.text(max_size=30))
def test_any_prefix_and_query_lead_to_the_same_gtin(prefix: list[str], body: str, query: str) -> None:
    """The text around the last key and GTIN never changes the result."""
    gtin = body + check_digit(body)
    link = "/".join(["https://example.com", *prefix, "01", gtin]) + "?" + query
    assert gtin_of(elements_of_link(link)) == (gtin if gtin.strip("0") else None)


@given(st.one_of(st.text(), st.text("htps:/?#%01[]", max_size=60).map(lambda rest: "https://" + rest)))
def test_any_text_is_judged_without_an_error(text: str) -> None:
    """Malformed addresses are not links."""
    assert gtin_of(elements_of_link(text)) is None or text.lower().startswith("http")
