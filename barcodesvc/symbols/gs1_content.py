"""What GS1 symbols hold: an element string, bracketed or raw, as it is shown to people and handed to an encoder."""

from __future__ import annotations

from dataclasses import dataclass

from barcodesvc.errors import InvalidContent
from barcodesvc.gs1 import Element, Gs1Error, parse_bracketed, parse_element_string, to_element_string

FITTING_ELEMENTS = "application identifiers in brackets, such as (01)09521234543213(10)LOT7"


@dataclass(frozen=True, slots=True)
class Gs1Content:
    """A valid element string; `length` counts data characters, separators included, brackets not."""

    elements: tuple[Element, ...]

    @property
    def length(self) -> int:
        """Characters that the symbol carries."""
        return len(to_element_string(self.elements))

    @property
    def caption(self) -> str:
        """The elements with their identifiers in round brackets (GS1 General Specifications 4.14)."""
        return "".join(f"({element.ai}){element.value}" for element in self.elements)

    @property
    def for_encoder(self) -> str:
        """The elements in square brackets: a value may hold round ones, but never square ones (character set 82)."""
        return "".join(f"[{element.ai}]{element.value}" for element in self.elements)


def gs1_content(name: str, content: str) -> Gs1Content:
    """Parse what was asked for; raises InvalidContent in the name of the symbology."""
    try:
        return Gs1Content(parse_bracketed(content) if content.startswith("(") else parse_element_string(content))
    except Gs1Error as error:
        raise InvalidContent(
            f"{name}: {error}", rule="GS1 element string", position=error.position, fits=FITTING_ELEMENTS
        ) from error
