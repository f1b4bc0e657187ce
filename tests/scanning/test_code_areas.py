import pytest

from barcodesvc.scanning.images.codes import Corners, ImagePoint, meet


def area(*points: tuple[int, int]) -> Corners:
    """Return the corners of an area."""
    one, two, three, four = (ImagePoint(x, y) for x, y in points)
    return one, two, three, four


SQUARE = area((0, 0), (100, 0), (100, 100), (0, 100))
LINE = area((0, 50), (100, 50), (100, 50), (0, 50))


@pytest.mark.parametrize(
    ("other", "do_meet"),
    [
        (area((50, 50), (150, 50), (150, 150), (50, 150)), True),
        (area((20, 20), (40, 20), (40, 40), (20, 40)), True),
        (area((110, 0), (200, 0), (200, 100), (110, 100)), False),
        (area((90, 130), (130, 90), (180, 140), (140, 180)), False),
        (LINE, True),
        (area((0, 120), (100, 120), (100, 120), (0, 120)), False),
    ],
    ids=["corner", "inside", "at the side", "slanted, at a corner", "a line", "a line below"],
)
def test_areas_meet_where_they_have_a_point_in_common(other: Corners, *, do_meet: bool) -> None:
    """Whatever the order and however slanted they are."""
    assert meet(SQUARE, other) is meet(other, SQUARE) is do_meet


def test_lines_meet_where_they_cross() -> None:
    """The area of a code that one line reads is a line."""
    assert meet(LINE, area((50, 0), (50, 100), (50, 100), (50, 0)))
    assert not meet(LINE, area((120, 50), (200, 50), (200, 50), (120, 50)))
