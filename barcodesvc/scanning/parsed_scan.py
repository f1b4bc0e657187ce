"""The parser of scans: text, symbology, payload, numbers and GS1 elements, before any comparison with products.

Bare digits of a GTIN's length are never read as GS1 elements without evidence: one number in ten has a valid check
digit, and nearly all begin with some AI. An identifier or 0x1D that announces GS1 is evidence, and so are elements that
can hardly be anything else.
"""

from __future__ import annotations

from barcodesvc.gs1.digital_link import elements_of_link, gtins_of_link
from barcodesvc.gs1.element_strings import FNC1, Element
from barcodesvc.gs1.gtin import GTIN_LENGTHS, gtin14, is_digits, with_check_digit
from barcodesvc.scanning.element_string import NO_ELEMENTS, ElementString, read_element_string
from barcodesvc.scanning.gs1_data import gtin_of
from barcodesvc.scanning.identifiers import DATABAR, WITHOUT_CHECK_DIGIT, identified, split_composite
from barcodesvc.scanning.linear_variants import without_asterisks
from barcodesvc.scanning.pack_data import read_pack
from barcodesvc.scanning.payload import payload_of
from barcodesvc.scanning.scanned_numbers import Evidence, scanned_numbers, split_add_on
from barcodesvc.symbols.registry import known_symbology
from barcodesvc.texts import UNSEEN_AT_ENDS

_EDGES = "".join(map(chr, range(0x20))) + "\x7f" + UNSEEN_AT_ENDS
_EDGES_BEHIND_FNC1 = _EDGES.replace(FNC1, "")
_IDENTIFIER_LENGTH = 3
_GTIN14_DIGITS = 14


class ParsedScan:
    """A parsed scan; `code_type` is a hint, `symbology` is certain, by its canonical name, as for a code on an image.

    sent         the text as sent
    text         the same without white space and control characters at its ends
    identifier   the symbology identifier without its `]`, empty if there is none
    symbology    the canonical name, None if it is uncertain
    hint         the kind of number that the hint means, empty if it adds no candidate
    bare         the text without identifier, channel interpretations, asterisks of Code 39 and 2D component
    behind       the text behind the identifier if more is removed from it, otherwise empty
    payload      the service's QR payload, None if there is none; `code` is its product code
    pack         what the code of a pack says, None if it is not an HIBC code or a message of data identifiers
    numbers      the numbers that the text may be
    digits       the GTIN-14s among them, best first; none if an add-on is certain
    says_gs1     whether an identifier or 0x1D announces GS1 elements
    linked       the elements of a Digital Link
    elements     the GS1 elements that are reported
    supposed     the GS1 elements of the whole text, if there is evidence of them
    gs1_gtin     their GTIN-14 under (01), otherwise that of the contents under (02)
    gtins        all GTIN-14s, best first
    completed    the GTIN-14 whose check digit the scanner has omitted
    named_gtin   the first GTIN-14 that is certain
    """

    __slots__ = (
        *("sent", "text", "identifier", "symbology", "hint", "behind", "bare", "payload", "code"),
        *("pack", "numbers", "digits", "says_gs1", "linked", "elements", "supposed", "gs1_gtin"),
        *("gtins", "completed", "named_gtin"),
    )

    def __init__(self, code_data: str, code_type: str = "", symbology: str | None = None) -> None:
        self.sent = code_data
        self.text = code_data.strip(_EDGES)
        found = identified(self.text)
        self.identifier = found.identifier
        self.symbology = symbology or found.symbology
        named = known_symbology(code_type) if code_type else None
        self.hint = named.hint if named else ""
        behind = self.text[_IDENTIFIER_LENGTH:].strip(_EDGES) if found.identifier else ""
        bare = found.text.strip(_EDGES)
        if bare[:1] == "*" and self.symbology in {None, "CODE39"}:
            bare = without_asterisks(bare)
        self.behind = behind if len(behind) > len(bare) else ""
        self.bare, component = _without_component(bare, is_gs1=found.is_gs1) if "]e" in bare else (bare, "")
        self.payload = payload_of(self.bare)
        self.code = self.payload.product_code if self.payload else ""
        self.says_gs1 = found.is_gs1 or (FNC1 in code_data and self._has_fnc1())
        self.pack = read_pack(self.bare)
        text = self.code or (self.pack and self.pack.number) or self.bare
        evidence = Evidence(self.identifier, self.symbology, self.hint)
        self.numbers = scanned_numbers(text, evidence)
        self.digits = tuple(number for number in self.numbers.likely if len(number) == _GTIN14_DIGITS)
        certain = self.digits[0] if self.digits and (evidence.is_upce or self.digits[0] == text.zfill(14)) else None
        self.named_gtin = self.numbers.main or certain
        self._read_elements(component)
        self.completed = self._completed() if found.identifier else None
        self.named_gtin = self.completed or self.named_gtin

    def _read_elements(self, component: str) -> None:
        self.linked = elements_of_link(self.bare)
        string = NO_ELEMENTS if self.linked else self._read_string()
        self.gs1_gtin = (gtin_of(string.elements) or gtin_of(string.elements, "02")) if string.elements else None
        self.gtins = (self.numbers.main,) if self.numbers.main else self.digits
        if self.linked or self.gs1_gtin:
            of_elements = (self.gs1_gtin,) if self.gs1_gtin else gtins_of_link(self.linked)
            self.gtins = tuple(dict.fromkeys((*of_elements, *self.gtins))) if self.gtins else of_elements
            self.named_gtin = self.gtins[0] if self.gtins else None
        self.elements = self._reported(string, component)
        is_string = self.says_gs1 or self.elements or string.is_whole
        self.supposed = string.elements if is_string else ()

    def _read_string(self) -> ElementString:
        """Read the elements if there is evidence of them, or if they could be evident themselves."""
        text = self.bare
        looks_so = text[:2].isdigit() and not (len(text) in GTIN_LENGTHS and is_digits(text))
        return read_element_string(text) if looks_so or self.says_gs1 or text.startswith("(") else NO_ELEMENTS

    def _reported(self, string: ElementString, component: str) -> tuple[Element, ...]:
        """Return the elements that the response contains whether or not a product matches them."""
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
        """Return whether 0x1D is in the text, or before it, where some scanners send the FNC1 of a GS1 symbol."""
        if FNC1 in self.bare:
            return True
        sent = self.sent.lstrip(_EDGES_BEHIND_FNC1)
        return sent.startswith(FNC1) or (bool(self.identifier) and sent[_IDENTIFIER_LENGTH:].startswith(FNC1))

    def _completed(self) -> str | None:
        """Return the GTIN-14 with the check digit that the scanner has omitted, as its identifier shows."""
        if (self.identifier, len(self.bare)) not in WITHOUT_CHECK_DIGIT or not is_digits(self.bare) or self.digits:
            return None
        return gtin14(with_check_digit(self.bare))


def _without_component(text: str, *, is_gs1: bool) -> tuple[str, str]:
    """Return the number or elements of a linear symbol, and the 2D component if the text is a composite."""
    parts = split_composite(text)
    if parts and (is_gs1 or gtin14(parts[0]) or split_add_on(parts[0])):
        return parts
    return text, ""
