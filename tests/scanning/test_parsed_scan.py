"""What a scan says by itself: its symbology, the text behind what announces it, its GS1 elements and its variants."""

from barcode import Code39
from hypothesis import given, strategies as st

from barcodesvc.gs1.gtin import check_digit, gtin14
from barcodesvc.scanning.identifiers import split_identifier, symbology_of
from barcodesvc.scanning.linear_variants import full_ascii, other_check_digits, without_letters
from barcodesvc.scanning.parsed_scan import ParsedScan
from barcodesvc.symbols.registry import SYMBOLOGIES
from tests.sweeps import sweep

GTIN = "4006381333931"
SSCC = "340123450000000000"
LINK = "https://id.gs1.org"


@sweep(
    ("sent", "symbology", "is_gs1"),
    [
        ("]C0A", "CODE128", False),
        ("]C1A", "GS1-128", True),
        ("]E0A", "EAN13", False),
        ("]E4A", "EAN8", False),
        ("]A4A", "CODE39", False),
        ("]I1A", "ITF", False),
        ("]Q1A", "QR", False),
        ("]Q3A", "GS1QR", True),
        ("]d2A", "GS1DATAMATRIX", True),
        ("]e0A", None, True),
        ("]X9A", None, False),
        ("A", None, False),
    ],
)
def test_an_identifier_names_its_symbology(sent: str, symbology: str | None, is_gs1: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """Symbologies have this service's names; a DataBar does not say which one it is."""
    identifier, text = split_identifier(sent)
    assert (text, symbology_of(identifier), ParsedScan(sent).says_gs1) == ("A", symbology, is_gs1)


def test_every_name_is_a_symbology_of_the_service() -> None:
    """The name of a scan is also a valid format."""
    letters = "ABCDEFGHILMQXdez"
    names = {symbology_of(f"{letter}{modifier}") for letter in letters for modifier in "0123456789"}
    assert names - {None} <= {symbology.name for symbology in SYMBOLOGIES}


def test_every_name_of_a_symbology_is_the_same_hint() -> None:
    """The registry has the aliases of `code_type`, and no other list does."""
    hints = {
        name: {ParsedScan("1234", one).hint for one in (name, *aliases)}
        for name, aliases in ((symbology.name, symbology.aliases) for symbology in SYMBOLOGIES)
    }
    assert {name for name, of_names in hints.items() if len(of_names) != 1} == set()
    assert {hint for [hint] in hints.values()} == {"", "CODE39", "ITF", "CODABAR", "MSI", "UPCE", "EAN13", "ISSN"}


@sweep(
    ("sent", "text"),
    [
        (r"]Q2\000026ABC", "ABC"),
        (r"]d4\000003A\\B\000026C", r"A\BC"),
        (r"]Q1A\000026", r"A\000026"),
        (r"]Q1\00002A", r"\00002A"),
        (r"\000026A\\B", r"A\B"),
        (r"A\000026", r"A\000026"),
    ],
)
def test_channel_interpretations_are_taken_out(sent: str, text: str) -> None:
    r"""If the data begin with an ECI, all ECIs are removed, and doubled backslashes become single."""
    assert split_identifier(sent)[1] == text


@given(st.text(max_size=30))
def test_any_text_has_a_text_behind_its_identifier(text: str) -> None:
    """No text is an error, and the result contains only parts of it."""
    assert split_identifier(text)[1] in text or "\\" in text


@sweep(
    ("sent", "elements"),
    [
        ("]C117261227", {"17": "261227"}),  # a GTIN-8 by chance, as one in ten numbers of eight digits: `]C1` decides
        (f"00{SSCC}", {"00": SSCC}),
        ("10LOT7\x1d21AB12345678", {"10": "LOT7", "21": "AB12345678"}),
        ("1726122710LOT7", {"17": "261227", "10": "LOT7"}),
        (f"{LINK}/00/{SSCC}?02=0{GTIN}&37=12", {"00": SSCC, "02": f"0{GTIN}", "37": "12"}),
        (f"{LINK}/8004/4012345ABC?01=0{GTIN}", {"8004": "4012345ABC", "01": f"0{GTIN}"}),
        (f"{LINK}/414/4012345000009/254/32a", {"414": "4012345000009", "254": "32a"}),
        ("]E09521234543213|]e099COMPOSITE\x1d98XYZ", {"01": "09521234543213", "99": "COMPOSITE", "98": "XYZ"}),
        ("]e00104006381333931", {"01": "04006381333931"}),
        ("]e04006381333931", {}),  # `]E0`, scanned with Caps Lock on
        ("10LOT7", {}),
        ("17261227", {}),
        (GTIN, {}),
        ("https://example.com/401/xyz", {}),
        ("https://example.com/8004/4012345ABC/more", {}),
    ],
)
def test_gs1_elements_are_reported_where_there_is_evidence(sent: str, elements: dict[str, str]) -> None:
    """Also without a product; digits of a GTIN's length and ambiguous text prove nothing by themselves."""
    assert {element.ai: element.value for element in ParsedScan(sent).elements} == elements


@sweep(
    ("text", "meant"),
    [
        ("+A+B-1", "ab-1"),
        ("W+I+D+G+E+T/O1", "Widget/1"),
        ("%V%W%K%P/Z", "@`[{:"),
        ("/A/B", '!"'),
        ("%F%J", ";?"),
        ("$A1", "$A1"),
        *((text, "") for text in ("ABC", "+", "A+1", "+a", "é+A")),
    ],
)
def test_pairs_of_code_39_are_letters_and_signs(text: str, meant: str) -> None:
    """Full ASCII as annex A of ISO/IEC 16388 spells it; without pairs, or with other characters, none was meant."""
    assert full_ascii(text) == meant


@sweep(("text", "body"), [("A123B", "123"), ("d1-2$:/.+a", "1-2$:/.+"), ("123", None), ("AB", None), ("AX1B", None)])
def test_start_and_stop_letters_are_taken_off(text: str, body: str | None) -> None:
    """Only a number between two letters A to D is a Codabar number."""
    assert without_letters(text) == body


@given(st.text("0123456789ABCXYZ-. $/+%", min_size=3, max_size=20))
def test_modulo_43_comes_and_goes(text: str) -> None:
    """A check character that Code 39 libraries add is removed, and a missing one is added."""
    added = Code39(text, add_checksum=True).get_fullcode()
    assert added.startswith(text)
    assert text in other_check_digits("CODE39", added)
    assert added in other_check_digits("CODE39", text)


@given(st.text("0123456789", min_size=3, max_size=20))
def test_modulo_10_of_itf_comes_and_goes(text: str) -> None:
    """The weights 3 and 1, but never so that a cut GTIN becomes a whole one."""
    assert text in other_check_digits("ITF", text + check_digit(text))
    assert not any(gtin14(code) for code in other_check_digits("ITF", text) if len(code) > len(text))


@sweep(
    ("symbology", "sent", "code"),
    [("MSI", "80523", "8052"), ("CODABAR", "A37853B", "3785"), ("CODABAR", "A37858B", "3785")],
)
def test_published_check_digits(symbology: str, sent: str, code: str) -> None:
    """MSI doubles every second digit (Luhn), as Codabar does in libraries; elsewhere it adds all modulo 16."""
    assert code in other_check_digits(symbology, sent)


@given(st.text(max_size=40), st.sampled_from(["CODE39", "ITF", "CODABAR", "MSI", "", "EAN13", "QR"]))
def test_any_text_has_variants_or_none(text: str, symbology: str) -> None:
    """No text is an error, and without a symbology that has an optional check digit nothing is guessed."""
    variants = list(other_check_digits(symbology, text))
    assert len(variants) <= (0 if symbology in {"", "EAN13", "QR"} else 2)
    assert not full_ascii(text) or text.isascii()
