import pytest
from PIL import Image

from barcodesvc.scanning.images.one_look import codes_in
from barcodesvc.scanning.images.paper import has_paper_beyond_lines
from tests.scanning.pictures.drawn_codes import pixels_of
from tests.scanning.symbol_images import on_paper, symbol


def ends_at_paper(image: Image.Image) -> list[bool]:
    """Return for each code that one look shows whether it ends at paper."""
    pixels = pixels_of(image)
    return [has_paper_beyond_lines(code, pixels) for code in codes_in(pixels)]


@pytest.mark.parametrize("with_text", [False, True])
@pytest.mark.parametrize(("name", "content"), [("ITF", "12345678"), ("UPCE", "01234565"), ("EAN8", "96385074")])
def test_an_upright_code_ends_at_paper(name: str, content: str, *, with_text: bool) -> None:
    """Outside of its picture, on its own paper, and above its text, also where guards go on next to that."""
    low = symbol(name, content, 5, 12, with_text=with_text)
    assert ends_at_paper(low) == [True]
    assert ends_at_paper(on_paper((low, (40, 90)), side=600)) == [True]


def test_lines_at_a_slant_have_bars_around_them() -> None:
    """They are some lines of a code, maybe of a part of it."""
    high = symbol("CODE128", "AB-12345", 2, 80)
    for degrees in (6, 9, 12):
        turned = high.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
        assert ends_at_paper(turned) == [False]
