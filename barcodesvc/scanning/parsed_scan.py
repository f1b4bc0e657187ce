"""The parser of scans: text, symbology, payload, numbers and GS1 elements, before any comparison with products.

Bare digits of a GTIN's length are never read as GS1 elements without evidence: one number in ten has a valid check
digit, and nearly all begin with some AI. An identifier or 0x1D that announces GS1 is evidence, and so are elements that
can hardly be anything else.
"""

from collections.abc import Sequence

from barcodesvc.gs1.digital_link import elements_of_link, gtins_of_link
from barcodesvc.gs1.element_strings import FNC1, GS1_IDENTIFIERS, Element
from barcodesvc.gs1.gtin import GTIN14_DIGITS, GTIN_LENGTHS, gtin14, is_digits, with_check_digit
from barcodesvc.in_store_patterns import InStorePattern
from barcodesvc.scanning.element_string import NO_ELEMENTS, ElementString, read_element_string
from barcodesvc.scanning.embedded import in_store_number
from barcodesvc.scanning.gs1_data import gtin_of
from barcodesvc.scanning.identifiers import (
    DATABAR,
    WITHOUT_CHECK_DIGIT,
    split_composite,
    split_identifier,
    symbology_of,
)
from barcodesvc.scanning.linear_variants import without_asterisks
from barcodesvc.scanning.pack_data import read_pack
from barcodesvc.scanning.payload import payload_of
from barcodesvc.scanning.scanned_numbers import Evidence, scanned_numbers, split_add_on
from barcodesvc.symbols.registry import known_symbology
from barcodesvc.texts import UNSEEN_AT_ENDS

_EDGES = "".join(map(chr, range(0x20))) + "\x7f" + UNSEEN_AT_ENDS
_EDGES_BEHIND_FNC1 = _EDGES.replace(FNC1, "")
_IDENTIFIER_LENGTH = 3


class ParsedScan:
    """A parsed scan; `code_type` is a hint, `symbology` is certain, by its canonical name, as for a code on an image.

    Each attribute is derived once, from those before it:

    sent         the text as sent
    text         the same without white space and control characters at its ends
    identifier   the symbology identifier without its `]`, empty if there is none
    symbology    the canonical name, None if it is uncertain
    hint         the kind of number that the hint means, empty if it adds no candidate
    behind       the text behind the identifier if more is removed from it, otherwise empty
    bare         the text without identifier, channel interpretations, asterisks of Code 39 and 2D component
    says_gs1     whether an identifier or 0x1D announces GS1 elements
    payload      the service's QR payload, None if there is none; `code` is its product code
    pack         what the code of a pack says, None if it is not an HIBC code or a message of data identifiers
    numbers      the numbers that the text may be
    digits       the GTIN-14s among them, best first; none if an add-on is certain
    linked       the elements of a Digital Link
    gs1_gtin     the GTIN-14 of its GS1 elements, otherwise that of the contents, under (02)
    gtins        all GTIN-14s, best first
    completed    the GTIN-14 whose check digit the scanner has omitted
    named_gtin   the first GTIN-14 that is certain
    elements     the GS1 elements that are reported
    supposed     the GS1 elements of the whole text, if there is evidence of them
    patterns     the patterns of in-store codes; `in_store` is what the first of `digits` that fits one says
    """

    def __init__(
        self,
        code_data: str,
        code_type: str = "",
        symbology: str | None = None,
        patterns: Sequence[InStorePattern] = (),
    ) -> None:
        self.sent = code_data
        self.text = code_data.strip(_EDGES)
        self.identifier, data = split_identifier(self.text)
        self.symbology = symbology or symbology_of(self.identifier)
        named = known_symbology(code_type) if code_type else None
        self.hint = named.hint if named else ""
        whole = data.strip(_EDGES)
        if self.symbology in {None, "CODE39"}:
            whole = without_asterisks(whole)
        self.behind = self._behind(whole) if self.identifier else ""
        self.bare, component = self._split_component(whole) if "]e" in whole else (whole, "")
        self.says_gs1 = self.identifier in GS1_IDENTIFIERS or (FNC1 in code_data and self._has_fnc1())
        self.payload = payload_of(self.bare)
        self.code = self.payload.product_code if self.payload else ""
        self.pack = read_pack(self.bare)
        number = self.code or (self.pack and self.pack.number) or self.bare
        evidence = Evidence(self.identifier, self.symbology, self.hint)
        self.numbers = scanned_numbers(number, evidence)
        self.digits = tuple(one for one in self.numbers.likely if len(one) == GTIN14_DIGITS)
        self.linked = elements_of_link(self.bare)
        string = NO_ELEMENTS if self.linked else self._read_string()
        self.gs1_gtin = (gtin_of(string.elements) or gtin_of(string.elements, "02")) if string.elements else None
        self.gtins = self._gtins()
        self.completed = self._completed() if self.identifier else None
        self.named_gtin = self.completed or self._certain_gtin(number, evidence)
        self.elements = self._reported(string, component)
        self.supposed = string.elements if self.says_gs1 or self.elements or string.is_whole else ()
        self.patterns = patterns
        self.in_store = in_store_number(self.digits, patterns) if patterns else None

    def _behind(self, kept: str) -> str:
        """Return the text behind the identifier if more than that is removed from it, otherwise nothing."""
        behind = self.text[_IDENTIFIER_LENGTH:].strip(_EDGES)
        return behind if len(behind) > len(kept) else ""

    def _split_component(self, text: str) -> tuple[str, str]:
        """Return the number or elements of a linear symbol, and the 2D component if the text is a composite."""
        linear, component = split_composite(text)
        is_composite = self.identifier in GS1_IDENTIFIERS or gtin14(linear) or split_add_on(linear)
        return (linear, component) if is_composite else (text, "")

    def _gtins(self) -> tuple[str, ...]:
        """Return the GTIN-14s of elements or of a link, then those of the text."""
        of_text = (self.numbers.main,) if self.numbers.main else self.digits
        if self.gs1_gtin:
            return tuple(dict.fromkeys((self.gs1_gtin, *of_text)))
        return tuple(dict.fromkeys((*gtins_of_link(self.linked), *of_text))) if self.linked else of_text

    def _certain_gtin(self, number: str, evidence: Evidence) -> str | None:
        """Return the first GTIN-14 if a structure announces it, if it is a UPC-E, or if the number shows its digits."""
        if not self.gtins:
            return None
        first = self.gtins[0]
        is_announced = self.linked or self.gs1_gtin or self.numbers.main or evidence.is_upce
        return first if is_announced or first == number.zfill(GTIN14_DIGITS) else None

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
