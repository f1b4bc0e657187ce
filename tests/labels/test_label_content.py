"""The content of labels: fields, lines, and what each needs of the catalogue."""

from __future__ import annotations

from datetime import date

import pytest

from barcodesvc.labels.label_content import Entry, LabelContent, LabelText, StyledText, TextLine
from barcodesvc.labels.payloads import TextPayload
from barcodesvc.labels.placeholders import UnfilledError, parsed

BOLT = {"description": "Bolt", "category": "", "unit_of_measure": "pcs"}


def _lines(*texts: str) -> tuple[TextLine, ...]:
    return tuple(TextLine(parsed(text)) for text in texts)


def _texts(content: LabelContent, product: dict[str, str]) -> tuple[LabelText, ...]:
    (label,) = content.labels(Entry("A"), product, 1)
    return label.texts


def test_fields_come_before_lines() -> None:
    """A label has the requested fields in their order, then the lines, without those that are empty."""
    content = LabelContent(("unit_of_measure", "description", "category"), _lines("Aisle 7", "", "{category}"))
    assert _texts(content, BOLT) == ("pcs", "Bolt", "Aisle 7")


def test_lines_need_no_product() -> None:
    """Codes without a product have labels too."""
    assert _texts(LabelContent(lines=_lines("Aisle {product_code}")), {}) == ("Aisle A",)


def test_a_line_keeps_its_style() -> None:
    """Size and weight go with the text, and a line without them is a plain text."""
    lines = (TextLine(parsed("{n}"), 24, bold=True), TextLine(parsed("x")), TextLine(parsed("{category}"), 24))
    assert _texts(LabelContent(lines=lines), BOLT) == (StyledText("1", 24, bold=True), "x")


def test_copies_differ_only_by_their_numbers() -> None:
    """Without a number all copies are one label; with one in a line or in the payload each has its own."""
    plain, line = LabelContent(lines=_lines("{date}")), LabelContent(lines=_lines("{n}"))
    payload = LabelContent(payload=TextPayload(parsed("A-{n:02}")))
    assert len(set(plain.labels(Entry("A", 3), {}, 1))) == 1
    assert [label.texts for label in line.labels(Entry("A", 2), {}, 9)] == [("9",), ("10",)]
    assert [label.payload for label in payload.labels(Entry("A", 2), {}, 9)] == ["A-09", "A-10"]


def test_the_day_is_that_of_the_run() -> None:
    """Every label has the same date."""
    assert _texts(LabelContent(lines=_lines("{date+1}"), today=date(2026, 12, 31)), {}) == ("2027-01-01",)


def test_names_of_the_catalogue_are_known() -> None:
    """They decide which products are read; numbers, dates, codes and values need none."""
    content = LabelContent(lines=_lines("{n} {date} {product_code} {lot} {description}"))
    assert content.product_names() == {"description"}
    payload = TextPayload(parsed("{attributes.price}"))
    assert LabelContent(payload=payload).product_names() == {"attributes.price"}


def test_what_nothing_fills_is_raised() -> None:
    """A product without the attribute has no such text."""
    with pytest.raises(UnfilledError):
        _texts(LabelContent(lines=_lines("{attributes.price}")), BOLT)
