"""The candidates of a scan: their order, their number, and that any text has some."""

from time import process_time

from hypothesis import example, given, strategies as st

from barcodesvc.gs1.gtin import check_digit
from barcodesvc.numbers.check_digits import gtin_of_issn
from barcodesvc.scanning.candidates import Match, ScanCandidate, candidates_of, deciding
from barcodesvc.scanning.parsed_scan import ParsedScan
from barcodesvc.store.scans import Found, Key, ScannedCode, ScannedLevel, ScannedProduct
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


def matching(rank: int, product_id: int, pack_quantity: int = 0) -> Found:
    """Return a code that matches the candidate `rank`: a product's own, or a further one with a pack quantity."""
    return Found(
        rank,
        is_own=not pack_quantity,
        code=ScannedCode(f"{rank}/{product_id}/{pack_quantity}", pack_quantity or 1),
        product=ScannedProduct(product_id, "", "", "", retired=False, attributes={}),
        level=ScannedLevel(0, 0, ""),
    )


@sweep(
    ("found", "decided"),
    [
        ([], []),
        ([matching(3, 1, 6)], [matching(3, 1, 6)]),
        # an earlier rule comes before a later one, whatever kind of code matches
        ([matching(1, 2), matching(0, 1, 6)], [matching(0, 1, 6)]),
        # of one rule, own codes come before further ones, and then the better candidate
        ([matching(1, 1, 6), matching(3, 2)], [matching(3, 2)]),
        ([matching(2, 1, 6), matching(1, 2, 6)], [matching(1, 2, 6)]),
        ([matching(3, 1), matching(2, 2)], [matching(2, 2)]),
        # a rule that comes a second time, behind another one, is another rule
        ([matching(5, 2), matching(1, 1, 6)], [matching(1, 1, 6)]),
        ([matching(5, 1), matching(4, 2, 6)], [matching(4, 2, 6)]),
        # what matches equally well: products by id, each pack of a product once
        ([matching(1, 2), matching(1, 1), matching(2, 3)], [matching(1, 1), matching(1, 2)]),
        ([matching(1, 1, 6), matching(1, 1, 12)], [matching(1, 1, 6), matching(1, 1, 12)]),
        ([matching(1, 1, 6), matching(1, 1, 6)], [matching(1, 1, 6)]),
        ([matching(1, 1, 1), matching(2, 1)], [matching(2, 1)]),
    ],
)
def test_the_first_rule_that_any_code_matches_decides(found: list[Found], decided: list[Found]) -> None:
    """Its own codes, else its further ones, by the best of its candidates."""
    rules = [Match.EXACT, Match.GTIN, Match.GTIN, Match.GTIN, Match.ADD_ON, Match.GTIN]
    assert deciding([ScanCandidate(rule, ()) for rule in rules], found) == decided


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
    )


def test_a_symbology_that_is_certain_is_believed() -> None:
    """A Code 128 read from an image is not a Codabar number, whatever it looks like."""
    found = candidates_of(ParsedScan("A123456C", symbology="CODE128"))
    assert {value for one in found for _, value in one.comparisons} == {"A123456C", "a123456c"}


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
@example("]E0\x1d", "")
@example("A\x00B", "")
@example('{"product_code": "\\ud800"}', "")
def test_any_text_gives_few_different_candidates(text: str, hint: str) -> None:
    """At most 64, without repeats, in the order of the rules, and only values that a product code can have."""
    found = candidates(text, hint)
    order = list(Match)
    gs1_first = [Match.EXACT, Match.JSON, Match.GS1, Match.AIM, *order[4:]]  # if the scan says GS1
    compared = [comparison for candidate in found for comparison in candidate.comparisons]
    assert len(set(compared)) == len(compared) <= 64
    matches = [candidate.match for candidate in found]
    assert any(_in_order(rules, matches) for rules in (order, gs1_first))
    assert all(value and value.isascii() and value.isprintable() for _, value in compared)


@sweep("unit", [*" ](){[|^%0", "(01)", "(10)A", '{"a":', "\x1d", "<GS", "10A\x1d", "20", "/01", "http://"])
@sweep("start", ["", "x", "]C1", "https://a/", "(10)A"])
def test_long_hostile_texts_take_no_longer_than_their_length(start: str, unit: str) -> None:
    """A text of 64 kB takes far less time than quadratic work would."""
    text = start + unit * (65_536 // len(unit)) + "x"
    begin = process_time()
    candidates(text)
    assert process_time() - begin < 1
