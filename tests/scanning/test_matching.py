"""Which product a scan finds, and by which rule: what scanners send, what people type, and what is never guessed."""

import json

import pytest

from barcodesvc.gs1.gtin import with_check_digit
from barcodesvc.scanning.candidates import Match
from tests.scanning.catalogue import Catalogue
from tests.sweeps import sweep

GTIN = "4006381333931"
SSCC = "340123450000000000"
LINK = "https://id.gs1.org"
HIBC = "+EHWD3551419G"


@sweep(
    ("stored", "sent", "hint", "match"),
    [
        # an identifier, an ECI, a 2D component
        ("\\000026A", "]Q1\\000026A", "", "aim"),
        ("AB", r"\000026AB", "", "aim"),
        (r"\000003", r"\000003", "", "exact"),
        ("9521234543213", "]E09521234543213|]e099COMPOSITE\x1d98XYZ", "", "aim"),
        ("9521234543213", "9521234543213]e0(10)LOT7", "", "aim"),
        ("A", "]C", "", None),
        ("A", "]]C0A", "", None),
        ("A", "x]C0A", "", None),
        ("A", "]1CA", "", None),
        # GS1 elements
        ("(420)45458", "]C142045458", "", "gs1"),
        ("42045458", "]C142045458", "", "aim"),
        ("(420)79284", "42079284", "", None),
        ("(400)6381333931", "]e04006381333931", "", "gs1"),
        (GTIN, f"]e0{GTIN}", "", "aim"),
        (f"(00){SSCC}", f"00{SSCC}", "", "gs1"),
        (f"00{SSCC}", f"00{SSCC}", "", "exact"),
        ("3 4012345 000000000 0", f"]C100{SSCC}020{GTIN}3712", "", "gs1"),
        ("]C100340123450000000000", f"(00){SSCC}", "", "gs1"),
        ("(10)LOT7(21)AB12345678", "10LOT7\x1d21AB12345678", "", "gs1"),
        ("(10)LOT7", "10LOT7", "", "gs1"),
        ("(10)A<GS>B", "]C110A<GS>B", "", "gs1"),
        ("(10) LOT7 (21) 5", "]C110LOT7\x1d215", "", "gs1"),
        ("(01)0952123454321", "]e00109521234543213", "", "gs1"),
        ("(01)09521234543213", "0109521234543213", "", "gs1"),
        (f"(01){GTIN}", f"]e001{with_check_digit(GTIN)}", "", None),
        (GTIN, f"(00){SSCC}(02)0{GTIN}(37)12", "", "gs1"),
        (GTIN, f"020{GTIN}3712", "", "gs1"),
        # links
        (f"(00){SSCC}", f"{LINK}/00/{SSCC}?02=0{GTIN}&37=12", "", "digital_link"),
        (GTIN, f"{LINK}/00/{SSCC}?02={GTIN}&37=12", "", "digital_link"),
        ("036000291452", f"{LINK}/8004/4012345ABC?01=036000291452", "", "digital_link"),
        (GTIN, f"{LINK}/401/abc?01=0{GTIN}", "", None),
        # numbers, in any spelling
        ("978 1 56581 231", "]E09781565812314", "", "gtin"),
        ("0-8044-2957-x", "9780804429573", "", "gtin"),
        ("9780804429573", "080442957X", "", "gtin"),
        ("1234-567", "9771234567003", "", "gtin"),
        ("977-1234-567-003", "]E09771234567003", "", "gtin"),
        ("042100005264", "0 425261 4", "", "gtin"),
        (SSCC, "3 4012345 000000000 0", "", "gtin"),
        ("36000 29145 2", "]E00036000291452", "", "gtin"),
        ("0 36000 29145 2", "UPC 36000 29145 2", "", "gtin"),
        ("ISBN 978-0-306-40615-7", "isbn 0-306-40615-2", "", "gtin"),
        ("ISBN-10: 0-306-40615-2", "978\u20110\u2011306\u201140615\u20117", "", "gtin"),
        ("0-306-40615-2", "ISBN\u00a0978\u20130\u2013306\u201340615\u20137", "", "gtin"),
        ("9780306406157", "01 09780306406157", "", "gtin"),
        ("123-45670", GTIN, "", None),
        ("4 006381 333932", GTIN, "", None),
        # a location, with its AI and without
        ("4012345000009", "(414) 4012345 00000 9", "", "gs1"),
        ("GLN 4012345000009", "https://a/414/4012345000009", "", "digital_link"),
        ("(414)4012345000009", "GLN: 4012345000009", "", "gtin"),
        ("(414)4012345000009", "4012345000009", "", "gtin"),
        ("(414)4012345000009", "]E04012345000009", "", None),
        ("(414)0012345678902", "10012345678902", "", None),
        # zeros that a spreadsheet has removed
        ("36000291452", "]E00036000291452", "", "shortened_gtin"),
        ("36000291452", f"{LINK}/01/00036000291452", "", "shortened_gtin"),
        # UPC-E, as expanded by the scanner or not
        ("01234565", "01234565", "UPCE", "exact"),
        ("012345000065", "01234565", "UPCE", "gtin"),
        ("012345000065", "123456", "UPCE", "gtin"),
        ("012345000065", "1234565", "UPCE", "gtin"),
        ("012345000065", "123456", "", None),
        ("012345000065", "01234565", "", None),
        # add-ons
        ("9771234567003+05", "]E3977123456700305", "", "add_on"),
        ("9771234567003+05", "]E09771234567003", "", "add_on"),
        ("9771234567003+05", "9771234567003 05", "", "add_on"),
        ("1234-5679+05", "]E3977123456700305", "", "add_on"),
        ("9771234567003+05", "]E3977123456700306", "", None),
        ("978-0-7352-0044-9", "978073520044951299", "EAN13", "add_on"),
        ("9780735200449", "978073520044951299", "", None),
        # check digits that were left out or added
        (GTIN, f"]E0{GTIN[:-1]}", "", "check_digit"),
        (GTIN, GTIN[:-1], "EAN13", None),
        ("96385074", "]E49638507", "", "check_digit"),
        ("400638133393", GTIN, "", "check_digit"),
        ("501234567890", "]E05012345678900", "EAN13", None),
        (GTIN, "]I140063813339317", "ITF", None),
        ("8052", "]M080523", "", "check_digit"),
        ("1", "]M018", "", "check_digit"),
        ("ABC1", "ABC1X", "", None),
        ("CODE39", "CODE39W", "CODE39", "check_digit"),
        ("CODE39", "]A1CODE39W", "", "check_digit"),
        ("CODE39W", "]A3CODE39", "", "check_digit"),
        # pharmaceutical numbers, and the numbers of packs with them
        ("1234562", "-12345626", "", "pzn"),
        ("1234562", "-12345621", "", None),
        ("PZN - 1234567", "12345678", "", "pzn"),
        ("PZN: 04987629", "]A0-04987629", "", "pzn"),
        ("PZN 4987629", "-04987629", "", "pzn"),
        ("PZN-01116414", "04150011164140", "", "pzn"),
        ("1116414", "]d20104150011164140172706301021A", "", "pzn"),
        ("-01116414", "9N110111641480", "", "pzn"),
        ("4150011164140", "]A0-01116414", "", "pzn"),
        ("(01)04150011164140", "PZN 1116414", "", "pzn"),
        ("PPN 110111641480", "01116414", "", "pzn"),
        ("01116415", with_check_digit("0415001116415"), "", None),
        ("PZN 01116414", with_check_digit("0415001116415"), "", None),
        ("PZN 01116414", with_check_digit("0400101116414"), "", None),
        ("PZN-04987629", "[)>\x1e06\x1d9N110498762989\x1d1TLOT7\x1dD270600\x1e\x04", "", "pzn"),
        ("PZN-04987629", "]d1[)>{RS}06{GS}9N110498762989{GS}1TLOT7{RS}{EOT}", "", "pzn"),
        ("PZN-04987629", "[)>069N1104987629891TLOT7", "", "pzn"),
        ("PZN-04987629", "[)>\x1e06\x1d8P04150049876299\x1d1TLOT7", "", "pzn"),
        # HIBC: the check character covers all data, so the product's part has another one alone
        (HIBC, "+EHWD3551419/$$900100F", "", "hibc"),
        ("*+EHWD3551419G*", "]d1+EHWD3551419/$$900100F", "", "hibc"),
        ("EHWD3551419", "]A0+EHWD3551419G", "", "hibc"),
        (HIBC, "+EHWD3551419/$$900100G", "", None),
        ("260301104", "+$$8053290331260301104+$", "", None),
        # Code 39: pairs, asterisks, Code 32
        ("Ab-1", "A+B-1", "", "code39_full_ascii"),
        ("ab", "*+A+B*", "", "code39_full_ascii"),
        ("AB-1", "]A0*AB-1F*", "", "check_digit"),
        ("AB-1", "*AB-1*", "", "aim"),
        ("AB-1", "]C0*AB-1*", "", None),
        ("AB-1", "*AB-1", "", None),
        ("AB-1", "*ab-1*", "", None),
        ("A123456788", "]A03PRM8N", "", "code32"),
        ("123456788", "3PRM8N", "", "code32"),
        ("A123456789", "]A03PRM8N", "", None),
        ("A123456788", "]C03PRM8N", "", None),
        # the number of an imported vehicle, which never contains an I itself
        ("WVWZZZ1JZXW000001", "]A0IWVWZZZ1JZXW000001", "", "vin"),
        ("IVWZZZ1JZXW000001", "IIVWZZZ1JZXW000001", "", None),
        ("WVWZZZ1JZXW000001", "XWVWZZZ1JZXW000001", "", None),
        ("WVWZZZ1JZXW00000", "IWVWZZZ1JZXW00000", "", None),
        # Codabar, with its letters and without; a short one may be a part number
        ("123456", "A123456B", "", "codabar"),
        ("C123456D", "123456", "", "codabar"),
        ("c123456d", "A123456B", "", None),
        ("c123456d", "]F0A123456B", "", None),
        ("123456", "]C0A123456C", "", None),
        ("4711", "A4711C", "", None),
        ("4711", "A4711C", "CODE128", None),
        ("4711", "A4711C", "Codabar", "codabar"),
        ("4711", "]F0A4711C", "", "codabar"),
        ("B12A", "12", "", None),
        ("B12A", "]F012", "", "codabar"),
        ("A12345670B", "12345670", "", "codabar"),
        # letters: a Greek Kappa is no K
        ("aBC", '{"product_code":"Abc"}', "", "case_insensitive"),
        ("k1", "\u039a1", "", None),
    ],
)
def test_what_was_printed_is_found(stored: str, sent: str, hint: str, match: str | None) -> None:
    """Every form in which a scanner sends the symbol of a code finds it, and none finds another trade item."""
    expected = None if match is None else (Match(match), stored)
    assert Catalogue([stored, "0012345678905"]).find(sent, hint) == expected


UPCE_AND_GTIN8 = ["0123456000070", "0000012345670"]
"""The numbers that the UPC-E and the GTIN-8 12345670 represent."""
ISSN_AND_GTIN8 = ["9771234005000", "0000012340057"]
"""The numbers that the ISSN and the GTIN-8 12340057 represent."""
ISSUE_AND_GTIN14 = ["036000291452+17", "(01)03600029145217"]
ISSUE_AND_SSCC = ["9780735200449+51208", "(00)978073520044951208"]


@sweep(
    ("stored", "sent", "hint", "found"),
    [
        # the text as sent, then the reading that an identifier announces, then the text behind it
        (["10LOT7", "(10)LOT7"], "10LOT7", "", "10LOT7"),
        (["10LOT7", "(10)LOT7"], "]C010LOT7", "", "10LOT7"),
        (["10LOT7", "(10)LOT7"], "]C110LOT7", "", "(10)LOT7"),
        (["]C110LOT7", "(10)LOT7"], "]C110LOT7", "", "]C110LOT7"),
        (["9780735200449", "9780735200449+51299"], "]E3978073520044951299", "", "9780735200449+51299"),
        (["9780735200449", "9780735200449+51299"], "]E09780735200449", "", "9780735200449"),
        (["AB-1", "*AB-1*"], "]A0*AB-1*", "CODE39", "*AB-1*"),
        (["VWZZZ1JZXW000001", "WVWZZZ1JZXW000001"], "IWVWZZZ1JZXW000001", "", "WVWZZZ1JZXW000001"),
        # a trade item, and a location with its digits
        (["4012345000009", "(414)4012345000009"], "04012345000009", "", "4012345000009"),
        (["4012345000009", "(414)4012345000009"], "]C14144012345000009", "", "(414)4012345000009"),
        # a GTIN-8 and a UPC-E of the same eight digits
        (UPCE_AND_GTIN8, "12345670", "", "0000012345670"),
        (UPCE_AND_GTIN8, "12345670", "EAN8", "0000012345670"),
        (UPCE_AND_GTIN8, "]E412345670", "", "0000012345670"),
        (UPCE_AND_GTIN8, "]E012345670", "EAN8", "0123456000070"),
        (UPCE_AND_GTIN8, "12345670", "UPCE", "0123456000070"),
        (UPCE_AND_GTIN8[1:], "]E012345670", "", "0000012345670"),
        (UPCE_AND_GTIN8[1:], "12345670", "UPCE", "0000012345670"),
        (UPCE_AND_GTIN8[:1], "12345670", "", None),
        # an ISSN whose eight digits are a GTIN-8 as well
        (ISSN_AND_GTIN8, "12340057", "", "0000012340057"),
        (ISSN_AND_GTIN8, "12340057", "ISSN", "9771234005000"),
        (ISSN_AND_GTIN8, "1234-0057", "", "9771234005000"),
        # Code 39, as encoded in the bars and in full ASCII
        (["+A+B", "AB"], "ab", "", "AB"),
        (["+A+B", "AB"], "ab", "CODE39", "+A+B"),
        (["+A+B", "AB"], "]A4ab", "", "+A+B"),
        (["ab", "+a+b"], "+A+B", "", "ab"),
        # Codabar, with and without start and stop letters
        (["4711", "a4711c"], "A4711C", "", "a4711c"),
        (["A4711C", "4711"], "]F04711", "", "4711"),
        (["A4711C", "04711"], "4711", "Codabar", "A4711C"),
        (["123456", "a123456b"], "A123456B", "", "a123456b"),
        # a number and an add-on, or a longer number
        (ISSUE_AND_GTIN14, "03600029145217", "", "(01)03600029145217"),
        (ISSUE_AND_GTIN14, "03600029145217", "UPCA", "(01)03600029145217"),
        (ISSUE_AND_GTIN14, "]E303600029145217", "", "036000291452+17"),
        (ISSUE_AND_SSCC, "978073520044951208", "", "(00)978073520044951208"),
        (ISSUE_AND_SSCC, "978073520044951208", "EAN13", "9780735200449+51208"),
        # optional check digits
        (["CODE39", "code39w"], "CODE39W", "", "code39w"),
        (["CODE39", "code39w"], "CODE39W", "CODE39", "CODE39"),
        (["8052", "080523"], "80523", "MSI", "8052"),
        (["1234", "12348"], "]M01234", "", "1234"),
        # an ITF of fourteen digits, and the number without its check digit
        ([GTIN, "14006381333938"], "]I114006381333938", "ITF", "14006381333938"),
        ([GTIN, f"0{GTIN}"], f"]I10{GTIN}", "", f"0{GTIN}"),
    ],
)
def test_evidence_decides_between_two_products(stored: list[str], sent: str, hint: str, found: str | None) -> None:
    """Both readings of the scan are products; what announces one, or a hint, puts it first, and hides no other."""
    fitting = Catalogue(stored).find(sent, hint)
    assert (fitting[1] if fitting else None) == found


@sweep(
    ("stored", "sent"),
    [
        (["9771234567003+05", "9771234567003+06"], "]E09771234567003"),
        (["(10)LOT7", "(10) LOT7"], "]C110LOT7"),
        (["0-8044-2957-X", "080442957"], "]E09780804429573"),
        (["1234-5679+05", "977-1234-567-003+05"], "]E3977123456700305"),
        (["PZN-12345626", "12345626", "1234562"], "]A0-12345626"),
        (["A123456788", "123456788"], "]A03PRM8N"),
        (["036000291452", "0036000291452"], "00036000291452"),
        (["Abc", "aBC"], "ABC"),
        (["3 4012345 000000000 0", "(00)340123450000000000"], f"]C100{SSCC}"),
        (["400638133393", "0400638133393"], "04006381333931"),
    ],
)
def test_of_codes_that_are_printed_alike_none_is_guessed(stored: list[str], sent: str) -> None:
    """Two issues of a periodical, or two notations of a number, are two products."""
    assert Catalogue(stored).fitting(sent)[1] == stored


@pytest.mark.parametrize(
    "code", ["]C1-A", "(01)X", "00012345", "0104012345678901", '{"product_code": "B"}', "https://a", "A-1"]
)
def test_a_stored_code_wins_over_every_reading_of_it(code: str) -> None:
    """A product's name may look like a scanner's envelope, or like a code that was typed on another keyboard."""
    assert Catalogue([code, "-A", "X", "12345", "4012345678901", "B", "A/1"]).find(code) == (Match.EXACT, code)


@pytest.mark.parametrize(
    "edge", ["\r\n", "\t", "\x00", "\x02\x03", "\x1d", " \ufeff", "\u3000", "\xa0", "\u2007\u200e"]
)
def test_ends_of_a_scan_do_not_count(edge: str) -> None:
    """White space and control characters around a code are removed, with and without identifier."""
    shop = Catalogue(["MMC M3", "MMCM3"])
    assert shop.find(f"{edge}MMC M3{edge}") == (Match.EXACT, "MMC M3")
    assert shop.find(f"{edge}]C0{edge}MMC M3{edge}") == (Match.AIM, "MMC M3")


@pytest.mark.parametrize(
    ("code", "match"),
    [("Abc", Match.JSON), ("aBC", Match.CASE), ("36000291452", None), ("0036000291452", Match.GTIN)],
)
def test_a_payload_outlives_small_changes_of_the_code(code: str, match: Match | None) -> None:
    """The product code of a payload goes through the GTIN and letter rules as well."""
    found = Catalogue(["Abc", "036000291452"]).find(json.dumps({"product_code": code}))
    assert (found[0] if found else None) == match


@sweep(
    ("stored", "expected"),
    [
        (["012345000065"], (Match.EXACT, "012345000065")),
        (["0012345000065"], (Match.GTIN, "0012345000065")),
        (["01234565"], (Match.GTIN, "01234565")),
        (["01234565", "012345000065"], (Match.EXACT, "012345000065")),
        (["0000001234565"], None),
    ],
)
def test_a_upce_on_an_image_is_its_upca_or_as_it_is_printed(
    stored: list[str], expected: tuple[Match, str] | None
) -> None:
    """It finds the UPC-A, else a code with that notation, and never the EAN-8 that its eight digits could be."""
    assert Catalogue(stored).find("012345000065", symbology="UPCE") == expected
