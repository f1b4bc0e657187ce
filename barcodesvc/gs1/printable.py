"""What elements must be if they are printed, beyond what is asked of those that are read.

Each value follows the rules of `value_rules`, and no element excludes another one (`companions`). A missing companion
is only a warning, because it may be in another symbol: a lot number may be printed next to the item's EAN.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from barcodesvc.gs1.companions import exclusion_of, missing_in
from barcodesvc.gs1.element_strings import Element
from barcodesvc.gs1.value_rules import fault_of

RULE = "GS1 element string"
"""The rule that refusals of elements name."""
_MOST_ALTERNATIVES = 6
"""Alternatives of a required identifier that a message names completely."""
_FIRST_ALTERNATIVES = 3
"""Alternatives that a message names if there are more."""


class Misprint(NamedTuple):
    """What must not be printed, in an element: at `offset` of its value, or its identifier if `offset` is None.

    element   the index of the element
    found     the beginning of a sentence, such as `(17) has month 13`
    verdict   its end, such as `, not 01 to 12`; between them a caller may say where that is
    fits      what would be right
    """

    element: int
    offset: int | None
    found: str
    verdict: str
    fits: str


def first_misprint(elements: Sequence[Element]) -> Misprint | None:
    """Return the first fault of valid elements, None if they may be printed."""
    for index, element in enumerate(elements):
        fault = fault_of(element)
        if fault:
            found = f"({element.ai}) has {fault.found}"
            return Misprint(index, fault.index, found, f", not {fault.fits}", fault.fits)
    exclusion = exclusion_of(elements)
    if exclusion is None:
        return None
    earlier, later = exclusion
    first, second = elements[earlier].ai, elements[later].ai
    if first == second:
        return Misprint(later, None, f"({second})", " already has another value", f"one value for ({first})")
    verdict = f" must not be in one symbol with ({first})"
    return Misprint(later, None, f"({second})", verdict, f"one of ({first}) and ({second})")


def missing_companions(elements: Sequence[Element]) -> Iterator[str]:
    """Yield a sentence for each identifier that requires another one."""
    for ai, required in missing_in(elements):
        others = " or ".join(_named(required))
        yield f"({ai}) requires {others}, in this symbol or in another one on the same item"


def _named(alternatives: Sequence[str]) -> Iterator[str]:
    """Yield the alternatives; if there are many, the first, most common ones, and how many others there are."""
    is_short = len(alternatives) <= _MOST_ALTERNATIVES
    named = alternatives if is_short else alternatives[:_FIRST_ALTERNATIVES]
    for together in named:
        yield " with ".join(f"({ai})" for ai in together.split("+"))
    if not is_short:
        yield f"one of {len(alternatives) - len(named)} others"
