"""What clients may ask for in the arrangement of labels, and in what is printed on all of them; lengths in mm.

A sheet is named, or given by its measures (`labels.grid`), or divided evenly as the specification says
(`labels.sheets.simple_sheet`); the fields that are there decide which.
"""

import re
from collections.abc import Iterable, Set as AbstractSet
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    Field,
    PlainSerializer,
    PlainValidator,
    StringConstraints,
    TypeAdapter,
    WithJsonSchema,
)
from typing_extensions import TypeAliasType

from barcodesvc.errors import InvalidInput, field_problem
from barcodesvc.fields import described
from barcodesvc.labels import placeholders
from barcodesvc.labels.grid import Measures, grid_sheet, require_agreement
from barcodesvc.labels.pictures import Place
from barcodesvc.labels.sheets import (
    CUSTOM_SIZE,
    LABELS_PER_ROW,
    PAGE_SIZES,
    SHEETS,
    PageSize,
    Sheet,
    named_sheet,
    page_name,
    page_size,
    simple_sheet,
)
from barcodesvc.models import Draft, ShortText, matching

MOST_LABELS = 10_000
"""Labels of one request, with all copies."""
MOST_LINES = 5
LONGEST_NAME = 64
"""Characters of the name of a saved layout or image."""
GREATEST_OFFSET = 20
"""Of a printer, in mm."""
LEAST_SCALE, GREATEST_SCALE = 0.9, 1.1
ARRANGEMENT = (
    *("sheet", "page_size", "labels_per_row", "labels_per_column", "label_width", "label_height"),
    *("margin_left", "margin_top", "pitch_x", "pitch_y"),
)
"""Fields of a layout that say where its labels are on a page."""
CORRECTIONS = ("offset_x", "offset_y", "scale")
"""Fields that correct the printer for which it was made."""
_A4 = page_size("A4")
_NAME_PATTERN = rf"^(?!\.{{1,2}}$)[A-Za-z0-9._-]{{1,{LONGEST_NAME}}}$"
"""Clients remove the segments `.` and `..` from a path."""
_NAME = re.compile(_NAME_PATTERN)
Rotation = TypeAliasType("Rotation", Literal[0, 90, 180, 270])
"""In degrees."""
Graphics = TypeAliasType("Graphics", Literal["z64", "acs", "hex"])
"""How images are written in ZPL: deflated, with counts of equal digits, or plain."""
Media = TypeAliasType("Media", Literal["gap", "mark", "continuous"])
"""How a printer finds the next label."""


def require_name(value: str) -> str:
    """Return the name; raises ValueError unless layouts and images can be saved under it."""
    if not _NAME.fullmatch(value):
        raise ValueError(f"a name is 1 to {LONGEST_NAME} of the characters A-Z a-z 0-9 . _ -, and neither . nor ..")
    return value


def require_placeholders(text: str) -> str:
    """Return the text; raises RefusedValueError if its braces are not placeholders."""
    placeholders.parsed(text)
    return text


def _page(value: object) -> PageSize:
    if not isinstance(value, str):
        raise ValueError("the name of a page size is text")  # noqa: TRY004 - pydantic takes ValueError for a refusal
    try:
        return page_size(value)
    except InvalidInput as refusal:
        raise ValueError(refusal.errors[0]["message"]) from refusal


def _named_or_custom(title: str, names: Iterable[str], description: str, example: str) -> WithJsonSchema:
    """Return the schema of the names of pages or sheets, each in one of its spellings."""
    named = {"title": title, "type": "string", "enum": list(names)}
    custom = {"title": "CustomSize", "type": "string", "pattern": CUSTOM_SIZE}
    return WithJsonSchema({"anyOf": [named, custom], "description": description, "examples": [example]})


SheetOrRoll = TypeAliasType(
    "SheetOrRoll",
    Annotated[
        str,
        StringConstraints(min_length=1, max_length=40),
        _named_or_custom(
            "SheetName", SHEETS, "A sheet by its name, or a roll by the size of its labels: `100x50mm`.", "L7160"
        ),
    ],
)
Page = TypeAliasType(
    "Page",
    Annotated[
        PageSize,
        PlainValidator(_page),
        PlainSerializer(page_name),
        _named_or_custom("PageName", PAGE_SIZES, "The page by its name or as `210x297mm`; A4 by default.", "A4"),
    ],
)
LabelName = Annotated[
    str,
    AfterValidator(require_name),
    matching(_NAME_PATTERN),
    described("The name: 1 to 64 of the characters `A-Za-z0-9._-`.", "shelf"),
]
Length = Annotated[float, Field(ge=0, le=1200, allow_inf_nan=False)]
Pitch = Annotated[float, Field(gt=0, le=1200, allow_inf_nan=False)]
PerAxis = Annotated[int, Field(ge=1, le=100)]
Copies = Annotated[int, Field(ge=1, le=MOST_LABELS)]
PrinterError = Annotated[float, Field(ge=-GREATEST_OFFSET, le=GREATEST_OFFSET, allow_inf_nan=False)]


_LineText = Annotated[ShortText, AfterValidator(require_placeholders)]
_LINE_TEXT: TypeAdapter[str] = TypeAdapter(_LineText)


class SizedLine(Draft):
    """A line of text with its own size, in points, in bold, or above the code."""

    text: Annotated[_LineText, described("The text; it may hold placeholders.", "{attributes.price}")]
    size: Annotated[
        float | None,
        Field(ge=4, le=200, allow_inf_nan=False),
        described("The size in points; by default `font_size`.", 24),
    ] = None
    bold: Annotated[bool, described("Whether the text is bold.", example=True)] = False
    place: Annotated[Literal["above", "below"], described("Where it is, as seen from the code.", "above")] = "below"


def _line(value: object) -> str | SizedLine:
    return SizedLine.model_validate(value) if isinstance(value, dict) else _LINE_TEXT.validate_python(value)


LabelLine = Annotated[str | SizedLine, PlainValidator(_line, json_schema_input_type=_LineText | SizedLine)]


class LayoutImage(Draft):
    """An image on every label."""

    name: Annotated[LabelName, described("The name of the image.", "logo")]
    width: Annotated[float, Field(ge=1, le=1200, allow_inf_nan=False), described("Its width on the label in mm.", 20)]
    place: Annotated[Place, described("Where it is, as seen from the symbol and its text.", "left")] = "left"


class Layout(Draft, defer_build=True):
    """How labels are arranged and what is printed on them; `font_size` in points, `dpi` of the printer.

    Fields override those of the saved layout that `name` names.
    """

    sheet: SheetOrRoll | None = None
    page_size: Page | None = None
    labels_per_row: Annotated[
        PerAxis | None, described("Labels across the page: 3 by default; with lengths as many as fit.", 4)
    ] = None
    labels_per_column: Annotated[
        PerAxis | None,
        described("Labels down the page: by default as many as stay 25 mm high; with lengths as many as fit.", 8),
    ] = None
    label_width: Annotated[
        Length | None, described("The width of a label in mm: by default the pitch, or an equal share.", 63.5)
    ] = None
    label_height: Annotated[
        Length | None, described("The height of a label in mm: by default the pitch, or an equal share.", 38.1)
    ] = None
    margin_left: Annotated[
        Length | None, described("From the left edge to the first label, in mm; by default centred.", 7.2)
    ] = None
    margin_top: Annotated[
        Length | None, described("From the top edge to the first label, in mm; by default centred.", 15.15)
    ] = None
    pitch_x: Annotated[
        Pitch | None, described("From a label to the next one in its row, in mm; by default they touch.", 66.04)
    ] = None
    pitch_y: Annotated[
        Pitch | None, described("From a label to the next one in its column, in mm; by default they touch.", 38.1)
    ] = None
    start_position: Annotated[
        int, Field(ge=1, le=MOST_LABELS), described("The first position to print, on a partly used sheet.", 4)
    ] = 1
    copies: Annotated[Copies, described("Labels of each product; its own `copies` override it.", 2)] = 1
    offset_x: Annotated[PrinterError, described("Moves everything right, in mm, to correct the printer.", 0.5)] = 0
    offset_y: Annotated[PrinterError, described("Moves everything down, in mm, to correct the printer.", -0.5)] = 0
    scale: Annotated[
        float,
        Field(ge=LEAST_SCALE, le=GREATEST_SCALE, allow_inf_nan=False),
        described("Enlarges the sheet from its corner, to correct the printer; modules stay whole dots.", 1.01),
    ] = 1
    outlines: Annotated[bool, described("Whether each position has a hairline around it.", example=False)] = False
    crop_marks: Annotated[
        bool, described("Whether there are marks beyond the outermost labels, in margins above 1 mm.", example=False)
    ] = False
    include_description: Annotated[
        bool, described("Whether the description of the product is below its code.", example=True)
    ] = False
    include_category: Annotated[bool, described("Whether its category is below its code.", example=False)] = False
    include_unit: Annotated[bool, described("Whether its unit of measure is below its code.", example=False)] = False
    lines: Annotated[
        list[LabelLine],
        Field(max_length=MOST_LINES),
        described(
            "Further lines: texts that may hold placeholders, or objects with a `size` in points and a `place`.",
            ["Aisle 7", {"text": "{attributes.price}", "size": 24, "bold": True}],
        ),
    ] = []  # noqa: RUF012 - pydantic copies a default
    image: Annotated[LayoutImage | None, described("An image on every label.", {"name": "logo", "width": 20})] = None
    number_from: Annotated[
        int, Field(ge=0, le=1_000_000_000), described("The number of the first label, for `{n}`.", 1)
    ] = 1
    font_size: Annotated[
        float, Field(ge=4, le=72, allow_inf_nan=False), described("The size of texts in points.", 8)
    ] = 8
    bar_height: Annotated[
        Annotated[float, Field(ge=5, le=40, allow_inf_nan=False)] | None,
        described("The maximum height of bars in mm; by default as high as the label allows.", 12),
    ] = None
    dpi: Annotated[
        int, Field(ge=150, le=2400), described("Dots per inch of the printer: modules are whole dots.", 300)
    ] = 300
    rotate: Annotated[Rotation, described("By how many degrees the content of each label is turned clockwise.", 90)] = 0
    darkness: Annotated[
        Annotated[int, Field(ge=0, le=30)] | None,
        described("How dark a ZPL printer prints; by default as the printer is set.", 15),
    ] = None
    speed: Annotated[
        Annotated[int, Field(ge=1, le=14)] | None,
        described("How fast it prints, in inches a second; by default as the printer is set.", 4),
    ] = None
    media: Annotated[
        Media | None,
        described(
            "How it finds the next label: by a gap, a black mark, or not at all; by default as it is set.", "gap"
        ),
    ] = None
    graphics: Annotated[
        Graphics, described("How images are sent in ZPL: `acs` or `hex` for printers that do not know `z64`.", "z64")
    ] = "z64"
    dated: Annotated[
        bool, described("Whether the document has a date; without one equal requests give equal bytes.", example=False)
    ] = False
    name: Annotated[
        LabelName | None, described("The name of a saved layout, which the other fields change.", "shelf")
    ] = None

    def with_fields(self, other: "Layout", names: AbstractSet[str]) -> "Layout":
        """Return this layout with these fields of another one."""
        return self.model_copy(update={name: getattr(other, name) for name in names})

    def sized_lines(self) -> list[SizedLine]:
        """Return all further lines in one form."""
        return [SizedLine.model_construct(text=line) if isinstance(line, str) else line for line in self.lines]

    def page(self) -> PageSize:
        """Return the page; raises InvalidInput for an unknown sheet."""
        return named_sheet(self.sheet).page if self.sheet is not None else self.page_size or _A4

    def sheet_layout(self) -> Sheet:
        """Return the sheet; raises InvalidInput for one that is unknown, or whose lengths contradict each other."""
        across = Measures(self.label_width, self.margin_left, self.pitch_x, self.labels_per_row)
        down = Measures(self.label_height, self.margin_top, self.pitch_y, self.labels_per_column)
        if self.sheet is not None:
            sheet = named_sheet(self.sheet)
            require_agreement(self.sheet, sheet, self.page_size, across, down)
        elif across.has_lengths or down.has_lengths:
            sheet = grid_sheet(self.page_size or _A4, across, down)
        else:
            sheet = simple_sheet(self.page_size or _A4, self.labels_per_row or LABELS_PER_ROW, self.labels_per_column)
        if self.start_position > sheet.labels_per_page:
            message = f"the sheet has {sheet.labels_per_page} labels"
            raise InvalidInput.of(field_problem("layout.start_position", message, self.start_position))
        return sheet
