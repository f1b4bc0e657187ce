import pytest
from hypothesis import given, strategies as st

from barcodesvc.scanning.candidates import candidates_of
from barcodesvc.scanning.identifiers import identified
from barcodesvc.scanning.parsed_scan import ParsedScan
from barcodesvc.symbols.registry import SYMBOLOGIES
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
    found = identified(sent)
    assert (found.text, found.symbology, found.is_gs1) == ("A", symbology, is_gs1)


def test_every_name_is_a_symbology_of_the_service() -> None:
    """The name of a scan is also a valid format."""
    letters = "ABCDEFGHILMQXdez"
    names = {identified(f"]{letter}{modifier}A").symbology for letter in letters for modifier in "0123456789"}
    assert names - {None} <= {symbology.name for symbology in SYMBOLOGIES}


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        (r"]Q2\000026ABC", "ABC"),
        (r"]d4\000003A\\B\000026C", r"A\BC"),
        (r"]Q1A\000026", r"A\000026"),
        (r"]Q1\00002A", r"\00002A"),
        (r"\000026A", r"\000026A"),
    ],
)
def test_channel_interpretations_are_taken_out(sent: str, text: str) -> None:
    r"""If the data begin with an ECI, all ECIs are removed, and doubled backslashes become single."""
    assert identified(sent).text == text


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
    assert identified(text).text in text or "\\" in text
