"""The content of labels: fields, lines, and what each needs of the catalogue."""

from datetime import date

import pytest

from barcodesvc.labels.label_content import LabelContent, LabelData
from barcodesvc.labels.payloads import TextPayload
from barcodesvc.labels.placeholders import Template, UnfilledError, parsed

DAY = date(2026, 12, 31)
BOLT = {"description": "Bolt", "category": "", "unit_of_measure": "pcs"}


def _lines(*texts: str) -> tuple[Template, ...]:
    return tuple(map(parsed, texts))


def _texts(content: LabelContent, product: dict[str, str]) -> tuple[str, ...]:
    _, texts = content.filled(LabelData(DAY, None, {"A": product}, None), "A", {}, 1)
    return texts


def _numbered(content: LabelContent, *numbers: int) -> list[tuple[str, tuple[str, ...]]]:
    return [content.filled(LabelData(DAY, None, {}, None), "A", {}, number) for number in numbers]


def test_fields_come_before_lines() -> None:
    """A label has the requested fields in their order, then the lines; those that are empty keep their places."""
    content = LabelContent(("unit_of_measure", "description", "category"), _lines("Aisle 7", "", "{category}"))
    assert _texts(content, BOLT) == ("pcs", "Bolt", "", "Aisle 7", "", "")


def test_lines_need_no_product() -> None:
    """Codes without a product have labels too."""
    assert _texts(LabelContent(lines=_lines("Aisle {product_code}")), {}) == ("Aisle A",)


def test_labels_of_an_entry_differ_only_by_their_numbers() -> None:
    """Without a number all of them are equal; with one in a line or in the payload each has its own."""
    plain, line = LabelContent(lines=_lines("{date}")), LabelContent(lines=_lines("{n}"))
    payload = LabelContent(payload=TextPayload(parsed("A-{n:02}")))
    assert (plain.is_numbered, line.is_numbered, payload.is_numbered) == (False, True, True)
    assert _numbered(plain, 9) == _numbered(plain, 10)
    assert _numbered(line, 9, 10) == [("A", ("9",)), ("A", ("10",))]
    assert _numbered(payload, 9, 10) == [("A-09", ()), ("A-10", ())]


def test_the_day_is_that_of_the_run() -> None:
    """Every label has the same date."""
    assert _texts(LabelContent(lines=_lines("{date+1}")), {}) == ("2027-01-01",)


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
