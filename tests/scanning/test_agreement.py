from __future__ import annotations

from typing import Any

import pytest

from barcodesvc.scanning.agreement import Reading, agreed, is_settled
from barcodesvc.scanning.codes_on_images import CodeOnImage, ImagePoint


def reading(text: str, look: int = 1, **code: Any) -> Reading:
    """Return a code as one look shows it, along two lines of 200 pixels: few of them."""
    wanted = {"symbology": "ITF", "left": 0, "width": 200, "lines": 2, **code}
    left, right, lines = wanted["left"], wanted["left"] + wanted["width"], wanted["lines"]
    corners = (ImagePoint(left, 0), ImagePoint(right, 0), ImagePoint(right, lines), ImagePoint(left, lines))
    return Reading(CodeOnImage(text, wanted["symbology"], corners), look)


def texts(*readings: Reading) -> list[str]:
    """Return the texts that count."""
    return [code.text for code in agreed(readings)]


def test_a_reading_along_many_lines_is_a_code() -> None:
    """One look is enough."""
    assert texts(reading("12345678", lines=60)) == ["12345678"]
    assert is_settled([reading("12345678", lines=60)])


@pytest.mark.parametrize("symbology", ["ITF", "CODE39", "CODABAR", "UPCE", "EAN13", "CODE128"])
def test_a_reading_along_few_lines_is_in_doubt(symbology: str) -> None:
    """It counts once a second look gives the same text; the same look twice does not."""
    first = reading("1234", symbology=symbology)
    assert texts(first) == texts(first, first) == []
    assert not is_settled([first])
    assert texts(first, reading("1234", 2, symbology=symbology)) == ["1234"]
    assert texts(first, reading("5678", 2, symbology=symbology)) == []


def test_the_longest_of_several_texts_at_a_place_counts() -> None:
    """An ITF `12345678` that lines cross at a slant is also read as `1234`."""
    short = [reading("1234", look, left=20, width=90) for look in (1, 2, 3)]
    assert texts(*short, *(reading("12345678", look) for look in (2, 3))) == ["12345678"]


def test_nothing_in_doubt_is_at_the_place_of_a_code() -> None:
    """A UPC-E of the middle of an EAN-13 does not count where the EAN-13 was read, even if looks agree on it."""
    upce = [reading("012345000065", look, symbology="UPCE", left=60, width=80) for look in (1, 2)]
    assert texts(*upce, reading("4006381333931", 3, symbology="EAN13", lines=60)) == ["4006381333931"]


def test_a_code_elsewhere_is_a_separate_one() -> None:
    """Two equal labels side by side are two codes; one label in two looks is one."""
    one, other = reading("A-1", symbology="CODE128", lines=60), reading("A-1", symbology="CODE128", left=400, lines=60)
    assert texts(one, other) == ["A-1", "A-1"]
    assert texts(one, reading("A-1", 2, symbology="CODE128", left=9, lines=60)) == ["A-1"]


def test_symbologies_that_correct_errors_are_not_in_doubt() -> None:
    """However small they are."""
    assert texts(reading("A-1", symbology="QR")) == ["A-1"]


def test_a_pdf417_that_only_a_further_look_shows_is_in_doubt() -> None:
    """At a slant a short one may be corrected to another text."""
    assert texts(reading("A-1", symbology="PDF417", lines=60)) == ["A-1"]
    further = [reading("A-1", look, symbology="PDF417", lines=60) for look in (2, 3)]
    assert texts(further[0]) == []
    assert texts(*further) == ["A-1"]
    assert is_settled(further)


def test_a_narrow_stacked_databar_is_in_doubt() -> None:
    """It has 50 modules, and noise shows some that are narrower."""
    assert texts(reading("]e001", symbology="DATABARSTACKED", width=40, lines=25)) == []
    assert texts(reading("]e001", symbology="DATABARSTACKED", width=100, lines=25)) == ["]e001"]
