"""The layout of sheets: labels, a sheet and the layout of a request in, a drawing of all pages out.

Equal labels are laid out and drawn once. Around the labels of a page are marks for cutting them apart: outlines, and
crop marks next to the outermost labels.

Rule: labels are printed in the given order, one position each; if one of them cannot be printed, none is.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from barcodesvc.drawing.shapes import Drawing, MatrixImage, Position, Rectangle
from barcodesvc.errors import InvalidContent, InvalidInput, field_problem
from barcodesvc.labels.label_content import Label
from barcodesvc.labels.label_layout import LabelArea, attempts_at, draw_label
from barcodesvc.labels.layout_requests import Layout, LayoutImage
from barcodesvc.labels.pictures import MOST_DOTS, Picture
from barcodesvc.labels.resolution import Resolution, resolution
from barcodesvc.labels.sheet_drawing import SIDEWAYS, Marks, SheetDrawing, Stroke
from barcodesvc.labels.sheets import Sheet, corrected
from barcodesvc.labels.text.typesetting import Typesetter
from barcodesvc.labels.text_lines import Paragraph

_HAIRLINE = 0.1
"""The thickness of marks, in mm."""
_CROP_GAP, _CROP_LENGTH = 1.0, 4.0
"""The distances of the ends of crop marks from the outermost labels, in mm."""


def lay_out(
    labels: Sequence[Label], sheet: Sheet, layout: Layout, picture: Picture | None, typesetter: Typesetter
) -> SheetDrawing:
    """Return the drawing of all labels in their order; `picture` is the image of the layout.

    Raises InvalidInput if the layout moves labels off their page, and for a picture that is too large; InvalidContent
    with the rule `font` for a character that no face has, and with the rule `label size` and the codes whose symbols
    would be too small to be scanned.
    """
    numbers: dict[Label, int] = {}
    order = [numbers.setdefault(label, len(numbers)) for label in labels]
    printed, dots = corrected(sheet, layout.scale, layout.offset_x, layout.offset_y), resolution(layout.dpi)
    width, height = dots.whole_dots(printed.label_width), dots.whole_dots(printed.label_height)
    area = LabelArea(*((height, width) if layout.rotate in SIDEWAYS else (width, height)), _with_bars(dots, layout))
    image = None
    if layout.image and picture:
        area, image = _next_to_picture(area, layout.image, picture)
    return SheetDrawing(
        page=printed.page,
        resolution=dots,
        label_width=width,
        label_height=height,
        positions=tuple(Position(dots.dots(corner.left), dots.dots(corner.top)) for corner in printed.corners()),
        marks=_marks(printed, layout, dots),
        labels=_drawn(numbers, sheet, area, layout, typesetter),
        order=order,
        start=layout.start_position - 1,
        rotate=layout.rotate,
        picture=image,
    )


def _with_bars(dots: Resolution, layout: Layout) -> Resolution:
    """Return the resolution with the maximum height of bars that the layout gives."""
    if layout.bar_height is None:
        return dots
    return replace(dots, greatest_bar_height=dots.whole_dots(layout.bar_height))


def _next_to_picture(area: LabelArea, image: LayoutImage, picture: Picture) -> tuple[LabelArea, MatrixImage]:
    """Return the area that a picture leaves, and the picture; raises InvalidInput for one that is too large."""
    width = max(1, round(image.width * area.resolution.dots_per_mm))
    height = picture.height_of(width)
    if width > area.inner_width or height > area.inner_height or width * height > MOST_DOTS:
        raise _too_large(area, height, image)
    left, top = (area.width - width) // 2, (area.height - height) // 2
    across, down = area.padding + width, area.padding + height
    if image.place == "above":
        rest, top = replace(area, top=down, height=area.height - down), area.padding
    elif image.place == "left":
        rest, left = replace(area, left=across, width=area.width - across), area.padding
    else:
        rest, left = replace(area, width=area.width - across), area.width - across
    return rest, MatrixImage(left, top, 1, picture.scaled(width))


def _too_large(area: LabelArea, height: int, image: LayoutImage) -> InvalidInput:
    sides = [round(dots / area.resolution.dots_per_mm, 1) for dots in (height, area.inner_width, area.inner_height)]
    message = (
        f"the image would be {image.width:g} x {sides[0]:g} mm; a label is {sides[1]:g} x {sides[2]:g} mm, "
        f"and an image at most {MOST_DOTS // 1_000_000} million dots"
    )
    return InvalidInput.of(field_problem("layout.image.width", message, image.width))


def _drawn(
    labels: Iterable[Label], sheet: Sheet, area: LabelArea, layout: Layout, typesetter: Typesetter
) -> list[Drawing]:
    """Return the drawing of each label; raises InvalidContent if some are too small."""
    drawn, refused = [], []
    size = layout.font_size
    attempts = attempts_at(size, area.resolution)
    sized = [
        (typesetter.bold if line.bold else typesetter, (line.size or size) / size, line.place == "above")
        for line in layout.sized_lines()
    ]
    for label in labels:
        plain = [(typesetter, 1.0, False)] * (len(label.texts) - len(sized))
        texts = [
            Paragraph(setter.words(text), scale, is_above)
            for text, (setter, scale, is_above) in zip(label.texts, [*plain, *sized], strict=True)
            if text
        ]
        drawing = draw_label(label.symbol, label.code, texts, area, attempts)
        if drawing is None:
            refused.append(label.code)
        else:
            drawn.append(drawing)
    if refused:
        raise _too_small(sheet, list(dict.fromkeys(refused)))
    return drawn


def _too_small(sheet: Sheet, codes: list[str]) -> InvalidContent:
    """Return the refusal; it names the label's size in the request, before it is scaled."""
    width, height = round(sheet.label_width, 1), round(sheet.label_height, 1)
    more = f" and {len(codes) - 1} more" if len(codes) > 1 else ""
    return InvalidContent(
        f"labels of {width} x {height} mm are too small for {codes[0]}{more}; "
        "use fewer labels per row or column, a larger page, or a smaller font",
        rule="label size",
        product_codes=codes,
        label_width_mm=width,
        label_height_mm=height,
    )


def _outlines(sheet: Sheet, dots: Resolution) -> tuple[Rectangle, ...]:
    """Return the edges of all labels, including those that remain empty."""
    whole = dots.dots
    edges = [
        (whole(left), whole(top), whole(left + sheet.label_width), whole(top + sheet.label_height))
        for left, top in ((corner.left, corner.top) for corner in sheet.corners())
    ]
    return tuple(Rectangle(left, top, right - left, bottom - top) for left, top, right, bottom in edges)


def _crop_marks(sheet: Sheet, dots: Resolution) -> tuple[Stroke, ...]:
    """Return a line beyond the outermost labels at both ends of every edge between labels."""
    lefts = [sheet.left + column * sheet.pitch_x for column in range(sheet.columns)]
    tops = [sheet.top + row * sheet.pitch_y for row in range(sheet.rows)]
    across = sorted({dots.dots(edge) for left in lefts for edge in (left, left + sheet.label_width)})
    down = sorted({dots.dots(edge) for top in tops for edge in (top, top + sheet.label_height)})
    upright = (Stroke(x, y, 0, length) for x in across for y, length in _ends(sheet.top, sheet.bottom, dots))
    level = (Stroke(x, y, length, 0) for y in down for x, length in _ends(sheet.left, sheet.right, dots))
    return tuple(chain(upright, level))


def _marks(sheet: Sheet, layout: Layout, dots: Resolution) -> Marks:
    return Marks(
        _outlines(sheet, dots) if layout.outlines else (),
        _crop_marks(sheet, dots) if layout.crop_marks else (),
        max(dots.dots(_HAIRLINE), 1),
    )


def _ends(first: float, last: float, dots: Resolution) -> tuple[tuple[int, int], tuple[int, int]]:
    length = dots.dots(_CROP_LENGTH - _CROP_GAP)
    return (dots.dots(first - _CROP_GAP), -length), (dots.dots(last + _CROP_GAP), length)
