"""The content of GS1 symbols: an element string, bracketed or raw, in the form for people and the form for encoders.

Bare digits of a GTIN's length are refused even if they could be read as a raw element string: `4006381333931` would
become AI (400), a customer's order number, but most people who type it mean AI (01). In brackets every identifier is
accepted.

Printed content follows the rules of `gs1.value_rules`, and none of its elements excludes another one. A missing
companion is only a warning, because it may be in another symbol: a lot number may be printed next to the item's EAN.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from barcodesvc.errors import InvalidContent
from barcodesvc.gs1 import FNC1, Element, Gs1Error, parse_bracketed, parse_element_string, to_element_string
from barcodesvc.gs1.companions import exclusion_of, missing_in
from barcodesvc.gs1.gtin import GTIN_LENGTHS, gtin14, is_digits
from barcodesvc.gs1.value_rules import fault_of
from barcodesvc.numbers.canonical import canonical_number

FITTING_ELEMENTS = "application identifiers in brackets, such as (01)09521234543213(10)LOT7"
_MOST_ALTERNATIVES = 6
"""Alternatives of a required identifier that a message names completely."""
_FIRST_ALTERNATIVES = 3
"""Alternatives that a message names if there are more."""
_RULE = "GS1 element string"
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
    def caption(self) -> str:
        """The elements with their identifiers in round brackets (GS1 General Specifications 4.14)."""
        return "".join(f"({element.ai}){element.value}" for element in self.elements)

    @property
    def for_encoder(self) -> str:
        """The elements in square brackets: a value may contain round ones, but no square ones (character set 82)."""
        return "".join(f"[{element.ai}]{element.value}" for element in self.elements)

    def position(self, index: int) -> int:
        """Return the position of a data character in the requested content; a separator has the next one's."""
        separators = to_element_string(self.elements)[:index].count(FNC1)
        return tuple(self._positions())[index - separators]

    def ai_position(self, index: int) -> int:
        """Return the position of an element's identifier in the requested content, after its bracket."""
        return tuple(self._positions())[self._characters_before(index)]

    def value_position(self, index: int) -> int:
        """Return the position of an element's value in the requested content."""
        return tuple(self._positions())[self._characters_before(index) + len(self.elements[index].ai)]

    def _characters_before(self, index: int) -> int:
        return sum(len(part) for element in self.elements[:index] for part in element)

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
        data = Gs1Content(content, _parsed(content))
    except Gs1Error as error:
        raise InvalidContent(
            f"{name}: {error}, at position {error.position}",
            rule=_RULE,
            position=error.position,
            fits=FITTING_ELEMENTS,
        ) from error
    _require_valid_values(name, data)
    _require_no_exclusion(name, data)
    return data


def as_printed(content: str) -> str:
    """Return a valid element string as it is printed: raw as it is, and everything else in brackets without spaces."""
    data = Gs1Content(content, _parsed(content))
    return content if to_element_string(data.elements) == content else data.caption


def missing_companions(content: str) -> Iterator[str]:
    """Yield a sentence for each identifier of a valid element string that requires another one."""
    for ai, required in missing_in(_parsed(content)):
        others = " or ".join(_named(required))
        yield f"({ai}) requires {others}, in this symbol or in another one on the same item"


def _parsed(content: str) -> tuple[Element, ...]:
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


def _named(alternatives: Sequence[str]) -> Iterator[str]:
    """Yield the alternatives; if there are many, the first, most common ones, and how many others there are."""
    is_short = len(alternatives) <= _MOST_ALTERNATIVES
    named = alternatives if is_short else alternatives[:_FIRST_ALTERNATIVES]
    for together in named:
        yield " with ".join(f"({ai})" for ai in together.split("+"))
    if not is_short:
        yield f"one of {len(alternatives) - len(named)} others"


def _require_no_bare_gtin(name: str, content: str) -> None:
    if len(content) not in GTIN_LENGTHS or not is_digits(content):
        return
    gtin = gtin14(content)
    fits = f"(01){gtin}" if gtin else "(01) and the 14 digits of a GTIN, or another identifier in brackets"
    what = f"looks like a GTIN, which must be written {fits}" if gtin else _NO_GTIN
    raise InvalidContent(f"{name}: {content} at position 1 {what}", rule=_RULE, position=1, fits=fits)


def _require_valid_values(name: str, data: Gs1Content) -> None:
    for index, element in enumerate(data.elements):
        fault = fault_of(element)
        if fault:
            position = data.value_position(index) + fault.index
            raise InvalidContent(
                f"{name}: ({element.ai}) has {fault.found} at position {position}, not {fault.fits}",
                rule=_RULE,
                position=position,
                fits=fault.fits,
            )


def _require_no_exclusion(name: str, data: Gs1Content) -> None:
    exclusion = exclusion_of(data.elements)
    if exclusion is None:
        return
    first, second = (data.elements[index].ai for index in exclusion)
    position = data.ai_position(exclusion.second)
    why = "already has another value" if first == second else f"must not be in one symbol with ({first})"
    raise InvalidContent(
        f"{name}: ({second}) at position {position} {why}",
        rule=_RULE,
        position=position,
        fits=f"one of ({first}) and ({second})" if first != second else f"one value for ({first})",
    )
