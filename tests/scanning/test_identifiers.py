from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from barcodesvc.scanning.candidates import Match, candidates_of
from barcodesvc.scanning.identifiers import split_identifier, symbology_of
from barcodesvc.scanning.parsed_scan import ParsedScan
from barcodesvc.symbols.registry import SYMBOLOGIES
from tests.scanning.conftest import Catalogue
from tests.sweeps import sweep


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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("sent", "found"),
    [
        (r"\000026AB", (Match.AIM, "AB")),
        (r'\000026{"product_code":"AB","description":"für"}', (Match.JSON, "AB")),
        (r"\0000264006381333931", (Match.GTIN, "04006381333931")),
        (r"\000003", (Match.EXACT, r"\000003")),
    ],
)
def test_a_scan_that_begins_with_an_eci_finds_its_product(
    catalogue: Callable[..., Catalogue], sent: str, found: tuple[Match, str]
) -> None:
    """Some scanners send ECIs without an identifier; what a product is called still comes first."""
    assert catalogue("AB", "04006381333931", r"\000003").find(sent) == found


@pytest.mark.parametrize("sent", ["*AB-1*", "]A0*AB-1*", "]A0*AB-1F*", "*+A+B*"])
def test_asterisks_of_code_39_are_not_content(catalogue: Callable[..., Catalogue], sent: str) -> None:
    """The start and stop characters are removed, and the rest is read as any Code 39."""
    found = catalogue("AB-1", "ab").find(sent)
    assert found is not None
    assert found[1] == ("ab" if "+" in sent else "AB-1")
    assert ParsedScan(sent, "CODE39").bare == sent.removeprefix("]A0")[1:-1]


@pytest.mark.parametrize("sent", ["*AB-1*", "]A0*AB-1*"])
def test_a_product_that_is_called_so_wins_over_the_text_between_its_asterisks(
    catalogue: Callable[..., Catalogue], sent: str
) -> None:
    """Codes may begin and end with asterisks."""
    found = catalogue("AB-1", "*AB-1*").find(sent, "CODE39")
    assert found is not None
    assert found[1] == "*AB-1*"


@pytest.mark.parametrize("sent", ["]C0*AB-1*", "*AB-1", "*ab-1*", "**"])
def test_other_asterisks_are_content(catalogue: Callable[..., Catalogue], sent: str) -> None:
    """Another symbology, one asterisk, or a character that Code 39 lacks show that they are."""
    assert ParsedScan(sent).bare == sent.removeprefix("]C0")
    assert catalogue("AB-1", "AB").find(sent) is None


@pytest.mark.parametrize("sent", ["IWVWZZZ1JZXW000001", "]A0IWVWZZZ1JZXW000001", "]d1IWVWZZZ1JZXW000001"])
def test_the_number_of_an_imported_vehicle_is_found_behind_its_letter(
    catalogue: Callable[..., Catalogue], sent: str
) -> None:
    """No number of a vehicle contains an I, so the letter is no part of it."""
    assert catalogue("WVWZZZ1JZXW000001", "VWZZZ1JZXW000001").find(sent) == (Match.VEHICLE, "WVWZZZ1JZXW000001")
    assert catalogue("IWVWZZZ1JZXW000001", "WVWZZZ1JZXW000001").find(sent[-18:]) == (Match.EXACT, sent[-18:])


@pytest.mark.parametrize("sent", ["IIVWZZZ1JZXW000001", "XWVWZZZ1JZXW000001", "IWVWZZZ1JZXW00000"])
def test_an_i_before_anything_else_is_content(catalogue: Callable[..., Catalogue], sent: str) -> None:
    """A number of a vehicle has 17 characters without I, O and Q."""
    assert catalogue(sent[1:]).find(sent) is None


def test_every_name_of_a_symbology_is_the_same_hint() -> None:
    """The registry has the aliases of `code_type`, and no other list does."""
    hints = {
        name: {ParsedScan("1234", one).hint for one in (name, *aliases)}
        for name, aliases in ((symbology.name, symbology.aliases) for symbology in SYMBOLOGIES)
    }
    assert {name for name, of_names in hints.items() if len(of_names) != 1} == set()
    assert {hint for [hint] in hints.values()} == {"", "CODE39", "ITF", "CODABAR", "MSI", "UPCE", "EAN13", "ISSN"}


def test_a_gtin_behind_an_identifier_in_the_other_case_is_no_element_string() -> None:
    """With Caps Lock on `]E0` arrives as `]e0`, the identifier of a DataBar, whose text would begin with AI (400)."""
    assert ParsedScan("]e04006381333931").elements == ()
    assert [element.ai for element in ParsedScan("]e00104006381333931").elements] == ["01"]


def test_a_symbology_that_is_certain_is_believed() -> None:
    """A Code 128 read from an image is not a Codabar number, whatever it looks like."""
    assert ParsedScan("A123456C", symbology="CODE128").symbology == "CODE128"
    found = candidates_of(ParsedScan("A123456C", symbology="CODE128"))
    assert {value for one in found for _, value in one.comparisons} == {"A123456C", "a123456c"}


def test_an_add_on_does_not_hide_its_product() -> None:
    """`]E3` sends EAN-13 and add-on in one text."""
    for add_on in ("12", "12345"):
        found = candidates_of(ParsedScan(f"]E34006381333931{add_on}"))
        assert "04006381333931" in {value for one in found for _, value in one.comparisons}


@given(st.text(max_size=30))
def test_any_text_has_a_text_behind_its_identifier(text: str) -> None:
    """No text is an error, and the result contains only parts of it."""
    assert split_identifier(text)[1] in text or "\\" in text
