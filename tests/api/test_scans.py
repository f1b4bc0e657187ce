"""Scans over HTTP: the data returned with a product, and without one."""

from typing import Any

import pytest
import zxingcpp
from zxingcpp import TextMode

from barcodesvc.symbols.registry import SYMBOLOGIES
from tests.api.drawn_codes import drawn, png_image
from tests.api.scanned import DECODE, GTIN, created, scanned, stocked
from tests.conftest import StandingClock
from tests.fixture_types import Client
from tests.sweeps import sweep


async def test_gs1_data_is_next_to_the_product(client: Client) -> None:
    """Lot and expiry of a symbol are returned in usable form; other scans have no such field."""
    await created(client, GTIN)
    reply = await drawn(client, "decode", code_data=f"]C1010{GTIN}17270200310300125010L7\x1d21S")
    assert reply["gs1"] == {
        "gtin": f"0{GTIN}",
        "lot": "L7",
        "serial": "S",
        "expiry": "2027-02-28",
        "net_weight_kg": 1.25,
        "elements": {"01": f"0{GTIN}", "17": "270200", "3103": "001250", "10": "L7", "21": "S"},
    }
    assert "gs1" not in await drawn(client, "decode", code_data=GTIN)
    assert (await drawn(client, "decode", code_data=f"https://a.b/01/0{GTIN}/10/L%2F7"))["gs1"]["lot"] == "L/7"


async def test_the_present_year_tells_the_century(client: Client, standing_clock: StandingClock) -> None:
    """The same expiry means another century half a century later, cached or not."""
    await created(client, GTIN)
    code = f"(01)0{GTIN}(17)770131"
    first = (await drawn(client, "decode", code_data=code))["gs1"]["expiry"]
    standing_clock.advance(50 * 365.25 * 86_400)
    assert (first, (await drawn(client, "decode", code_data=code))["gs1"]["expiry"]) == ("1977-01-31", "2077-01-31")


@sweep(
    ("sent", "symbology", "product_code"),
    [
        (f"]E0{GTIN}", "EAN13", GTIN),
        (f"]C1010{GTIN}10L7", "GS1-128", GTIN),
        (f"https://id.gs1.org/01/0{GTIN}", None, GTIN),
        ("10012345678902", None, "10012345678902"),
        ("(01)10012345678902", None, "10012345678902"),
        ("]C0 my code \r\n", "CODE128", "my code"),
        ('{"product_code":"N-1","description":"Nut","category":"Metal"}', None, "N-1"),
        ('{"product_code":"N-1","description":"%s"}' % ("x" * 501), None, "N-1"),
        (f"]E3{GTIN}12", "EAN13", GTIN),
        (r"\000026my code", None, "my code"),
        ("*AB-12345*", None, "AB-12345"),
        ("４００６３８１３３３９３１", None, "4006381333931"),  # noqa: RUF001 - full-width digits
        ('\'àà-"_&"""ç"&', None, "4006381333931"),
        ("ÜÄproduct?codeÄÖÄA1Ä*", None, "A1"),
        ("+EHWD3551419/$$900100F", None, "+EHWD3551419G"),
        ("[)>\x1e06\x1d9N110498762989\x1d1TLOT7\x1e\x04", None, "PZN-04987629"),
    ],
)
async def test_an_unknown_scan_offers_to_create_its_product(
    client: Client, refused: Any, sent: str, symbology: str | None, product_code: str
) -> None:
    """The response says what was understood, and its body creates a product that the same scan finds."""
    reply = await refused(await client.post(DECODE, json={"code_data": sent}), 404, "PRODUCT_NOT_FOUND")
    assert reply["details"]["understood"]["symbology"] == symbology
    offered = reply["details"]["new_product"]
    assert offered["product_code"] == product_code
    response = await client.post("/api/products", json=offered)
    assert response.status == 201
    assert (await drawn(client, "decode", code_data=sent))["product"]["product_code"] == product_code
    await client.delete(f"/api/products/{(await response.json())['data']['id']}")


async def test_a_payload_offers_what_it_says(client: Client, refused: Any) -> None:
    """The offer contains the payload's description and category."""
    body = {"code_data": '{"product_code":"N-1","description":"Nut","category":"Metal"}'}
    reply = await refused(await client.post(DECODE, json=body), 404, "PRODUCT_NOT_FOUND")
    assert reply["details"]["new_product"] == {"product_code": "N-1", "description": "Nut", "category": "Metal"}


async def test_an_unknown_gs1_scan_tells_its_data(client: Client, refused: Any) -> None:
    """Text, symbology and elements are reported, whether or not there is a product."""
    response = await client.post(DECODE, json={"code_data": f"\r]C1010{GTIN}10L7\n"})
    reply = await refused(response, 404, "PRODUCT_NOT_FOUND")
    assert reply["details"]["understood"] == {
        "text": f"010{GTIN}10L7",
        "symbology": "GS1-128",
        "gs1": {"gtin": f"0{GTIN}", "lot": "L7", "elements": {"01": f"0{GTIN}", "10": "L7"}},
    }


@pytest.mark.parametrize("sent", ["ä", "x" * 65, "\x01"])
async def test_a_scan_that_can_name_no_product_offers_none(client: Client, refused: Any, sent: str) -> None:
    """If no product could have that code, there is no body to post."""
    reply = await refused(await client.post(DECODE, json={"code_data": sent}), 404, "PRODUCT_NOT_FOUND")
    assert reply["details"]["new_product"] is None


async def test_products_that_fit_alike_are_named(client: Client, refused: Any) -> None:
    """An ambiguous scan is a 404 that lists the products by id, code and description."""
    first, second = await created(client, "036000291452", "0036000291452")
    reply = await refused(await client.post(DECODE, json={"code_data": "00036000291452"}), 404, "PRODUCT_NOT_FOUND")
    assert reply["message"] == ("the scanned code matches 2 products equally; ask for one of them by its product code")
    assert reply["details"]["match"] == "gtin"
    assert reply["details"]["candidates"] == [
        {"id": first, "product_code": "036000291452", "description": "x"},
        {"id": second, "product_code": "0036000291452", "description": "x"},
    ]


async def test_of_many_alike_the_first_ten_are_named(client: Client, refused: Any) -> None:
    """The list is limited, and says so."""
    letters = [f"{a}{b}{c}{d}" for a in "aA" for b in "bB" for c in "cC" for d in "dD"]
    ids = await created(client, *letters[1:])
    reply = await refused(await client.post(DECODE, json={"code_data": "abcd"}), 404, "PRODUCT_NOT_FOUND")
    assert [named["id"] for named in reply["details"]["candidates"]] == ids[:10]
    assert "10 or more products" in reply["message"]


@sweep(
    ("stored", "sent", "hint", "match"),
    [
        ("Ab-1", "A+B-1", "", "code39_full_ascii"),
        ("123456", "A123456B", "", "codabar"),
        ("C123456D", "123456", "", "codabar"),
        ("c123456d", "A123456B", "", None),
        ("c123456d", "]F0A123456B", "", None),
        ("4711", "A4711C", "", None),
        ("4711", "A4711C", "CODE128", None),
        ("123456", "]C0A123456C", "", None),
        ("4711", "A4711C", "Codabar", "codabar"),
        ("4711", "]F0A4711C", "", "codabar"),
        ("B12A", "12", "", None),
        ("B12A", "]F012", "", "codabar"),
        (GTIN, f"]E0{GTIN[:-1]}", "", "check_digit"),
        (GTIN, GTIN[:-1], "EAN13", None),
        ("036000291452", "]E003600029145", "", "check_digit"),
        ("96385074", "]E49638507", "", "check_digit"),
        ("1234562", "-12345626", "", "pzn"),
        ("12345626", "-12345626", "", "pzn"),
        ("1234562", "-12345621", "", None),
        ("ABC1", "ABC1X", "", None),
        ("CODE39", "CODE39W", "CODE39", "check_digit"),
        ("CODE39", "]A1CODE39W", "", "check_digit"),
        ("CODE39W", "]A3CODE39", "", "check_digit"),
        ("400638133393", GTIN, "", "check_digit"),
        ("01234565", "01234565", "UPCE", "exact"),
        ("012345000065", "01234565", "UPCE", "gtin"),
        ("012345000065", "01234565", "", None),
    ],
)
async def test_what_scanners_add_or_leave_out(
    client: Client, stored: str, sent: str, hint: str, match: str | None
) -> None:
    """Pairs, letters and check digits are interpreted if something names their symbology, and never guessed."""
    async with stocked(client, stored):
        reply = await scanned(client, sent, code_type=hint)
    assert reply.get("data", {}).get("match") == match, reply


SSCC = "340123450000000000"


LINK = "https://id.gs1.org"


@sweep(
    ("stored", "sent", "hint", "match"),
    [
        ("9771234567003+05", "]E3977123456700305", "", "add_on"),
        ("9771234567003+05", "]E09771234567003", "", "add_on"),
        ("9771234567003+05", "977123456700305", "", "add_on"),
        ("9771234567003+05", "9771234567003 05", "", "add_on"),
        ("1234-5679+05", "]E3977123456700305", "", "add_on"),
        ("9771234567003+05", "]E3977123456700306", "", None),
        ("9780735200449", "9780735200449 51299", "", "add_on"),
        ("9780735200449", "978073520044951299", "EAN13", "add_on"),
        ("9780735200449", "978073520044951299", "", None),
        ("978-0-7352-0044-9", "]E3978073520044951299", "", "add_on"),
        ("(420)45458", "]C142045458", "", "gs1"),
        ("42045458", "]C142045458", "", "aim"),
        ("(420)79284", "42079284", "", None),
        ("(400)6381333931", "]e04006381333931", "", "gs1"),
        ("4006381333931", "]e04006381333931", "", "aim"),
        (f"(00){SSCC}", f"00{SSCC}", "", "gs1"),
        (f"00{SSCC}", f"00{SSCC}", "", "exact"),
        ("(10)LOT7(21)AB12345678", "10LOT7\x1d21AB12345678", "", "gs1"),
        ("(10)LOT7", "10LOT7", "", "gs1"),
        ("(10)A<GS>B", "]C110A<GS>B", "", "gs1"),
        ("(10) LOT7 (21) 5", "]C110LOT7\x1d215", "", "gs1"),
        ("978-1-56581-231-4", "9781565812314", "", "gtin"),
        ("978 1 56581 231", "]E09781565812314", "", "gtin"),
        ("0-8044-2957-x", "9780804429573", "", "gtin"),
        ("1234-567", "9771234567003", "", "gtin"),
        ("PZN - 1234567", "-12345678", "", "pzn"),
        ("-1234567", "-12345678", "", "pzn"),
        ("ISBN 978-0-306-40615-7", "]E09780306406157", "", "gtin"),
        ("ISSN 0317-8471", "9770317847001", "", "gtin"),
        ("PZN: 04987629", "]A0-04987629", "", "pzn"),
        ("PZN 4987629", "-04987629", "", "pzn"),
        ("36000 29145 2", "]E00036000291452", "", "gtin"),
        ("]C100340123450000000000", "(00)340123450000000000", "", "gs1"),
        ("012345000065", "123456", "UPCE", "gtin"),
        ("012345000065", "0123456", "UPCE", "gtin"),
        ("012345000065", "1234565", "UPCE", "gtin"),
        ("012345000065", "123456", "", None),
        ("501234567890", "5012345678900", "", None),
        ("501234567890", "]E05012345678900", "EAN13", None),
        ("4006381333931", "]I140063813339317", "ITF", None),
        (f"(00){SSCC}", f"{LINK}/00/{SSCC}?02=0{GTIN}&37=12", "", "digital_link"),
        (GTIN, f"{LINK}/00/{SSCC}?02=0{GTIN}&37=12", "", "digital_link"),
        (GTIN, f"{LINK}/8004/4012345ABC?01=0{GTIN}", "", "digital_link"),
        (GTIN, f"{LINK}/401/abc?01=0{GTIN}", "", None),
        ("9521234543213", "]E09521234543213|]e099COMPOSITE\x1d98XYZ", "", "aim"),
        ("9521234543213", "]E09521234543213]e099COMPOSITE\x1d98XYZ", "", "aim"),
        ("9521234543213", "9521234543213]e0(10)LOT7", "", "aim"),
        ("A123456788", "]A03PRM8N", "", "code32"),
        ("A123456788", "3PRM8N", "", "code32"),
        ("A123456789", "]A03PRM8N", "", None),
        ("A123456788", "]C03PRM8N", "", None),
        ("(01)0952123454321", "]e00109521234543213", "", "gs1"),
        ("(01)09521234543213", "0109521234543213", "", "gs1"),
        ("A12345670B", "12345670", "", "codabar"),
        ("8052", "]M080523", "", "check_digit"),
        ("1", "]M018", "", "check_digit"),
        ("\\000026A", "]Q1\\000026A", "", "aim"),
        (GTIN, f"{LINK}/8004/4012345ABC?01={GTIN}", "", "digital_link"),
        ("036000291452", f"{LINK}/8004/4012345ABC?01=036000291452", "", "digital_link"),
        (GTIN, f"{LINK}/00/{SSCC}?02={GTIN}&37=12", "", "digital_link"),
        (GTIN, f"]C100{SSCC}020{GTIN}3712", "", "gs1"),
        (GTIN, f"(00){SSCC}(02)0{GTIN}(37)12", "", "gs1"),
        (GTIN, f"020{GTIN}3712", "", "gs1"),
        (f"(00){SSCC}", f"]C100{SSCC}020{GTIN}3712", "", "gs1"),
        ("4 006381 333931", "4006381333931", "", "gtin"),
        ("4 006381 333931", "]E04006381333931", "", "gtin"),
        ("4 006381 333931", "]C10104006381333931", "", "gs1"),
        ("4 006381 333931", f"{LINK}/01/04006381333931", "", "digital_link"),
        ("0 36000 29145 2", "]E00036000291452", "", "gtin"),
        ("0-36000-29145-2", "036000291452", "", "gtin"),
        ("0-8044-2957-X", "]E09780804429573", "", "gtin"),
        ("(01)04006381333931", "]E04006381333931", "", "gtin"),
        ("(01) 0400638 1333931", "4006381333931", "", "gtin"),
        ("1 40 06381 33393 8", "]I114006381333938", "", "gtin"),
        ("977-1234-567-003", "]E09771234567003", "", "gtin"),
        ("3 4012345 000000000 0", f"]C100{SSCC}", "", "gs1"),
        ("3 4012345 000000000 0", f"{LINK}/00/{SSCC}", "", "digital_link"),
        ("9780804429573", "080442957X", "", "gtin"),
        ("0-8044-2957-X", "978 0 8044 2957 3", "", "gtin"),
        ("9771234567003", "1234-5679", "", "gtin"),
        ("042100005264", "0 425261 4", "", "gtin"),
        ("PZN - 1234567", "12345678", "", "pzn"),
        (SSCC, "3 4012345 000000000 0", "", "gtin"),
        ("123-45670", "4006381333931", "", None),
        ("4 006381 333932", "4006381333931", "", None),
    ],
)
async def test_what_was_printed_is_found(client: Client, stored: str, sent: str, hint: str, match: str | None) -> None:
    """Every form in which a scanner sends a symbol of this code finds it, and none finds another trade item."""
    async with stocked(client, stored):
        reply = await scanned(client, sent, code_type=hint)
    assert reply.get("data", {}).get("match") == match, reply


@sweep(
    ("stored", "sent"),
    [
        (["9771234567003+05", "9771234567003+06"], "]E09771234567003"),
        (["978-1-56581-231-4", "978 1565812314"], "9781565812314"),
        (["(10)LOT7", "(10) LOT7"], "]C110LOT7"),
        (["0-8044-2957-X", "080442957X"], "]E09780804429573"),
        (["0-8044-2957-X", "080442957"], "]E09780804429573"),
        (["978-0-8044-2957-3", "0-8044-2957"], "9780804429573"),
        (["1234-5679", "12345679", "1234567"], "]E09771234567003"),
        (["1234-5679", "977-1234-567-003"], f"{LINK}/01/09771234567003"),
        (["1234-5679+05", "977-1234-567-003+05"], "]E3977123456700305"),
        (["PZN-12345626", "12345626", "1234562"], "]A0-12345626"),
        (["PZN - 1234567", "- 12345678"], "-12345678"),
        (["A123456788", "123456788"], "]A03PRM8N"),
        (["4 006381 333931", "(01)04006381333931"], "]C10104006381333931"),
        (["036000291452", "0 36000 29145 2"], "]E00036000291452"),
        (["3 4012345 000000000 0", "(00)340123450000000000"], f"]C100{SSCC}"),
        (["400638133393", "0400638133393"], "04006381333931"),
    ],
)
async def test_of_codes_that_are_printed_alike_none_is_guessed(client: Client, stored: list[str], sent: str) -> None:
    """Two issues of a periodical, or two notations of a number, are two products."""
    async with stocked(client, *stored):
        reply = await scanned(client, sent)
    assert [one["product_code"] for one in reply["details"]["candidates"]] == stored


@sweep(
    ("stored", "sent", "found"),
    [
        (["10LOT7", "(10)LOT7"], "10LOT7", "10LOT7"),
        (["10LOT7", "(10)LOT7"], "]C010LOT7", "10LOT7"),
        (["10LOT7", "(10)LOT7"], "]C110LOT7", "(10)LOT7"),
        (["]C110LOT7", "(10)LOT7"], "]C110LOT7", "]C110LOT7"),
        (["9780735200449", "9780735200449+51299"], "]E3978073520044951299", "9780735200449+51299"),
        (["9780735200449", "9780735200449+51299"], "]E09780735200449", "9780735200449"),
        (["42045458", "(420)45458"], "]C142045458", "(420)45458"),
        (["42045458", "(420)45458"], "42045458", "42045458"),
    ],
)
async def test_evidence_decides_between_readings(client: Client, stored: list[str], sent: str, found: str) -> None:
    """The text as sent, then the identifier's reading, then the text after it; a product code outranks appearance."""
    async with stocked(client, *stored):
        assert (await drawn(client, "decode", code_data=sent))["product"]["product_code"] == found


@sweep(
    ("sent", "elements"),
    [
        ("]C117261227", {"17": "261227"}),
        (f"00{SSCC}", {"00": SSCC}),
        ("10LOT7\x1d21AB12345678", {"10": "LOT7", "21": "AB12345678"}),
        ("1726122710LOT7", {"17": "261227", "10": "LOT7"}),
        (f"{LINK}/00/{SSCC}?02=0{GTIN}&37=12", {"00": SSCC, "02": f"0{GTIN}", "37": "12"}),
        (f"{LINK}/8004/4012345ABC?01=0{GTIN}", {"8004": "4012345ABC", "01": f"0{GTIN}"}),
        (f"{LINK}/414/4012345000009/254/32a", {"414": "4012345000009", "254": "32a"}),
        ("]E09521234543213|]e099COMPOSITE\x1d98XYZ", {"01": "09521234543213", "99": "COMPOSITE", "98": "XYZ"}),
        ("10LOT7", None),
        ("17261227", None),
        (GTIN, None),
        ("https://example.com/401/xyz", None),
        ("https://example.com/8004/4012345ABC/more", None),
    ],
)
async def test_gs1_data_are_reported_where_there_is_evidence(
    client: Client, sent: str, elements: dict[str, str] | None
) -> None:
    """Also without a product; digits of a GTIN's length and ambiguous text prove nothing by themselves."""
    reply = (await scanned(client, sent))["details"]["understood"]["gs1"]
    assert (reply and reply["elements"]) == elements


async def test_an_expiry_that_closes_as_a_gtin_is_reported(client: Client) -> None:
    """One in ten numbers of eight digits is a GTIN-8 by chance; the identifier is believed."""
    reply = (await scanned(client, "]C117261227"))["details"]["understood"]["gs1"]
    assert reply["expiry"] == "2026-12-27"


async def test_elements_are_reported_where_the_product_proves_them(client: Client) -> None:
    """A lot alone looks like a part number, unless a product has it in brackets."""
    await created(client, "(10)LOT7")
    assert (await drawn(client, "decode", code_data="10LOT7"))["gs1"]["lot"] == "LOT7"


UPCE_AND_GTIN8 = ["0123456000070", "0000012345670"]
"""The numbers that the UPC-E and the GTIN-8 12345670 represent."""
ISSN_AND_GTIN8 = ["9771234005000", "0000012340057"]
"""The numbers that the ISSN and the GTIN-8 12340057 represent."""
ISSUE_AND_GTIN14 = ["036000291452+17", "(01)03600029145217"]
ISSUE_AND_SSCC = ["9780735200449+51208", "(00)978073520044951208"]


@sweep(
    ("stored", "sent", "hint", "found"),
    [
        # a GTIN-8 and a UPC-E of the same eight digits
        (UPCE_AND_GTIN8, "12345670", "", "0000012345670"),
        (UPCE_AND_GTIN8, "12345670", "EAN8", "0000012345670"),
        (UPCE_AND_GTIN8, "]E412345670", "", "0000012345670"),
        (UPCE_AND_GTIN8, "]E012345670", "", "0123456000070"),
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
        (ISSUE_AND_SSCC, "]E3978073520044951208", "", "9780735200449+51208"),
        # optional check digits
        (["CODE39", "code39w"], "CODE39W", "", "code39w"),
        (["CODE39", "code39w"], "CODE39W", "CODE39", "CODE39"),
        (["8052", "080523"], "80523", "MSI", "8052"),
        (["1234", "12348"], "]M01234", "", "1234"),
        # an ITF of fourteen digits, and the number without its check digit
        ([GTIN, "14006381333938"], "]I114006381333938", "ITF", "14006381333938"),
        ([GTIN, "04006381333931"], "]I104006381333931", "", "04006381333931"),
    ],
)
async def test_a_hint_decides_between_two_products(
    client: Client, stored: list[str], sent: str, hint: str, found: str | None
) -> None:
    """Both readings of the scan are products; the one that the hint names comes first, and hides no other."""
    async with stocked(client, *stored):
        reply = await scanned(client, sent, code_type=hint)
    assert (reply["data"]["product"]["product_code"] if "data" in reply else None) == found, reply


NOT_READ = {"MSI", "PHARMACODE", "MICROPDF417", "EAN2", "EAN5"}
"""Symbologies that the independent reader does not read; MSI is tested separately, the others carry no product."""


@pytest.mark.each_engine
@sweep("format_", sorted({symbology.name for symbology in SYMBOLOGIES} - NOT_READ))
async def test_what_is_printed_is_found_by_its_scan(client: Client, format_: str) -> None:
    """Whatever a symbology adds to a product code or omits, the scan of the symbol finds the product."""
    [example] = [symbology.example for symbology in SYMBOLOGIES if symbology.name == format_]
    for code in (example, example[:-1]):
        response = await client.post("/api/codes/barcode", json={"product_code": code, "format": format_})
        if response.status == 200:
            [seen] = zxingcpp.read_barcodes(png_image((await response.json())["data"]), text_mode=TextMode.Plain)
            sent = seen.symbology_identifier + seen.text
            async with stocked(client, code):
                assert (await drawn(client, "decode", code_data=sent))["product"]["product_code"] == code


async def test_a_lot_alone_is_understood(client: Client, refused: Any) -> None:
    """The second symbol of an HIBC pack has no product, so none is proposed; what it says is in the error."""
    sent = {"code_data": "+$$8053290331260301104+$"}
    reply = await refused(await client.post(DECODE, json=sent), 404, "PRODUCT_NOT_FOUND")
    said = {"lot": "260301104", "expiry": "2029-03-31", "quantity": 5}
    assert reply["details"]["understood"].items() >= said.items()
    assert reply["details"]["new_product"] is None


async def test_a_pack_is_found_with_what_its_code_says(client: Client) -> None:
    """Lot, expiry and serial number are next to the product, whatever the code is."""
    async with stocked(client, "+EHWD3551419G", "PZN-04987629"):
        hibc = await scanned(client, "+EHWD3551419/$$900100F")
        ppn = await scanned(client, "[)>\x1e06\x1d9N110498762989\x1d1TLOT7\x1dD270600\x1dS17\x1e\x04")
    assert (hibc["data"]["match"], hibc["data"]["quantity"]) == ("hibc", 100)
    assert ppn["data"].items() >= {"match": "pzn", "lot": "LOT7", "expiry": "2027-06-30", "serial": "17"}.items()
