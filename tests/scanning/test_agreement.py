"""Which readings count: those that no other look contradicts, and that are certain or that several looks agree on."""

from typing import Any

import pytest

from barcodesvc.scanning.images.agreement import Reading, agreed, is_settled
from barcodesvc.scanning.images.codes import CodeOnImage, ImagePoint
from barcodesvc.scanning.images.one_look import NAMES, NAMES_IN_GS1
from barcodesvc.symbols.registry import find_symbology
from barcodesvc.symbols.trust import UNKNOWN
from tests.sweeps import sweep

EAN13 = "4006381333931"
ISSUE = "9771234567003"


def reading(text: str, look: int = 1, **code: Any) -> Reading:
    """Return a code as one look shows it, along two lines of 200 pixels: few of them. Each look is of another kind."""
    wanted = {"symbology": "ITF", "left": 0, "top": 0, "width": 200, "lines": 2, **code}
    left, right = wanted["left"], wanted["left"] + wanted["width"]
    top, bottom = wanted["top"], wanted["top"] + wanted["lines"]
    corners = (ImagePoint(left, top), ImagePoint(right, top), ImagePoint(right, bottom), ImagePoint(left, bottom))
    shown = CodeOnImage(text, wanted["symbology"], corners)
    return Reading(shown, look, wanted.get("kind", f"kind {look}"), wanted.get("ends_at_paper", False))


def slanted(text: str, symbology: str, look: int, *points: tuple[int, int]) -> Reading:
    """Return a code with these corners, as one look shows it."""
    one, two, three, four = (ImagePoint(x, y) for x, y in points)
    return Reading(CodeOnImage(text, symbology, (one, two, three, four)), look, f"kind {look}")


def texts(*readings: Reading) -> list[str]:
    """Return the texts that count."""
    return [code.text for code in agreed(readings)]


@sweep(
    "one",
    [
        reading("12345678", lines=60),
        reading("0" * 39 + "1", width=1100, lines=60),  # a long code may have a twentieth of its width
        reading("A-1", symbology="QR"),  # it corrects errors, however small it is
        reading("A-1", 2, symbology="QR", lines=60),
        reading("A-1", symbology="PDF417", lines=60),
        slanted(
            "A-1", "PDF417", 1, (104, 63), (406, 63), (428, 178), (83, 180)
        ),  # in perspective: its sides lean apart
        reading("]e010A", symbology="DATABAREXPANDED", lines=9),
        reading("]e001", symbology="DATABARSTACKED", width=100, lines=25),
        reading(f"{ISSUE}+51299", symbology="EAN13", lines=10),
    ],
)
def test_a_reading_along_many_lines_or_with_a_good_check_is_a_code(one: Reading) -> None:
    """One look is enough."""
    assert texts(one) == [one.code.text]
    assert is_settled([one])


@sweep(
    ("text", "code"),
    [
        # few lines
        *(("1234", {"symbology": symbology}) for symbology in ("CODE39", "EAN13", "CODE128")),
        # low codes that have no more lines, since paper is above and below them
        *(("12345678", {"symbology": name, "ends_at_paper": True}) for name in ("ITF", "CODABAR", "UPCE", "EAN8")),
        # other stripes look like a short ITF, and rings in rings like an Aztec rune
        ("1234", {"symbology": "ITF", "lines": 200}),
        ("148", {"symbology": "AZTEC", "lines": 200}),
        # one in ten numbers has a valid check, and a sharpened or blurred copy may show one that is not there
        (EAN13, {"symbology": "EAN13", "lines": 60}),
        *(("A-1", {"symbology": each, "lines": 60, "kind": "sharp"}) for each in ("CODE128", "GS1-128", "CODE93")),
        ("A-1", {"symbology": "CODE128", "kind": "white"}),
        # at a slant a short one may be corrected to another text
        ("A-1", {"symbology": "PDF417", "lines": 60}),
        # a symbology that is not known: it has one parity bit
        ("115-7/22A", {"symbology": "DX Film Edge", "lines": 90}),
        ("049040000014", {"symbology": "UPCE", "lines": 25}),
    ],
)
def test_what_one_further_look_shows_is_in_doubt(text: str, code: dict[str, Any]) -> None:
    """It counts once a second look gives the same text; the same look twice does not, nor does another text."""
    first = reading(text, 2, **code)
    assert texts(first) == texts(first, first) == []
    assert not is_settled([first])
    assert texts(first, reading(text, 3, **code)) == [text]
    assert texts(first, reading(text[::-1], 3, **code)) == []


@sweep(
    ("text", "code"),
    [
        # an ITF `12345678` that lines cross at a slant is also read as `1234`, an EAN-13 as a UPC-E or an EAN-8
        *(("1234", {"symbology": symbology}) for symbology in ("ITF", "CODABAR", "UPCE", "EAN8")),
        ("12345678", {"width": 1100, "lines": 60}),
        # looks of one kind show the same mistakes
        (EAN13, {"symbology": "EAN13", "lines": 60, "kind": "white"}),
        # noise shows some that have less than 50 modules
        ("]e001", {"symbology": "DATABARSTACKED", "width": 40, "lines": 25, "kind": "white"}),
    ],
)
def test_what_other_codes_contain_never_counts(text: str, code: dict[str, Any]) -> None:
    """However many looks show it."""
    assert texts(*(reading(text, look, **code) for look in (2, 3, 4))) == []


def test_the_longest_of_several_texts_at_a_place_counts() -> None:
    """Lines at a slant may leave an end out."""
    short = [reading("1234", look, symbology="CODE39", left=20, width=90) for look in (1, 2, 3)]
    assert texts(*short, *(reading("12345678", look, symbology="CODE39") for look in (2, 3))) == ["12345678"]


def test_texts_of_one_length_count_if_most_lines_show_them() -> None:
    """A blurred EAN-13 may close its check digit with wrong digits; if no text is clearly ahead, none counts."""
    right = [reading("036000291452", look, symbology="UPCA", lines=80) for look in (4, 5)]
    for lines, expected in ((30, ["036000291452"]), (60, [])):
        wrong = [reading("9074932437075", look, symbology="EAN13", lines=lines) for look in (2, 3)]
        assert texts(*wrong, *right) == expected


def test_the_place_of_a_code_is_the_largest_that_a_look_shows() -> None:
    """A look at a slant shows a part of its bars, so the one that is turned by the slant of the code has its place."""
    looks = [reading("4006381333931", look, symbology="EAN13", lines=lines) for look, lines in ((2, 30), (3, 90))]
    for order in (looks, looks[::-1]):
        [code] = agreed(order)
        assert code == looks[1].code


def test_nothing_in_doubt_is_at_the_place_of_a_code() -> None:
    """A UPC-E of the middle of an EAN-13 does not count where the EAN-13 was read, even if looks agree on it."""
    upce = [reading("012345000065", look, symbology="UPCE", left=60, width=80) for look in (1, 2)]
    whole = [reading("4006381333931", look, symbology="EAN13", lines=60) for look in (3, 4)]
    assert texts(*upce, *whole) == ["4006381333931"]
    assert texts(*upce, whole[0]) == []


@pytest.mark.parametrize(
    ("top", "left", "expected"),
    [
        (80, 0, ["4006381333931"]),
        (300, 0, ["4006381333931", "012345000065"]),
        (80, 220, ["4006381333931", "012345000065"]),
    ],
    ids=["on its bars", "below", "at its side"],
)
def test_a_upce_on_the_bars_of_an_ean_does_not_count(top: int, left: int, expected: list[str]) -> None:
    """The lines that read an EAN-13 may be above those of its part; a label below or at its side is a code."""
    whole = reading("4006381333931", symbology="EAN13", lines=60)
    assert texts(whole, reading("012345000065", symbology="UPCE", left=left, top=top, width=100, lines=20)) == expected


def test_few_lines_confirm_a_whole_code() -> None:
    """They are a second look at a code that another one shows as a whole, unless its check is weak."""
    for symbology, text, expected in (("CODE128", "A-1", ["A-1"]), ("UPCA", "900077101099", [])):
        whole, part = (reading(text, look, symbology=symbology, lines=lines) for look, lines in ((3, 60), (2, 2)))
        assert texts(whole, part) == expected


def test_of_two_texts_on_the_same_bars_the_one_that_more_lines_show_counts() -> None:
    """zxing-cpp reads a reduced copy as well, whose bars may be another number's, along lines that are far apart."""
    more = reading("2039519538085", symbology="EAN13", lines=150)
    fewer = reading("2030519438085", symbology="EAN13", lines=100, top=25)
    assert texts(more, fewer) == texts(fewer, more) == ["2039519538085"]
    below = reading("2030519438085", symbology="EAN13", lines=100, top=170)
    assert texts(more, below) == ["2039519538085", "2030519438085"]


def test_lines_of_one_symbol_are_one_code() -> None:
    """A look may miss the lines between, or read some along columns; another one that shows them joins both."""
    top, bottom = (reading("24036153", symbology="EAN8", top=top, lines=30) for top in (0, 150))
    assert texts(top, bottom) == ["24036153", "24036153"]
    assert texts(top, bottom, reading("24036153", 2, symbology="EAN8", lines=170)) == ["24036153"]
    across = reading("24036153", symbology="EAN8", left=90, top=-90, width=20, lines=200)
    assert texts(top, across) == ["24036153"]


def test_an_add_on_that_some_lines_miss_makes_no_second_code() -> None:
    """The number is that of the same symbol, as far as other readings join both."""
    whole = reading("049000006346+01", symbology="UPCE", lines=60)
    number = [reading("049000006346", look, symbology="UPCE", top=-110, lines=40) for look in (2, 3)]
    between = reading("049000006346+01", 4, symbology="UPCE", top=-80, lines=60)
    assert texts(whole, *number, between) == ["049000006346+01"]


def test_an_add_on_does_not_make_its_number_doubtful() -> None:
    """It is lower than the bars of the number, and makes the symbol wider."""
    number = reading("9771234567003", symbology="EAN13", lines=60)
    low = reading("9771234567003+05", symbology="EAN13", width=260, top=60, lines=2)
    assert texts(number, low) == texts(low, number) == ["9771234567003+05"]
    assert is_settled([low, number])
    assert texts(reading("9771234567003+51299", symbology="EAN13", lines=10)) == ["9771234567003+51299"]
    assert texts(reading("9771234567003", symbology="EAN13", lines=10)) == []


def test_a_number_and_the_number_with_its_add_on_confirm_each_other() -> None:
    """They are one symbol, of which not every look shows the add-on."""
    number, whole = (
        reading(f"9771234567003{add_on}", look, symbology="EAN13") for look, add_on in ((2, ""), (3, "+05"))
    )
    assert texts(number) == texts(whole) == []
    assert texts(number, whole) == ["9771234567003+05"]


@pytest.mark.parametrize(
    ("add_ons", "expected"),
    [
        (("05", "31"), ""),
        (("05", "05", "05", "31"), "+05"),
        (("51", "51299"), "+51299"),
        (("51", "51", "51299"), "+51299"),
    ],
    ids=["alike", "clear", "begun", "begun more often"],
)
def test_the_add_on_that_clearly_most_lines_show_counts(add_ons: tuple[str, ...], expected: str) -> None:
    """A line at a slant may leave one of five digits after two."""
    looks = enumerate(add_ons, 1)
    shown = [reading(f"9771234567003+{add_on}", look, symbology="EAN13", lines=60) for look, add_on in looks]
    assert texts(*shown) == [f"9771234567003{expected}"]


def test_two_low_labels_that_one_look_shows_are_two_codes() -> None:
    """However close they are, as long as no lines reach from one to the other."""
    labels = [reading("A-1", look, symbology="CODE128", top=top, lines=30) for look in (1, 2) for top in (0, 60)]
    assert texts(*labels) == ["A-1", "A-1"]


def test_a_databar_expanded_counts_once() -> None:
    """zxing-cpp gives some the place that they have in a mirror."""
    places = [reading("]e010A", symbology="DATABAREXPANDED", left=left, lines=60) for left in (0, 600)]
    assert texts(*places) == ["]e010A"]


def test_a_code_elsewhere_is_a_separate_one() -> None:
    """Two equal labels side by side are two codes; one label in two looks is one."""
    one, other = reading("A-1", symbology="CODE128", lines=60), reading("A-1", symbology="CODE128", left=400, lines=60)
    assert texts(one, other) == ["A-1", "A-1"]
    assert texts(one, reading("A-1", 2, symbology="CODE128", left=9, lines=60)) == ["A-1"]


def test_every_symbology_that_is_read_is_known() -> None:
    """How few lines read it, whether its check is weak, or that it corrects errors."""
    names = {*NAMES.values(), *NAMES_IN_GS1.values(), "ITF14"} - {"EAN2", "EAN5", "ISBN13"}  # parts of EAN-13
    assert [name for name in names if find_symbology(name).trust == UNKNOWN] == []


def test_a_sheared_pdf417_never_counts() -> None:
    """Its lines were read at a slant, so they took codewords from several rows, in whatever look."""
    sheared = [slanted("SJF5LOA", "PDF417", look, (5, 37), (143, 37), (149, 72), (11, 72)) for look in (1, 2)]
    assert texts(*sheared) == []
    assert texts(*sheared, *(reading("A-1", look, symbology="PDF417", lines=60) for look in (3, 4))) == ["A-1"]


def test_a_slanted_stacked_databar_is_in_doubt() -> None:
    """It may be the two halves of another DataBar, which lines cross at a slant; that one counts once it is read."""
    half = slanted("]e001", "DATABARSTACKED", 1, (0, 0), (100, 0), (140, 30), (40, 30))
    assert texts(half) == []
    found = agreed([half, *(reading("]e001", look, symbology="DATABAROMNI", lines=60) for look in (2, 3))])
    assert [code.symbology for code in found] == ["DATABAROMNI"]


def test_what_is_certain_hides_what_is_in_doubt() -> None:
    """A film edge hides no UPC-A; where light covers a bar several lines read another UPC-E, those of the rest more."""
    film = [reading("115-7/22A", look, symbology="DX Film Edge", lines=90) for look in (1, 2)]
    assert texts(*film, reading("036000291452", symbology="UPCA", lines=60)) == ["036000291452"]
    wrong = [reading("049040000014", look, symbology="UPCE", lines=25) for look in (1, 2)]
    assert not is_settled(wrong)
    right = [reading("049000006346", look, symbology="UPCE", lines=80) for look in (3, 4)]
    assert texts(*wrong, *right) == ["049000006346"]
