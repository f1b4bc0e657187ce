"""The result of a process that reads an image: it is JSON, and is validated."""

import json

import pytest

from barcodesvc.scanning.images.codes import ImageFile
from barcodesvc.scanning.images.reader import codes_from_json
from barcodesvc.scanning.images.reading import read_image, read_image_in_process
from tests.scanning.symbol_images import file_of, on_paper, symbol


def test_codes_are_unchanged() -> None:
    """Texts, symbologies and corners are those of reading without a process."""
    codes = on_paper((symbol("QR", "B-1 \u00e4\u20ac\U0001f58a", 3), (50, 50)), (symbol(), (50, 300)), side=600)
    image = ImageFile(file_of(codes))
    found = read_image(image)
    assert len(found.codes) == 2
    assert codes_from_json(json.loads(json.dumps(read_image_in_process(None, image)))) == found


@pytest.mark.parametrize(
    "found", [[], {}, "x", {"codes": [{"text": 1}], "is_truncated": False}, {"codes": [], "is_truncated": "perhaps"}]
)
def test_any_other_json_is_refused(found: object) -> None:
    """A process that a file has compromised cannot return anything but codes."""
    with pytest.raises(ValueError, match="validation error"):
        codes_from_json(found)
