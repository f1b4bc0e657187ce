from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from barcodesvc.errors import InvalidInput
from barcodesvc.symbols.registry import SYMBOLOGIES, Symbology, find_symbology

NAMES = [entry.name for entry in SYMBOLOGIES]
SPELLINGS = [(name, entry.name) for entry in SYMBOLOGIES for name in (entry.name, *entry.aliases)]


def test_the_symbologies_of_the_service() -> None:
    """These twenty can be drawn, under exactly these names."""
    assert set(NAMES) == {
        *("CODE128", "CODE39", "EAN13", "EAN8", "UPCA", "ITF14"),
        *("CODABAR", "GS1-128", "PZN", "ISBN13", "ISSN", "QR"),
        *("DATAMATRIX", "AZTEC", "PDF417", "RMQR", "GS1DATAMATRIX", "GS1QR", "CODE93", "ITF"),
    }


def test_no_two_symbologies_share_a_name() -> None:
    """A spelling means one symbology, whatever its case and separators."""
    normal = ["".join(filter(str.isalnum, name)).lower() for name, _ in SPELLINGS]
    assert len(set(normal)) == len(normal)


@settings(deadline=None, derandomize=True)
@given(st.sampled_from(SPELLINGS), st.data())
def test_names_are_compared_without_case_and_separators(spelling: tuple[str, str], data: st.DataObject) -> None:
    """Hyphens, underscores and spaces anywhere, and any case, find the same symbology."""
    name, canonical = spelling
    separators = st.text("-_ ", max_size=2)
    written = "".join(data.draw(st.sampled_from([c.lower(), c.upper()])) + data.draw(separators) for c in name)
    assert find_symbology(data.draw(separators) + written).name == canonical


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("Code 128", "CODE128"),
        ("3of9", "CODE39"),
        ("ean", "EAN13"),
        ("UPC-A", "UPCA"),
        ("GTIN-14", "ITF14"),
        ("EAN-128", "GS1-128"),
        ("qr_code", "QR"),
        ("isbn", "ISBN13"),
    ],
)
def test_usual_names_are_known(written: str, canonical: str) -> None:
    """The names that people and other systems use lead to the canonical one."""
    assert find_symbology(written).name == canonical


@pytest.mark.parametrize(
    ("written", "near"), [("code182", "CODE128"), ("EAN 31", "EAN13"), ("gs1", "GS1-128"), ("kodabar", "CODABAR")]
)
def test_a_mistyped_name_is_answered_with_near_ones(written: str, near: str) -> None:
    """The refusal names the field, repeats the value and offers the nearest names."""
    with pytest.raises(InvalidInput, match="did you mean") as refusal:
        find_symbology(written, "code_type")
    (problem,) = refusal.value.details["errors"]
    assert (problem["field"], problem["value"]) == ("code_type", written)
    assert near in problem["message"]


def test_a_name_near_to_nothing_is_answered_with_all() -> None:
    """Where no name is near, the refusal lists every symbology."""
    with pytest.raises(InvalidInput, match="there are") as refusal:
        find_symbology("zzzzzzzzz")
    assert all(name in refusal.value.message for name in NAMES)


@pytest.mark.parametrize("entry", SYMBOLOGIES, ids=NAMES)
def test_every_example_is_encoded(entry: Symbology) -> None:
    """The example that people are shown is one."""
    assert entry.encode(entry.example).width > 0
