"""Payloads: what the symbol of a label holds, which is the code of its product unless the request says otherwise.

    the code         4006381333931
    a Digital Link   https://id.shop.example/01/04006381333931/10/LOT7?17=261231
    GS1 elements     (01)04006381333931(10)LOT7(17)261231
    a text           anything with placeholders

Values of elements are completed as people write them: an ISO date for a date of six digits, a GTIN of 8, 12 or 13
digits for one of 14. Elements may be printed, as `gs1.printable` says.

Rule: a payload returns a content that its symbology may still refuse; both refusals are InvalidContent with their rule.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Protocol
from urllib.parse import quote

from barcodesvc.errors import InvalidContent, InvalidInput, field_problem
from barcodesvc.gs1.application_identifiers import DATE_AIS, NAMED_AIS
from barcodesvc.gs1.dates import years_around
from barcodesvc.gs1.digital_link import QUALIFIERS_OF_GTIN
from barcodesvc.gs1.element_strings import Element, Gs1Error, checked_element, to_bracketed, to_element_string
from barcodesvc.gs1.gtin import gtin14
from barcodesvc.gs1.printable import RULE, first_misprint
from barcodesvc.labels.placeholders import Fillings, Template
from barcodesvc.symbols.registry import SYMBOLOGIES, Symbology, find_symbology

MOST_CHARACTERS = 500
"""Characters of a payload; a symbol of more is larger than a label."""
_GTINS = frozenset({"01", "02", "03"})
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_AI = re.compile(r"[0-9]{2,4}", re.ASCII)
_BRACKETED_NUMBER = re.compile(r"\([0-9]{2,4}\)")


class Payload(Protocol):
    """What a symbol holds."""

    @property
    def templates(self) -> tuple[Template, ...]:
        """The texts with placeholders that it is made of."""

    def content(self, fillings: Fillings) -> str:
        """Return the content of a label's symbol; raises InvalidContent, and UnfilledError for a placeholder."""


@dataclass(frozen=True, slots=True)
class CodePayload:
    """The code of the product."""

    templates: tuple[Template, ...] = ()

    def content(self, fillings: Fillings) -> str:
        """Return the code."""
        return fillings.code


CODE = CodePayload()


@dataclass(frozen=True, slots=True)
class TextPayload:
    """A text."""

    template: Template

    @property
    def templates(self) -> tuple[Template, ...]:
        """The text."""
        return (self.template,)

    def content(self, fillings: Fillings) -> str:
        """Return the text; raises InvalidContent if it is empty or too long."""
        return _limited(self.template.filled(fillings))


@dataclass(frozen=True, slots=True)
class ElementsPayload:
    """GS1 elements: a template for the value of each application identifier."""

    elements: tuple[tuple[str, Template], ...]

    @property
    def templates(self) -> tuple[Template, ...]:
        """The values."""
        return tuple(template for _, template in self.elements)

    def content(self, fillings: Fillings) -> str:
        """Return the element string, as a GS1 symbology takes it."""
        filled = ((ai, template.filled(fillings)) for ai, template in self.elements)
        elements = _checked(filled, fillings.today)
        if any(_BRACKETED_NUMBER.search(element.value) for element in elements):
            return _limited(to_element_string(elements))  # in brackets it would be read as another identifier
        return _limited(to_bracketed(elements))


@dataclass(frozen=True, slots=True)
class LinkPayload:
    """A GS1 Digital Link at a domain, of the product's GTIN and of the values that are elements.

    Values are elements by their identifiers, or as `lot`, `serial` and `expiry`; others belong to the texts.
    """

    domain: str
    templates: tuple[Template, ...] = ()

    def content(self, fillings: Fillings) -> str:
        """Return the link; raises InvalidContent for a code that is no GTIN, and for values that break a rule."""
        gtin = gtin14(fillings.code)
        if gtin is None:
            fits = "a GTIN of 8, 12, 13 or 14 digits with its check digit"
            raise InvalidContent(f"a Digital Link needs {fits}, which {fillings.code!r} is not", rule="GTIN", fits=fits)
        item, *others = _checked([("01", gtin), *_element_values(fillings.values)], fillings.today)
        found = {element.ai: element for element in others if element.ai != item.ai}
        path = [item, *(found.pop(ai) for ai in QUALIFIERS_OF_GTIN if ai in found)]
        attributes = "&".join(f"{element.ai}={_escaped(element)}" for _, element in sorted(found.items()))
        link = "/".join([f"https://{self.domain}", *(f"{element.ai}/{_escaped(element)}" for element in path)])
        return _limited(f"{link}?{attributes}" if attributes else link)


def symbology_of_elements(symbology: Symbology) -> Symbology:
    """Return the GS1 symbology that holds elements where this one is requested; raises InvalidInput without one."""
    if symbology.takes_elements:
        return symbology
    if not symbology.with_elements:
        others = ", ".join(other.name for other in SYMBOLOGIES if other.takes_elements)
        message = f"{symbology.name} holds no GS1 elements; there are {others}"
        raise InvalidInput.of(field_problem("code_type", message, symbology.name))
    return find_symbology(symbology.with_elements)


def _element_values(values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, text in values.items():
        ai = NAMED_AIS.get(name, name)
        if _AI.fullmatch(ai):
            yield ai, text


def _checked(values: Iterable[tuple[str, str]], today: date) -> list[Element]:
    """Return elements that follow all rules; raises InvalidContent."""
    elements = [_element(ai, text, today) for ai, text in values]
    misprint = first_misprint(elements)
    if misprint:
        where = "" if misprint.offset is None else f" in {elements[misprint.element].value!r}"
        raise InvalidContent(f"{misprint.found}{where}{misprint.verdict}", rule=RULE, fits=misprint.fits)
    return elements


def _element(ai: str, text: str, today: date) -> Element:
    try:
        return checked_element(ai, _completed(ai, text, today))
    except Gs1Error as error:
        raise InvalidContent(str(error), rule=RULE) from error


def _completed(ai: str, text: str, today: date) -> str:
    """Return a value in the form of its AI: a GTIN with 14 digits, an ISO date as YYMMDD."""
    if ai in _GTINS:
        return gtin14(text) or text
    return _six_digits(ai, text, today) if ai in DATE_AIS and _ISO_DATE.fullmatch(text) else text


def _six_digits(ai: str, text: str, today: date) -> str:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        fits = "a date of the calendar"
        raise InvalidContent(f"({ai}) has {text}, not {fits}", rule=RULE, fits=fits) from None
    years = years_around(today.year)
    if day.year not in years:
        fits = f"a year from {years[0]} to {years[-1]}"
        raise InvalidContent(f"({ai}) has the date {text}, not {fits}", rule=RULE, fits=fits)
    return f"{day:%y%m%d}"


def _escaped(element: Element) -> str:
    return quote(element.value, safe="")


def _limited(content: str) -> str:
    if not 1 <= len(content) <= MOST_CHARACTERS:
        fits = f"1 to {MOST_CHARACTERS} characters"
        raise InvalidContent(f"the payload has {len(content)} characters, not {fits}", rule="length", fits=fits)
    return content
