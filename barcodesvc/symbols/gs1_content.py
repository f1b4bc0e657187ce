"""The content of GS1 symbols: an element string, bracketed or raw, in the form for people and the form for encoders.

Bare digits of a GTIN's length are refused even if they could be read as a raw element string: `4006381333931` would
become AI (400), a customer's order number, but most people who type it mean AI (01). In brackets every identifier is
accepted.

Rule: all content may be printed, as `gs1.printable` says.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from barcodesvc.errors import InvalidContent
from barcodesvc.gs1.element_strings import (
    FNC1,
    Element,
    Gs1Error,
    parse_bracketed,
    parse_element_string,
    to_bracketed,
    to_element_string,
)
from barcodesvc.gs1.gtin import GTIN_LENGTHS, gtin14, is_digits
from barcodesvc.gs1.printable import RULE, first_misprint
from barcodesvc.numbers.canonical import canonical_number

FITTING_ELEMENTS = "application identifiers in brackets, such as (01)09521234543213(10)LOT7"
_NO_GTIN = (
    "has the length of a GTIN, but is not one; write a GTIN as (01)…, with its check digit, and any other element "
    "with its identifier in brackets, too"
)


@dataclass(frozen=True, slots=True)
class Gs1Content:
    """A valid element string as it was requested; its data characters are identifiers, values and separators."""

    content: str
    elements: tuple[Element, ...]

    @property
    def length(self) -> int:
        """Data characters of the symbol."""
        return len(to_element_string(self.elements))

    @property
    def for_encoder(self) -> str:
        """The elements in square brackets: a value may contain round ones, but no square ones (character set 82)."""
        return "".join(f"[{element.ai}]{element.value}" for element in self.elements)

    def position(self, index: int) -> int:
        """Return the position of a data character in the requested content; a separator has the next one's."""
        separators = to_element_string(self.elements)[:index].count(FNC1)
        return tuple(self._positions())[index - separators]

    def position_in(self, index: int, offset: int | None) -> int:
        """Return the position of a character of an element's value in the requested content, or of its identifier."""
        before = sum(len(part) for element in self.elements[:index] for part in element)
        inside = 0 if offset is None else len(self.elements[index].ai) + offset
        return tuple(self._positions())[before + inside]

    def _positions(self) -> Iterator[int]:
        """Yield the position of each character of identifiers and values; that of the first for a number without AI."""
        start, bracket = 0, int(self.content.startswith("("))
        for element in self.elements:
            for part, behind in ((element.ai, bracket), (element.value, 0)):
                for character in part:
                    start = self.content.find(character, start) + 1
                    yield start or 1
                start += behind


def gs1_content(name: str, content: str) -> Gs1Content:
    """Parse and check content for a symbology of this name; raises InvalidContent."""
    _require_no_bare_gtin(name, content)
    try:
        data = Gs1Content(content, elements_of(content))
    except Gs1Error as error:
        raise InvalidContent(
            f"{name}: {error}, at position {error.position}",
            rule=RULE,
            position=error.position,
            fits=FITTING_ELEMENTS,
        ) from error
    _require_printable(name, data)
    return data


def as_printed(content: str) -> str:
    """Return a valid element string as it is printed: raw as it is, and everything else in brackets without spaces."""
    data = Gs1Content(content, elements_of(content))
    return content if to_element_string(data.elements) == content else to_bracketed(data.elements)


def elements_of(content: str) -> tuple[Element, ...]:
    """Return the elements of bracketed or raw content, or of a number that is neither, such as `SSCC 34…`."""
    if content.startswith("("):
        return parse_bracketed(content)
    try:
        return parse_element_string(content)
    except Gs1Error:
        number = (None if is_digits(content) else canonical_number(content)) or ""
        if number.startswith("("):
            return parse_bracketed(number)
        if is_digits(number):
            return (Element("01", number),)
        raise


def _require_no_bare_gtin(name: str, content: str) -> None:
    if len(content) not in GTIN_LENGTHS or not is_digits(content):
        return
    gtin = gtin14(content)
    fits = f"(01){gtin}" if gtin else "(01) and the 14 digits of a GTIN, or another identifier in brackets"
    what = f"looks like a GTIN, which must be written {fits}" if gtin else _NO_GTIN
    raise InvalidContent(f"{name}: {content} at position 1 {what}", rule=RULE, position=1, fits=fits)


def _require_printable(name: str, data: Gs1Content) -> None:
    misprint = first_misprint(data.elements)
    if misprint is None:
        return
    position = data.position_in(misprint.element, misprint.offset)
    raise InvalidContent(
        f"{name}: {misprint.found} at position {position}{misprint.verdict}",
        rule=RULE,
        position=position,
        fits=misprint.fits,
    )
