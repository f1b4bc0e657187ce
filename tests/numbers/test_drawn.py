import pytest

from barcodesvc.errors import InvalidContent
from barcodesvc.symbols.registry import find_symbology
from tests.sweeps import sweep


@sweep(
    ("name", "content", "same"),
    [
        *(("EAN13", text, "4006381333931") for text in ("4 006381 333931", "400-6381-333931", "04006381333931")),
        *(
            ("EAN13", text, "4006381333931")
            for text in ("(01)04006381333931", "EAN 4006381333931", "01 04006381333931")
        ),
        ("EAN13", "4 006381 333931+51299", "4006381333931+51299"),
        ("EAN13", "0 36000 29145 2", "0036000291452"),
        ("EAN13", "0-8044-2957-X", "9780804429573"),
        ("EAN13", "ISSN 1234-5679", "9771234567003"),
        ("EAN13", "]E04006381333931", "4006381333931"),
        ("JAN", "4 901234 567894", "4901234567894"),
        ("EAN8", "9638 5074", "96385074"),
        ("EAN8", "EAN-8: 96385074", "96385074"),
        ("EAN8", "0000096385074", "96385074"),
        *(
            ("UPCA", text, "036000291452")
            for text in ("0 36000 29145 2", "36000 29145 2", "0036000291452", "UPC 36000 29145 2")
        ),
        *(("UPCE", text, "04252614") for text in ("0 425261 4", "UPC-E 04252614", "0-42100-00526-4")),
        ("ISBN13", "ISBN 978-0-306-40615-7", "9780306406157"),
        ("ISBN13", "ISBN-13: 978-0-306-40615", "9780306406157"),
        ("ISBN10", "ISBN 0-8044-2957-X", "080442957X"),
        ("ISSN", "ISSN 0317-8471", "03178471"),
        ("PZN", "PZN: 04987629", "04987629"),
        ("PZN", "PZN 4987629", "04987629"),
        *(
            ("ITF14", text, "04006381333931")
            for text in ("4 006381 333931", "GTIN 04006381333931", "0 4006381 33393 1")
        ),
        *(("DATABAROMNI", text, "(01)04006381333931") for text in ("4 006381 333931", "(01) 0400638 1333931")),
        *(
            ("GS1-128", text, "(01)04006381333931")
            for text in ("(01) 0400 6381 333931", "4 006381 333931", "01 04006381333931")
        ),
        ("GS1-128", "(17) 27 06 30 (10) LOT7", "(17)270630(10)LOT7"),
        ("GS1-128", "SSCC 3 4012345 000000000 0", "(00)340123450000000000"),
        ("GS1-128", "]C100340123450000000000", "(00)340123450000000000"),
        ("GS1DATAMATRIX", "GTIN 4006381333931", "(01)04006381333931"),
        ("DATABAREXPANDED", "(01) 0400 6381 333931", "(01)04006381333931"),
    ],
)
def test_what_counts_as_a_number_is_drawn_as_it(name: str, content: str, same: str) -> None:
    """In groups, after a word, with an identifier, without its first zero: the symbol is that of the plain number."""
    encode = find_symbology(name).encode
    assert encode(content) == encode(same)


@pytest.mark.parametrize(
    ("name", "content", "position", "message"),
    [
        ("EAN13", "4 006381 333932", 15, "check digit 2 at position 15"),
        ("EAN13", "EAN 4006381333932", 17, "check digit 2 at position 17"),
        ("EAN8", "4 006381 333931", 11, "13 digits"),
        ("EAN8", "UPC 96385074", 1, "character .U. at position 1 is not a digit"),
        ("UPCA", "EAN 4 006381 333931", 19, "13 digits"),
        ("ISBN13", "ISBN 978-0-306-40615-8", 22, "check digit 8 at position 22"),
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
