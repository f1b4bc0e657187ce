import pytest
from hypothesis import given, settings, strategies as st

from barcodesvc.errors import InvalidInput
from barcodesvc.symbols.registry import SYMBOLOGIES, Symbology, best_symbology, find_symbology, normal_name
from tests.sweeps import sweep

NAMES = [entry.name for entry in SYMBOLOGIES]
SPELLINGS = [(name, entry.name) for entry in SYMBOLOGIES for name in (entry.name, *entry.aliases)]


FAMILIES = {
    "JsBarcode": "CODE128A = CODE128A, CODE128B = CODE128B, CODE128C = CODE128C, EAN13 = EAN13, UPC = UPCA, "
    "UPCE = UPCE, EAN8 = EAN8, EAN5 = EAN5, EAN2 = EAN2, CODE39 = CODE39, CODE93 = CODE93, ITF14 = ITF14, ITF = ITF, "
    "MSI = MSI, MSI10 = MSI, pharmacode = PHARMACODE, codabar = CODABAR",
    "python-barcode": "code39 = CODE39, code128 = CODE128, ean = EAN13, ean8 = EAN8, ean13 = EAN13, ean14 = ITF14, "
    "gs1 = GS1-128, gs1_128 = GS1-128, gtin = ITF14, isbn = ISBN13, isbn10 = ISBN10, isbn13 = ISBN13, issn = ISSN, "
    "itf = ITF, jan = JAN, pzn = PZN, upc = UPCA, upca = UPCA, codabar = CODABAR, nw-7 = CODABAR, "
    "ean13-guard = EAN13, ean8-guard = EAN8",
    "Japan": "JAN = JAN, JAN13 = JAN, JAN-13 = JAN, NW-7 = CODABAR",
    "GS1": "GS1 DataMatrix = GS1DATAMATRIX, GS1 QR Code = GS1QR, GS1-128 = GS1-128, "
    "GS1 DataBar Omnidirectional = DATABAROMNI, GS1 DataBar Stacked = DATABARSTACKED, "
    "GS1 DataBar Stacked Omnidirectional = DATABARSTACKEDOMNI, GS1 DataBar Limited = DATABARLIMITED, "
    "GS1 DataBar Expanded = DATABAREXPANDED, GS1 DataBar Expanded Stacked = DATABAREXPANDEDSTACKED, "
    "RSS-14 = DATABAROMNI, RSS Limited = DATABARLIMITED, RSS Expanded = DATABAREXPANDED",
    "zxing": "EAN_13 = EAN13, EAN_8 = EAN8, UPC_A = UPCA, UPC_E = UPCE, CODE_39 = CODE39, CODE_93 = CODE93, "
    "CODE_128 = CODE128, CODABAR = CODABAR, ITF = ITF, DATA_MATRIX = DATAMATRIX, QR_CODE = QR, AZTEC = AZTEC, "
    "PDF_417 = PDF417, RSS_14 = DATABAROMNI, RSS_EXPANDED = DATABAREXPANDED",
    "zxing-cpp": "Code39Std = CODE39, DataBarOmni = DATABAROMNI, DataBarLtd = DATABARLIMITED, "
    "DataBarExp = DATABAREXPANDED, DataBarStk = DATABARSTACKED, DataBarStkOmni = DATABARSTACKEDOMNI, "
    "DataBarExpStk = DATABAREXPANDEDSTACKED, MicroQRCode = MICROQR, RMQRCode = RMQR, QRCode = QR, AztecCode = AZTEC, "
    "MicroPDF417 = MICROPDF417",
    "bwip-js": "interleaved2of5 = ITF, rationalizedCodabar = CODABAR, azteccode = AZTEC, qrcode = QR, "
    "micropdf417 = MICROPDF417, microqrcode = MICROQR, rectangularmicroqrcode = RMQR, gs1-128 = GS1-128, "
    "gs1datamatrix = GS1DATAMATRIX, gs1qrcode = GS1QR, databaromni = DATABAROMNI, databarstacked = DATABARSTACKED, "
    "databarstackedomni = DATABARSTACKEDOMNI, databarlimited = DATABARLIMITED, databarexpanded = DATABAREXPANDED, "
    "databarexpandedstacked = DATABAREXPANDEDSTACKED",
}

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


@pytest.mark.parametrize("name", LEAST_MODULES)
def test_these_symbologies_have_the_least_module_of_their_standard_or_of_the_trade(name: str) -> None:
    """Clients use these 38, under exactly these names; the least X-dimension is in mm."""
    entry = find_symbology(name)
    assert (entry.name, entry.least_module) == (name, LEAST_MODULES[name])


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


@pytest.mark.parametrize(("family", "names"), FAMILIES.items())
def test_names_of_other_systems_are_known(family: str, names: str) -> None:
    """Names that clients used before do not change what a name finds."""
    for pair in names.split(", "):
        written, _, canonical = pair.partition(" = ")
        assert find_symbology(written).name == canonical, family


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
    ("written", "near"), [("code182", "CODE128"), ("EAN 31", "EAN13"), ("gs1-182", "GS1-128"), ("kodabar", "CODABAR")]
)
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
        ("CODE128FullAlphabet", "CODE128"),
        ("GS1QR-with-anything", "GS1QR"),
        ("MSI11", "MSI"),
        ("MSI1010", "MSI"),
        ("MSI1110", "MSI"),
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


@sweep("entry", SYMBOLOGIES)
def test_every_example_is_encoded(entry: Symbology) -> None:
    """The published example is one."""
    assert entry.encode(entry.example).width > 0


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
        ("0", "CODE128"),
        ("BOLT-M8", "CODE128"),
    ],
)
def test_the_best_symbology_is_that_of_the_shops_only_for_their_numbers(code: str, symbology: str) -> None:
    """A number is theirs by its length and its check digit."""
    assert best_symbology(code).name == symbology
