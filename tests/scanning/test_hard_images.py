import pytest
import zxingcpp
from PIL import Image

from barcodesvc.scanning.images.codes import ImageFile
from barcodesvc.scanning.images.reading import read_image
from barcodesvc.symbols.registry import find_symbology
from tests.scanning.symbol_images import file_of, harder, on_paper, symbol

SYMBOLOGIES = ("CODE128", "EAN13", "ITF14", "GS1-128", "DATABAREXPANDED", "QR", "DATAMATRIX", "PDF417", "AZTEC")
MILDEST = ("plain", "rotated 3", "blurred 0.5", "noise 20", "light 50 %", "perspective 0.1")
"""The first step of each kind; all but one are read, so that two failures never pass for agreement."""


def read_alone(image: Image.Image) -> list[bytes]:
    """Return what zxing-cpp finds in the same pixels with all of its options."""
    return sorted(code.bytes for code in zxingcpp.read_barcodes(image))


def read_by_us(content: bytes) -> list[bytes]:
    """Return the texts in an image file without symbology identifiers."""
    found = read_image(ImageFile(content)).codes
    return sorted(code.text[3:].encode() if code.text.startswith("]") else code.text.encode() for code in found)


@pytest.mark.parametrize("name", SYMBOLOGIES)
@pytest.mark.parametrize("module", [2, pytest.param(3, marks=pytest.mark.full_run)])
def test_at_least_as_much_is_read_as_zxing_reads(name: str, module: int) -> None:
    """Of one symbol made harder in steps the service reads all steps that zxing-cpp reads, and never another text."""
    picture = symbol(name, find_symbology(name).example, module)
    paper = on_paper((picture, (60, 120)), side=max(picture.width, picture.height) + 160)
    images = dict(harder(paper))
    alone = {step: read_alone(image) for step, image in images.items()}
    ours = {step: read_by_us(file_of(image)) for step, image in images.items()}
    assert {step for step in images if alone[step] and not ours[step]} == set()
    assert {*map(tuple, ours.values())} <= {(), tuple(alone["plain"])}
    assert sum(bool(ours[step]) for step in MILDEST) == len(MILDEST)
