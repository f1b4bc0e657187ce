"""A scan, parsed, before it is compared with any product: its text, symbology, payload, numbers and GS1 elements.

Digits as many as a GTIN has are never taken for GS1 elements by their looks: one in ten closes as a GTIN, and nearly
all begin with some AI. An identifier or 0x1D that says GS1 is believed; so are elements that can hardly be other text.
"""

from __future__ import annotations

from barcodesvc.gs1 import FNC1, Element
from barcodesvc.gs1.digital_link import elements_of_link, gtins_of_link
from barcodesvc.gs1.gtin import GTIN_LENGTHS, check_digit, gtin14, is_digits
from barcodesvc.scanning.add_ons import Beside, beside_add_on
from barcodesvc.scanning.composite import split_composite
from barcodesvc.scanning.element_string import NO_ELEMENTS, ElementString, read_element_string
from barcodesvc.scanning.gs1_data import gtin_of
from barcodesvc.scanning.gtin_spellings import gtins_of_upce
from barcodesvc.scanning.identifiers import ADDED_ON, DATABAR, EAN_UPC, WITHOUT_CHECK_DIGIT, identified
from barcodesvc.scanning.payload import payload_of
from barcodesvc.symbols.names import normal_name

_EDGES = "".join(map(chr, range(0x21))) + "\x7f\x85\xa0\u200b\u2028\u2029\u3000\ufeff"
_EDGES_BEHIND_FNC1 = _EDGES.replace(FNC1, "")
_IDENTIFIER_LENGTH = 3
_UPCE_LENGTHS = frozenset({6, 7, 8})
_UPCE_LENGTH, _EAN13_LENGTH = 8, 13
_LONGEST_NUMBER = len("4006381333931+51299")
_HINTS = {
    "code39": "CODE39",
    "itf": "ITF",
    "codabar": "CODABAR",
    "msi": "MSI",
    "upce": "UPCE",
    **dict.fromkeys(("ean13", "ean", "gtin13", "ean13guard", "upca", "upc", "gtin12", "jan", "jan13"), "EAN13"),
    **dict.fromkeys(("isbn13", "isbn", "isbn10", "issn"), "EAN13"),
}
"""The hints that add candidates, by the names and aliases of formats."""
_BESIDE_ADD_ONS = frozenset({"EAN13", "UPCE"})


class ParsedScan:
    """One scan, parsed; `code_type` is a hint, `symbology` one that is certain, by its canonical name, as on an image.

    sent         the text as sent
    text         that without white space and control characters at its ends
    identifier   the symbology identifier in front, without its `]`; empty where there is none
    symbology    its canonical name, None where nothing is certain
    hint         the canonical name that the hint stands for, empty where it adds no candidate
    bare         the text without identifier, channel interpretations and 2D component
    behind       the same with the channel interpretations, empty where there are none
    payload      the service's own payload, None where there is none; `code` is the product code in it
    beside       a number and its add-on, by their looks
    main         the GTIN-14 of that number, where the add-on is certain
    digits       the GTIN-14s that the digits of the text are
    says_gs1     whether an identifier or 0x1D says that there are GS1 elements
    linked       the elements of a Digital Link
    elements     the GS1 elements for the answer
    supposed     GS1 elements of the whole text, if it says or looks so
    gs1_gtin     the GTIN-14 under (01) in them
    gtins        all GTIN-14s, best first
    completed    the GTIN-14 whose check digit the scanner has left out
    named_gtin   the first GTIN-14 that is certain
    """

    __slots__ = (
        *("sent", "text", "identifier", "symbology", "hint", "behind", "bare", "payload", "code"),
        *("beside", "main", "digits", "says_gs1", "linked", "elements", "supposed", "gs1_gtin"),
        *("gtins", "completed", "named_gtin"),
    )

    def __init__(self, code_data: str, code_type: str = "", symbology: str | None = None) -> None:
        self.sent = code_data
        self.text = code_data.strip(_EDGES)
        found = identified(self.text)
        self.identifier = found.identifier
        self.symbology = symbology or found.symbology
        self.hint = _HINTS.get(normal_name(code_type), "") if code_type else ""
        behind = self.text[_IDENTIFIER_LENGTH:] if found.identifier else ""
        self.behind = behind.strip(_EDGES) if len(behind) > len(found.text) else ""
        bare = found.text.strip(_EDGES)
        self.bare, component = _without_component(bare, is_gs1=found.is_gs1) if "]e" in bare else (bare, "")
        self.payload = payload_of(self.bare)
        self.code = self.payload.product_code if self.payload else ""
        self.says_gs1 = found.is_gs1 or (FNC1 in code_data and self._has_fnc1())
        self.beside: Beside | None = None
        self.main: str | None = None
        self.named_gtin: str | None = None
        self.digits: tuple[str, ...] = ()
        self._read_number(self.code or self.bare)
        self._read_elements(component)
        self.completed = self._completed() if found.identifier else None
        self.named_gtin = self.completed or self.named_gtin

    def _read_number(self, text: str) -> None:
        if len(text) > _LONGEST_NUMBER:
            return
        gtin = gtin14(text)
        is_ean13 = gtin and len(text) == _EAN13_LENGTH and self.hint != "UPCE"
        self.beside = None if is_ean13 else beside_add_on(text)
        self.main = self.beside.gtin if self.beside and self._has_add_on(self.beside, gtin) else None
        upce = self._gtins_of_upce(text, gtin) if len(text) in _UPCE_LENGTHS else ()
        self.digits = () if self.main else ((gtin, *upce) if gtin else upce)
        self.named_gtin = self.main or gtin or (upce[0] if upce and self._is_upce() else None)

    def _has_add_on(self, beside: Beside, gtin: str | None) -> bool:
        """Return whether an add-on is certain; of digits that are a GTIN only where an identifier says so."""
        if beside.is_apart or (self.identifier == ADDED_ON and len(self.bare) != _EAN13_LENGTH):
            return True
        return gtin is None and (self.identifier == ADDED_ON or self.hint in _BESIDE_ADD_ONS)

    def _gtins_of_upce(self, text: str, gtin: str | None) -> tuple[str, ...]:
        """Return the GTIN-14s where something says UPC-E, or eight digits close as such a number alone."""
        looks_so = len(text) == _UPCE_LENGTH and not (self.symbology or self.identifier or gtin)
        return gtins_of_upce(text) if looks_so or self._is_upce() else ()

    def _is_upce(self) -> bool:
        return self.hint == "UPCE" or self.symbology == "UPCE" or self.identifier == EAN_UPC

    def _read_elements(self, component: str) -> None:
        self.linked = elements_of_link(self.bare)
        string = NO_ELEMENTS if self.linked else self._read_string()
        self.gs1_gtin = gtin_of(string.elements) if string.elements else None
        self.gtins = (self.main,) if self.main else self.digits
        if self.linked or self.gs1_gtin:
            of_elements = (self.gs1_gtin,) if self.gs1_gtin else gtins_of_link(self.linked)
            self.gtins = tuple(dict.fromkeys((*of_elements, *self.gtins))) if self.gtins else of_elements
            self.named_gtin = self.gtins[0] if self.gtins else None
        self.elements = self._for_the_answer(string, component)
        is_string = self.says_gs1 or self.elements or string.is_whole
        self.supposed = string.elements if is_string else ()

    def _read_string(self) -> ElementString:
        """Read elements where there is evidence of them, or could be in themselves."""
        text = self.bare
        looks_so = text[:2].isdigit() and not (len(text) in GTIN_LENGTHS and is_digits(text))
        return read_element_string(text) if looks_so or self.says_gs1 or text.startswith("(") else NO_ELEMENTS

    def _for_the_answer(self, string: ElementString, component: str) -> tuple[Element, ...]:
        """Return the elements that are in the answer whether a product fits them or not."""
        if component:
            is_number = self.gtins and not self.gs1_gtin
            linear = (Element("01", self.gtins[0]),) if is_number else string.elements
            return (*linear, *read_element_string(component).elements)
        if not string.elements:
            return self.linked
        is_ean_in_capitals = self.identifier == DATABAR and self.digits
        if self.says_gs1 and not is_ean_in_capitals:
            return string.elements
        return string.elements if self.bare.startswith("(") or self.gs1_gtin or string.is_evident else ()

    def _has_fnc1(self) -> bool:
        """Return whether 0x1D stands inside, or in front, where some scanners send it for the FNC1 of a GS1 symbol."""
        if FNC1 in self.bare:
            return True
        sent = self.sent.lstrip(_EDGES_BEHIND_FNC1)
        return sent.startswith(FNC1) or (bool(self.identifier) and sent[_IDENTIFIER_LENGTH:].startswith(FNC1))

    def _completed(self) -> str | None:
        """Return the GTIN-14 with the check digit that the scanner has left out, as its identifier says."""
        if (self.identifier, len(self.bare)) not in WITHOUT_CHECK_DIGIT or not is_digits(self.bare) or self.digits:
            return None
        return gtin14(self.bare + check_digit(self.bare))


def _without_component(text: str, *, is_gs1: bool) -> tuple[str, str]:
    """Return the number, or the elements, of a linear symbol, and the 2D component of a composite behind them."""
    parts = split_composite(text)
    if parts and (is_gs1 or gtin14(parts[0]) or beside_add_on(parts[0])):
        return parts
    return text, ""
