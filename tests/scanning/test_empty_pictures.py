"""Pictures without codes: noise, text, stripes, gradients, grids, rings and halftones."""

import pytest

from barcodesvc.scanning.images.reading import codes_with_effort
from tests.properties import every
from tests.scanning.pictures.drawn_codes import pixels_of
from tests.scanning.pictures.empty_pictures import empty_picture

PICTURES = 5_000


@pytest.mark.parametrize("first", range(3))
def test_nothing_is_read_where_nothing_is(first: int) -> None:
    """However often the service looks at them."""
    seeds = range(first, PICTURES, every(PICTURES // 10 + 1))
    assert [seed for seed in seeds if codes_with_effort(pixels_of(empty_picture(seed)), "thorough").codes] == []
