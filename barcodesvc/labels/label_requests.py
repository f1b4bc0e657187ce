"""What clients may ask for: labels of which products, with which symbol, and in which format."""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import compress
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    SkipValidation,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import ErrorDetails, InitErrorDetails
from typing_extensions import TypeAliasType

from barcodesvc.errors import MOST_PROBLEMS, InvalidInput, field_problem
from barcodesvc.fields import described
from barcodesvc.gs1.application_identifiers import FORMATS
from barcodesvc.labels.label_content import LabelContent
from barcodesvc.labels.layout_requests import MOST_LABELS, Copies, LabelName, Layout, require_placeholders
from barcodesvc.labels.output import Output, as_pdf, as_png, as_zpl
from barcodesvc.labels.payloads import (
    CODE,
    ElementsPayload,
    LinkPayload,
    Payload,
    TextPayload,
    symbology_of_elements,
)
from barcodesvc.labels.placeholders import NAME_PATTERN, PRODUCT_FIELDS, parsed
from barcodesvc.labels.resolution import resolution
from barcodesvc.models import Draft, LabelText, ProductCode, matching
from barcodesvc.symbols.registry import Symbology, find_symbology, named_symbology, names_of_symbologies, normal_name
from barcodesvc.texts import PLAIN_TEXT, refuse_control_characters

MOST_PAGE_DOTS = 80_000_000
"""Dots of a page of PNG or ZPL: an A3 page at 600 dpi has 70 million."""
MOST_VALUES = 32
_MOST_ELEMENTS = 20
_LONGEST_PAYLOAD = 200
_CODE128 = find_symbology("CODE128")
_CODE: TypeAdapter[str] = TypeAdapter(ProductCode)
_NO_VALUES: Mapping[str, str] = MappingProxyType({})


def _identifier(ai: str) -> str:
    if ai not in FORMATS:
        raise ValueError(f"({ai}) is not a GS1 application identifier")
    return ai


ValueName = Annotated[str, StringConstraints(pattern=f"^{NAME_PATTERN}$")]
Values = Annotated[
    dict[ValueName, LabelText],
    Field(max_length=MOST_VALUES),
    described("Texts by the names of placeholders; they take precedence.", {"lot": "L7", "expiry": "2026-12-31"}),
]
_PayloadText = Annotated[
    str,
    StringConstraints(min_length=1, max_length=_LONGEST_PAYLOAD),
    AfterValidator(refuse_control_characters),
    AfterValidator(require_placeholders),
    matching(PLAIN_TEXT),
]
_Elements = Annotated[
    dict[Annotated[str, AfterValidator(_identifier), matching("^[0-9]{2,4}$")], _PayloadText],
    Field(min_length=1, max_length=_MOST_ELEMENTS),
]
_TEXT: TypeAdapter[str] = TypeAdapter(_PayloadText)
_ELEMENTS: TypeAdapter[dict[str, str]] = TypeAdapter(_Elements)


def _payload(value: object) -> Payload:
    if isinstance(value, dict):
        filled = _ELEMENTS.validate_python(value)
        return ElementsPayload(tuple((ai, parsed(text)) for ai, text in filled.items()))
    if value == "code":
        return CODE
    return LinkPayload("") if value == "digital_link" else TextPayload(parsed(_TEXT.validate_python(value)))


AskedPayload = Annotated[
    Payload,
    PlainValidator(_payload, json_schema_input_type=_PayloadText | _Elements),
    described(
        "What the symbol holds: `code`; `digital_link`, a GS1 Digital Link; GS1 elements by their identifiers; or "
        "another text. Texts may hold placeholders.",
        "code",
        {"01": "{product_code}", "10": "{lot}", "17": "{date+7}"},
    ),
]


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

    A bare code stays text: making an item of each would cost more than all else about a refused sheet.
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


def require_few_dots(layout: Layout) -> None:
    """Raise InvalidInput for a page whose picture would use much memory, a byte for each dot."""
    head, page = resolution(layout.dpi), layout.sheet_layout().page
    dots = head.whole_dots(page.width) * head.whole_dots(page.height)
    if dots > MOST_PAGE_DOTS:
        most = f"at most {MOST_PAGE_DOTS // 10**6} million"
        message = f"the page has {dots / 1e6:.0f} million dots at {layout.dpi} dpi; {most}"
        raise InvalidInput.of(field_problem("layout.dpi", message, layout.dpi))


class LabelsRequest(Draft, defer_build=True):
    """Labels to print, whatever prints them."""

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
    ] = Field(default_factory=Layout)  # generated clients would make the name "{}" of a stated default

    def entries(self) -> Iterator[tuple[str, int, Mapping[str, str]]]:
        """Yield the code, the number of copies and the values of each entry."""
        each = self.layout.copies
        for entry in self.products:
            yield (
                (entry, each, _NO_VALUES)
                if isinstance(entry, str)
                else (entry.code, entry.copies or each, entry.values)
            )

    def count(self) -> int:
        """Return the number of labels; raises InvalidInput if they are too many."""
        count = sum(copies for _, copies, _ in self.entries())
        if count > MOST_LABELS:
            message = f"{count} labels with all copies; at most {MOST_LABELS} in one response"
            raise InvalidInput.of(field_problem("products", message))
        return count

    def content(self, domain: str | None) -> LabelContent:
        """Return what labels have on them; raises InvalidInput for a Digital Link if there is no domain for it."""
        payload, layout = self.payload, self.layout
        if isinstance(payload, LinkPayload):
            if domain is None:
                message = "the service has no domain for Digital Links; set BARCODESVC_DIGITAL_LINK_DOMAIN"
                raise InvalidInput.of(field_problem("payload", message, "digital_link"))
            payload = LinkPayload(domain)
        are_included = (layout.include_description, layout.include_category, layout.include_unit)
        fields = tuple(compress(PRODUCT_FIELDS, are_included))
        lines = tuple(parsed(line.text) for line in layout.sized_lines())
        return LabelContent(fields, lines, payload)

    def symbology(self) -> Symbology:
        """Return the symbology of the labels; raises InvalidInput for one that cannot hold the payload."""
        has_elements = isinstance(self.payload, ElementsPayload)
        return symbology_of_elements(self.code_type) if has_elements else self.code_type

    def codes(self, content: LabelContent) -> list[str]:
        """Return the codes of the products whose fields or attributes are printed, each once."""
        names = content.product_names()
        if not names and not content.fields:
            return []
        entries = self.entries()
        return list(dict.fromkeys(code for code, _, values in entries if content.fields or names - values.keys()))


class PrintRequest(LabelsRequest):
    """Labels to print, as a file."""

    output: Annotated[
        Literal["pdf", "png", "zpl"],
        described("The format: `png` is a picture of one page, `zpl` is for label printers, of rolls only.", "pdf"),
    ] = "pdf"
    page: Annotated[
        int, Field(ge=1, le=MOST_LABELS), described("Which page a PNG shows; on a roll each label is a page.", 1)
    ] = 1

    def output_for(self, now: str) -> Output:
        """Return the output, dated `now` on request; raises InvalidInput for labels that it cannot have."""
        layout, sheet = self.layout, self.layout.sheet_layout()
        if self.output == "pdf":
            return partial(as_pdf, created=now if layout.dated else None)
        require_few_dots(layout)
        if self.output == "png":
            return partial(as_png, page=self.page)
        if not sheet.is_roll:
            message = "zpl is for rolls: name one by the size of its labels in layout.sheet, such as 100x50mm"
            raise InvalidInput.of(field_problem("output", message, self.output))
        return partial(as_zpl, layout=layout)
