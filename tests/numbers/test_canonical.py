"""The one key of a number in any spelling, and what has none."""

from time import process_time

import pytest
from hypothesis import given, strategies as st

from barcodesvc.gs1.gtin import check_digit, gtin14
from barcodesvc.numbers.canonical import canonical_number, number_key
from tests.sweeps import sweep

GROUPS = st.lists(st.sampled_from(["", "-", " ", "- "]), min_size=14, max_size=14)


@sweep(
    ("code", "number"),
    [
        ("4 006381 333931", "04006381333931"),
        ("(01)04006381333931", "04006381333931"),
        ("0-36000-29145-2", "00036000291452"),
        ("1 40 06381 33393 8", "14006381333938"),
        ("1234 5670", "00000012345670"),
        ("0-8044-2957-X", "09780804429573"),
        ("1234-5679", "09771234567003"),
        ("04252614", "00042100005264"),
        ("0-42100-00526-4", "00042100005264"),
        ("1234-5679+05", "09771234567003+05"),
        ("4006381333931 51299", "04006381333931+51299"),
        ("3 4012345 000000000 0", "(00)340123450000000000"),
        ("PZN - 1234567", "-12345678"),
        ("-12345626", "-12345626"),
        ("(10) LOT7 (21) 5", "(10)LOT7(21)5"),
        ("36000 29145 2", "00036000291452"),
        ("01 04006381333931", "04006381333931"),
        ("0104006381333931", "04006381333931"),
        ("00 3 4012345 000000000 0", "(00)340123450000000000"),
        ("]C100340123450000000000", "(00)340123450000000000"),
        ("]d201040063813339311727063010LOT7", "(01)04006381333931(17)270630(10)LOT7"),
        ("]A0-12345678", "-12345678"),
        ("9N110498762989", "-04987629"),
        ("PPN 110498762989", "-04987629"),
        ("(00) 3 4012345 000000000 0", "(00)340123450000000000"),
        ("EAN 8 711253 001202", "08711253001202"),
        ("ISSN 03178471", "09770317847001"),
        ("+EHWD3551419G", "+EHWD3551419"),
        ("*+EHWD3551419G*", "+EHWD3551419"),
        ("+EHWD3551419/$$900100F", "+EHWD3551419"),
        ("ISBN 978-0-306-40615-7", "09780306406157"),
        ("ISBN-13: 9780306406157", "09780306406157"),
        ("ISBN 13 978 0 306 40615 7", "09780306406157"),
        ("ISMN 979-0-2306-7118-7", "09790230671187"),
        ("ISSN 0317-8471", "09770317847001"),
        ("eISSN: 0317-8471", "09770317847001"),
        ("EAN: 4 006381 333931", "04006381333931"),
        ("EAN-8 96385074", "00000096385074"),
        ("GTIN-14 (01)04006381333931", "04006381333931"),
        ("UPC 36000 29145 2", "00036000291452"),
        ("UPC-E 04252614", "00042100005264"),
        ("EAN-Code: 4006381333931", "04006381333931"),
        ("PZN-Nr. 04987629", "-04987629"),
        ("SSCC 3 4012345 000000000 0", "(00)340123450000000000"),
        ("GLN 4012345000009", "(414)4012345000009"),
        ("PZN: 04987629", "-04987629"),
        ("PZN-8 0498 7629", "-04987629"),
        ("-4987629", "-04987629"),
    ],
)
def test_every_spelling_of_a_number_has_one_key(code: str, number: str) -> None:
    """Groups, brackets, short forms, prefixes, and words before it, as people write them, make no difference."""
    assert canonical_number(code) == number == number_key(code)


@sweep(
    ("code", "number"),
    [
        ("12345670", "00000012345670"),
        ("01234565", "00000001234565"),
        ("0 123456 5", "00012345000065"),
        ("1234-5679", "09771234567003"),
        ("1-2345-670", None),
    ],
)
def test_eight_digits_are_one_number_or_none(code: str, number: str | None) -> None:
    """Bare eight digits are a GTIN-8 first; grouping tells which they are, and an ambiguous one is not guessed."""
    assert canonical_number(code) == number


@sweep(
    "code",
    [
        *("", "A-1", "4 006381 333932", "400638133393", "0-8044-2957-1", "1234567", "123456", "00000000"),
        *("0-000-000-000-000", "4006381333931+123", "4006381333931+", "96385074+05", "PZN 12345621", "PZN12345"),
        *("(01)04006381333932", "(01)0952123454321", "(99", "4006381333931 ", "X4006381333931", "4006381333931 1"),
        *("340123450000000001", "- 4006381333931", "4006381333931-", "9" * 70, "ISBN 4006381333931"),
        *("ISSN 4006381333931", "SSCC 4006381333931", "EAN 340123450000000000", "NTIN 4006381333931", "EANS 1"),
        *("PPN 110498762988", "GLN 4012345000008", "SKU 4006381333931"),
    ],
)
def test_what_no_check_digit_closes_has_no_canonical_number(code: str) -> None:
    """Part numbers, wrong or missing check digits, only zeros, and a word before another kind of number."""
    assert canonical_number(code) is None


@sweep(
    ("code", "key"),
    [
        ("978-3-16-148410", "978316148410"),
        ("0-8044-2957", "080442957"),
        ("977123456700+05", "977123456700+05"),
        ("ISBN 0-8044-2957", "080442957"),
        ("(01) 0952123454321", "(01)0952123454321"),
        ("080442957", None),
        ("4711", None),
        ("-1234", None),
        ("AB-12", None),
        ("12-AB", None),
    ],
)
def test_a_number_in_groups_that_does_not_close_is_its_characters(code: str, key: str | None) -> None:
    """Printing completes it; bare digits are compared as the product code that they are."""
    assert number_key(code) == key


@given(st.sampled_from([7, 11, 12, 13]), st.data(), GROUPS)
def test_groups_never_change_a_gtin(length: int, data: st.DataObject, groups: list[str]) -> None:
    """Hyphens and spaces may be anywhere inside; in eight digits they may mean another number."""
    body = data.draw(st.text("0123456789", min_size=length, max_size=length).filter(lambda text: text.strip("0")))
    gtin = body + check_digit(body)
    written = "".join(gap + digit for gap, digit in zip(["", *groups], gtin, strict=False))
    assert canonical_number(gtin) == gtin14(gtin)
    assert canonical_number(written) == gtin14(gtin) or length == 7


@given(st.text(max_size=70) | st.text("0123456789-+ ()Xx", max_size=70))
def test_any_text_is_judged_without_an_error(text: str) -> None:
    """A key is a text that PostgreSQL and SQLite can hold, no longer than the code."""
    key = number_key(text)
    assert key is None or (key and len(key) <= max(18, len(text)))


@pytest.mark.parametrize("unit", ["1 ", "1-", "- ", "(01)", "1+", "PZN-", "EAN ", "]C1", "+A"])
def test_long_texts_take_no_longer_than_their_length(unit: str) -> None:
    """A code has 64 characters; longer texts are rejected at once."""
    begin = process_time()
    number_key(unit * 20_000 + "x")
    assert process_time() - begin < 0.5
