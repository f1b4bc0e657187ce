"""What is printed on a label: what its symbol holds, and the texts below its symbol and code.

Payload and lines may hold placeholders, which are filled for each label.

Rule: an empty text takes no line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import NamedTuple

from barcodesvc.amounts import PLAIN_AMOUNTS, AmountFormat
from barcodesvc.labels.payloads import CODE, Payload
from barcodesvc.labels.placeholders import ATTRIBUTE, PRODUCT_FIELDS, Fillings, Template


class StyledText(NamedTuple):
    """A text with its own size, in points, or in bold, or both."""

    text: str
    size: float | None = None
    bold: bool = False


LabelText = str | StyledText
"""A text on a label; a plain one has the size of the run."""


class Entry(NamedTuple):
    """A code, how often it is printed, and the texts that the request gives for its placeholders, by name."""

    code: str
    copies: int = 1
    values: Mapping[str, str] = MappingProxyType({})


class FilledLabel(NamedTuple):
    """The content of one label: the code of its product, what its symbol holds, and its texts."""

    code: str
    payload: str
    texts: tuple[LabelText, ...]


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of text on each label; without a size it has that of the run."""

    template: Template
    size: float | None = None
    bold: bool = False


@dataclass(frozen=True, slots=True)
class LabelContent:
    """The content of all labels: some fields of each label's product, then lines.

    Labels are numbered from `number_from`, and dated `today`. Amounts are written as `amounts` says.
    """

    fields: tuple[str, ...] = ()
    lines: tuple[TextLine, ...] = ()
    payload: Payload = CODE
    number_from: int = 1
    today: date = date.min
    amounts: AmountFormat = PLAIN_AMOUNTS

    @property
    def is_numbered(self) -> bool:
        """Whether copies of a label differ by their numbers."""
        return any(template.is_numbered for template in self._templates())

    def product_names(self) -> frozenset[str]:
        """Return the names that only a product of the catalogue fills, unless the request gives a value for them."""
        names = (name for template in self._templates() for name in template.names)
        return frozenset(name for name in names if name in PRODUCT_FIELDS or name.startswith(ATTRIBUTE))

    def label(self, entry: Entry, product: Mapping[str, str], number: int) -> FilledLabel:
        """Return the label of an entry with this number.

        `product` has the fields and attributes of the product by the names of placeholders. Raises UnfilledError and
        InvalidContent for what cannot be filled in.
        """
        fillings = Fillings(entry.code, product, entry.values, number, self.today, self.amounts)
        texts: list[LabelText] = [text for name in self.fields if (text := product[name])]
        if self.lines:
            texts += self._lines(fillings)
        return FilledLabel(entry.code, self.payload.content(fillings), tuple(texts))

    def _lines(self, fillings: Fillings) -> Iterator[LabelText]:
        for line in self.lines:
            if text := line.template.filled(fillings):
                yield StyledText(text, line.size, line.bold) if line.size or line.bold else text

    def _templates(self) -> Iterator[Template]:
        yield from (line.template for line in self.lines)
        yield from self.payload.templates
