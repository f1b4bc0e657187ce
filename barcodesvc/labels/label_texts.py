"""What clients may ask of texts and symbols of labels: lines and payloads with placeholders, and values for these."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, PlainValidator, StringConstraints, TypeAdapter

from barcodesvc.fields import described
from barcodesvc.gs1.application_identifiers import FORMATS
from barcodesvc.labels import placeholders
from barcodesvc.labels.label_content import TextLine
from barcodesvc.labels.payloads import CODE, ElementsPayload, LinkPayload, Payload, TextPayload
from barcodesvc.labels.placeholders import NAME_PATTERN
from barcodesvc.models import Draft, LabelText, ShortText, matching
from barcodesvc.texts import PLAIN_TEXT, refuse_control_characters

MOST_VALUES = 32
_MOST_ELEMENTS = 20
_LONGEST_PAYLOAD = 200


def _template(text: str) -> str:
    """Return the text; raises ValueError if its braces are no placeholders."""
    placeholders.parsed(text)
    return text


def _identifier(ai: str) -> str:
    if ai not in FORMATS:
        raise ValueError(f"({ai}) is not a GS1 application identifier")
    return ai


LineText = Annotated[ShortText, AfterValidator(_template)]
ValueName = Annotated[str, StringConstraints(pattern=f"^{NAME_PATTERN}$")]
Values = Annotated[
    dict[ValueName, LabelText],
    Field(max_length=MOST_VALUES),
    described("Texts by the names of placeholders, which win over others.", {"lot": "L7", "expiry": "2026-12-31"}),
]
_PayloadText = Annotated[
    str,
    StringConstraints(min_length=1, max_length=_LONGEST_PAYLOAD),
    AfterValidator(refuse_control_characters),
    AfterValidator(_template),
    matching(PLAIN_TEXT),
]
_Elements = Annotated[
    dict[Annotated[str, AfterValidator(_identifier), matching("^[0-9]{2,4}$")], _PayloadText],
    Field(min_length=1, max_length=_MOST_ELEMENTS),
]
_TEXT: TypeAdapter[str] = TypeAdapter(_PayloadText)
_ELEMENTS: TypeAdapter[dict[str, str]] = TypeAdapter(_Elements)
_LINE: TypeAdapter[str] = TypeAdapter(LineText)


class SizedLine(Draft):
    """A line of text with its own size, in points, or in bold."""

    text: Annotated[LineText, described("The text; it may hold placeholders.", "{attributes.price}")]
    size: Annotated[
        float | None,
        Field(ge=4, le=200, allow_inf_nan=False),
        described("The size in points; by default `font_size`.", 24),
    ] = None
    bold: Annotated[bool, described("Whether the text is bold.", example=True)] = False


def _line(value: object) -> str | SizedLine:
    return SizedLine.model_validate(value) if isinstance(value, dict) else _LINE.validate_python(value)


def text_line(line: str | SizedLine) -> TextLine:
    """Return a line with its template."""
    if isinstance(line, str):
        return TextLine(placeholders.parsed(line))
    return TextLine(placeholders.parsed(line.text), line.size, line.bold)


LabelLine = Annotated[str | SizedLine, PlainValidator(_line, json_schema_input_type=LineText | SizedLine)]


def _payload(value: object) -> Payload:
    if isinstance(value, dict):
        filled = _ELEMENTS.validate_python(value)
        return ElementsPayload(tuple((ai, placeholders.parsed(text)) for ai, text in filled.items()))
    if value == "code":
        return CODE
    return (
        LinkPayload("") if value == "digital_link" else TextPayload(placeholders.parsed(_TEXT.validate_python(value)))
    )


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
