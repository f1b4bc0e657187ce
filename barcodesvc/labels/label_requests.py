"""What clients may ask of labels: of which products, with which symbol, and as which file."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    SkipValidation,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import ErrorDetails, InitErrorDetails
from typing_extensions import TypeAliasType

from barcodesvc.errors import MOST_PROBLEMS, InvalidInput, field_problem
from barcodesvc.fields import described
from barcodesvc.labels.label_content import Entry, LabelContent
from barcodesvc.labels.label_texts import AskedPayload, Values
from barcodesvc.labels.layout_requests import MOST_LABELS, Copies, LabelName, Layout
from barcodesvc.labels.output import Output, PdfOutput, PngOutput
from barcodesvc.labels.payloads import CODE, ElementsPayload, LinkPayload, symbology_of_elements
from barcodesvc.labels.print_settings import resolution
from barcodesvc.labels.sheets import Sheet
from barcodesvc.models import Draft, ProductCode
from barcodesvc.symbols.registry import Symbology, find_symbology, normal_name
from barcodesvc.symbols.symbology_names import named_symbology, names_of_symbologies

MOST_PAGE_DOTS = 80_000_000
"""Dots of a page of PNG or ZPL: an A3 page at 600 dpi has 70 million."""
_CODE128 = find_symbology("CODE128")
_CODE: TypeAdapter[str] = TypeAdapter(ProductCode)


def _label_symbology(value: object) -> Symbology:
    plain = isinstance(value, str) and normal_name(value) == "barcode"
    return named_symbology("CODE128" if plain else value)


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
            checked.append(_CODE.validate_python(entry) if isinstance(entry, str) else PrintItem.model_validate(entry))
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


def require_few_dots(sheet: Sheet, dpi: int) -> None:
    """Raise InvalidInput for a page whose picture would use much memory, a byte for each dot."""
    head = resolution(dpi)
    dots = head.whole_dots(sheet.page.width) * head.whole_dots(sheet.page.height)
    if dots > MOST_PAGE_DOTS:
        message = f"the page has {dots / 1e6:.0f} million dots at {dpi} dpi; at most {MOST_PAGE_DOTS // 10**6} million"
        raise InvalidInput.of(field_problem("layout.dpi", message, dpi))


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
            problem = field_problem(
                "products", f"{count} labels with all copies; at most {MOST_LABELS} in one response"
            )
            raise InvalidInput.of(problem)
        return count

    def content(self, today: date, domain: str | None) -> LabelContent:
        """Return what labels have on them; raises InvalidInput for a Digital Link if the service has no domain."""
        payload = self.payload
        if isinstance(payload, LinkPayload):
            if domain is None:
                message = "the service has no domain for Digital Links; set BARCODESVC_DIGITAL_LINK_DOMAIN"
                raise InvalidInput.of(field_problem("payload", message, "digital_link"))
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
        """Yield what is printed, and free its entry here, because freeing thousands at once delays other requests."""
        each = self.layout.copies
        self.products.reverse()
        while self.products:
            entry = self.products.pop()
            if isinstance(entry, str):
                yield Entry(entry, each)
            else:
                yield Entry(entry.code, entry.copies or each, entry.values)


class PrintRequest(LabelsRequest):
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
        require_few_dots(sheet, self.layout.dpi)
        if self.output == "png":
            return PngOutput(self.page)
        if not sheet.is_roll:
            message = "zpl is for rolls: name one by the size of its labels in layout.sheet, such as 100x50mm"
            raise InvalidInput.of(field_problem("output", message, self.output))
        return self.layout.zpl()
