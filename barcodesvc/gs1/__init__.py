"""GS1 element strings, as scanners send them and as labels carry them.

    application_identifiers   the table: the format of each AI's value
    element_strings           reading and writing
    value_rules               what a value must be beyond its format; dates, coupons and code_lists belong to it
    companions                which AIs exclude each other, and which want another one beside them

Rule: reading is lenient and printing is strict. What scanners send is read by `element_strings` alone, so that a label
with an impossible date still finds its product; `value_rules` and `companions` are for whoever prints.
"""

from barcodesvc.gs1.element_strings import (
    FNC1,
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
    "Element",
    "Gs1Error",
    "checked_element",
    "iter_bracketed",
    "iter_element_string",
    "parse_bracketed",
    "parse_element_string",
    "to_element_string",
]
