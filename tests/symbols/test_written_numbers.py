"""Every spelling of a number or of an element string is drawn as one symbol, or refused at its place."""

import pytest

from barcodesvc.errors import InvalidContent
from barcodesvc.symbols.registry import find_symbology
from tests.sweeps import sweep

GTIN_ALONE = ["DATABAROMNI", "DATABARSTACKED", "DATABARSTACKEDOMNI", "DATABARLIMITED"]
ELEMENT_STRINGS = ["GS1-128", "DATABAREXPANDED", "DATABAREXPANDEDSTACKED", "GS1QR", "GS1DATAMATRIX"]


@sweep(
    ("name", "content", "same"),
    [
        *(
            ("EAN13", text, "4006381333931")
            for text in ("400-6381-333931", "04006381333931", "(01)04006381333931", "EAN 4006381333931")
        ),
        ("EAN13", "4 006381 333931+51299", "4006381333931+51299"),
        ("EAN13", "0 36000 29145 2", "0036000291452"),
        ("EAN13", "0-8044-2957-X", "9780804429573"),
        ("EAN13", "ISSN 1234-5679", "9771234567003"),
        ("EAN13", "]E04006381333931", "4006381333931"),
        ("JAN", "4 901234 567894", "4901234567894"),
        ("EAN8", "EAN-8: 96385074", "96385074"),
        ("EAN8", "0000096385074", "96385074"),
        *(("UPCA", text, "036000291452") for text in ("36000 29145 2", "0036000291452", "UPC 36000 29145 2")),
        *(("UPCE", text, "04252614") for text in ("0 425261 4", "UPC-E 04252614", "0-42100-00526-4")),
        ("ISBN13", "ISBN 978-0-306-40615-7", "9780306406157"),
        ("ISBN13", "ISBN-13: 978-0-306-40615", "9780306406157"),
        ("ISBN10", "ISBN 0-8044-2957-X", "080442957X"),
        ("ISSN", "ISSN 0317-8471", "03178471"),
        ("PZN", "PZN: 04987629", "04987629"),
        ("PZN", "PZN 4987629", "04987629"),
        *(("ITF14", text, "04006381333931") for text in ("4 006381 333931", "GTIN 04006381333931")),
        *((name, "4 006381 333931", "(01)04006381333931") for name in GTIN_ALONE),
        *((name, "0952123454321", "(01)09521234543213") for name in GTIN_ALONE),
        *((name, "(01)0952123454321", "09521234543213") for name in GTIN_ALONE),
        *((name, "010952123454321310LOT7\x1d215", "(01) 09521234543213(10)LOT7(21)5") for name in ELEMENT_STRINGS),
        ("GS1-128", "\x1d0109521234543213\x1d10LOT7\x1d", "(01)09521234543213(10)LOT7"),
        *(("GS1-128", text, "(01)04006381333931") for text in ("4 006381 333931", "01 04006381333931")),
        ("GS1-128", "(17) 27 06 30 (10) LOT7", "(17)270630(10)LOT7"),
        ("GS1-128", "SSCC 3 4012345 000000000 0", "(00)340123450000000000"),
        ("GS1-128", "]C100340123450000000000", "(00)340123450000000000"),
        ("GS1DATAMATRIX", "GTIN 4006381333931", "(01)04006381333931"),
    ],
)
def test_every_spelling_is_one_symbol(name: str, content: str, same: str) -> None:
    """In groups, after a word, with an identifier, without its first zero or check digit, in brackets or raw."""
    encode = find_symbology(name).encode
    assert encode(content) == encode(same)


@pytest.mark.parametrize(
    ("name", "content", "position", "message"),
    [
        ("EAN13", "4 006381 333932", 15, "check digit 2 at position 15"),
        ("EAN13", "EAN 4006381333932", 17, "check digit 2 at position 17"),
        ("EAN8", "4 006381 333931", 11, "13 digits"),
        ("UPCA", "EAN 4 006381 333931", 19, "13 digits"),
        ("PZN", "PZN: 04987628", 13, "check digit 8 at position 13"),
        ("GS1-128", "(01) 0400 6381 333932", 21, "check digit 2"),
        ("GS1-128", "(10) LOT 7", 9, "not ' '"),
    ],
)
def test_a_wrong_number_is_refused_at_its_place(name: str, content: str, position: int, message: str) -> None:
    """Positions count the word, the hyphens and the spaces, too."""
    with pytest.raises(InvalidContent, match=message) as refusal:
        find_symbology(name).encode(content)
    assert refusal.value.details["position"] == position
