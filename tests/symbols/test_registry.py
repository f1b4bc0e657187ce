"""The registry: names of symbologies, their least modules and quiet zones."""

import pytest
from hypothesis import given, settings, strategies as st

from barcodesvc.errors import InvalidInput
from barcodesvc.symbols.modules import Bars
from barcodesvc.symbols.registry import SYMBOLOGIES, best_symbology, find_symbology, normal_name
from tests.sweeps import sweep

NAMES = [entry.name for entry in SYMBOLOGIES]
SPELLINGS = [(name, entry.name) for entry in SYMBOLOGIES for name in (entry.name, *entry.aliases)]
NAMES_ELSEWHERE = {
    "UPCA": ["UPC"],
    "MSI": ["MSI10"],
    "EAN13": ["ean", "ean13-guard"],
    "ITF14": ["ean14", "gtin"],
    "GS1-128": ["gs1", "EAN-128"],
    "ISBN13": ["isbn"],
    "CODABAR": ["nw-7", "rationalizedCodabar"],
    "EAN8": ["ean8-guard"],
    "JAN": ["JAN13"],
    "GS1QR": ["GS1 QR Code"],
    "DATABAROMNI": ["GS1 DataBar Omnidirectional", "RSS-14"],
    "DATABARSTACKED": ["GS1 DataBar Stacked", "DataBarStk"],
    "DATABARSTACKEDOMNI": ["GS1 DataBar Stacked Omnidirectional", "DataBarStkOmni"],
    "DATABARLIMITED": ["GS1 DataBar Limited", "RSS Limited", "DataBarLtd"],
    "DATABAREXPANDED": ["GS1 DataBar Expanded", "RSS Expanded", "DataBarExp"],
    "DATABAREXPANDEDSTACKED": ["GS1 DataBar Expanded Stacked", "DataBarExpStk"],
    "QR": ["QR_CODE"],
    "CODE39": ["Code39Std", "3of9"],
    "MICROQR": ["MicroQRCode"],
    "RMQR": ["RMQRCode", "rectangularmicroqrcode"],
    "AZTEC": ["AztecCode"],
    "ITF": ["interleaved2of5"],
}
"""Names by which JsBarcode, python-barcode, zxing, zxing-cpp, bwip-js, GS1 and people call the symbologies."""

LEAST_MODULES = {
    # AIM's linear symbologies: 7.5 mil
    **dict.fromkeys(["CODE128", "CODE128A", "CODE128B", "CODE128C", "CODE39", "CODE93"], 0.191),
    **dict.fromkeys(["ITF", "CODABAR", "MSI", "PZN"], 0.191),
    "PHARMACODE": 0.35,
    # GS1 General Specifications 5.12.3
    **dict.fromkeys(["EAN13", "EAN8", "EAN5", "EAN2", "UPCA", "UPCE", "JAN", "ISBN13", "ISBN10", "ISSN"], 0.264),
    **dict.fromkeys(["DATABAROMNI", "DATABARSTACKED", "DATABARSTACKEDOMNI", "DATABARLIMITED"], 0.264),
    **dict.fromkeys(["DATABAREXPANDED", "DATABAREXPANDEDSTACKED"], 0.264),
    "ITF14": 0.495,
    "GS1-128": 0.25,
    "GS1DATAMATRIX": 0.255,
    "GS1QR": 0.396,
    # ISO/IEC 15438, and the resolution of hand-held imagers
    **dict.fromkeys(["PDF417", "MICROPDF417"], 0.17),
    **dict.fromkeys(["QR", "MICROQR", "RMQR", "DATAMATRIX", "AZTEC"], 0.25),
}
QUIET_ZONES = dict.fromkeys((entry.name for entry in SYMBOLOGIES), (10, 10)) | {
    **dict.fromkeys(["EAN13", "JAN", "ISBN13", "ISBN10", "ISSN"], (11, 7)),
    **dict.fromkeys(["EAN2", "EAN5"], (7, 5)),
    "EAN8": (7, 7),
    "UPCA": (9, 9),
    "UPCE": (9, 7),
    **dict.fromkeys(["MSI", "PHARMACODE"], (12, 12)),
    # one module on either side of the symbol, and the light ones with which its guards begin and end
    "DATABAROMNI": (2, 1),
    "DATABARLIMITED": (2, 6),
    "DATABAREXPANDED": (2, 1),
    **dict.fromkeys(["DATABARSTACKED", "DATABARSTACKEDOMNI", "DATABAREXPANDEDSTACKED"], (1, 1)),
    **dict.fromkeys(["QR", "GS1QR"], (4, 4)),
    **dict.fromkeys(["MICROQR", "RMQR", "PDF417"], (2, 2)),
    **dict.fromkeys(["DATAMATRIX", "GS1DATAMATRIX", "MICROPDF417"], (1, 1)),
    "AZTEC": (0, 0),
}
"""Modules left and right of the examples; ten unless the standard requires another number."""


@sweep("name", LEAST_MODULES)
def test_these_symbologies_have_the_modules_of_their_standard_or_of_the_trade(name: str) -> None:
    """Clients use these 38, under exactly these names: the least X-dimension in mm, and quiet zones."""
    entry = find_symbology(name)
    assert (entry.name, entry.least_module) == (name, LEAST_MODULES[name])
    symbol = entry.encode(entry.example)
    sides = (symbol.quiet_left, symbol.quiet_right) if isinstance(symbol, Bars) else (symbol.quiet, symbol.quiet)
    assert sides == QUIET_ZONES[name]


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


@sweep(("canonical", "names"), NAMES_ELSEWHERE.items())
def test_names_of_other_systems_are_known(canonical: str, names: list[str]) -> None:
    """Names that clients used before, and that people use, lead to the canonical one."""
    assert {find_symbology(name).name for name in names} == {canonical}


@pytest.mark.parametrize(("written", "near"), [("code182", "CODE128"), ("EAN 31", "EAN13"), ("kodabar", "CODABAR")])
def test_a_refusal_of_a_mistyped_name_suggests_similar_ones(written: str, near: str) -> None:
    """The refusal names the field, repeats the value and offers the nearest names."""
    with pytest.raises(InvalidInput, match="did you mean") as refusal:
        find_symbology(written, "code_type")
    (problem,) = refusal.value.details["errors"]
    assert (problem["field"], problem["value"]) == ("code_type", written)
    assert near in problem["message"]


@pytest.mark.parametrize(
    ("written", "offered"),
    [
        ("CODE93FullASCII", "CODE93"),
        ("GS1QR-with-anything", "GS1QR"),
        ("MSI11", "MSI"),
    ],
)
def test_a_refusal_suggests_the_name_with_which_another_begins(written: str, offered: str) -> None:
    """The longest known beginning is offered first, however long the rest is."""
    with pytest.raises(InvalidInput, match=rf"did you mean {offered}(,|$)"):
        find_symbology(written)


def test_a_refusal_of_a_name_like_no_other_lists_all() -> None:
    """If no name is near, the refusal lists every symbology."""
    with pytest.raises(InvalidInput, match="there are") as refusal:
        find_symbology("zzzzzzzzz")
    assert all(name in refusal.value.message for name in NAMES)


@pytest.mark.parametrize("name", ["-" * 100 + "code128", "\u0130" * 2_000_000])
def test_a_name_that_is_too_long_names_no_symbology(name: str) -> None:
    """It is not compared: folding four megabytes takes most of a second."""
    assert normal_name(name) == ""
    assert normal_name("-" * 93 + "code128") == "code128"


@pytest.mark.parametrize(
    ("code", "symbology"),
    [
        ("4006381333931", "EAN13"),
        ("4006381333930", "CODE128"),  # the check digit is wrong
        ("400638133393", "CODE128"),
        ("036000291452", "UPCA"),
        ("96385074", "EAN8"),
        ("15400141288763", "CODE128"),  # ITF-14 is too wide for most labels
        ("9638507\u0664", "CODE128"),
        ("4006381333931+12", "CODE128"),
        ("BOLT-M8", "CODE128"),
    ],
)
def test_the_best_symbology_is_that_of_the_shops_only_for_their_numbers(code: str, symbology: str) -> None:
    """A number is theirs by its length and its check digit."""
    assert best_symbology(code).name == symbology
