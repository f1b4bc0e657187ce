"""What is printed on a label: what its symbol holds, and the texts below its symbol and code.

Payload and lines may hold placeholders, which are filled for each label.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from barcodesvc.amounts import PLAIN_AMOUNTS, AmountFormat
from barcodesvc.labels.payloads import CODE, Payload
from barcodesvc.labels.pictures import Picture
from barcodesvc.labels.placeholders import ATTRIBUTE, PRODUCT_FIELDS, Fillings, Template
from barcodesvc.symbols.modules import Symbol


@dataclass(frozen=True, slots=True)
class LabelData:
    """What a request prints that is not in it: the day, the domain of links, texts of products, and its picture.

    products: the fields and attributes of products by code, each by the names of placeholders, for what is printed of
    them; amounts: how these are written.
    """

    today: date
    domain: str | None
    products: Mapping[str, Mapping[str, str]]
    picture: Picture | None
    amounts: AmountFormat = PLAIN_AMOUNTS


class Label(NamedTuple):
    """The content of one label.

    A linear symbol is printed with its captions, a matrix symbol with `code` below it; `texts` follow, except empty
    ones. The last of them have the sizes of the layout's lines, those before them its font size.
    """

    symbol: Symbol
    code: str
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelContent:
    """The content of all labels: some fields of each label's product, then lines."""

    fields: tuple[str, ...] = ()
    lines: tuple[Template, ...] = ()
    payload: Payload = CODE

    @property
    def is_numbered(self) -> bool:
        """Whether copies of a label differ by their numbers."""
        return any(template.is_numbered for template in self._templates())

    def product_names(self) -> frozenset[str]:
        """Return the names that only a product of the catalogue fills, unless the request gives a value for them."""
        names = (name for template in self._templates() for name in template.names)
        return frozenset(name for name in names if name in PRODUCT_FIELDS or name.startswith(ATTRIBUTE))

    def filled(self, data: LabelData, code: str, values: Mapping[str, str], number: int) -> tuple[str, tuple[str, ...]]:
        """Return the payload of the label with this number, and its texts: an empty one takes no line.

        `values` are those that the request gives for its code. Raises UnfilledError and InvalidContent for what cannot
        be filled in.
        """
        product = data.products.get(code, {})
        fillings = Fillings(code, product, values, number, data.today, data.amounts)
        texts = [product[name] for name in self.fields]
        texts += [line.filled(fillings) for line in self.lines]
        return self.payload.content(fillings), tuple(texts)

    def _templates(self) -> Iterator[Template]:
        yield from self.lines
        yield from self.payload.templates
