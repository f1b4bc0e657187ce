"""Drawings of labels in the bundled faces."""

from collections.abc import Sequence

from barcodesvc.labels.label_content import Label
from barcodesvc.labels.layout_requests import Layout
from barcodesvc.labels.pictures import Picture
from barcodesvc.labels.sheet_drawing import SheetDrawing
from barcodesvc.labels.sheet_layout import lay_out
from barcodesvc.labels.sheets import Sheet
from barcodesvc.labels.text.typesetting import Typesetter


def laid_out(labels: Sequence[Label], sheet: Sheet, layout: Layout, picture: Picture | None = None) -> SheetDrawing:
    """Return the drawing of labels, with the image of their layout if it has one."""
    return lay_out(labels, sheet, layout, picture, Typesetter())
