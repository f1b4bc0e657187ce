"""What GS1 symbols hold: an element string, bracketed or raw, as it is shown to people and handed to an encoder.

A bare GTIN is refused even where it could be read as a raw element string: `4006381333931` would become AI (400), a
customer's order number, and whoever writes it means AI (01). In brackets every identifier is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from barcodesvc.errors import InvalidContent
from barcodesvc.gs1 import FNC1, Element, Gs1Error, parse_bracketed, parse_element_string, to_element_string
from barcodesvc.gtin import gtin14

FITTING_ELEMENTS = "application identifiers in brackets, such as (01)09521234543213(10)LOT7"


@dataclass(frozen=True, slots=True)
class Gs1Content:
    """A valid element string as it was asked for; data characters are those of identifiers, values and separators."""

    asked: str
    elements: tuple[Element, ...]

    @property
    def length(self) -> int:
        """Data characters that the symbol carries."""
        return len(to_element_string(self.elements))

    @property
    def caption(self) -> str:
        """The elements with their identifiers in round brackets (GS1 General Specifications 4.14)."""
        return "".join(f"({element.ai}){element.value}" for element in self.elements)

    @property
    def for_encoder(self) -> str:
        """The elements in square brackets: a value may hold round ones, but never square ones (character set 82)."""
        return "".join(f"[{element.ai}]{element.value}" for element in self.elements)

    def position(self, index: int) -> int:
        """Return the position in what was asked for of the data character `index`; a separator has the next one's."""
        separators = to_element_string(self.elements)[:index].count(FNC1)
        return tuple(self._positions())[index - separators]

    def _positions(self) -> Iterator[int]:
        place, bracket = 0, int(self.asked.startswith("("))
        for element in self.elements:
            for part, behind in ((element.ai, bracket), (element.value, 0)):
                place = self.asked.index(part, place)
                yield from range(place + 1, place + len(part) + 1)
                place += len(part) + behind


def gs1_content(name: str, content: str) -> Gs1Content:
    """Parse what was asked for; raises InvalidContent in the name of the symbology."""
    gtin = gtin14(content)
    if gtin is not None:
        raise InvalidContent(
            f"{name}: {content} at position 1 looks like a GTIN, which has to be written (01){gtin}",
            rule="GS1 element string",
            position=1,
            fits=f"(01){gtin}",
        )
    parse = parse_bracketed if content.startswith("(") else parse_element_string
    try:
        return Gs1Content(content, parse(content))
    except Gs1Error as error:
        raise InvalidContent(
            f"{name}: {error}, at position {error.position}",
            rule="GS1 element string",
            position=error.position,
            fits=FITTING_ELEMENTS,
        ) from error
