"""What is printed on a label below its symbol and code.

Rule: an empty text takes no line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

TEXT_FIELDS = ("description", "category", "unit_of_measure")
"""The fields of a product that can be printed on its label."""


@dataclass(frozen=True, slots=True)
class LabelContent:
    """The texts of each label: some of the TEXT_FIELDS of its product, then lines that are the same on every label."""

    fields: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()

    def texts(self, product: Sequence[str]) -> tuple[str, ...]:
        """Return the texts of a label; `product` has the TEXT_FIELDS of its product, which `fields` needs."""
        of_product = (product[TEXT_FIELDS.index(name)] for name in self.fields)
        return tuple(filter(None, (*of_product, *self.lines)))
