"""What clients may ask of a label sheet: which labels, where they are, and what is printed on them; lengths in mm.

A sheet is named, or given by its measures (`labels.grid`), or divided evenly as the specification has it
(`labels.sheets.simple_sheet`); which of these it is follows from the fields that are there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    PlainValidator,
    SkipValidation,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import ErrorDetails, InitErrorDetails
from typing_extensions import TypeAliasType

from barcodesvc.api.resources.code_requests import named_symbology, names_of_symbologies
from barcodesvc.api.resources.label_names import LabelName
from barcodesvc.api.resources.label_texts import AskedPayload, LabelLine, Values, text_line
from barcodesvc.errors import MOST_PROBLEMS, FieldProblem, InvalidInput
from barcodesvc.fields import described
from barcodesvc.labels.grid import Measures, grid_sheet, require_agreement
from barcodesvc.labels.label_content import Entry, LabelContent
from barcodesvc.labels.output import Graphics, Media, Output, PdfOutput, PngOutput, ZplOutput
from barcodesvc.labels.payloads import CODE, ElementsPayload, LinkPayload, Payload, symbology_of_elements
from barcodesvc.labels.pictures import Place
from barcodesvc.labels.print_settings import PrintSettings, resolution
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
from barcodesvc.models import Draft, ProductCode, is_product_code
from barcodesvc.symbols.registry import Symbology, find_symbology, normal_name

MOST_PAGE_DOTS = 80_000_000
"""Dots of a page of PNG or ZPL: an A3 page at 600 dpi has 70 million."""
MOST_LABELS = 10_000
_MOST_LINES = 5
_CODE128 = find_symbology("CODE128")
_A4 = page_size("A4")
_CODE: TypeAdapter[str] = TypeAdapter(ProductCode)


def _label_symbology(value: object) -> Symbology:
    plain = isinstance(value, str) and normal_name(value) == "barcode"
    return named_symbology("CODE128" if plain else value)


def _page(value: object) -> PageSize:
    if not isinstance(value, str):
        raise ValueError("the name of a page size is text")  # noqa: TRY004 - pydantic takes ValueError for a refusal
    try:
        return page_size(value)
    except InvalidInput as refusal:
        raise ValueError(refusal.details["errors"][0]["message"]) from refusal


def _named_or_custom(title: str, names: Iterable[str], description: str, example: str) -> WithJsonSchema:
    """Return the schema of the names of pages or sheets, each in one of its spellings."""
    named = {"title": title, "type": "string", "enum": list(names)}
    custom = {"title": "CustomSize", "type": "string", "pattern": CUSTOM_SIZE}
    return WithJsonSchema({"anyOf": [named, custom], "description": description, "examples": [example]})


LabelFormatName = TypeAliasType(
    "LabelFormatName",
    Annotated[
        Symbology,
        PlainValidator(_label_symbology),
        names_of_symbologies(
            "The symbology; `barcode` is CODE128, and `best` suits each code: EAN13, UPCA or EAN8 for such a number, "
            "else CODE128.",
            "best",
            "barcode",
            "qrcode",
        ),
    ],
)
Length = Annotated[float, Field(ge=0, le=1200, allow_inf_nan=False)]
Pitch = Annotated[float, Field(gt=0, le=1200, allow_inf_nan=False)]
PerAxis = Annotated[int, Field(ge=1, le=100)]
Copies = Annotated[int, Field(ge=1, le=MOST_LABELS)]
PrinterError = Annotated[float, Field(ge=-20, le=20, allow_inf_nan=False)]


class LayoutImage(Draft):
    """An image on every label."""

    name: Annotated[LabelName, described("The name of the image.", "logo")]
    width: Annotated[float, Field(ge=1, le=1200, allow_inf_nan=False), described("Its width on the label in mm.", 20)]
    place: Annotated[Place, described("Where it is, as seen from the symbol and its text.", "left")] = "left"


class Layout(Draft):
    """How labels are arranged and what is printed on them; `font_size` in points, `dpi` of the printer.

    Fields override those of the saved layout that `name` names.
    """

    sheet: (
        Annotated[
            str,
            StringConstraints(min_length=1, max_length=40),
            _named_or_custom(
                "SheetName", SHEETS, "A sheet by its name, or a roll by the size of its labels: `100x50mm`.", "L7160"
            ),
        ]
        | None
    ) = None
    page_size: (
        Annotated[
            PageSize,
            PlainValidator(_page),
            PlainSerializer(page_name),
            _named_or_custom("PageName", PAGE_SIZES, "The page by its name or as `210x297mm`; A4 by default.", "A4"),
        ]
        | None
    ) = None
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
        Field(ge=0.9, le=1.1, allow_inf_nan=False),
        described("Enlarges the sheet from its corner, to correct the printer; modules stay whole dots.", 1.01),
    ] = 1
    outlines: Annotated[bool, described("Whether each position has a hairline around it.", example=False)] = False
    crop_marks: Annotated[
        bool, described("Whether there are marks beyond the outermost labels, in a margin over 1 mm.", example=False)
    ] = False
    include_description: Annotated[
        bool, described("Whether the description of the product is below its code.", example=True)
    ] = False
    include_category: Annotated[bool, described("Whether its category is below its code.", example=False)] = False
    include_unit: Annotated[bool, described("Whether its unit of measure is below its code.", example=False)] = False
    lines: Annotated[
        list[LabelLine],
        Field(max_length=_MOST_LINES),
        described(
            "Further lines: texts that may hold placeholders, or objects with a `size` in points.",
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
    dpi: Annotated[
        int, Field(ge=150, le=2400), described("Dots per inch of the printer: modules are whole dots.", 300)
    ] = 300
    rotate: Annotated[
        Literal[0, 90, 180, 270], described("By how many degrees the content of each label is turned clockwise.", 90)
    ] = 0
    darkness: Annotated[
        Annotated[int, Field(ge=0, le=30)] | None,
        described("How dark a ZPL printer prints; by default as it is set.", 15),
    ] = None
    speed: Annotated[
        Annotated[int, Field(ge=1, le=14)] | None,
        described("How fast it prints, in inches a second; by default as it is set.", 4),
    ] = None
    media: Annotated[
        Media | None,
        described(
            "How it finds the next label: by a gap, a black mark, or not at all; by default as it is set.", "gap"
        ),
    ] = None
    graphics: Annotated[
        Graphics, described("How ZPL has images: `acs` or `hex` for printers that do not know `z64`.", "z64")
    ] = "z64"
    dated: Annotated[
        bool, described("Whether the document has a date; without one equal requests give equal bytes.", example=False)
    ] = False
    name: Annotated[
        LabelName | None, described("The name of a saved layout, which the other fields change.", "shelf")
    ] = None

    def content(self, today: date, payload: Payload) -> LabelContent:
        """Return what labels have on them, on this day, with this payload."""
        asked = {
            "description": self.include_description,
            "category": self.include_category,
            "unit_of_measure": self.include_unit,
        }
        return LabelContent(
            fields=tuple(field for field, is_asked in asked.items() if is_asked),
            lines=tuple(map(text_line, self.lines)),
            payload=payload,
            number_from=self.number_from,
            today=today,
        )

    def print_settings(self) -> PrintSettings:
        """Return the settings of the run."""
        return PrintSettings(
            font_size=self.font_size,
            dpi=self.dpi,
            start_position=self.start_position,
            offset_x=self.offset_x,
            offset_y=self.offset_y,
            scale=self.scale,
            outlines=self.outlines,
            crop_marks=self.crop_marks,
            rotate=self.rotate,
        )

    def zpl(self) -> ZplOutput:
        """Return the settings of a ZPL printer."""
        return ZplOutput(self.graphics, self.darkness, self.speed, self.media)

    def laid_out(self) -> Sheet:
        """Return the sheet; raises InvalidInput for one that is unknown or does not close."""
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
            raise InvalidInput.of(FieldProblem("layout.start_position", message, self.start_position))
        return sheet


def _named_or_given(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


class PrintItem(Draft):
    """A code and how often it is printed; without a number as often as the layout says."""

    code: ProductCode
    copies: Annotated[Copies | None, described("How often it is printed; by default as the layout says.", 2)] = None
    values: Values = {}  # noqa: RUF012 - pydantic copies a default


def _checked(entries: list[Any]) -> list[str | PrintItem]:
    """Return the entries; raises ValidationError with what is wrong in the first wrong ones, enough for a response.

    A bare code stays text: to make an item of each costs more than all else about a sheet that is refused.
    """
    checked: list[str | PrintItem] = []
    problems: list[InitErrorDetails] = []
    for position, entry in enumerate(entries):
        try:
            checked.append(_code_or_item(entry))
        except ValidationError as error:
            problems += [_within(position, problem) for problem in error.errors(include_url=False)]
            if len(problems) > MOST_PROBLEMS:
                break
    if problems:
        raise ValidationError.from_exception_data("products", problems)
    return checked


def _within(position: int, problem: ErrorDetails) -> InitErrorDetails:
    location = (position, *problem["loc"])
    return InitErrorDetails(type=problem["type"], loc=location, input=problem["input"], ctx=problem.get("ctx", {}))


def _code_or_item(entry: object) -> str | PrintItem:
    if not isinstance(entry, str):
        return PrintItem.model_validate(entry)
    return entry if is_product_code(entry) else _CODE.validate_python(entry)


def _require_few_dots(sheet: Sheet, dpi: int) -> None:
    """Raise InvalidInput for a page whose picture would use much memory, a byte for each dot."""
    head = resolution(dpi)
    dots = head.whole_dots(sheet.page.width) * head.whole_dots(sheet.page.height)
    if dots > MOST_PAGE_DOTS:
        message = f"the page has {dots / 1e6:.0f} million dots at {dpi} dpi; at most {MOST_PAGE_DOTS // 10**6} million"
        raise InvalidInput.of(FieldProblem("layout.dpi", message, dpi))


class LabelsRequest(Draft, defer_build=True):
    """Labels to print, on whatever they are printed."""

    products: Annotated[
        list[SkipValidation[ProductCode | PrintItem]],
        Field(min_length=1, max_length=MOST_LABELS),
        AfterValidator(_checked),
        described(f"What is printed: codes, or codes with their `copies`; at most {MOST_LABELS} labels in all."),
    ]
    code_type: LabelFormatName = _CODE128
    payload: AskedPayload = CODE
    layout: Annotated[
        Layout,
        BeforeValidator(_named_or_given, json_schema_input_type=Layout | LabelName),
        described("How labels are arranged, and what is on them; or the name of a saved layout.", {"sheet": "L7160"}),
    ] = Field(default_factory=Layout)  # of a stated default, generated clients make the name "{}"

    def count(self) -> int:
        """Return the number of labels; raises InvalidInput if they are too many."""
        each = self.layout.copies
        count = sum(each if isinstance(entry, str) else entry.copies or each for entry in self.products)
        if count > MOST_LABELS:
            problem = FieldProblem("products", f"{count} labels with all copies; at most {MOST_LABELS} in one response")
            raise InvalidInput.of(problem)
        return count

    def content(self, today: date, domain: str | None) -> LabelContent:
        """Return what labels have on them; raises InvalidInput for a Digital Link if the service has no domain."""
        payload = self.payload
        if isinstance(payload, LinkPayload):
            if domain is None:
                message = "the service has no domain for Digital Links; set BARCODESVC_DIGITAL_LINK_DOMAIN"
                raise InvalidInput.of(FieldProblem("payload", message, "digital_link"))
            payload = LinkPayload(domain)
        return self.layout.content(today, payload)

    def symbology(self) -> Symbology:
        """Return the symbology of the labels; raises InvalidInput for one that cannot hold the payload."""
        has_elements = isinstance(self.payload, ElementsPayload)
        return symbology_of_elements(self.code_type) if has_elements else self.code_type

    def codes(self, content: LabelContent) -> list[str]:
        """Return the codes of the products whose fields or attributes are printed, each once."""
        if content.fields:
            return list(dict.fromkeys(entry if isinstance(entry, str) else entry.code for entry in self.products))
        names = content.product_names()
        items = (PrintItem(code=entry) if isinstance(entry, str) else entry for entry in self.products if names)
        return list(dict.fromkeys(item.code for item in items if names - item.values.keys()))

    def taken_out(self) -> Iterator[Entry]:
        """Yield what is printed, and free its entry here: freeing 10,000 at once takes 10 ms."""
        each = self.layout.copies
        self.products.reverse()
        while self.products:
            entry = self.products.pop()
            if isinstance(entry, str):
                yield Entry(entry, each)
            else:
                yield Entry(entry.code, entry.copies or each, entry.values)


class PrintRequest(LabelsRequest, defer_build=False):
    """Labels to print, as a file."""

    output: Annotated[
        Literal["pdf", "png", "zpl"],
        described("The format: `png` is a picture of one page, `zpl` is for label printers, of rolls only.", "pdf"),
    ] = "pdf"
    page: Annotated[
        int, Field(ge=1, le=MOST_LABELS), described("Which page a PNG shows; on a roll each label is a page.", 1)
    ] = 1

    def written_as(self, sheet: Sheet, now: str) -> Output:
        """Return the output, dated `now` on request; raises InvalidInput for labels that it cannot have."""
        if self.output == "pdf":
            return PdfOutput(now if self.layout.dated else None)
        _require_few_dots(sheet, self.layout.dpi)
        if self.output == "png":
            return PngOutput(self.page)
        if not sheet.is_roll:
            message = "zpl is for rolls: name one by the size of its labels in layout.sheet, such as 100x50mm"
            raise InvalidInput.of(FieldProblem("output", message, self.output))
        return self.layout.zpl()
