"""Labels for tests: made of their content, drawn in the bundled faces, and rendered."""

from collections.abc import Sequence

import pypdfium2
from PIL.Image import Image

from barcodesvc.labels.label_content import Label
from barcodesvc.labels.layout_requests import Layout
from barcodesvc.labels.pictures import Picture
from barcodesvc.labels.resolution import resolution
from barcodesvc.labels.sheet_drawing import SheetDrawing
from barcodesvc.labels.sheet_layout import lay_out
from barcodesvc.labels.sheets import Sheet
from barcodesvc.labels.text.typesetting import Typesetter
from barcodesvc.symbols.registry import find_symbology

Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels, in Pillow's order."""
_INKED = [255] * 195 + [0] * 61
"""Which greys count as ink, for Image.point: more than a quarter of a pixel."""


def label(name: str, content: str, *texts: str) -> Label:
    """Return a label with a symbol of this symbology and its texts."""
    return Label(find_symbology(name).encode(content), content, texts)


def laid_out(labels: Sequence[Label], sheet: Sheet, layout: Layout, picture: Picture | None = None) -> SheetDrawing:
    """Return the drawing of labels, with the image of their layout if it has one."""
    return lay_out(labels, sheet, layout, picture, Typesetter())


def rendered(pdf: bytes, dpi: int, without: int | None = None) -> list[Image]:
    """Return the pages in grey, a pixel for each dot, if wanted without objects of one kind."""
    pictures = []
    scale = resolution(dpi).dots_per_point - 1e-9  # a page that is whole dots large is not rounded up
    with pypdfium2.PdfDocument(pdf) as document:
        for page in document:
            for found in list(page.get_objects(filter=[without], max_depth=1)) if without else ():
                page.remove_obj(found)
            pictures.append(page.render(scale=scale, grayscale=True).to_pil())
    return pictures


def inked(picture: Image) -> Box | None:
    """Return where there is ink in a picture."""
    return picture.point(_INKED).getbbox()
