"""What GS1 symbols hold: an element string, bracketed or raw, as it is shown to people and handed to an encoder.

Bare digits of a GTIN's length are refused even where they could be read as a raw element string: `4006381333931` would
become AI (400), a customer's order number, and whoever writes it means AI (01), perhaps with a slip. In brackets every
identifier is taken.

What is printed keeps the rules of `gs1.value_rules` and excludes no element by another one. An element that wants
another beside it is drawn, with a warning of `missing_companions`: a lot number may stand beside the EAN of its item.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from barcodesvc.errors import InvalidContent
from barcodesvc.gs1 import FNC1, Element, Gs1Error, parse_bracketed, parse_element_string, to_element_string
from barcodesvc.gs1.companions import exclusion_of, missing_in
from barcodesvc.gs1.gtin import GTIN_LENGTHS, gtin14, is_digits
from barcodesvc.gs1.value_rules import fault_of

FITTING_ELEMENTS = "application identifiers in brackets, such as (01)09521234543213(10)LOT7"
_MOST_WANTED = 6
_FIRST_WANTED = 3
"""Alternatives that are named of what an identifier wants: up to the most all, of more the first."""
_RULE = "GS1 element string"
_NO_GTIN = (
    "has the length of a GTIN, but is none; a GTIN has to be written (01)…, with its check digit, and anything else "
    "with its identifier in brackets, too"
)


@dataclass(frozen=True, slots=True)
class Gs1Content:
    """A valid element string as it was asked for; data characters are those of identifiers, values and separators."""

    content: str
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

    def ai_position(self, index: int) -> int:
        """Return the position in what was asked for of an element's identifier, behind its bracket."""
        return tuple(self._positions())[self._characters_before(index)]

    def value_position(self, index: int) -> int:
        """Return the position in what was asked for of the first character of an element's value."""
        return tuple(self._positions())[self._characters_before(index) + len(self.elements[index].ai)]

    def _characters_before(self, index: int) -> int:
        """Return how many characters the identifiers and values before an element have."""
        return sum(len(part) for element in self.elements[:index] for part in element)

    def _positions(self) -> Iterator[int]:
        start, bracket = 0, int(self.content.startswith("("))
        for element in self.elements:
            for part, behind in ((element.ai, bracket), (element.value, 0)):
                start = self.content.index(part, start)
                yield from range(start + 1, start + len(part) + 1)
                start += len(part) + behind


def gs1_content(name: str, content: str) -> Gs1Content:
    """Parse what was asked for; raises InvalidContent in the name of the symbology."""
    _require_no_bare_gtin(name, content)
    parse = parse_bracketed if content.startswith("(") else parse_element_string
    try:
        data = Gs1Content(content, parse(content))
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
    """Return a valid element string as it is printed: without the spaces that may stand around bracketed values."""
    if not content.startswith("("):
        return content
    return Gs1Content(content, parse_bracketed(content)).caption


def missing_companions(content: str) -> Iterator[str]:
    """Yield a sentence for each identifier of a valid element string that wants another beside it."""
    parse = parse_bracketed if content.startswith("(") else parse_element_string
    for ai, wanted in missing_in(parse(content)):
        others = " or ".join(_named(wanted))
        yield f"({ai}) wants {others} beside it, in this symbol or in another one on the same item"


def _named(wanted: Sequence[str]) -> Iterator[str]:
    """Yield what would do: of very many alternatives the first, the usual ones, and how many others there are."""
    named = wanted if len(wanted) <= _MOST_WANTED else wanted[:_FIRST_WANTED]
    yield from map(_in_brackets, named)
    if len(named) < len(wanted):
        yield f"one of {len(wanted) - len(named)} others"


def _in_brackets(together: str) -> str:
    return " with ".join(f"({ai})" for ai in together.split("+"))


def _require_no_bare_gtin(name: str, content: str) -> None:
    if len(content) not in GTIN_LENGTHS or not is_digits(content):
        return
    gtin = gtin14(content)
    fits = f"(01){gtin}" if gtin else "(01) and the 14 digits of a GTIN, or another identifier in brackets"
    what = f"looks like a GTIN, which has to be written {fits}" if gtin else _NO_GTIN
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
    why = "has another value already" if first == second else f"must not stand beside ({first})"
    raise InvalidContent(
        f"{name}: ({second}) at position {position} {why}",
        rule=_RULE,
        position=position,
        fits=f"one of ({first}) and ({second})" if first != second else f"one value for ({first})",
    )
