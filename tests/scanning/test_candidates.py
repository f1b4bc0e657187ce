import json
from collections.abc import Callable
from time import process_time

import pytest
from hypothesis import example, given, strategies as st

from barcodesvc.gs1.gtin import check_digit
from barcodesvc.numbers.check_digits import gtin_of_issn
from barcodesvc.scanning.candidates import Match, ScanCandidate, candidates_of
from barcodesvc.scanning.parsed_scan import ParsedScan
from barcodesvc.store.scans import Key
from tests.scanning.conftest import Catalogue
from tests.sweeps import sweep

product_codes = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=64).filter(
    lambda code: code == code.strip()
)
gtins = st.text("0123456789", min_size=13, max_size=13).map(lambda body: body + check_digit(body))
scanner_texts = st.text(']ECQd013(){}|<GS>\x1d\r\n \\/:"https0123456789.ABCabc', max_size=120)
spelled_numbers = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "]E0", "]E3", "]E4", "]e0", "01000000"]),
    st.text("0129", min_size=6, max_size=8) | gtins,
    st.sampled_from(["", "05", "51299", " 05", "|]e010A"]),
)
prefixes = st.sampled_from(["", "]E0", "]C1", "]Q3", "{", "(01)", "https://a/01/", '{"product_code":'])


def candidates(code_data: str, code_type: str = "") -> tuple[ScanCandidate, ...]:
    """Return the candidates of a scan."""
    return candidates_of(ParsedScan(code_data, code_type))


def found_by(match: Match, key: str, *values: str) -> ScanCandidate:
    """Return a candidate whose comparisons have one key."""
    return ScanCandidate(match, tuple((key, value) for value in values))


def written(match: Match, *numbers: str) -> ScanCandidate:
    """Return a candidate whose numbers may be in groups."""
    return ScanCandidate(match, tuple((key, number) for number in numbers for key in (Key.CODE, Key.NUMBER)))


def test_candidates_stand_in_the_order_of_the_rules() -> None:
    """A scan that several rules can read lists them from exact to case-insensitive."""
    assert candidates("]E00036000291452\r") == (
        found_by(Match.EXACT, Key.CODE, "]E00036000291452"),
        found_by(Match.AIM, Key.CODE, "0036000291452"),
        found_by(Match.GTIN, Key.NUMBER, "00036000291452"),
        written(Match.SHORTENED_GTIN, "36000291452"),
        found_by(Match.CHECK_DIGIT, Key.CODE, "0003600029145", "003600029145", "03600029145"),
        found_by(Match.ADD_ON, Key.MAIN, "00036000291452", "003600029145", "03600029145"),
        found_by(Match.CASE, Key.FOLDED, "]e00036000291452"),
        found_by(Match.CASE, Key.FOLDED, "0036000291452"),
    )


def test_a_framed_codabar_number_is_compared_with_its_letters_first() -> None:
    """Letters in the other case are the same frame; without them it is the number of a scanner that drops them."""
    assert [each for each in candidates("A123456B", "CODABAR") if each.match is Match.CODABAR] == [
        found_by(Match.CODABAR, Key.FOLDED, "a123456b"),
        found_by(Match.CODABAR, Key.CODE, "123456"),
    ]


def test_a_payload_is_read_before_the_identifier_in_front_of_it() -> None:
    """The product code in a payload comes before the payload as a code."""
    exact, payload, aim, *_ = candidates(']Q1{"product_code":"A"}')
    assert exact.match is Match.EXACT
    assert payload == found_by(Match.JSON, Key.CODE, "A")
    assert aim.match is Match.AIM


def test_an_element_string_is_read_before_the_text_behind_its_identifier() -> None:
    """An identifier that says GS1 is trusted: its elements and the GTIN under (01) come right after the text."""
    assert candidates("]C10103178040638617") == (
        found_by(Match.EXACT, Key.CODE, "]C10103178040638617"),
        found_by(Match.GS1, Key.NUMBER, "03178040638617"),
        found_by(Match.GS1, Key.NUMBER, "(01)0317804063861"),
        found_by(Match.AIM, Key.CODE, "0103178040638617"),
        found_by(Match.CHECK_DIGIT, Key.CODE, "0317804063861", "317804063861"),
        found_by(Match.CASE, Key.FOLDED, "]c10103178040638617"),
        found_by(Match.CASE, Key.FOLDED, "0103178040638617"),
    )


@pytest.mark.parametrize(
    "code", ["]C1-A", "(01)X", "00012345", "0104012345678901", '{"product_code": "B"}', "https://a"]
)
def test_a_stored_code_wins_over_every_reading_of_it(code: str, catalogue: Callable[..., Catalogue]) -> None:
    """A product's name may look like a scanner's envelope."""
    assert catalogue(code, "-A", "X", "12345", "4012345678901", "B").find(code) == (Match.EXACT, code)


@pytest.mark.parametrize(
    "edge", ["\r\n", "\t", "\x00", "\x02\x03", "\x1d", " \ufeff", "\u3000", "\xa0", "\u2007\u200e"]
)
def test_ends_of_a_scan_do_not_count(edge: str, catalogue: Callable[..., Catalogue]) -> None:
    """White space and control characters around a code are removed, with and without identifier."""
    shop = catalogue("MMC M3", "MMCM3")
    assert shop.find(f"{edge}MMC M3{edge}") == (Match.EXACT, "MMC M3")
    assert shop.find(f"{edge}]C0{edge}MMC M3{edge}") == (Match.AIM, "MMC M3")


@pytest.mark.parametrize("stored", ["036000291452", "0036000291452", "00036000291452"])
@pytest.mark.parametrize("sent", ["036000291452", "]E00036000291452", "0100036000291452", "(01)00036000291452(10)A"])
def test_any_length_of_a_gtin_finds_any_other(stored: str, sent: str, catalogue: Callable[..., Catalogue]) -> None:
    """UPC-A, EAN-13 and GTIN-14 of one trade item are the same code."""
    found = catalogue(stored, "0012345678905").find(sent)
    assert found is not None
    assert found[1] == stored


@pytest.mark.parametrize("sent", ["036000291452", "]E00036000291452", "https://id.gs1.org/01/00036000291452"])
def test_a_stored_code_without_its_zeros_is_found(sent: str, catalogue: Callable[..., Catalogue]) -> None:
    """A spreadsheet that removed zeros does not hide a product."""
    assert catalogue("36000291452").find(sent) == (Match.SHORTENED_GTIN, "36000291452")


@pytest.mark.parametrize("sent", ["]]C0A", "]C", "]", "x]C0A", "]C-A", "]1CA"])
def test_only_a_whole_identifier_in_front_is_removed(sent: str, catalogue: Callable[..., Catalogue]) -> None:
    """Other brackets belong to the code."""
    assert catalogue("A", "]A", "xA", "-A").find(sent) is None


def test_two_products_that_fit_alike_are_no_match(catalogue: Callable[..., Catalogue]) -> None:
    """If the GTIN or the letters name two products, neither is guessed."""
    shop = catalogue("036000291452", "0036000291452", "Abc", "aBC")
    assert shop.find("00036000291452") is None
    assert shop.find("ABC") is None
    assert shop.find("0036000291452") == (Match.EXACT, "0036000291452")


@pytest.mark.parametrize(
    ("code", "match"),
    [("Abc", Match.JSON), ("aBC", Match.CASE), ("36000291452", None), ("0036000291452", Match.GTIN)],
)
def test_a_payload_outlives_small_changes_of_the_code(
    code: str, match: Match | None, catalogue: Callable[..., Catalogue]
) -> None:
    """The product code of a payload goes through the GTIN and letter rules as well."""
    found = catalogue("Abc", "036000291452").find(json.dumps({"product_code": code}))
    assert (found[0] if found else None) == match


@pytest.mark.parametrize(
    "text",
    [
        '{"product_code": 5}',
        '{"product_code": null}',
        '{"product_code": ["A"]}',
        '["product_code", "A"]',
        '{"product_code": "A"',
        '{"product_code": "A"} A',
        '{"product_code": ' + "9" * 5000 + "}",
        '{"product_code": ' + "[" * 4000,
        '{"a":' * 3000,
    ],
)
def test_broken_or_foreign_payloads_name_no_product(text: str, catalogue: Callable[..., Catalogue]) -> None:
    """Only a whole JSON object with a text under product_code counts, however deep or large the rest is."""
    assert catalogue("A", "5", "None", "product_code").find(text) is None


@pytest.mark.parametrize(
    "text", ["", " \r\n", "\x00", "]E0\x1d", "Crème", "A\x00B", "\ud800", '{"product_code": "\\ud800"}']
)
def test_no_candidate_is_a_value_that_no_code_can_have(text: str) -> None:
    """Empty, non-ASCII and control characters are never looked up."""
    values = [value for candidate in candidates(text) for _, value in candidate.comparisons]
    assert all(value and value.isascii() and value.isprintable() for value in values)


def test_letters_of_other_scripts_never_fold_into_ascii(catalogue: Callable[..., Catalogue]) -> None:
    """A Greek Kappa is not a K."""
    assert catalogue("k1").find("\u039a1") is None


@given(
    product_codes,
    st.sampled_from(["", "]C0", "]A0", "]Q1", "]d1", "]X9", "]cA", "]zb"]),
    st.sampled_from(["", "\r\n", "\t"]),
)
def test_every_code_is_found_behind_every_identifier(code: str, identifier: str, suffix: str) -> None:
    """Whatever a product is called, its symbol finds it in the candidates of the first two rules."""
    wanted = [candidate.comparisons for candidate in candidates(identifier + code + suffix)]
    assert ((Key.CODE, code),) in wanted[:3]


@given(gtins, st.sampled_from(["{}", "]I1{}", "01{}", "]C110A\x1d01{}", "(01){}", "https://a.b/x/01/{}/10/1"]))
@example("00000000000000", "{}")
@example("09770000000010", "{}")
def test_a_gtin_is_looked_for_in_every_envelope(gtin: str, envelope: str) -> None:
    """All notations lead to one GTIN-14, and a variant of an ISSN to its title as well; all zeros lead to none."""
    compared = {one for candidate in candidates(envelope.format(gtin)) for one in candidate.comparisons}
    numbers = {value for key, value in compared if key == Key.NUMBER and len(value) == 14 and value.isdigit()}
    expected = {gtin} if gtin.strip("0") else set()
    if gtin.startswith("0977"):
        expected.add(gtin_of_issn(gtin[4:11]))
    assert numbers == expected


LATE = {Match.GTIN, Match.ADD_ON, Match.SHORTENED_GTIN, Match.CHECK_DIGIT, Match.CASE}
"""The rules that come a second time, for a missing add-on and for a wrong hint."""


def _in_order(rules: list[Match], matches: list[Match]) -> bool:
    ranks = [rules.index(match) for match in matches]
    ordered = next((length for length in range(len(ranks), 0, -1) if ranks[:length] == sorted(ranks[:length])), 0)
    return set(matches[ordered:]) <= LATE


@given(
    st.one_of(st.text(), scanner_texts, spelled_numbers, st.tuples(prefixes, scanner_texts | gtins).map("".join)),
    st.sampled_from(["", "UPCE", "EAN13", "ITF", "CODE39", "MSI", "CODABAR"]),
)
def test_any_text_gives_few_different_candidates(text: str, hint: str) -> None:
    """At most 64, without repeats, in the order of the rules, and the database accepts every value."""
    found = candidates(text, hint)
    order = list(Match)
    gs1_first = [Match.EXACT, Match.JSON, Match.GS1, Match.AIM, *order[4:]]  # if the scan says GS1
    compared = [comparison for candidate in found for comparison in candidate.comparisons]
    assert len(set(compared)) == len(compared) <= 64
    matches = [candidate.match for candidate in found]
    assert any(_in_order(rules, matches) for rules in (order, gs1_first))
    assert all(value.encode() for _, value in compared)


@sweep(
    "unit",
    [
        " ",
        "]",
        "(",
        "(01)",
        "(10)A",
        "{",
        "[",
        '{"a":',
        "\x1d",
        "|",
        "^",
        "<GS",
        "10A\x1d",
        "20",
        "/01",
        "%",
        "0",
        "http://",
    ],
)
@sweep("start", ["", "x", "]C1", "https://a/", "(10)A"])
def test_long_hostile_texts_take_no_longer_than_their_length(start: str, unit: str) -> None:
    """A text of 64 kB takes far less time than quadratic work would."""
    text = start + unit * (65_536 // len(unit)) + "x"
    begin = process_time()
    candidates(text)
    assert process_time() - begin < 1


@pytest.mark.parametrize("stored", ["01116414", "-01116414", "PZN-01116414", "PZN: 1116414", "1116414"])
@pytest.mark.parametrize(
    "sent",
    ["04150011164140", "4150011164140", "]d20104150011164140172706301021A", "(01)04150011164140", "9N110111641480"],
)
def test_the_number_of_a_german_pack_finds_its_pzn(stored: str, sent: str, catalogue: Callable[..., Catalogue]) -> None:
    """A medicine's Data Matrix has an NTIN, 04150 and the PZN, or a PPN with it."""
    assert catalogue(stored, "4006381333931").find(sent) == (Match.PZN, stored)


@pytest.mark.parametrize("stored", ["4150011164140", "04150011164140", "(01)04150011164140", "PPN 110111641480"])
@pytest.mark.parametrize("sent", ["]A0-01116414", "-01116414", "01116414", "PZN 1116414", "9N110111641480"])
def test_a_pzn_finds_the_number_of_the_pack(stored: str, sent: str, catalogue: Callable[..., Catalogue]) -> None:
    """The other way about."""
    assert catalogue(stored).find(sent) == (Match.PZN, stored)


def test_a_number_like_that_of_a_pack_with_a_wrong_pzn_finds_nothing(catalogue: Callable[..., Catalogue]) -> None:
    """The GTIN is right, but the PZN in it has a wrong check digit."""
    gtin = "0415001116415" + check_digit("0415001116415")
    assert catalogue("01116415", "-01116415", "PZN-01116415", "0111641", "PZN 01116414").find(gtin) is None


@pytest.mark.parametrize("stored", ["4012345000009", "GLN 4012345000009", "(414)4012345000009"])
@pytest.mark.parametrize(
    "sent",
    [
        "]C14144012345000009",
        "(414) 4012345 00000 9",
        "4012345000009",
        "GLN: 4012345000009",
        "https://a/414/4012345000009",
    ],
)
def test_a_location_is_found_with_its_identifier_and_without(
    stored: str, sent: str, catalogue: Callable[..., Catalogue]
) -> None:
    """A shelf whose GLN is its code, printed with (414) or not."""
    found = catalogue(stored, "4006381333931").find(sent)
    assert found is not None
    assert found[1] == stored


def test_a_trade_item_comes_before_a_location_with_its_digits(catalogue: Callable[..., Catalogue]) -> None:
    """Both have 13 digits; an EAN symbol never holds a location."""
    shop = catalogue("4012345000009", "(414)4012345000009")
    assert shop.find("04012345000009") == (Match.GTIN, "4012345000009")
    assert shop.find("]C14144012345000009") == (Match.GS1, "(414)4012345000009")
    assert catalogue("(414)4012345000009").find("]E04012345000009") is None


@pytest.mark.parametrize(
    "sent",
    [
        *("ISBN 978-0-306-40615-7", "ISBN-13: 9780306406157", "isbn 0-306-40615-2", "EAN 9780306406157"),
        *("978\u00a00\u00a0306\u00a040615\u00a07", "978\u20110\u2011306\u201140615\u20117", "(01)\u00a009780306406157"),
        *("01 09780306406157", "GTIN 09780306406157", "ISBN\u00a0978\u20130\u2013306\u201340615\u20137"),
    ],
)
@pytest.mark.parametrize(
    "stored", ["9780306406157", "ISBN 978-0-306-40615-7", "ISBN-10: 0-306-40615-2", "0-306-40615-2"]
)
def test_a_number_is_found_as_people_write_it(sent: str, stored: str, catalogue: Callable[..., Catalogue]) -> None:
    """With a word before it, or with the no-break spaces and dashes of a web page; so it is stored, too."""
    found = catalogue(stored, "4006381333931").find(sent)
    assert found is not None
    assert found[1] == stored


@pytest.mark.parametrize("sent", ["36000 29145 2", "36000-29145-2", "UPC 36000 29145 2"])
@pytest.mark.parametrize("stored", ["036000291452", "36000 29145 2", "0 36000 29145 2", "36000291452"])
def test_a_upca_in_groups_may_lack_its_zero(sent: str, stored: str, catalogue: Callable[..., Catalogue]) -> None:
    """That digit is printed apart, and people do not type it."""
    found = catalogue(stored).find(sent)
    assert found is not None
    assert found[1] == stored


@pytest.mark.parametrize("stored", ["+EHWD3551419G", "*+EHWD3551419G*", "+EHWD3551419", "EHWD3551419G", "EHWD3551419"])
@pytest.mark.parametrize("sent", ["+EHWD3551419/$$900100F", "]A0+EHWD3551419G", "]d1+EHWD3551419/$$900100F"])
def test_an_hibc_code_finds_its_product_with_any_secondary_data(
    stored: str, sent: str, catalogue: Callable[..., Catalogue]
) -> None:
    """The check character covers all data, so the product's part has another one alone."""
    found = catalogue(stored, "+EHWD3551429H").find(sent)
    assert found is not None
    assert found[1] == stored


@pytest.mark.parametrize("sent", ["+$$8053290331260301104+$", "+EHWD3551419/$$900100G"])
def test_a_lot_alone_or_a_damaged_code_finds_nothing(sent: str, catalogue: Callable[..., Catalogue]) -> None:
    """The link character is not the product, and a wrong check character is a misread code."""
    assert catalogue("+EHWD3551419G", "260301104").find(sent) is None


@pytest.mark.parametrize(
    "sent",
    [
        "[)>\x1e06\x1d9N110498762989\x1d1TLOT7\x1dD270600\x1e\x04",
        "]d1[)>{RS}06{GS}9N110498762989{GS}1TLOT7{RS}{EOT}",
        "[)>069N1104987629891TLOT7",
        "[)>\x1e06\x1d8P04150049876299\x1d1TLOT7",
    ],
)
def test_a_message_of_data_identifiers_finds_the_pack(sent: str, catalogue: Callable[..., Catalogue]) -> None:
    """The PPN code of a German medicine has other data behind the number, and perhaps no separators."""
    assert catalogue("PZN-04987629", "LOT7").find(sent) == (Match.PZN, "PZN-04987629")
