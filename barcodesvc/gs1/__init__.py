"""GS1 element strings, as scanners send them and as labels carry them.

    application_identifiers   the table of AIs, with the format of each one's value
    element_strings           the parser and the writer
    value_rules               rules for a value beyond its format, with the lists in code_lists
    companions                which AIs exclude each other, and which require another one

Rule: reading is lenient and printing is strict. Scans are read with `element_strings` alone, so that a label with an
impossible date still finds its product; `value_rules` and `companions` are applied only before printing.
"""

from barcodesvc.gs1.element_strings import (
    FNC1,
    GS1_IDENTIFIERS,
    Element,
    Gs1Error,
    checked_element,
    iter_bracketed,
    iter_element_string,
    parse_bracketed,
    parse_element_string,
    to_element_string,
)

__all__ = [
    "FNC1",
    "GS1_IDENTIFIERS",
    "Element",
    "Gs1Error",
    "checked_element",
    "iter_bracketed",
    "iter_element_string",
    "parse_bracketed",
    "parse_element_string",
    "to_element_string",
]
